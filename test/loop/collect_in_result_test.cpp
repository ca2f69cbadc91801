// Lists that only go to the result are kept there from the beginning.
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "loop/walk.h"

#include <gtest/gtest.h>
#include <random>

using namespace unravel;
using namespace unravel::loop;

namespace {

/// C = A * A, the columns of a row in the order in which they come.
const std::string product = R"(kernel product
expression C(i,j) = A(i,k) * A(k,j)
result C : csr(M, N)
  assembled
  count NNZ
  index rowptr[C.M + 1] : int32
  index col[C.NNZ] : int32
  value val[C.NNZ] : float64
operand A : csr(M, N)
  count NNZ
  index rowptr[A.M + 1] : int32 nonnegative
  index col[A.NNZ] : int32 nonnegative
  value val[A.NNZ] : float64
workspace w.idx[A.N] : int32 per thread
workspace w.map[A.N] : int32 = -1 per thread
workspace w.val[A.N] : float64 per thread
{
  var C.p.end = 0
  reserve C.NNZ >= 0 : C.col, C.val
  var C.rowptr.end = 0
  for i in 0 .. A.M parallel 32 appends C.NNZ at C.p.end, C.rowptr at C.rowptr.end into C.p.end {
    var w.NNZ = 0
    for p in A.rowptr(i) .. A.rowptr(i + 1) {
      for q in A.rowptr(A.col(p)) .. A.rowptr(A.col(p) + 1) {
        var w.p = w.map(A.col(q))
        if w.p + 1 <= 0 {
          w.idx(w.NNZ) := A.col(q)
          w.map(A.col(q)) := w.NNZ
          w.p := w.NNZ
          w.NNZ := w.NNZ + 1
          w.val[w.p] = 0
        }
        w.val[w.p] += A.val[p] * A.val[q]
      }
    }
    if C.rowptr.end <= i {
      C.rowptr(C.rowptr.end) := C.p.end
      C.rowptr.end := C.rowptr.end + 1
    }
    for s in 0 .. w.NNZ {
      reserve C.NNZ >= C.p.end + 1 : C.col, C.val
      C.col(C.p.end) := w.idx(s)
      C.p.end := C.p.end + 1
      C.val[C.p.end - 1] = w.val[s]
    }
    for t in 0 .. w.NNZ {
      w.map(w.idx(t)) := -1
    }
  }
  while C.rowptr.end <= A.M {
    C.rowptr(C.rowptr.end) := C.p.end
    C.rowptr.end := C.rowptr.end + 1
  }
  count C.NNZ = C.p.end
}
)";

Memory random_matrix(std::int64_t rows, std::mt19937 &random) {
  Memory memory;
  std::vector<std::int64_t> pointers{0}, columns;
  std::vector<double> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < rows; ++column)
      if (random() % 3 == 0) columns.push_back(column), values.push_back(static_cast<double>(random() % 5));
    pointers.push_back(static_cast<std::int64_t>(columns.size()));
  }
  memory.sizes = {{"A.M", rows}, {"A.N", rows}, {"C.M", rows}, {"C.N", rows}, {"A.NNZ", pointers.back()}};
  memory.indices = {{"A.rowptr", pointers}, {"A.col", columns}};
  memory.values = {{"A.val", values}};
  return memory;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::size_t arrays_left(const std::string &text) {
  const Program program = parse_program(text);
  verify(program);
  const Program collected = collect_in_result(program);
  verify(collected);
  return collected.workspace.size();
}

} // namespace

TEST(CollectInResult, lists_are_parts_of_the_result) {
  EXPECT_EQ(arrays_left(product), 1U); // the map
  const std::string text = to_text(collect_in_result(parse_program(product)));
  for (const char *line : {"let w.NNZ.begin = C.p.end\n", "reserve C.NNZ >= C.p.end + 1 : C.col, C.val\n",
                           "C.col(C.p.end) := A.col(q)\n", "w.map(A.col(q)) := C.p.end - w.NNZ.begin\n",
                           "C.val[w.NNZ.begin + w.p] += A.val[p] * A.val[q]\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(CollectInResult, the_result_is_the_same) {
  std::mt19937 random(7);
  for (std::int64_t rows = 0; rows < 9; ++rows)
    for (unsigned seed = 0; seed < 5; ++seed) {
      const Memory given = random_matrix(rows, random);
      const Program program = parse_program(product);
      Memory expected = given;
      ASSERT_EQ(interpret(program, expected), 0);
      for (const Program &each : {collect_in_result(program), improve(program)})
        for (bool permuted : {false, true}) {
          Memory found = given;
          InterpretOptions options;
          options.permute_parallel = permuted;
          options.seed = seed;
          ASSERT_EQ(interpret(each, found, options), 0);
          EXPECT_EQ(found.sizes, expected.sizes);
          EXPECT_EQ(found.indices, expected.indices);
          EXPECT_EQ(found.values, expected.values);
        }
    }
}

TEST(CollectInResult, other_lists_stay) {
  // It goes to the result with other values, in another type, or from its second entry on.
  EXPECT_EQ(arrays_left(replaced(product, "= w.val[s]\n", "= 2 * w.val[s]\n")), 3U);
  EXPECT_EQ(arrays_left(replaced(product, "w.val[A.N] : float64", "w.val[A.N] : float32")), 3U);
  EXPECT_EQ(arrays_left(replaced(product, "for s in 0 .. w.NNZ", "for s in 1 .. w.NNZ")), 3U);
  // Something of the result isn't set by it, or more than an entry is counted.
  EXPECT_EQ(arrays_left(replaced(product, "      C.val[C.p.end - 1] = w.val[s]\n", "")), 3U);
  EXPECT_EQ(
      arrays_left(replaced(product, "          w.NNZ := w.NNZ + 1\n", "          w.NNZ := w.NNZ + 2\n")), 3U);
  // Another one appends to the result meanwhile, or the array is needed elsewhere, too.
  EXPECT_EQ(arrays_left(replaced(product, "    if C.rowptr.end <= i {\n",
                                 "    reserve C.NNZ >= C.p.end + 1 : C.col, C.val\n    C.col(C.p.end) := 0\n"
                                 "    C.p.end := C.p.end + 1\n    if C.rowptr.end <= i {\n")),
            3U);
  EXPECT_EQ(arrays_left(replaced(product, "    var w.NNZ = 0\n", "    w.idx(0) := 0\n    var w.NNZ = 0\n")),
            3U);
  // The filling asks for what stands behind it: these may not change places.
  EXPECT_EQ(arrays_left(replaced(product, "        if w.p + 1 <= 0 {\n",
                                 "        if w.p + 1 <= 0 and C.rowptr.end <= i {\n")),
            3U);
}
