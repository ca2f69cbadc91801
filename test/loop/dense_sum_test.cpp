// Which nests add to a stretch of a dense mode, and may be run once for each part of it.
#include "loop/vector_sums.h"
#include "loop/verify.h"

#include <gtest/gtest.h>

namespace unravel::loop {
namespace {

/// Of the first loop in the body of a loop over i.
bool is_dense_sum(const std::string &inside, const std::string &element = "float64") {
  Program program =
      parse_program("kernel k\nexpression e\nresult Y : y(M, N)\n  value val[Y.M, Y.N] : " + element +
                    "\noperand A : a(M)\n  count NNZ\n  index ptr[A.M + 1] : int32\n"
                    "  index col[A.NNZ] : int32\n  value val[A.NNZ] : float64\n"
                    "operand B : b(M, N)\n  value val[B.M, B.N] : float64\n{\n"
                    "  for i in 0 .. A.M {\n    var s = 0\n" +
                    inside + "  }\n}\n");
  verify(program);
  return dense_sum(std::get<For>(program.body[0].kind).body.at(1), program).has_value();
}

std::string nest(const std::string &statement, const std::string &before = "",
                 const std::string &range = "0 .. B.N") {
  return "for p in A.ptr(i) .. A.ptr(i + 1) {\n let j = A.col(p)\n" + before + "for r in " + range + " {\n" +
         statement + "\n}\n}\n";
}

TEST(DenseSum, Found) {
  const std::string sum = "Y.val[i * Y.N + r] += A.val[p] * B.val[j * B.N + r]";
  EXPECT_TRUE(is_dense_sum(nest(sum)));
  EXPECT_TRUE(is_dense_sum(nest(sum, "", "0 .. 40")));
  EXPECT_TRUE(is_dense_sum(nest("Y.val[i * Y.N + r] += -(A.val[p])")));
  EXPECT_TRUE(is_dense_sum(nest(sum, "var t = 0\nt := 1\n"))); // its own
}

TEST(DenseSum, Refused) {
  const std::string sum = "Y.val[i * Y.N + r] += A.val[p] * B.val[j * B.N + r]";
  EXPECT_FALSE(is_dense_sum(nest(sum, "s := 1\n")));        // would be assigned once per part
  EXPECT_FALSE(is_dense_sum(nest(sum, "Y.val[j] += 1\n"))); // would be added once per part
  EXPECT_FALSE(is_dense_sum(nest(sum, "Y.val[j] = 1\n")));
  EXPECT_FALSE(is_dense_sum(nest(sum, "", "1 .. B.N")));
  EXPECT_FALSE(is_dense_sum(nest(sum, "", "0 .. A.ptr(i)")));  // may be negative
  EXPECT_FALSE(is_dense_sum(nest("Y.val[j * Y.N + r] += 1"))); // another stretch for each p
  EXPECT_FALSE(is_dense_sum(nest("Y.val[i * Y.N + 2 * r] += 1")));
  EXPECT_FALSE(is_dense_sum(nest("Y.val[i * Y.N + r] += B.val[r * B.M + j]")));
  EXPECT_FALSE(is_dense_sum(nest("Y.val[i * Y.N + r] += Y.val[r]")));
  EXPECT_FALSE(is_dense_sum(nest("Y.val[i * Y.N + r] = A.val[p]")));
  EXPECT_FALSE(is_dense_sum("for r in 0 .. B.N {\nY.val[i * Y.N + r] += 1\n}\n")); // nothing around it
  EXPECT_FALSE(is_dense_sum(nest(sum), "float32"));
  // An inner product would be computed once for each part.
  EXPECT_FALSE(is_dense_sum(nest(sum, "value t = 0\nfor k in 0 .. B.N {\nt += B.val[j * B.N + k]\n}\n")));
}

} // namespace
} // namespace unravel::loop
