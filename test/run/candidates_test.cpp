// Which schedules may make a kernel faster on the data at hand: what tuning tries behind plans.
#include "run/session.h"
#include "run/tune.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace unravel;

namespace {

std::vector<std::string> candidates_of(const std::string &line, std::map<std::string, std::string> formats,
                                       std::map<std::string, std::string> inputs) {
  run::Request request;
  request.compile.expression = line;
  request.compile.formats = std::move(formats);
  request.inputs = std::move(inputs);
  return run::candidates(run::run(request));
}

bool has(const std::vector<std::string> &all, const std::string &wanted) {
  return std::ranges::any_of(all, [&](const std::string &each) { return each.starts_with(wanted); });
}

TEST(Candidates, bounds_of_indices_that_only_dense_tensors_have) {
  const std::vector<std::string> made =
      candidates_of("Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}},
                    {{"T", "random:30x40x50,entries=600"}, {"U", "random:40x8"}, {"V", "random:50x8"}});
  EXPECT_TRUE(has(made, "bound r = 8"));
  EXPECT_FALSE(has(made, "bound i"));
}

TEST(Candidates, other_finds) {
  const std::vector<std::string> made = candidates_of(
      "y(i) = A(i,j) * x(j) * z(j)", {{"A", "csr"}, {"x", "sv"}},
      {{"A", "random:200x200,density=0.1"}, {"x", "random:200,density=0.3"}, {"z", "random:200"}});
  EXPECT_TRUE(has(made, "find x.p by "));
  EXPECT_FALSE(has(made, "find A.p by "));
}

TEST(Candidates, pieces_of_equal_work) {
  const std::vector<std::string> made = candidates_of("y(i) = A(i,j) * x(j)", {{"A", "csr"}},
                                                      {{"A", "random:20x20,density=0.2"}, {"x", "random"}});
  EXPECT_EQ(made, (std::vector<std::string>{"parallel i balanced", "blas"}));
}

} // namespace
