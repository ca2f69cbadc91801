// Results with an operand's structure (`like:`), run by the interpreter and as C on all small inputs, or many
// of them.
#include "run/compiled.h"
#include "run/interpreted.h"

#include "report/diagnostic.h"

#include <gtest/gtest.h>
#include <iostream>

namespace unravel::run::test {

namespace {

Problem like(const std::string &expression, const std::string &operand,
             std::map<std::string, std::string> formats) {
  std::string result = expression.substr(0, expression.find('('));
  formats[result] = "like:" + operand;
  return {expression, std::move(formats), {}, {}};
}

const std::vector<std::string> &lenders() {
  static const std::vector<std::string> names = {
      "csr",       "csc",        "coo",   "coo_unsorted", "coo_dup",   "coo_aos", "dcsr",     "dcsc",
      "bcsr<2,3>", "ubcsr<2,3>", "ell",   "sell<2>",      "sellcs<2>", "dia",     "csb<2>",   "banded",
      "csr_lower", "bitmap",     "dense", "ss",           "du",        "ellr",    "@csr_down"};
  return names;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const std::string &layout : lenders()) {
    all.push_back(like("D(i,j) = S(i,j) * x(j)", "S", {{"S", layout}}));
    all.push_back(like("D(i,j) = S(i,j) * A(i,k) * B(k,j)", "S", {{"S", layout}}));
    all.push_back(like("D(i,j) += 2 * S(i,j) * x(j)", "S", {{"S", layout}, {"x", "sv"}}));
    all.push_back(like("D(j,i) = S(i,j) * x(j)", "S", {{"S", layout}}));
    all.push_back(like("D(i,j) = S(i,j) * T(i,j)", "S", {{"S", layout}, {"T", "csr"}}));
    all.push_back(like("D(i,j,k) = S(i,j) * U(j,k)", "S", {{"S", layout}}));
  }
  for (const char *layout : {"csr", "dcsr", "csc", "coo", "coo_dup", "bcsr<2,3>", "ell", "dense"}) {
    all.push_back(like("y(i) = A(i,j) * x(j)", "A", {{"A", layout}}));
    all.push_back(like("C(i,k) = A(i,j) * B(j,k)", "A", {{"A", layout}}));
  }
  for (const char *layout : {"csf3", "coo3", "sss", "dss", "hicoo<2>", "mode_generic<2,1,2>"}) {
    all.push_back(like("D(i,j,k) = A(i,j,k) * x(k)", "A", {{"A", layout}}));
    all.push_back(like("D(i,j) = A(i,j,k) * v(k)", "A", {{"A", layout}}));
    all.push_back(like("D(i,j) = A(i,j,k) * v(k)", "A", {{"A", layout}, {"v", "sv"}}));
    all.push_back(like("D(i,j,r) = A(i,j,k) * U(k,r)", "A", {{"A", layout}}));
    all.push_back(like("D(i,r) = A(i,j,k) * U(j,r)", "A", {{"A", layout}}));
  }
  all.push_back(like("D(i,j) = S(i,j) * S(j,i)", "S", {{"S", "csr"}}));
  all.push_back(like("D(j,i) = S(i,j) * S(j,i)", "S", {{"S", "csr"}}));
  all.push_back(like("D(i,i) = S(i,i) * x(i)", "S", {{"S", "csr"}}));
  all.push_back(like("D(i,k,k) = S(i,j) * U(j,k)", "S", {{"S", "csr"}}));
  all.push_back(like("D(k,i,l) = S(i,j) * U(j,k) * z(l)", "S", {{"S", "dcsr"}}));
  all.push_back(like("D(i,j) = S(i,j) * x(j+1)", "S", {{"S", "csr"}}));
  return all;
}

/// A run of a problem on small inputs, if the layout can lend it a structure.
template <class Run> void each_kernel(Run run) {
  std::size_t kernels = 0, refused = 0;
  for (const Problem &problem : problems()) {
    SCOPED_TRACE(problem.text());
    try {
      Interpreted kernel(problem);
      run(problem, kernel);
      ++kernels;
    } catch (const report::Error &error) {
      EXPECT_EQ(error.diagnostic().kind, report::Kind::sparse_result) << error.what();
      // Where one block ends is told by two properties together: that segments are apart needs induction.
      EXPECT_EQ(problem.formats.count("S") ? problem.formats.at("S") : "", "csb<2>");
      ++refused;
    }
    if (::testing::Test::HasFailure()) return;
  }
  std::cout << kernels << " kernels, " << refused << " refused\n";
}

} // namespace

TEST(Structure, interpreted) {
  std::mt19937_64 random(7);
  each_kernel([&](const Problem &, const Interpreted &kernel) {
    for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
      for (const SmallCase &input : kernel.inputs(sizes, take_all() ? 100 : 12, random)) {
        loop::InterpretOptions permuted;
        permuted.permute_parallel = true;
        permuted.seed = random();
        if (!kernel.check(input) || !kernel.check(input, permuted)) return;
      }
  });
}

TEST(Structure, compiled) {
  std::mt19937_64 random(8);
  each_kernel([&](const Problem &problem, const Interpreted &kernel) {
    Compiled compiled(problem);
    for (int round = 0; round < (take_all() ? 20 : 4); ++round) {
      std::optional<SmallCase> input = kernel.draw(random);
      if (input && !compiled.check(packed(*input, kernel.compilation(), problem), 1 + round % 2)) return;
    }
  });
}

} // namespace unravel::run::test
