#include "loop/interpret.h"

#include "golden.h"
#include "loop/hash.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <random>

using namespace unravel;
using namespace unravel::loop;

namespace {

Program spmspv() {
  return parse_program(test::golden_inputs("loop", "improve/spmspv").at(0));
}

/// The 2 x 3 matrix (0 2 3; 4 0 0) times the sparse vector (10 0 30).
Memory small_case() {
  Memory memory;
  memory.sizes = {{"y.N", 2}, {"A.M", 2}, {"A.N", 3}, {"A.NNZ", 3}, {"x.N", 3}, {"x.NNZ", 2}};
  memory.indices = {{"A.rowptr", {0, 2, 3}}, {"A.col", {1, 2, 0}}, {"x.idx", {0, 2}}};
  memory.values = {{"A.val", {2, 3, 4}}, {"x.val", {10, 30}}, {"y.val", {7, 7}}};
  return memory;
}

std::string message_of(const Program &program, Memory memory, const InterpretOptions &options = {}) {
  try {
    interpret(program, memory, options);
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::internal);
    return error.diagnostic().message;
  }
  return "no error";
}

Program with_body(const std::string &body) {
  return parse_program(
      "kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\noperand A : w(N)\n"
      "  index f[A.N, 2] : int32\n{\n" +
      body + "}\n");
}

Memory for_body() {
  Memory memory;
  memory.sizes = {{"y.N", 4}, {"A.N", 2}};
  memory.indices = {{"A.f", {-7, 2, 3, 5}}};
  memory.values = {{"y.val", {0, 0, 0, 0}}};
  return memory;
}

} // namespace

TEST(Interpret, a_prefetch_touches_what_its_slot_reads_and_nothing_else) {
  const Program far = with_body("  y.val[0] = 1\n  prefetch y.val[100]\n  prefetch A.f[A.f(1, 0)]\n");
  EXPECT_EQ(to_text(parse_program(to_text(far))), to_text(far));
  verify(far);
  Memory memory = for_body();
  EXPECT_EQ(interpret(far, memory), 0);
  EXPECT_EQ(memory.values["y.val"], (std::vector<double>{1, 0, 0, 0}));
  EXPECT_NE(message_of(with_body("  prefetch y.val[A.f(2, 0)]\n"), for_body()), "no error");
  EXPECT_THROW(verify(with_body("  prefetch z.val[0]\n")), report::Error);
}

TEST(Interpret, computes_and_returns_what_the_kernel_does) {
  Memory memory = small_case();
  EXPECT_EQ(interpret(spmspv(), memory), 0);
  EXPECT_EQ(memory.values["y.val"], (std::vector<double>{90, 40}));
  memory.sizes["x.N"] = 4;
  memory.values["y.val"] = {7, 7};
  EXPECT_EQ(interpret(spmspv(), memory), 1);
  EXPECT_EQ(memory.values["y.val"], (std::vector<double>{7, 7}));
}

TEST(Interpret, terms_have_their_meaning) {
  Program program = with_body("y.val[0] = 1\nlet q = floor(A.f(0, 0) / 2)\nlet r = A.f(0, 0) mod 4\n"
                              "let m = min(q, r, A.f(1, 1)) + max(2, r)\nif q = -4 and r = 1 and m = -2 {\n"
                              "  y.val[0] += 2 * y.val[0] * -(3.5)\n}\n"
                              "for i in 1 .. 4 step 2 {\n  y.val[i] = 5\n}\n");
  Memory memory = for_body();
  EXPECT_EQ(interpret(program, memory), 0);
  EXPECT_EQ(memory.values["y.val"], (std::vector<double>{-6, 5, 0, 5}));
}

TEST(Interpret, every_access_is_checked) {
  EXPECT_EQ(message_of(with_body("let i = A.f(2, 0)\ny.val[i] = 1\n"), for_body()),
            "array `A.f` is accessed at slot 2, its extent is 2");
  EXPECT_EQ(message_of(with_body("let i = A.f(0, -1)\ny.val[i] = 1\n"), for_body()),
            "array `A.f` is accessed at slot -1, its extent is 2");
  EXPECT_EQ(message_of(with_body("y.val[4] = 1\n"), for_body()),
            "array `y.val` is accessed at slot 4, its extent is 4");
  EXPECT_EQ(message_of(with_body("zero y.val, 5\n"), for_body()),
            "array `y.val` is accessed at slot 4, its extent is 4");
  Memory shorter = for_body();
  shorter.values["y.val"].pop_back();
  EXPECT_EQ(message_of(with_body("y.val[3] = 1\n"), shorter),
            "array `y.val` is accessed at slot 3, but 3 elements are given");
  shorter.values.clear();
  EXPECT_EQ(message_of(with_body("y.val[3] = 1\n"), shorter), "array `y.val` is not given");
  shorter.sizes.erase("A.N");
  EXPECT_EQ(message_of(with_body("y.val[3] = 1\n"), shorter), "size `A.N` is not given");
}

TEST(Interpret, guards_are_evaluated_from_left_to_right) {
  EXPECT_EQ(
      message_of(with_body("var q = 0\nwhile q < 2 and A.f(q, 0) != 9 {\n  q := q + 1\n}\ny.val[q] = 1\n"),
                 for_body()),
      "no error");
}

TEST(Interpret, endless_loops_end) {
  InterpretOptions options;
  options.iteration_budget = 1000;
  EXPECT_EQ(message_of(with_body("var q = 0\nwhile q >= 0 {\n  q := q + 1\n}\ny.val[0] = 1\n"), for_body(),
                       options),
            "the program runs for more than 1000 iterations");
}

TEST(Interpret, iterations_that_race_are_told) {
  InterpretOptions options;
  options.permute_parallel = true;
  auto message = [&](const std::string &head, const std::string &body) {
    return message_of(with_body("for i in 0 .. 4 parallel 1" + head + " {\n" + body + "}\n"), for_body(),
                      options);
  };
  const std::string race = "iterations of a parallel loop race for slot 0 of array `y.val`";
  EXPECT_EQ(message("", "  y.val[floor(i / 4)] = 1\n"), race);
  EXPECT_EQ(message("", "  y.val[floor(i / 4)] += 1\n"), race);
  EXPECT_EQ(message("", "  value v = y.val[0]\n  if i = 0 {\n    y.val[i] = 2 * v\n  }\n"), race);
  EXPECT_EQ(message("", "  atomic y.val[floor(i / 4)] += 1\n  if i = 2 {\n    y.val[i - 2] = 0\n  }\n"),
            race);
  EXPECT_EQ(message("", "  atomic y.val[floor(i / 4)] += 1\n"), "no error");
  EXPECT_EQ(message("", "  y.val[i] = 2\n  y.val[i] += y.val[i]\n"), "no error");
  EXPECT_EQ(message(" copies y.val", "  y.val[floor(i / 4)] += 1\n"), "no error");
  // A loop inside is the iteration's own, and so is what is done once the loop is over.
  EXPECT_EQ(
      message("", "  for j in 0 .. 3 parallel 1 {\n    atomic y.val[i + 0 * j] += 1\n  }\n  y.val[i] = 1\n"),
      "no error");
  EXPECT_EQ(message("", "  y.val[i] = 1\n"), "no error");
}

/// Random matrices in CSR times random sparse vectors: the passes keep what a program does, in any order.
TEST(Passes, keep_the_meaning) {
  auto safe = [](const term::Term &load) {
    const std::string &array = load.as<term::Apply>()->function;
    return array == "A.rowptr" || array == "y.val";
  };
  std::mt19937 random(5);
  for (const std::string &input : test::golden_inputs("loop", "improve")) {
    Program program = parse_program(input);
    Interpreter plain(program);
    std::vector<Interpreter> changed;
    changed.emplace_back(fold(program));
    changed.emplace_back(hoist(program, {safe}));
    changed.emplace_back(share(program));
    changed.emplace_back(accumulate_locally(program, {safe}));
    changed.emplace_back(improve(program, {safe}));
    for (int trial = 0; trial < 300; ++trial) {
      auto draw = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
      std::int64_t rows = draw(5);
      std::int64_t columns = draw(6);
      Memory memory;
      std::vector<std::int64_t> rowptr{0}, col, idx;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j)
          if (draw(2)) col.push_back(j);
        rowptr.push_back(static_cast<std::int64_t>(col.size()));
      }
      for (std::int64_t j = 0; j < columns; ++j)
        if (draw(2)) idx.push_back(j);
      auto count = [](const auto &vector) { return static_cast<std::int64_t>(vector.size()); };
      memory.sizes = {{"y.N", rows},         {"A.M", rows},    {"A.N", columns},
                      {"A.NNZ", count(col)}, {"x.N", columns}, {"x.NNZ", count(idx)}};
      for (std::size_t k = 0; k < col.size(); ++k)
        memory.values["A.val"].push_back(static_cast<double>(draw(9)));
      memory.values["x.val"] = std::vector<double>(idx.size(), 3);
      memory.values["y.val"] = std::vector<double>(static_cast<std::size_t>(rows), 1);
      memory.values["A.val"];
      memory.indices = {{"A.rowptr", rowptr}, {"A.col", col}, {"x.idx", idx}};
      Memory expected = memory;
      ASSERT_EQ(plain.run(expected), 0);
      for (const Interpreter &each : changed) {
        Memory got = memory;
        InterpretOptions options;
        options.permute_parallel = true;
        options.seed = random();
        ASSERT_EQ(each.run(got, options), 0);
        ASSERT_EQ(got.values, expected.values);
      }
    }
  }
}

TEST(Interpret, workspaces_are_as_they_were_at_the_end) {
  auto with_workspace = [](const std::string &array, const std::string &body) {
    return parse_program("kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\nworkspace " +
                         array + "\n{\n" + body + "}\n");
  };
  auto message = [&](const std::string &array, const std::string &body) {
    return message_of(with_workspace(array, body), for_body());
  };
  EXPECT_EQ(message("m[3] : int32 = -1", "m(1) := 5\ny.val[m(1) - m(0) - 6] = 1\nm(1) := -1\n"), "no error");
  EXPECT_EQ(message("m[3] : int32 = -1", "m(1) := 5\n"),
            "array `m` holds another value than -1 at slot 1 at the end");
  EXPECT_EQ(message("m[3] : float64 = 0", "m[2] = stored(m[0])\n"),
            "array `m` holds another value than 0 at slot 2 at the end");
  EXPECT_EQ(message("m[3] : bit = 0", "m(3) := 1\n"), "array `m` is accessed at slot 3, its extent is 3");
  EXPECT_EQ(message("m[3] : int32", "m(0) := 3000000000\n"), "array `m` can't hold 3000000000");
  EXPECT_EQ(message("m[3] : int64", "m(0) := 3000000000\n"), "no error");
  EXPECT_EQ(message("m[3] : int64", "y.val[m(0)] = 1\n"),
            "array `y.val` is accessed at slot -123456789, its extent is 4");
  const std::string loop = "for i in 0 .. 2 parallel 1 {\n";
  EXPECT_EQ(message("m[3] : int64 = 0 per thread", loop + "m(i) := 1\n}\nm(0) := 0\nm(1) := 0\n"),
            "array `m` holds another value than 0 at slot 0 after an iteration");
  EXPECT_EQ(
      message("m[3] : int64 per thread", loop + "if i = 0 {\nm(0) := 1\n}\ny.val[m(floor(i / 2))] = 1\n}\n"),
      "array `y.val` is accessed at slot -123456789, its extent is 4");
}

/// An array whose condition fails has no element.
TEST(Interpret, workspaces_that_are_only_there_under_a_condition) {
  auto message = [](const std::string &condition, const std::string &body) {
    return message_of(parse_program("kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\n"
                                    "workspace m[3] : int32 = -1 if " +
                                    condition + "\n{\n" + body + "}\n"),
                      for_body());
  };
  EXPECT_EQ(message("y.N <= 4", "m(1) := 5\nm(1) := -1\n"), "no error");
  EXPECT_EQ(message("y.N <= 3", "m(1) := 5\nm(1) := -1\n"),
            "array `m` is accessed at slot 1, its extent is 0");
  EXPECT_EQ(message("y.N <= 3", "if y.N <= 3 {\nm(1) := 5\n}\n"), "no error");
}

TEST(Interpret, stored_zeros_differ_from_what_is_not_stored) {
  Program program = parse_program(
      "kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\nworkspace m[4] : float64 = 0\n{\n"
      "m[1] = stored(0)\nm[2] = stored(5)\nm[3] = stored(-(0))\nfor i in 0 .. 4 {\nvalue w = m[i]\n"
      "if stored w {\ny.val[i] = 1\n}\nm[i] = 0\n}\n}\n");
  Memory memory = for_body();
  EXPECT_EQ(interpret(program, memory), 0);
  EXPECT_EQ(memory.values["y.val"], (std::vector<double>{0, 1, 1, 1}));
}

TEST(Interpret, infinities_are_the_ends_of_a_type) {
  const Program program =
      parse_program("kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : bool\n{\n"
                    "  y.val[0] = -inf\n  y.val[1] = inf\n}\n");
  Memory memory;
  memory.sizes = {{"y.N", 2}};
  memory.values = {{"y.val", {1, 0}}};
  EXPECT_EQ(interpret(program, memory), 0);
  EXPECT_EQ(memory.values.at("y.val"), (std::vector<double>{0, 1}));
}

TEST(Interpret, numbers_differ_as_numbers) {
  Program program = parse_program(
      "kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\nworkspace m[4] : float64 = 0\n{\n"
      "m[1] = stored(0)\nm[2] = 5\nm[3] = inf\nfor i in 0 .. 4 {\nvalue w = m[i]\n"
      "if differs w from 0 {\ny.val[i] = 1\n}\nif differs w from inf {\ny.val[i] += 2\n}\nm[i] = 0\n}\n}\n");
  Memory memory = for_body();
  EXPECT_EQ(interpret(program, memory), 0);
  EXPECT_EQ(memory.values["y.val"], (std::vector<double>{2, 2, 3, 1}));
}

TEST(Interpret, hashes_lie_in_their_range_and_differ) {
  std::set<std::int64_t> found;
  for (std::int64_t key = -500; key < 500; ++key) {
    std::int64_t hash = hash_range(hash_key(0, key), 1000);
    ASSERT_TRUE(hash >= 0 && hash < 1000);
    found.insert(hash);
  }
  EXPECT_GT(found.size(), 500u);
  EXPECT_EQ(hash_range(hash_key(0, 3), 0), 0);
  EXPECT_NE(hash_key(hash_key(0, 1), 2), hash_key(hash_key(0, 2), 1));
}

TEST(Interpret, intersects_what_strictly_increases) {
  Program program = parse_program(
      "kernel k\nexpression e\nresult y : v(N)\n  value val[y.N] : float64\noperand A : w(N)\n  index f[A.N] "
      ": "
      "int32\n  index g[A.N] : int32\n{\n  var n = 0\n  intersect p in 0 .. A.N by A.f, q in 1 .. A.N by A.g "
      "{\n    y.val[n] = 1\n    n := n + 10*p + q\n  }\n  y.val[n] += 1\n}\n");
  auto run = [&](std::vector<std::int64_t> f, std::vector<std::int64_t> g) {
    Memory memory;
    memory.sizes = {{"y.N", 99}, {"A.N", static_cast<std::int64_t>(f.size())}};
    memory.indices = {{"A.f", std::move(f)}, {"A.g", std::move(g)}};
    memory.values = {{"y.val", std::vector<double>(99, 0)}};
    std::string error = message_of(program, memory);
    if (error != "no error") return error;
    interpret(program, memory);
    std::string set;
    for (std::size_t k = 0; k < 99; ++k)
      if (memory.values["y.val"][k] != 0) set += std::to_string(k) + " ";
    return set;
  };
  EXPECT_EQ(run({1, 3, 5, 8}, {1, 3, 4, 8}), "0 11 44 "); // (1, 1), (3, 3); q begins at 1
  EXPECT_EQ(run({1, 2}, {0, 3}), "0 ");
  EXPECT_EQ(run({}, {}), "0 ");
  EXPECT_EQ(run({1, 1, 2}, {0, 1, 2}), "keys that are intersected don't strictly increase: 1 comes before 1");
  EXPECT_EQ(run({1, 2, 3}, {0, 3, 2}), "keys that are intersected don't strictly increase: 3 comes before 2");
}

TEST(Interpret, merges_what_strictly_increases) {
  Program program = parse_program(R"(kernel k
expression e
result y : v(N)
  value val[y.N] : float64
operand A : w(N)
  index f[A.N] : int32
  index g[A.N] : int32
{
  var n = 0
  value count = 0
  merge j {
    at p in n .. A.N by A.f {
      n := n + 1
      y.val[j] += 1
    }
    at q in n + 1 .. A.N by A.g {
      y.val[j] += 2
      y.val[q + 10] += 1
    }
    then {
      count += 10
      y.val[j] += count
    }
  }
})");
  auto run = [&](std::vector<std::int64_t> f, std::vector<std::int64_t> g) {
    Memory memory;
    memory.sizes = {{"y.N", 20}, {"A.N", static_cast<std::int64_t>(f.size())}};
    memory.indices = {{"A.f", std::move(f)}, {"A.g", std::move(g)}};
    memory.values = {{"y.val", std::vector<double>(20, 0)}};
    std::string error = message_of(program, memory);
    if (error != "no error") return error;
    interpret(program, memory);
    std::string set;
    for (std::size_t k = 0; k < 20; ++k)
      if (memory.values["y.val"][k] != 0) set += fmt::format("{}:{} ", k, memory.values["y.val"][k]);
    return set;
  };
  // Bounds are evaluated before the first key: n is 0 in them, and q begins at 1.
  EXPECT_EQ(run({1, 3}, {0, 3}), "1:11 3:23 11:1 ");
  EXPECT_EQ(run({2, 7}, {0, 5}), "2:11 5:22 7:31 11:1 ");
  EXPECT_EQ(run({4}, {4}), "4:11 ");
  EXPECT_EQ(run({}, {}), "");
  EXPECT_EQ(run({1, 1, 2}, {0, 1, 2}), "keys that are merged don't strictly increase: 1 comes before 1");
  EXPECT_EQ(run({1, 2, 3}, {0, 3, 2}), "keys that are merged don't strictly increase: 3 comes before 2");
}

namespace {

/// All that is told, as text.
struct Listener final : Observer {
  void start(const std::vector<std::string> &names, const std::vector<std::string> &of_arrays) override {
    variables = names, arrays = of_arrays;
  }
  void enter(std::size_t variable, std::int64_t value) override {
    text += variables[variable] + "=" + std::to_string(value) + "{ ";
  }
  void leave(std::size_t) override { text += "} "; }
  void touch(std::size_t array, std::int64_t slot, std::int64_t count) override {
    text +=
        arrays[array] + "[" + std::to_string(slot) + (count == 1 ? "" : "+" + std::to_string(count)) + "] ";
  }
  void point() override { text += "point "; }
  void operate(std::size_t times) override { operations += times; }

  std::vector<std::string> variables, arrays;
  std::string text;
  std::size_t operations = 0;
};

} // namespace

TEST(Interpret, tells_what_happens) {
  Program program =
      with_body("  zero y.val, 2\n  for k in 0 .. 3 {\n    if k = 2 {\n      break\n    }\n"
                "    value s = 0\n    s += 2 * y.val[A.f(k, 0) + 7*k]\n    y.val[k] += s\n  }\n");
  Memory memory = for_body();
  memory.indices["A.f"] = {1, 0, -6, 0};
  Listener listener;
  InterpretOptions options;
  options.observer = &listener;
  interpret(program, memory, options);
  // The sum that is added to the result is no point again.
  EXPECT_EQ(listener.text, "y.val[0+2] k=0{ A.f[0] y.val[1] point y.val[0] } "
                           "k=1{ A.f[2] y.val[1] point y.val[1] } k=2{ } ");
  EXPECT_EQ(listener.operations, 2u * 3); // a product, and two additions
}
