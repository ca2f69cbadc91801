// Operators of the user's own: in values, in reductions and in semirings, by the interpreter and as C.
#include "run/sweep.h"

#include <gtest/gtest.h>

namespace unravel::run::test {

namespace {

const std::string operators =
    "operator clamped(a, b) = min(a + b, 1) : on [0, 1], associative, commutative, identity 0, absorbs 1; "
    "operator either(a, b) = a + b - a * b : on [0, 1], associative, commutative, identity 0, absorbs 1; "
    "operator larger(a, b) = select(abs(a) < abs(b), b, select(abs(b) < abs(a), a, max(a, b)))"
    " : on [-1e6, 1e6], associative, commutative, idempotent, identity 0; "
    "operator plus_max(a, b) = a + b : associative, commutative, identity 0, distributes over max; "
    "operator scaled(a, b) = a * 3 + b * b; "
    "operator positive(a) = max(a, 0); ";

std::vector<Problem> problems() {
  std::vector<Problem> all;
  auto add = [&](const std::string &text, const std::map<std::string, std::string> &formats) {
    all.push_back({operators + text, formats, {}, {}});
  };
  for (const char *layout : {"csr", "csc", "coo", "dcsr", "bcsr<2,2>", "ell", "dense"}) {
    add("y(i) larger= A(i,j)", {{"A", layout}});
    add("y(i) either= A(i,j) * x(j)", {{"A", layout}});
    add("s larger= A(i,j) * x(j)", {{"A", layout}});
    add("y(i) = larger(y(i), A(i,j))", {{"A", layout}});
    add("y(i) = scaled(A(i,j), x(j)) * x(j)", {{"A", layout}});
    add("y(i) += positive(A(i,j)) * x(j)", {{"A", layout}});
    add("y(i) = A(i,j) * x(j) in larger.*", {{"A", layout}});
    add("y(i) = A(i,j) * x(j) in +.scaled", {{"A", layout}, {"x", "sv"}});
    add("y(j) = A(i,j) * x(i) in max.plus_max", {{"A", layout}});
    add("y(i) = (A(i,j) + x(j)) * z(j) in max.plus_max", {{"A", layout}});
  }
  for (const char *layout : {"csr", "dcsr", "dense"}) {
    add("C(i,j) = larger(A(i,j), B(i,j))", {{"A", "csr"}, {"B", "csr"}, {"C", layout}});
    add("C(i,j) = A(i,k) * B(k,j) in larger.*", {{"A", "csr"}, {"B", "csr"}, {"C", layout}});
    add("C(i,j) = either(A(i,j), B(i,j))", {{"A", "csr fill 1"}, {"B", "csr"}});
  }
  add("for i { let m = 0; for j { m larger= A(i,j); } y(i) = positive(m); }", {{"A", "csr"}});
  add("for i { y(i) = 0; for j { y(i) larger= A(i,j); y(i) += x(j); } }", {{"A", "csr"}});
  add("for i { let w(j) = 0; for k { for j { w(j) larger= A(i,k) * B(k,j); } } for j { y(i) += w(j); } }",
      {{"A", "csr"}, {"B", "csr"}, {"w", "listed"}});
  for (const char *type : {"int32", "int8", "uint16", "int64", "f32"}) {
    const std::string of = std::string(" ") + type;
    add("y(i) larger= A(i,j)", {{"A", "csr" + of}, {"y", "dense" + of}});
    add("y(i) += positive(A(i,j) - x(j)) * x(j)", {{"A", "csr" + of}, {"x", "dense" + of}});
  }
  leave_out_other_formats(all);
  return all;
}

} // namespace

TEST(OwnOperators, on_small_inputs) {
  std::mt19937_64 random(51);
  check_each_on_small_inputs(problems(), 4, random);
}

TEST(OwnOperators, as_c) {
  // without padding, which counts as stored: the numbers are of any sign; of integers: types_test.cpp
  std::vector<Problem> chosen;
  for (const Problem &problem : problems()) {
    const auto layout = problem.formats.find("A");
    const std::string of = layout == problem.formats.end() ? "" : layout->second;
    const bool is_left_out = of == "bcsr<2,2>" || of == "ell" || of.find("int") != std::string::npos;
    if (!is_left_out && !problem.formats.contains("C")) chosen.push_back(problem);
  }
  std::mt19937_64 random(52);
  EXPECT_GT(check_as_c(sample_of(chosen, 20, 52), {1, 2}, random), 40u);
}

} // namespace unravel::run::test
