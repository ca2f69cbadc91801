// Which loops are sums of products with gathered elements.
#include "loop/vector_sums.h"
#include "loop/verify.h"

#include <gtest/gtest.h>

namespace unravel::loop {
namespace {

std::optional<GatheredSum> found(const std::string &inside, const std::string &head = "for p in 0 .. A.NNZ",
                                 const std::string &element = "float64") {
  Program program = parse_program(
      "kernel k\nexpression e\nresult y : y(N)\n  value val[y.N] : float64\noperand A : a(M)\n  count NNZ\n"
      "  index col[A.NNZ] : int32\n  index place[A.M, A.NNZ] : int32\n  value val[A.NNZ] : float64\n"
      "operand x : b(N)\n  value val[x.N] : " +
      element + "\n{\n  value sum = 0\n  value c = 2\n  let k = 3\n  " + head + " {\n" + inside +
      "  }\n  y.val[0] = sum * c\n}\n");
  return gathered_sum(std::get<For>(program.body[3].kind), program);
}

bool is_found(const std::string &inside, const std::string &head = "for p in 0 .. A.NNZ") {
  return found(inside, head).has_value();
}

TEST(GatheredSum, Found) {
  EXPECT_TRUE(is_found("sum += x.val[A.col(p)]\n"));
  EXPECT_TRUE(is_found("sum += A.val[p] * x.val[A.col(p)]\n"));
  EXPECT_TRUE(is_found("sum += c * 2.5 * A.val[p + k] * x.val[A.col(p - 1)] * x.val[k]\n"));
  EXPECT_TRUE(is_found("let j = A.col(p)\nvalue t = x.val[j]\nsum += t * x.val[j]\n"));
}

std::optional<GatheredLanes> lanes(const std::string &inside) {
  Program program = parse_program("kernel k\nexpression e\nresult y : y(N)\n  value val[y.N] : float64\n"
                                  "operand A : a(M)\n  index col[A.M] : int32\n  value val[A.M] : float64\n"
                                  "operand x : b(N)\n  value val[x.N] : float64\n{\n  for i in 0 .. A.M {\n" +
                                  inside + "  }\n}\n");
  static Program kept; // what is found points into it
  kept = program;
  return gathered_lanes(std::get<For>(kept.body[0].kind), kept);
}

TEST(GatheredLanes, Found) {
  EXPECT_FALSE(lanes("y.val[i] += A.val[i] * x.val[A.col(i)]\n")->guarded);
  EXPECT_TRUE(lanes("let j = A.col(i)\nif 0 <= j {\ny.val[i] += A.val[i] * x.val[j]\n}\n")->guarded);
  std::optional<GatheredLanes> stored = lanes("let j = A.col(i)\nvalue t = 0\nif 0 <= j {\n"
                                              "t = -(A.val[i] * x.val[j])\n}\ny.val[i] += t\n");
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->guarded);
  EXPECT_TRUE(stored->subtracts);
}

TEST(GatheredLanes, Refused) {
  EXPECT_FALSE(lanes("y.val[i] += A.val[i] * x.val[i]\n"));                    // nothing is gathered
  EXPECT_FALSE(lanes("y.val[i] += x.val[A.col(i)] * x.val[A.col(i)]\n"));      // twice
  EXPECT_FALSE(lanes("if 1 <= A.col(i) {\ny.val[i] += x.val[A.col(i)]\n}\n")); // another condition
  EXPECT_FALSE(lanes("y.val[i] += x.val[2 * A.col(i)]\n"));
  EXPECT_FALSE(lanes("let j = A.col(i)\nvalue t = 1\nif 0 <= j {\nt = x.val[j]\n}\ny.val[i] += t\n"));
  EXPECT_FALSE(lanes("if 0 <= A.col(i) {\ny.val[i] += x.val[A.col(i)]\n} else {\ny.val[i] += 1\n}\n"));
}

TEST(GatheredSum, Parts) {
  using Kind = GatheredSum::Factor::Kind;
  std::optional<GatheredSum> sum = found("sum += -(A.val[p] * x.val[2 * A.col(p) * A.M + k] * c)\n");
  ASSERT_TRUE(sum);
  EXPECT_TRUE(sum->subtracts);
  EXPECT_EQ(sum->element, ElementType::Float64);
  ASSERT_EQ(sum->factors.size(), 3u);
  EXPECT_EQ(sum->factors[0].kind, Kind::Stretch);
  EXPECT_EQ(sum->factors[1].kind, Kind::Gathered);
  EXPECT_EQ(to_text(sum->factors[1].keys), "A.col(p)");
  EXPECT_EQ(to_text(sum->factors[1].scale), "2*A.M");
  EXPECT_EQ(to_text(sum->factors[1].base), "k");
  EXPECT_EQ(sum->factors[2].kind, Kind::Fixed);
  EXPECT_FALSE(found("sum += -(-(x.val[A.col(p)]))\n")->subtracts);
}

TEST(GatheredSum, OfStretches) {
  const std::optional<GatheredSum> sum = found("sum += c * A.val[p] * A.val[p + k]\n");
  ASSERT_TRUE(sum);
  EXPECT_FALSE(sum->gathers());
  EXPECT_TRUE(found("sum += A.val[p] * x.val[A.col(p)]\n")->gathers());
}

TEST(GatheredSum, Refused) {
  EXPECT_FALSE(is_found("sum += c\n"));                              // nothing varies
  EXPECT_FALSE(is_found("sum += A.val[2 * p] * x.val[A.col(p)]\n")); // every second one
  EXPECT_FALSE(is_found("sum += x.val[A.col(2 * p)]\n"));
  EXPECT_FALSE(is_found("sum += x.val[A.col(A.col(p))]\n")); // keys that are gathered
  EXPECT_FALSE(is_found("sum += x.val[A.place(p, k)]\n"));   // not one behind the other
  EXPECT_FALSE(is_found("sum += x.val[A.col(p) + p]\n"));
  EXPECT_FALSE(is_found("sum += x.val[A.col(p) * A.col(p + 1)]\n"));
  EXPECT_FALSE(is_found("sum += x.val[floor(A.col(p) / 2)]\n"));
  EXPECT_FALSE(is_found("sum += sum * x.val[A.col(p)]\n"));
  EXPECT_FALSE(is_found("sum = x.val[A.col(p)]\n"));
  EXPECT_FALSE(is_found("y.val[1] += x.val[A.col(p)]\n")); // may not exist, where nothing is added
  EXPECT_FALSE(is_found("value t = 0\nt += x.val[A.col(p)]\n"));
  EXPECT_FALSE(is_found("sum += 1\nsum += x.val[A.col(p)]\n"));
  EXPECT_FALSE(is_found("if A.col(p) < k {\nsum += x.val[A.col(p)]\n}\n"));
  EXPECT_FALSE(is_found("sum += x.val[A.col(p)]\n", "for p in 0 .. A.NNZ step 2"));
  EXPECT_FALSE(found("sum += A.val[p] * x.val[A.col(p)]\n", "for p in 0 .. A.NNZ", "float32"));
}

} // namespace
} // namespace unravel::loop
