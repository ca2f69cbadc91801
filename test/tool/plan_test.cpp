// `unravel plan`: what it lists, for people and programs; what it says of lines without plans.
#include "tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string chain = "y(i) = A(i,j) * B(j,k) * x(k)";

TEST(ToolPlan, ListsPlansWithTheirLoops) {
  Desk desk;
  const Outcome text = desk.unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "--plans", "2"});
  EXPECT_EQ(text.error, "");
  EXPECT_EQ(text.out, "y(i) = A(i, j) * B(j, k) * x(k)\n"
                      "  i in [0, 1000)\n"
                      "  j in [0, 1000)\n"
                      "  k in [0, 1000)\n"
                      "  A(i, j) stores i 1000 j 8000\n"
                      "  B(j, k) stores j 1000 k 8000\n"
                      "as written: cost 5.58e+04, 1.92e+05 operations, 9e+03 misses\n"
                      "\n"
                      "plan 1, taken: cost 1.11e+04, 3.2e+04 operations, 2e+03 misses\n"
                      "  buffers: w(j) 1000\n"
                      "  kernel: a program\n"
                      "  let w(j) = 0;\n"
                      "  for j { for k { w(j) += B(j, k) * x(k); } }\n"
                      "  for i { for j { y(i) += A(i, j) * w(j); } }\n"
                      "\n"
                      "plan 2: cost 5.9e+04, 2.56e+05 operations, 9e+03 misses\n"
                      "  buffers: w\n"
                      "  kernel: one loop nest, with sums in the loops of a sparse factor\n"
                      "  for i { for j { for k {\n"
                      "    let w = 0;\n"
                      "    w += A(i, j) * x(k);\n"
                      "    y(i) += B(j, k) * w;\n"
                      "  } } }\n");
}

TEST(ToolPlan, TakesPlansThatAreCheaperByAFifth) {
  Desk desk;
  const auto taken = [&](const std::string &entries) {
    const Outcome out = desk.unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "-i",
                                      "A=random:200x150,seed=7,entries=" + entries, "-i",
                                      "B=random:150x180,entries=200,seed=6", "--json"});
    EXPECT_EQ(out.error, "");
    const nlohmann::json json = out.json();
    const double part =
        json.at("plans").at(0).at("cost").get<double>() / json.at("as_written").at("cost").get<double>();
    return std::pair(part, !json.at("taken").is_null());
  };
  const auto [small, is_small_taken] = taken("200");
  EXPECT_GT(small, 0.7);
  EXPECT_LT(small, 0.8);
  EXPECT_TRUE(is_small_taken);
  const auto [large, is_large_taken] = taken("150");
  EXPECT_GT(large, 0.8);
  EXPECT_FALSE(is_large_taken);
}

/// A full column of A leads to a full row of B: so many products are summed as there are pairs of entries.
TEST(ToolPlan, CountsHowOftenEntriesMeet) {
  const Desk desk;
  std::string column = "%%MatrixMarket matrix coordinate pattern general\n300 300 300\n", row = column;
  for (int k = 1; k <= 300; ++k)
    column += fmt::format("{} 1\n", k), row += fmt::format("1 {}\n", k);
  desk.write("column.mtx", column);
  desk.write("row.mtx", row);
  const std::vector<std::string> given{chain, "-f",           "A=csr", "-f",       "B=csr",
                                       "-i",  "A=column.mtx", "-i",    "B=row.mtx"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string> &more) {
    words.insert(words.end(), given.begin(), given.end());
    words.insert(words.end(), more.begin(), more.end());
    return desk.unravel(words);
  };
  const std::string plans = with({"plan"}, {}).out;
  EXPECT_NE(plans.find("A(i, j) meets B(j, k) 9e+04 times"), std::string::npos) << plans;
  EXPECT_NE(plans.find("plan 1, taken"), std::string::npos) << plans;
  const Outcome out = with({"run"}, {"-i", "x=ones", "--check"});
  EXPECT_NE(out.out.find("loop  j "), std::string::npos) << out.out << out.error; // the program's first one
}

/// The prefixes that a factor stores, and the indices' sizes, of a plan that is shown.
std::string stored_by(const nlohmann::json &plans, std::size_t factor) {
  std::string text;
  for (const nlohmann::json &each : plans.at("factors").at(factor).at("stored"))
    text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", each.at("index").get<std::string>(),
                        each.at("prefixes").get<double>());
  return text;
}

/// A count at the end of pointers says how long their segments are.
TEST(ToolPlan, TakesCountsOfEntries) {
  const Desk desk;
  const auto stored = [&](const std::string &line, const std::string &layout,
                          std::vector<std::string> sizes) {
    std::vector<std::string> command{"plan", line, "-f", "A=" + layout, "--json"};
    for (const std::string &size : sizes)
      command.insert(command.end(), {"--size", size});
    const Outcome out = desk.unravel(command);
    EXPECT_EQ(out.error, "");
    return stored_by(out.json(), 0);
  };
  const std::string chain_of_two = "y(i) = A(i,j) * B(j,k) * x(k)",
                    ttmc = "Y(i,r,s) = A(i,j,k) * U(j,r) * V(k,s)";
  EXPECT_EQ(stored(chain_of_two, "csr", {}), "i 1000, j 8000");
  EXPECT_EQ(stored(chain_of_two, "csr", {"A.NNZ=50000"}), "i 1000, j 50000");
  EXPECT_EQ(stored(chain_of_two, "csr", {"A.NNZ=50000", "i=200"}), "i 200, j 50000");
  EXPECT_EQ(stored(chain_of_two, "csr", {"A.rowptr=20"}), "i 1000, j 20000");
  EXPECT_EQ(stored(chain_of_two, "dcsr", {"A.NNZ=500", "i=20"}), "i 20, j 500");
  EXPECT_EQ(stored(ttmc, "csf3", {"A.NNZ=50000"}), "i 1000, j 8000, k 50000");
  EXPECT_EQ(stored(ttmc, "csf3", {"A.NNZ=50000", "A.NF=2000", "A.NR=20"}), "i 20, j 2000, k 50000");
}

TEST(ToolPlan, RefusesSizesOfNothing) {
  const Desk desk;
  const auto refused = [&](const std::string &size) {
    const Outcome out = desk.unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "--size", size});
    EXPECT_EQ(out.code, 1);
    return out.error;
  };
  EXPECT_NE(refused("q=5").find("`--size q=5`: the expression has no index `q` [unknown-extent]"),
            std::string::npos);
  EXPECT_EQ(refused("A.NNY=5"),
            "error: `--size A.NNY=5`: layout `csr` of `A` has no size, count or index array "
            "`NNY` [unknown-extent]\n  hint: did you mean `NNZ`?\n");
  EXPECT_NE(refused("A.val=5").find("it has `M`, `N`, `NNZ`, `rowptr` or `col`"), std::string::npos);
}

TEST(ToolPlan, OfNothing) {
  const Desk desk;
  desk.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  const Outcome out = desk.unravel(
      {"plan", chain, "-f", "A=csr", "-f", "B=csr", "-i", "A=none.mtx", "-i", "B=none.mtx", "--json"});
  EXPECT_EQ(out.error, "");
  for (const nlohmann::json &index : out.json().at("indices"))
    EXPECT_EQ(index.at("size"), 0) << index;
  for (const nlohmann::json &plan : out.json().at("plans"))
    EXPECT_TRUE(plan.at("cost").is_number()) << plan;
}

TEST(ToolPlan, OrdersTheModesOfBuffersAsFactorsHaveThem) {
  Desk desk;
  const Outcome out =
      desk.unravel({"plan", "Y(i,m) = A(i,j) * B(j,k) * C(k,m)", "-f", "A=csr", "--size", "i=2000", "--size",
                    "j=1500", "--size", "k=30", "--size", "m=16", "--plans", "1", "--json"});
  EXPECT_EQ(out.error, "");
  // C has m last; j is no factor's last index, though it comes behind m in the line.
  EXPECT_EQ(out.json().at("plans").at(0).at("buffers").at(0).at("modes"), nlohmann::json({"j", "m"}));
  EXPECT_NE(out.json().at("plans").at(0).at("program").get<std::string>().find("let w(j, m) = 0;"),
            std::string::npos);
}

TEST(ToolPlan, CountsData) {
  Desk desk;
  const Outcome out =
      desk.unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "-i", "A=random:30x40,density=0.1,seed=1",
                    "-i", "B=random:40x50,density=0.1,seed=2", "--json"});
  EXPECT_EQ(out.error, "");
  const nlohmann::json json = out.json();
  EXPECT_EQ(json.at("indices").at(2), nlohmann::json({{"name", "k"}, {"size", 50.0}}));
  EXPECT_EQ(json.at("factors").at(0).at("stored").at(1),
            nlohmann::json({{"index", "j"}, {"prefixes", 120.0}}));
  EXPECT_EQ(json.at("taken"), 1);
  EXPECT_TRUE(json.at("complete"));
  EXPECT_EQ(json.at("plans").size(), 5u);
  const nlohmann::json &best = json.at("plans").at(0);
  EXPECT_EQ(best.at("operations"), 2 * 120 + 2 * 200);
  EXPECT_EQ(best.at("buffers").at(0).at("modes"), nlohmann::json({"j"}));
  EXPECT_EQ(best.at("largest_buffer"), 40);
  EXPECT_EQ(best.at("loops").at(1).at("loop"), "i");
  EXPECT_EQ(json.at("plans").at(1).at("program"), nullptr);
  EXPECT_EQ(json.at("plans").at(0).at("nested").size(), 0u);
  EXPECT_EQ(json.at("plans").at(1).at("nested").size(), 1u);
}

TEST(ToolPlan, CountsNoData) {
  const std::vector<std::string> command = {"plan",  chain, "-f",         "A=csr", "-f",
                                            "B=csr", "-i",  "A=ones:0x0", "-i",    "B=ones:0x0"};
  const Outcome text = Desk().unravel(command);
  EXPECT_EQ(text.code, 0) << text.error;
  EXPECT_EQ(text.out.find("nan"), std::string::npos) << text.out;
}

TEST(ToolPlan, TakesSizes) {
  Desk desk;
  const nlohmann::json json = desk.unravel({"plan", "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", "-f", "T=csf3",
                                            "--size", "r=16", "--size", "s=32", "--json"})
                                  .json();
  EXPECT_EQ(json.at("plans").at(0).at("largest_buffer"), 32);
  EXPECT_EQ(json.at("taken"), nullptr);
}

TEST(ToolPlan, RunsThePlanThatIsAskedFor) {
  Desk desk;
  const std::vector<std::string> data = {"-f",     "A=csr",
                                         "-f",     "B=csr",
                                         "-i",     "A=random:30x40,density=0.1,seed=1",
                                         "-i",     "B=random:40x50,density=0.1,seed=2",
                                         "-i",     "x=random",
                                         "--check"};
  for (const char *plan : {"plan 1", "plan 2", "plan 4", "plan none"}) {
    std::vector<std::string> arguments = {"run", chain, "-s", plan};
    arguments.insert(arguments.end(), data.begin(), data.end());
    const Outcome out = desk.unravel(arguments);
    EXPECT_EQ(out.code, 0) << out.error;
    EXPECT_NE(out.out.find("check ok"), std::string::npos) << plan << "\n" << out.out;
  }
}

/// MTTKRP of mode j: rows of Y stay in registers where j is outermost.
TEST(ToolPlan, ListsOtherOrdersOfASparseOperandsModes) {
  Desk desk;
  const std::vector<std::string> line = {"Y(j,r) = T(i,j,k) * U(i,r) * V(k,r)",  "-f",     "T=csf", "-i",
                                         "T=random:30x20x25,entries=600,seed=3", "--size", "r=16"};
  std::vector<std::string> command{"plan"};
  command.insert(command.end(), line.begin(), line.end());
  const Outcome text = desk.unravel(command);
  EXPECT_EQ(text.error, "");
  EXPECT_NE(text.out.find("with -s 'convert T to csf<1,0,2>': cost "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("once, to convert T: less in all from "), std::string::npos) << text.out;
  command.push_back("--json");
  const nlohmann::json first = desk.unravel(command).json().at("conversions").at(0);
  EXPECT_EQ(first.at("schedule"), "convert T to csf<1,0,2>");
  EXPECT_GT(first.at("least_calls"), 1);
  // Of the converted tensor what is stored is known.
  command.insert(command.end(), {"-s", "convert T to csf<1,0,2>"});
  const nlohmann::json converted = desk.unravel(command).json();
  EXPECT_EQ(converted.at("factors").at(0).at("stored").at(0),
            nlohmann::json({{"index", "j"}, {"prefixes", 20.0}}));
  EXPECT_TRUE(converted.at("conversions").empty());
}

TEST(ToolPlan, RunsSayWhatTheyConvert) {
  Desk desk;
  const Outcome out =
      desk.unravel({"run", "Y(j,r) = T(i,j,k) * U(i,r) * V(k,r)", "-f", "T=csf", "-i",
                    "T=random:30x20x25,entries=600,seed=3", "-i", "U=random", "-i", "V=random", "--size",
                    "r=16", "-s", "convert T to csf<1,0,2>", "--check"});
  EXPECT_EQ(out.code, 0) << out.error;
  EXPECT_NE(out.out.find("converted T from csf to csf<1, 0, 2> "), std::string::npos) << out.out;
  EXPECT_NE(out.out.find("check ok"), std::string::npos) << out.out;
  const Outcome explained =
      desk.unravel({"explain", "y(i) = A(i,j) * x(j)", "-f", "A=csr", "-s", "convert A to csc"});
  EXPECT_NE(explained.out.find("A: from csr to csc, before the kernel is called"), std::string::npos);
}

/// One function converts, the other one takes what that has made.
TEST(ToolPlan, CompilesConversionsAsFunctions) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  const std::vector<std::string> command = {"compile", "y(j) = T(i,j,k) * u(i) * v(k)", "-f", "T=csf",
                                            "-s",      "convert T to csf<1,0,2>",       "-o", "product.c"};
  const Outcome made = desk.unravel(command);
  ASSERT_EQ(made.code, 0) << made.error;
  desk.write("user.c",
             "#include \"product.h\"\n#include <stdio.h>\n"
             "int main(void) {\n"
             "  int32_t rows[] = {0, 1}, begins[] = {0, 1, 3}, columns[] = {1, 0, 1};\n"
             "  int32_t fibres[] = {0, 1, 2, 3}, tubes[] = {0, 1, 1};\n"
             "  double values[] = {2, 3, 4}, of_u[] = {1, 10}, of_v[] = {1, 100}, of_y[2];\n"
             "  csf_tensor3 given = {2, 2, 2, 2, 3, 3, rows, begins, columns, fibres, tubes, values};\n"
             "  csf_tensor3_1_0_2 T = {2, 2, 2};\n"
             "  dense_vector u = {2, of_u}, v = {2, of_v}, y = {2, of_y};\n"
             "  product_converts_T_workspace work;\n"
             "  product_converts_T_workspace_init(&work);\n"
             "  if (product_converts_T(&T, &given, &work) != 0) return 1;\n"
             "  product_converts_T_workspace_free(&work);\n"
             "  if (product(&y, &T, &u, &v) != 0) return 2;\n"
             "  csf_tensor3_1_0_2_free(&T);\n"
             "  printf(\"%g %g\", of_y[0], of_y[1]);\n"
             "  return 0;\n}\n");
  const Outcome built =
      desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers",
                    "-fsanitize=address,undefined", "user.c", "product.c", "-o", "user", "-lm"});
  ASSERT_EQ(built.code, 0) << built.error;
  EXPECT_EQ(desk.execute({"./user"}).out, "3000 4002");
  std::vector<std::string> with_main = command;
  with_main.push_back("--main");
  const Outcome refused = desk.unravel(with_main);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("give `T` that layout, -f 'T=csf<1, 0, 2>'"), std::string::npos)
      << refused.error;
}

TEST(ToolPlan, TakesNoneByItselfOnInfinities) {
  // Row 1 of B is empty: as it is written, y(0) has no term of it, and not infinity times 0.
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 1\n1 2 inf\n");
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 3\n");
  const Outcome out = desk.unravel({"run", chain, "-f", "A=csr", "-f", "B=csr", "-i", "A=a.mtx", "-i",
                                    "B=b.mtx", "-i", "x=ones", "--check", "-o", "y=y.mtx"});
  EXPECT_EQ(out.code, 0) << out.error << out.out;
  EXPECT_NE(out.out.find("y(0) = 3"), std::string::npos) << out.out;
}

TEST(ToolPlan, SaysWhyThereAreNone) {
  Desk desk;
  const Outcome out = desk.unravel({"plan", "y(i) = A(i,j) * x(j)", "-f", "A=csr"});
  EXPECT_EQ(out.code, 1);
  EXPECT_NE(out.error.find("there are no plans: it has fewer than three factors [not-supported]"),
            std::string::npos)
      << out.error;
}

TEST(ToolPlan, CountsAreNotNegative) {
  const Outcome out = Desk().unravel({"plan", chain, "-f", "A=csr", "-f", "B=csr", "--size", "i=-1"});
  EXPECT_EQ(out.code, 2);
  EXPECT_NE(out.error.find("`--size i=-1`: there are 0 or more of what is counted"), std::string::npos)
      << out.error;
}

} // namespace
} // namespace unravel::tool::test
