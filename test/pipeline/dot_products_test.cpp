// Which kernels have their inner products of dense rows four at a time. What these compute is tested with
// all others (test/run).
#include "pipeline.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::pipeline {
namespace {

bool at_once(const std::string &expression, const std::map<std::string, std::string> &formats,
             const std::string &schedule = "", const schedule::Counts &counts = {}) {
  Request request;
  request.counts = counts;
  request.expression = expression;
  request.formats = formats;
  if (!schedule.empty()) request.schedules = {schedule};
  const Compilation made = compile(request);
  return std::any_of(made.stages.begin(), made.stages.end(),
                     [](const Stage &stage) { return stage.name == "inner products at once"; });
}

const std::string sddmm = "D(i,j) = A(i,j) * X(i,r) * B(j,r)";

TEST(DotProducts, OnePerEntry) {
  for (const std::string layout : {"csr", "dcsr", "coo", "csc"})
    EXPECT_TRUE(at_once(sddmm, {{"A", layout}, {"D", "like:A"}})) << layout;
  EXPECT_TRUE(at_once(sddmm, {{"A", "csr"}}));
  EXPECT_TRUE(at_once("C(i,j) = A(i,k) * B(j,k)", {}));
  EXPECT_TRUE(at_once(sddmm, {{"A", "csr"}, {"D", "like:A"}}, "bound r = 16"));
}

const std::string attention = "Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)";

TEST(DotProducts, WhosePartsOthersAreMultipliedWith) {
  for (const std::string layout : {"csr", "dcsr", "csc"})
    EXPECT_TRUE(at_once(attention, {{"S", layout}}, "plan 1")) << layout;
  EXPECT_TRUE(at_once(attention, {{"S", "csr"}}));
  EXPECT_TRUE(at_once(attention, {{"S", "csr"}}, "", {{"S.rowptr", 40}}));
  EXPECT_FALSE(at_once(attention, {{"S", "csr"}}, "plan 1", {{"S.rowptr", 3}})); // three would be left
  EXPECT_FALSE(at_once(attention, {{"S", "csr"}}, "plan 1; bound k = 4"));
  EXPECT_FALSE(at_once("Y(i,r) = S(i,j) * Q(i,k) * K(k,j) * V(j,r)", {{"S", "csr"}}, "plan 1")); // strided
  EXPECT_FALSE(at_once("Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}}, "plan 1"));
}

TEST(DotProducts, NotOfRowsThatDiffer) {
  EXPECT_FALSE(at_once("y(i) = A(i,j) * x(j)", {{"A", "csr"}}));
  EXPECT_FALSE(at_once("D(i,j) = T(i,j,k) * c(k)", {{"T", "csf3"}}));
}

TEST(DotProducts, NotAcrossMemory) {
  EXPECT_FALSE(at_once("D(i,j) = A(i,j) * X(r,i) * B(r,j)", {{"A", "csr"}, {"D", "like:A"}}));
}

TEST(DotProducts, NotOfShortRows) {
  EXPECT_FALSE(at_once(sddmm, {{"A", "csr"}, {"D", "like:A"}}, "bound r = 4"));
}

TEST(DotProducts, NotWhereSumsAreShared) {
  // All entries of a row add to y(i): that loop isn't one sum per iteration, but by a plan.
  EXPECT_FALSE(at_once("y(i) = A(i,j) * X(i,r) * B(j,r)", {{"A", "csr"}}, "plan none"));
}

TEST(DotProducts, NotWhereTheUserChangesLoops) {
  EXPECT_FALSE(at_once(sddmm, {{"A", "csr"}, {"D", "like:A"}}, "unroll r by 2"));
}

} // namespace
} // namespace unravel::pipeline
