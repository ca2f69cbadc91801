// Room for all of a loop's entries, made in front of the loop.
#include "list_kernels.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::loop;

namespace {

const std::string head =
    test::head_of_list("k", test::operand_of_values) + "workspace w.idx[0] : int32 grows\n{\n";

Program with_body(const std::string &body) {
  return parse_program(head + body + "}\n");
}

std::string ahead(const std::string &body) {
  return to_text(reserve_ahead(with_body(body), {}));
}

std::string printed(const std::string &body) {
  return to_text(with_body(body));
}

} // namespace

TEST(ReserveAhead, room_is_made_for_all_iterations) {
  const std::string filtered = R"(  var n = 0
  for i in 0 .. x.N {
    value s = x.val[i]
    if stored s {
      reserve C.NNZ >= n + 1 : C.idx, C.val
      C.idx(n) := i
      C.val[n] = s
      n := n + 1
    }
  }
  count C.NNZ = n
)";
  const std::string expected = R"(  var n = 0
  reserve C.NNZ >= n + x.N : C.idx, C.val
  for i in 0 .. x.N {
    value s = x.val[i]
    if stored s speculative {
      C.idx(n) := i
      C.val[n] = s
      n := n + 1
    }
  }
  count C.NNZ = n
)";
  EXPECT_EQ(ahead(filtered), printed(expected));
  for (const std::string &body : {filtered, expected}) {
    Memory memory;
    memory.sizes = {{"C.N", 4}, {"x.N", 4}};
    memory.values["x.val"] = {0, 3, 0, 5};
    EXPECT_EQ(interpret(with_body(body), memory), 0);
    EXPECT_EQ(memory.indices["C.idx"], (std::vector<std::int64_t>{1, 3}));
  }
}

/// One for each key at most; ranges may end before they begin.
TEST(ReserveAhead, of_a_merge_for_all_its_ranges) {
  const std::string merged = R"(    at p in 0 .. x.N by w.idx {
      s += 1
    }
    at q in 2 .. x.N by w.idx {
      s += 2
    }
    then {
      )";
  const std::string entry = R"(C.idx(n) := j
      C.val[n] = s
      n := n + 1
    }
  }
  count C.NNZ = n
)";
  const std::string reserve = " : C.idx, C.val\n";
  EXPECT_EQ(
      ahead("var n = 0\nvalue s = 0\nmerge j {\n" + merged + "reserve C.NNZ >= n + 1" + reserve + entry),
      printed("var n = 0\nvalue s = 0\nreserve C.NNZ >= n + max(0, x.N) + max(0, x.N - 2)" + reserve +
           "merge j {\n" + merged + entry));
  // what a range's body counts is counted more often
  const std::string in_range = "var n = 0\nmerge j {\nat p in 0 .. x.N by w.idx {\nreserve C.NNZ >= n + 1" +
                               reserve + "n := n + 1\n}\nthen {\n}\n}\ncount C.NNZ = n\n";
  EXPECT_EQ(ahead(in_range), printed(in_range));
}

/// The arrays of a workspace grow by the variable that counts them too.
TEST(ReserveAhead, arrays_of_the_workspace_too) {
  EXPECT_EQ(ahead(R"(  var n = 0
  for i in 2 .. x.N {
    reserve room >= n + 1 : w.idx
    w.idx(n) := i
    n := n + 1
  }
  count C.NNZ = 0
)"),
            printed(R"(  var n = 0
  reserve room >= n + x.N - 2 : w.idx
  for i in 2 .. x.N {
    w.idx(n) := i
    n := n + 1
  }
  count C.NNZ = 0
)"));
}

/// The inner loop's entries are counted per iteration of the outer one: room is made in front of the inner
/// one.
TEST(ReserveAhead, one_loop_only) {
  EXPECT_EQ(ahead(R"(  var n = 0
  for i in 0 .. x.N {
    for j in 0 .. i {
      reserve C.NNZ >= n + 1 : C.idx, C.val
      C.idx(n) := j
      C.val[n] = 1
      n := n + 1
    }
  }
  count C.NNZ = n
)"),
            printed(R"(  var n = 0
  for i in 0 .. x.N {
    reserve C.NNZ >= n + i : C.idx, C.val
    for j in 0 .. i {
      C.idx(n) := j
      C.val[n] = 1
      n := n + 1
    }
  }
  count C.NNZ = n
)"));
}

/// Whether the entry is set without a branch, of a loop that looks for one like x's.
static bool is_speculative(const std::string &before, const std::string &entry) {
  const Program program = parse_program(
      test::head_of_list("k", test::operand_of_values + "  index key[x.N] : int64\noperand y : v(N)\n  value "
                                                        "val[y.N] : float64\n") +
      "{\nvar n = 0\nvar m = 0\nfor i in 0 .. x.N {\n" + before +
      "if x.key(i) <= 3 {\nreserve C.NNZ >= n + 1 : C.idx, C.val\n" + entry +
      "}\nm := m + 2\n}\ncount C.NNZ = n\n}\n");
  const std::string made = to_text(reserve_ahead(program, {}));
  return made.find("speculative {") != std::string::npos;
}

/// What is written where the condition doesn't hold lies behind the last entry; all that it reads must exist.
TEST(ReserveAhead, appends_without_a_branch_where_what_it_reads_exists) {
  const std::string key = "let j = x.key(i)\n";
  EXPECT_TRUE(is_speculative(key, "C.idx(n) := j\nC.val[n] = x.val[i]\nn := n + 1\n"));
  // counted before it is set
  EXPECT_TRUE(is_speculative(key, "C.idx(n) := j\nn := n + 1\nC.val[n - 1] = x.val[i]\n"));
  EXPECT_TRUE(is_speculative("value s = x.val[i]\n", "C.idx(n) := i\nC.val[n] = s\nn := n + 1\n"));
  // nothing says that these exist
  EXPECT_FALSE(is_speculative(key, "C.idx(n) := j\nC.val[n] = y.val[i]\nn := n + 1\n"));
  EXPECT_FALSE(is_speculative(key, "C.idx(n) := j\nC.val[n] = x.val[i + 1]\nn := n + 1\n"));
  EXPECT_FALSE(is_speculative(key, "C.idx(n) := x.key(j)\nC.val[n] = 1\nn := n + 1\n"));
  EXPECT_FALSE(is_speculative("value s = x.val[m]\n", "C.idx(n) := x.key(m)\nC.val[n] = 1\nn := n + 1\n"));
  // more than appending
  EXPECT_FALSE(is_speculative(key, "C.idx(n) := j\nC.val[n] = 1\nC.val[0] = 2\nn := n + 1\n"));
  EXPECT_FALSE(is_speculative(key, "C.idx(n) := j\nC.val[n] = C.val[0]\nn := n + 1\n"));
  EXPECT_FALSE(is_speculative(key, "C.idx(n) := j\nC.val[n] = 1\nm := 0\nn := n + 1\n"));
}

/// The interpreter does what a kernel does: there must be room for what is written behind the last entry.
TEST(ReserveAhead, room_for_what_is_not_appended) {
  const auto run = [](const std::string &room) {
    Memory memory;
    memory.sizes = {{"C.N", 3}, {"x.N", 3}};
    memory.values["x.val"] = {5, 0, 0};
    const int code = interpret(with_body("  var n = 0\n  reserve C.NNZ >= " + room +
                                         " : C.idx, C.val\n  for i in 0 .. x.N {\n    value s = x.val[i]\n"
                                         "    if stored s speculative {\n      C.idx(n) := i\n"
                                         "      C.val[n] = s\n      n := n + 1\n    }\n  }\n"
                                         "  count C.NNZ = n\n"),
                               memory);
    return std::pair(code, memory.values["C.val"]);
  };
  EXPECT_EQ(run("x.N"), std::pair(0, std::vector<double>{5}));
  EXPECT_THROW(run("1"), report::Error);
}

TEST(ReserveAhead, what_else_is_speculative_is_refused) {
  for (const std::string body : {"C.idx(n) := 1\n", "C.idx(0) := 1\nn := n + 1\n", "n := n + 2\n",
                                 "C.idx(n) := 1\nn := n + 1\n} else {\nn := 0\n"})
    EXPECT_THROW(verify(with_body("var n = 0\nreserve C.NNZ >= 9 : C.idx, C.val\n"
                                  "if x.N <= 3 speculative {\n" +
                                  body + "}\ncount C.NNZ = n\n")),
                 report::Error)
        << body;
}

TEST(ReserveAhead, what_may_count_otherwise_stays) {
  const std::string bodies[] = {
      // two entries for each iteration
      R"(  var n = 0
  for i in 0 .. x.N {
    reserve C.NNZ >= n + 1 : C.idx, C.val
    C.idx(n) := i
    C.val[n] = 1
    n := n + 1
    reserve C.NNZ >= n + 1 : C.idx, C.val
    C.idx(n) := i
    C.val[n] = 1
    n := n + 1
  }
  count C.NNZ = n
)",
      // a step of two
      R"(  var n = 0
  for i in 0 .. x.N {
    reserve C.NNZ >= n + 1 : C.idx, C.val
    C.idx(n) := i
    C.val[n] = 1
    n := n + 2
  }
  count C.NNZ = n
)",
      // a variable that begins anew
      R"(  for i in 0 .. x.N {
    var n = i
    reserve C.NNZ >= n + 1 : C.idx, C.val
    C.idx(n) := i
    C.val[n] = 1
    n := n + 1
  }
  count C.NNZ = x.N
)",
      // the step comes first
      R"(  var n = 0
  for i in 0 .. x.N {
    n := n + 1
    reserve C.NNZ >= n + 1 : C.idx, C.val
    C.idx(n) := i
    C.val[n] = 1
  }
  count C.NNZ = n + 1
)",
  };
  for (const std::string &body : bodies)
    EXPECT_EQ(ahead(body), printed(body));
}
