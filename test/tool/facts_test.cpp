// What the commands tell programs (--json) and people; proofs as SMT-LIB.
#include "places.h"
#include "tool.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace unravel::tool::test {
namespace {

using nlohmann::json;

std::vector<std::string> keys_of(const json &object) {
  std::vector<std::string> keys;
  for (const auto &[key, value] : object.items())
    keys.push_back(key);
  return keys;
}

TEST(ToolFacts, Run) {
  Desk desk;
  Outcome outcome = desk.unravel({"run", spmv, "-f", "A=csr", "-f", "x=sv", "-i",
                                  "A=random:100x80,density=0.1", "-i", "x=random,density=0.1", "-s",
                                  "order i, A.p", "--find", "x=seq", "--check", "--time", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.out;
  json facts = outcome.json();
  EXPECT_EQ(facts.at("expression"), spmv);
  EXPECT_EQ(facts.at("check").at("performed"), true);
  EXPECT_EQ(facts.at("check").at("ok"), true);
  EXPECT_LE(facts.at("check").at("max_rel_error").get<double>(), 1e-12);
  const json &times = facts.at("times_ms");
  EXPECT_EQ(keys_of(times),
            (std::vector<std::string>{"cached", "clang", "compile", "kernel", "pack", "read", "validate"}));
  EXPECT_TRUE(times.at("cached").is_boolean());
  EXPECT_EQ(times.at("kernel").at("runs"), 7);
  EXPECT_LE(times.at("kernel").at("min"), times.at("kernel").at("median"));
  EXPECT_EQ(facts.at("loops"),
            json::parse(R"([{"variable": "i", "kind": "parallel"}, {"variable": "A.p", "kind": "reduction"},
                                               {"variable": "x.p", "kind": "find"}])"));
  const json &find = facts.at("finds").at(0);
  EXPECT_EQ(find.at("tensor"), "x");
  EXPECT_EQ(find.at("variable"), "x.p");
  EXPECT_EQ(find.at("template"), "sequential");
  EXPECT_EQ(find.at("direction"), "up");
  EXPECT_EQ(find.at("state"), json::parse(R"(["i"])"));
  EXPECT_EQ(find.at("advance"), true);
  EXPECT_EQ(find.at("unique"), true);
  EXPECT_EQ(facts.at("alternatives"), json::array()); // none where a method is asked for
  EXPECT_GT(find.at("obligations").get<int>(), 3);
  EXPECT_GT(find.at("proof_ms").get<double>(), 0);
  json result = facts.at("result");
  for (const char *key : {"norm", "first"})
    EXPECT_EQ(result.erase(key), 1u);
  EXPECT_EQ(result, json::parse(R"({"name": "y", "shape": [100], "entries": 100})"));
}

/// What is counted to choose a plan takes time, too.
TEST(ToolFacts, TimeOfCounts) {
  Desk desk;
  const std::vector<std::string> chain = {"run", "y(i) = A(i,j) * B(j,k) * x(k)",
                                          "-f",  "A=csr",
                                          "-f",  "B=csr",
                                          "-i",  "A=random:30x40,density=0.1",
                                          "-i",  "B=random:40x50,density=0.1",
                                          "-i",  "x=random"};
  EXPECT_NE(desk.unravel(chain).out.find(", count "), std::string::npos);
  std::vector<std::string> as_json = chain;
  as_json.push_back("--json");
  EXPECT_GE(desk.unravel(as_json).json().at("times_ms").at("count").get<double>(), 0);
}

TEST(ToolFacts, TheSecondRunIsCached) {
  Desk desk;
  std::vector<std::string> arguments = {"run", "y(i) = 17 * x(i)", "-i", "x=random:5", "--json"};
  EXPECT_EQ(desk.unravel(arguments).json().at("times_ms").at("cached"), false);
  EXPECT_EQ(desk.unravel(arguments).json().at("times_ms").at("cached"), true);
  arguments.push_back("--no-cache");
  EXPECT_EQ(desk.unravel(arguments).json().at("times_ms").at("cached"), false);
}

TEST(ToolFacts, Deps) {
  Desk desk;
  json loops = desk.unravel({"deps", spmv, "-f", "A=dcsr", "--json"}).json().at("loops");
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops.at(0).at("variable"), "A.r");
  EXPECT_EQ(loops.at(0).at("verdict"), "parallel");
  EXPECT_EQ(keys_of(loops.at(0)),
            (std::vector<std::string>{"decided_by", "dependences", "relation", "variable", "verdict",
                                      "witness", "witness_relation"}));
  EXPECT_EQ(loops.at(0).at("dependences"), json::array());
  EXPECT_EQ(loops.at(0).at("relation"),
            "{ [A.r, i, y.a, A.p, j, x.a] -> [A.r', i', y.a', A.p', j', x.a'] : false }");
  EXPECT_TRUE(loops.at(0).at("witness_relation").is_null());
  EXPECT_TRUE(loops.at(0).at("witness").is_null());
  EXPECT_EQ(loops.at(1).at("variable"), "A.p");
  EXPECT_EQ(loops.at(1).at("verdict"), "reduction");
  EXPECT_NE(loops.at(1).at("relation").get<std::string>().find("A.p'"), std::string::npos);
  EXPECT_NE(loops.at(1).at("witness").get<std::string>().find("A.p' = "), std::string::npos);
  EXPECT_EQ(loops.at(1)
                .at("relation")
                .get<std::string>()
                .find("{ [A.r, i, y.a, A.p, j, x.a] -> [A.r, i, y.a, A.p', j', x.a'] : "),
            0u);
  EXPECT_EQ(loops.at(1)
                .at("witness_relation")
                .get<std::string>()
                .find("{ [0, 0, 0, 0, 0, 0] -> [0, 0, 0, 1, 1, 1] : "),
            0u);
  EXPECT_EQ(loops.at(1).at("dependences"),
            json::parse(R"([{"tensor": "y", "kind": "update", "loops": ["A.r", "A.p"],
                             "direction": ["=", "<"], "distance": [0, null]}])"));
  std::string text = desk.unravel({"deps", spmv, "-f", "A=dcsr"}).out;
  EXPECT_EQ(text.find("loops (A.r, A.p)\nA.r: parallel (properties)\nA.p: reduction (possible)\n"
                      "  update of y: direction (=, <)\n  relation { "),
            0u)
      << text;
}

/// Parallel thanks to one property of the layout file, and not without it.
TEST(ToolFacts, DepsOfAWeakerFile) {
  Desk desk;
  std::string text = shipped_layout("dcsr"), line = "  property strictly increasing rowidx;\n";
  desk.write("weak.layout", text.erase(text.find(line), line.size()));
  json loops = desk.unravel({"deps", spmv, "-f", "A=./weak.layout", "--json"}).json().at("loops");
  EXPECT_EQ(loops.at(0).at("variable"), "A.r");
  EXPECT_EQ(loops.at(0).at("verdict"), "reduction");
}

TEST(ToolFacts, Tile) {
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n6 8 3\n1 1 1\n1 8 2\n5 8 3\n");
  std::vector<std::string> arguments = {"tile", spmv,      "-f",    "A=csr", "-s", "tile i by 2, j by 4",
                                        "-i",   "A=a.mtx", "--json"};
  json facts = desk.unravel(arguments).json();
  EXPECT_EQ(keys_of(facts), (std::vector<std::string>{"data_caches", "expression", "leaves", "loops", "nest",
                                                      "points", "tiles"}));
  EXPECT_EQ(facts.at("points"), 3);
  EXPECT_EQ(facts.at("nest"), json::parse(R"({"exist": 6, "at_most": 6, "with_points": 3,
                                              "iterations": {"all": 6, "with_points": 3}})"));
  const json &rows = facts.at("tiles").at(0), &columns = facts.at("tiles").at(1);
  EXPECT_EQ(rows.at("variable"), "i.tile");
  EXPECT_EQ(rows.at("of"), "i");
  EXPECT_EQ(rows.at("size"), 2);
  EXPECT_EQ(rows.at("number"), "floor((A.M - 1) / 2) + 1");
  EXPECT_EQ(rows.at("exist"), 3);
  EXPECT_EQ(rows.at("with_points"), 2);
  EXPECT_EQ(columns.at("iterations"), json::parse(R"({"all": 6, "with_points": 3})"));
  const json &touched = columns.at("touched_bytes");
  EXPECT_EQ(touched.at("arrays").at(0).at("array"), "y.val");
  EXPECT_EQ(touched.at("arrays").at(0).at("maximum"), 8);
  const json &levels = facts.at("leaves").at(0).at("levels");
  EXPECT_EQ(levels.at(0).at("tile_of"), "i");
  EXPECT_EQ(levels.at(0).at("kind"), "loop");
  EXPECT_EQ(levels.at(5).at("kind"), "find");
  EXPECT_TRUE(levels.at(5).at("template").is_string());
  EXPECT_TRUE(levels.at(5).at("run").is_null());
  // Without data what is known over sizes; with a size alone there is nothing to read A from.
  facts = desk.unravel({"tile", spmv, "-f", "A=csr", "-s", "tile i by 2, j by 4", "--json"}).json();
  EXPECT_EQ(keys_of(facts), (std::vector<std::string>{"data_caches", "expression", "leaves", "tiles"}));
  EXPECT_EQ(keys_of(facts.at("tiles").at(0)), (std::vector<std::string>{"number", "of", "size", "variable"}));
  arguments = {"tile", spmv, "-f", "A=csr", "-s", "tile j by 4", "--size", "i=3"};
  EXPECT_EQ(desk.unravel(arguments).error.find("expression:1:8: error: no input is given for `A`"), 0u);
  Outcome none = desk.unravel({"tile", spmv, "-f", "A=csr", "-i", "A=a.mtx"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.error,
            "error: the schedule makes no tiles "
            "[bad-transformation]\n  hint: add a tiling, as in -s 'tile j by 64', or -s 'split A.p by 256' "
            "(docs/schedules.md)\n");
}

TEST(ToolFacts, Explain) {
  Desk desk;
  Outcome text = desk.unravel({"explain", spmv, "-f", "A=csr", "-f", "x=sv"});
  EXPECT_EQ(text.code, 0);
  for (const char *part :
       {"== iteration space (", "== loop order (", "== scan (", "== finds (", "== dependences (",
        "== loops (", "== improved loops (", "== obligations\n", "== C\n", "O-stop", "proved", "int kernel("})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
  json facts = desk.unravel({"explain", spmv, "-f", "A=csr", "-f", "x=sv", "--json"}).json();
  EXPECT_EQ(keys_of(facts), (std::vector<std::string>{"alternatives", "c", "dependences", "expression",
                                                      "finds", "loops", "notes", "obligations", "stages"}));
  for (const json &obligation : facts.at("obligations"))
    EXPECT_EQ(keys_of(obligation), (std::vector<std::string>{"holds", "instances", "ms", "name", "question",
                                                             "variable", "verdict"}));
}

TEST(ToolFacts, ProofsAreConfirmedByZ3) {
  if (!has_program("z3")) GTEST_SKIP() << "the program z3 is not installed";
  Desk desk;
  json facts = desk.unravel({"explain", spmv, "-f", "A=csr", "-f", "x=sv", "--find", "x=seq", "--smtlib",
                             "proofs", "--json"})
                   .json();
  int proved = 0;
  for (const json &obligation : facts.at("obligations")) {
    std::string number = std::to_string(obligation.at("question").get<int>());
    std::string file = "proofs/" + std::string(3 - number.size(), '0') + number + ".smt2";
    ASSERT_TRUE(desk.has(file)) << file;
    Outcome answer = desk.execute({"z3", file});
    std::string verdict = obligation.at("verdict");
    bool refuted = verdict == "proved" || verdict == "impossible";
    EXPECT_EQ(answer.out, refuted ? "unsat\n" : "sat\n") << file << ": " << verdict;
    proved += verdict == "proved";
  }
  EXPECT_GE(proved, 5);
  // The index names every script with the answer that the program gives.
  std::istringstream index(desk.read("proofs/index.txt"));
  std::size_t lines = 0;
  std::string file, answer, rest;
  while (index >> file >> answer && std::getline(index, rest)) {
    EXPECT_EQ(desk.execute({"z3", "proofs/" + file}).out, answer + "\n") << file << rest;
    EXPECT_EQ(std::count(rest.begin(), rest.end(), '\t'), 2) << rest;
    ++lines;
  }
  auto written = std::filesystem::directory_iterator(desk.path("proofs"));
  EXPECT_EQ(lines + 1, static_cast<std::size_t>(std::distance(written, {})));
}

/// How a find was proved, and what failed with its counterexample.
TEST(ToolFacts, FindsExplained) {
  Desk desk;
  // Without a range of its keys there is no map.
  std::string layout = shipped_layout("sv"), line = "  property range idx in [0, M);\n";
  desk.write("sv.layout", layout.erase(layout.find(line), line.size()));
  const std::vector<std::string> explain = {
      "explain", spmv, "-f", "A=csr", "-f", "x=./sv.layout", "-s", "order i, A.p"};
  std::vector<std::string> as_json = explain;
  as_json.push_back("--json");
  json find = desk.unravel(as_json).json().at("finds").at(0);
  EXPECT_EQ(keys_of(find),
            (std::vector<std::string>{"advance", "candidates", "direction", "obligations", "state",
                                      "template", "tensor", "unique", "variable", "words"}));
  EXPECT_EQ(find.at("template"), "binary");
  EXPECT_EQ(find.at("words"), "binary: bisects [0, x.NNZ) at each visit");
  const json &direct = find.at("candidates").at(0);
  EXPECT_EQ(direct.at("template"), "direct");
  EXPECT_EQ(direct.at("proved"), false);
  EXPECT_EQ(direct.at("tried"), true);
  EXPECT_EQ(direct.at("reason"),
            "O-direct not proved; a counterexample to O-direct(j): x.idx = [1], looking for 1: "
            "it is at position 0, not at `j`");
  std::map<std::string, std::string> verdicts;
  for (const json &obligation : find.at("obligations")) {
    EXPECT_EQ(keys_of(obligation), (std::vector<std::string>{"instances", "ms", "name", "verdict"}));
    verdicts[obligation.at("name")] = obligation.at("verdict");
  }
  EXPECT_EQ(verdicts.at("O-stop(up, >)"), "proved");
  EXPECT_EQ(verdicts.at("O-persist(>){}"), "refuted");
  EXPECT_EQ(verdicts.at("O-persist(>){i}"), "proved");
  std::string text = desk.unravel(explain).out;
  EXPECT_NE(text.find("x.p by binary: bisects [0, x.NNZ) at each visit"), std::string::npos);
  EXPECT_NE(text.find("  not direct: O-direct not proved; a counterexample to O-direct(j): x.idx = [1]"),
            std::string::npos);
  as_json.insert(as_json.end(), {"-s", "find x by seq"});
  find = desk.unravel(as_json).json().at("finds").at(0);
  EXPECT_EQ(find.at("template"), "sequential");
  EXPECT_EQ(find.at("direction"), "up");
  EXPECT_EQ(find.at("state"), json::parse(R"(["i"])"));
  EXPECT_EQ(
      find.at("words"),
      "sequential: walks up through [0, x.NNZ); one walk for each value of i, and goes on after a match");
}

/// A dense map has no direction and no state.
TEST(ToolFacts, MapsExplained) {
  Desk desk;
  json find = desk.unravel({"explain", spmv, "-f", "A=csr", "-f", "x=sv", "--json"}).json().at("finds").at(0);
  EXPECT_EQ(find.at("template"), "map");
  EXPECT_EQ(find.at("unique"), true);
  EXPECT_TRUE(find.at("direction").is_null());
  EXPECT_EQ(find.at("state"), json::array());
  EXPECT_EQ(find.at("words"), "map: a table by coordinate of [0, x.NNZ)");
  std::map<std::string, std::string> verdicts;
  for (const json &obligation : find.at("obligations"))
    verdicts[obligation.at("name")] = obligation.at("verdict");
  EXPECT_EQ(verdicts.at("O-uniq"), "proved");
}

/// "B.p binary" of each find, with the state of a walk and ++.
std::string finds_in(const json &plan) {
  std::string text;
  for (const json &find : plan.at("finds")) {
    text += (text.empty() ? "" : ", ") + find.at("variable").get<std::string>() + " " +
            find.at("template").get<std::string>();
    if (find.at("template") != "sequential") continue;
    text += " " + find.at("direction").get<std::string>() + " " + find.at("state").dump();
    if (find.at("advance") == true) text += " ++";
  }
  return text;
}

/// The other plans of a kernel, each with its condition: the same from `explain`, `compile` and `run`.
TEST(ToolFacts, Alternatives) {
  struct Row {
    std::string expression;
    std::vector<std::string> options, inputs;
    std::string main;
    std::vector<std::string> alternatives; // where, if what, in which order: the finds
  };
  const std::string both = "y(i) = A(i,j) * B(i,j)";
  const std::vector<std::string> a_b{"-i", "A=random:20x20,density=0.2", "-i", "B=random:20x20,density=0.2"};
  const std::vector<Row> rows = {
      {spmv,
       {"-f", "A=csr", "-f", "x=sv"},
       {"-i", "A=random:20x20,density=0.2", "-i", "x=random,density=0.2"},
       "x.p map",
       {"- if 268435457 <= A.N [i A.r y.a A.p j x.p]: x.p sequential up [\"i\"] ++",
        "- if 64*x.NNZ <= A.N and A.NNZ <= 48*A.M or 256*x.NNZ <= A.N [A.p j x.p i A.r y.a]: x.p map, i "
        "sequential up []"}},
      {both,
       {"-f", "A=csr", "-f", "B=csr"},
       a_b,
       "B.p map",
       {"y.a if B.rowptr(i + 1) <= B.rowptr(i) + 2 [i A.r B.r y.a A.p j B.p]: B.p sequential up [\"i\"] ++",
        "y.a if 512*A.rowptr(i + 1) + B.rowptr(i) <= 512*A.rowptr(i) + B.rowptr(i + 1) "
        "[i A.r B.r y.a A.p j B.p]: B.p binary",
        "y.a if A.rowptr(i) + 512*B.rowptr(i + 1) <= A.rowptr(i + 1) + 512*B.rowptr(i) "
        "[i A.r B.r y.a B.p j A.p]: A.p binary",
        "y.a if 32*A.rowptr(i + 1) + B.rowptr(i) <= 32*A.rowptr(i) + B.rowptr(i + 1) or 16777217 <= A.N "
        "[i A.r B.r y.a A.p j B.p]: B.p sequential up [\"i\"] ++",
        "y.a if A.rowptr(i) + 32*B.rowptr(i + 1) <= A.rowptr(i + 1) + 32*B.rowptr(i) "
        "[i A.r B.r y.a B.p j A.p]: A.p sequential up [\"i\"] ++",
        "y.a if 2*A.rowptr(i + 1) + B.rowptr(i) <= 2*A.rowptr(i) + B.rowptr(i + 1) "
        "[i A.r B.r y.a B.p j A.p]: A.p map"}},
      {both,
       {"-f", "A=dcsr", "-f", "B=dcsr"},
       {},
       "B.r sequential up [] ++, B.p map",
       {"B.r if B.rowptr(B.r + 1) <= B.rowptr(B.r) + 2 [A.r i y.a B.r A.p j B.p]: B.r sequential up [] ++, "
        "B.p sequential up [\"B.r\"] ++",
        "B.r if 512*A.rowptr(A.r + 1) + B.rowptr(B.r) <= 512*A.rowptr(A.r) + B.rowptr(B.r + 1) "
        "[A.r i y.a B.r A.p j B.p]: B.r sequential up [] ++, B.p binary",
        "B.r if A.rowptr(A.r) + 512*B.rowptr(B.r + 1) <= A.rowptr(A.r + 1) + 512*B.rowptr(B.r) "
        "[A.r i y.a B.r B.p j A.p]: B.r sequential up [] ++, A.p binary",
        "B.r if 8*A.rowptr(A.r + 1) + B.rowptr(B.r) <= 8*A.rowptr(A.r) + B.rowptr(B.r + 1) or 16777217 <= "
        "A.N [A.r i y.a B.r A.p j B.p]: B.r sequential up [] ++, B.p sequential up [\"B.r\"] ++"}},
      {"t = L(i,j)*L(j,k)*L(i,k)",
       {"-f", "L=csr"},
       {"-i", "L=random:20x20,density=0.2"},
       "L#3.p map",
       {"L.r if 16777217 <= L.N or L.rowptr(i + 1) <= L.rowptr(i) + 3 [i L#3.r L.r L.p j L#2.r L#2.p k "
        "L#3.p]: L#3.p sequential up [\"L.p\"] ++"}},
  };
  auto told = [](const json &facts) {
    std::vector<std::string> texts;
    for (const json &other : facts.at("alternatives")) {
      EXPECT_EQ(keys_of(other),
                (std::vector<std::string>{"condition", "finds", "inside", "leaf", "order", "reason"}));
      EXPECT_EQ(other.at("leaf"), 0);
      EXPECT_NE(other.at("reason"), "");
      std::string order;
      for (const json &variable : other.at("order"))
        order += (order.empty() ? "" : " ") + variable.get<std::string>();
      std::string inside = other.at("inside").is_null() ? "-" : other.at("inside").get<std::string>();
      texts.push_back(inside + " if " + other.at("condition").get<std::string>() + " [" + order +
                      "]: " + finds_in(other));
    }
    return texts;
  };
  Desk desk;
  for (const Row &row : rows) {
    std::vector<std::string> arguments{"explain", row.expression, "--json"};
    arguments.insert(arguments.end(), row.options.begin(), row.options.end());
    json explained = desk.unravel(arguments).json();
    EXPECT_EQ(finds_in(explained), row.main) << row.expression;
    EXPECT_EQ(told(explained), row.alternatives) << row.expression;
    for (const json &other : explained.at("alternatives"))
      for (const json &find : other.at("finds")) {
        EXPECT_EQ(keys_of(find),
                  (std::vector<std::string>{"advance", "candidates", "direction", "obligations", "state",
                                            "template", "tensor", "unique", "variable", "words"}));
        EXPECT_GT(find.at("candidates").size(), 0u);
        EXPECT_GT(find.at("obligations").size(), 0u);
      }
    arguments[0] = "compile";
    EXPECT_EQ(told(desk.unravel(arguments).json()), row.alternatives) << row.expression;
    if (row.inputs.empty()) continue;
    arguments[0] = "run";
    arguments.insert(arguments.end(), row.inputs.begin(), row.inputs.end());
    // Of data as small as these there is one thread, and one map.
    std::vector<std::string> alternatives = row.alternatives;
    for (std::string &other : alternatives)
      if (std::size_t at = other.find("16777217"); at != std::string::npos) other.replace(at, 8, "268435457");
    EXPECT_EQ(told(desk.unravel(arguments).json()), alternatives) << row.expression;
  }
}

/// The text has the proofs of the alternatives too.
TEST(ToolFacts, AlternativesExplained) {
  Desk desk;
  std::string text = desk.unravel({"explain", spmv, "-f", "A=csr", "-f", "x=sv"}).out;
  std::size_t at = text.find("\nalternative first of all, if 268435457 <= A.N: a map of x would not pay\n"
                             "order i, A.r, y.a, A.p, j, x.p\n"
                             "x.p by sequential: walks up through [0, x.NNZ); one walk for each value of i, "
                             "and goes on after a match\n  sequential: chosen for this alternative\n");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_GT(at, text.find("== obligations"));
  EXPECT_NE(text.find("  O-persist(>){i} ", at), std::string::npos);
}

/// Every method that isn't proved is refused: exit code 1, nothing printed, the place in the user's text.
TEST(ToolFacts, RefusedFinds) {
  Desk desk;
  const std::string odd = unravel::test::source_folder() + "/test/layouts/odd.layout:";
  const std::string blocks = unravel::test::source_folder() + "/test/layouts/blocks.layout:unaligned";
  struct Row {
    std::string find, layout, obligation, example;
  };
  for (const auto &[find, layout, obligation, example] :
       {Row{"B.p=seq", odd + "csr_once", "O-stop", "B.col = [1, 0], looking for 0 after 1"},
        {"B.p=gallop", odd + "csr_once", "O-stop", "B.col = [1, 0], looking for 0 after 1"},
        {"B.p=binary", odd + "csr_once", "O-stop", "B.col = [1, 0], looking for 0 after 1"},
        {"B=map", odd + "csr_any", "O-uniq", "B.col = [0, 0], looking for 0: it is at positions 0 and 1"},
        {"B=direct", "csr", "O-direct", "B.col = [1], looking for 1: it is at position 0, not at `j`"},
        {"B=hash", blocks, "O-block", "B.start = [1]: the block at position 0 is [1, 4)"}}) {
    std::vector<std::string> arguments{
        "compile", "s = A(i,j) * B(i,j)", "-f",     "A=csr", "-f", "B=" + layout,
        "-s",      "order i, A.p",        "--find", find};
    Outcome refused = desk.unravel(arguments);
    EXPECT_EQ(refused.code, 1) << find;
    EXPECT_EQ(refused.out, "") << find;
    std::size_t column = find.find('=') + 2;
    EXPECT_EQ(refused.error.find("--find:1:" + std::to_string(column) + ": error: `B.p` can't be found by "),
              0u)
        << refused.error;
    EXPECT_NE(refused.error.find(obligation + " "), std::string::npos) << refused.error;
    EXPECT_NE(refused.error.find(example), std::string::npos) << refused.error;
    EXPECT_NE(refused.error.find("  1 | " + find + "\n"), std::string::npos) << refused.error;
    EXPECT_NE(refused.error.find("\n  hint: " + obligation + " asks that "), std::string::npos)
        << refused.error;
  }
}

TEST(ToolFacts, Layouts) {
  Desk desk;
  std::string list = desk.unravel({"layout", "list"}).out;
  json all = desk.unravel({"layout", "list", "--json"}).json().at("layouts");
  for (const std::string name : {"dense", "sv", "csr", "csc", "dcsr", "coo", "coo_unsorted", "coo_dup"}) {
    EXPECT_NE(("\n" + list).find("\n" + name + " "), std::string::npos) << list;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const json &layout) {
      return layout.at("name") == name;
    })) << name;
    EXPECT_EQ(desk.unravel({"layout", "show", name}).code, 0) << name;
    Outcome checked = desk.unravel({"layout", "check", name});
    EXPECT_EQ(checked.code, 0);
    EXPECT_EQ(checked.error, "");
    EXPECT_NE(checked.out.find("consistent, bounded, every access proved in range\n"), std::string::npos)
        << checked.out;
  }
  for (const std::string name : {"bcsr<3,3>", "ubcsr<2,3>", "sell<8>", "sellcs<8>", "csb<64>",
                                 "mode_generic<1,2,4>", "ell", "ellr", "csr4"}) {
    Outcome checked = desk.unravel({"layout", "check", name});
    EXPECT_EQ(checked.code, 0) << name;
    EXPECT_EQ(checked.error, "") << name;
  }
  json shown = desk.unravel({"layout", "show", "dense<1,0>", "--order", "2", "--json"}).json().at("layouts");
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(keys_of(shown[0]), (std::vector<std::string>{"findings", "name", "order", "text"}));
  EXPECT_EQ(shown[0].at("name"), "dense<1, 0>");
}

TEST(ToolFacts, CheckedLayoutsWithWarnings) {
  Desk desk;
  std::string text = shipped_layout("csr"), line = "  property range col in [0, N);\n";
  desk.write("weak.layout", text.erase(text.find(line), line.size()));
  Outcome checked = desk.unravel({"layout", "check", "./weak.layout"});
  EXPECT_EQ(checked.code, 0);
  EXPECT_EQ(checked.out.find("csr (order 2): 1 warning\n  functional "), 0u) << checked.out;
  EXPECT_NE(
      checked.error.find(": warning: coordinate `j` may lie outside [0, N): entries outside are skipped"),
      std::string::npos)
      << checked.error;
  json findings =
      desk.unravel({"layout", "check", "./weak.layout", "--json"}).json().at("layouts").at(0).at("findings");
  EXPECT_EQ(findings.at(0).at("kind"), "coordinate-range");
}

TEST(ToolFacts, Generate) {
  Desk desk;
  json facts = desk.unravel({"generate", "poisson2d:5x4", "-o", "p.mtx", "--json"}).json();
  EXPECT_EQ(facts.at("file"), "p.mtx");
  EXPECT_EQ(facts.at("shape"), json::parse("[20, 20]"));
  EXPECT_EQ(facts.at("entries"), 82);
  EXPECT_EQ(desk.unravel({"generate", "random:30x20,density=0.1,seed=5", "-o", "a.mtx"}).code, 0);
  EXPECT_EQ(desk.unravel({"generate", "random:30x20,density=0.1,seed=5", "-o", "b.mtx"}).code, 0);
  EXPECT_EQ(desk.read("a.mtx"), desk.read("b.mtx"));
}

TEST(ToolFacts, WhatWasNotTried) {
  Desk desk;
  const std::vector<std::string> kernel = {spmv, "-f", "A=csr", "-f", "x=sv", "--json"};
  for (const std::string command : {"compile", "explain", "deps"}) {
    std::vector<std::string> arguments = kernel;
    arguments.insert(arguments.begin(), command);
    EXPECT_FALSE(desk.unravel(arguments).json().contains("not_tried")) << command;
    arguments.insert(arguments.end(), {"--budget", "0.000000001"});
    Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_FALSE(outcome.json().at("not_tried").empty()) << command;
    EXPECT_NE(outcome.error.find("warning: the budget of 1e-09 s ran out"), std::string::npos);
  }
}

} // namespace
} // namespace unravel::tool::test
