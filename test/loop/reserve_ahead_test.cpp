// Room for all of a loop's entries, made in front of the loop.
#include "list_kernels.h"
#include "loop/interpret.h"
#include "loop/passes.h"

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

std::string text(const std::string &body) {
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
    if stored s {
      C.idx(n) := i
      C.val[n] = s
      n := n + 1
    }
  }
  count C.NNZ = n
)";
  EXPECT_EQ(ahead(filtered), text(expected));
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
      text("var n = 0\nvalue s = 0\nreserve C.NNZ >= n + max(0, x.N) + max(0, x.N - 2)" + reserve +
           "merge j {\n" + merged + entry));
  // what a range's body counts is counted more often
  const std::string in_range = "var n = 0\nmerge j {\nat p in 0 .. x.N by w.idx {\nreserve C.NNZ >= n + 1" +
                               reserve + "n := n + 1\n}\nthen {\n}\n}\ncount C.NNZ = n\n";
  EXPECT_EQ(ahead(in_range), text(in_range));
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
            text(R"(  var n = 0
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
            text(R"(  var n = 0
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
    EXPECT_EQ(ahead(body), text(body));
}
