// Tensors whose elements are something else than 0 where nothing is stored.
#include "run/sweep.h"

#include <gtest/gtest.h>

namespace unravel::run::test {

namespace {

using Formats = std::map<std::string, std::string>;

/// Lines and programs with layouts for their tensors; of A and B with fills.
std::vector<Problem> into_dense_results(const std::vector<std::string> &layouts) {
  std::vector<Problem> problems;
  auto add = [&](const std::string &text, const Formats &formats) {
    problems.push_back({text, formats, {}, {}});
  };
  for (const std::string &layout : layouts)
    for (const char *fill : {"inf", "-inf", "1", "-2.5"}) {
      const std::string filled = layout + " fill " + fill;
      for (const char *line :
           {"y(i) min= A(i,j)", "y(i) min= A(i,j) + x(j)", "y(i) max= A(i,j)", "C(i,j) = A(i,j)",
            "y(i) += (A(i,j) < 1) * x(j)", "C(i,j) = min(A(i,j), B(i,j))", "y(i) = A(i,j) * x(j) in max.min",
            "C(i,j) = select(A(i,j) > 0, B(i,j), 2)", "y(i) = A(i,j) * x(j) in min.+",
            "C(i,j) = A(i,j) mask B(i,j)"})
        add(line, {{"A", filled}, {"B", "csr"}});
      add("C(i,j) = max(A(i,j), B(i,j))", {{"A", filled}, {"B", "csc fill -inf"}});
      add("for i { for j { y(i) += A(i,j) * x(j); } }", {{"A", filled}});
      add("tensor A(m, n) fill 1; for i { for j { y(i) *= A(i,j); } }", {{"A", layout}});
      if (std::string(fill) != "inf" && std::string(fill) != "-inf") {
        add("y(i) = A(i,j) * x(j)", {{"A", filled}});
        add("C(i,j) = A(i,j) - B(i,j)", {{"A", filled}, {"B", "csr"}});
        add("y(i) = x(i) / A(i,i)", {{"A", filled}});
      }
    }
  leave_out_other_formats(problems);
  return problems;
}

} // namespace

TEST(Fills, dense_results_on_small_inputs) {
  std::mt19937_64 random(31);
  check_each_on_small_inputs(
      into_dense_results({"csr", "csc", "coo", "dcsr", "bcsr<2,2>", "ell", "dia", "dense"}), 3, random);
}

TEST(Fills, sparse_results_on_small_inputs) {
  std::vector<Problem> problems;
  auto add = [&](const std::string &text, const Formats &formats) {
    problems.push_back({text, formats, {}, {}});
  };
  for (const std::string result : {"csr", "coo", "dcsr", "dense"})
    for (const std::string layout : {"csr", "csc", "coo", "dense"})
      for (const std::string fill : {" fill inf", " fill -inf", " fill 1"}) {
        const Formats formats{{"A", layout + fill}, {"B", "csr" + fill}, {"C", result + fill}};
        for (const char *line :
             {"C(i,j) = A(i,j)", "C(i,j) = min(A(i,j), B(i,j))", "C(i,j) = max(A(i,j), B(i,j))",
              "C(i,j) = A(i,j) * B(i,j)", "C(i,j) = A(i,j) + B(i,j)", "C(i,j) = A(i,j) mask B(i,j) or i < j"})
          add(line, formats);
        if (fill == " fill inf") add("C(i,j) = A(i,k) * B(k,j) in min.*", formats);
      }
  for (const char *local : {"dense", "bitmap", "listed", "hashed"}) // which begins with another number than 0
    add("tensor C(m, n) fill inf;"
        "for i { let w(j) = inf; for j { w(j) min= A(i,j); } for j { C(i,j) = w(j); } }",
        {{"A", "csr fill inf"}, {"C", "csr"}, {"w", local}});
  leave_out_other_formats(problems);
  std::mt19937_64 random(32);
  check_each_on_small_inputs(problems, 3, random);
}

/// The search in the second piece asks for the position in x, which a map of values doesn't keep.
TEST(Fills, looked_up_beside_maps_of_values) {
  Problem problem{"Y(l,i) += C(i,l) * x(l) * T(j,i,l)",
                  {{"C", "lower_diagonal fill -1"}, {"x", "sv"}, {"T", "csf"}},
                  {},
                  {}};
  std::mt19937_64 random(34);
  check_each_on_small_inputs({problem}, 4, random);
}

/// What packing leaves in slots that no entry has.
TEST(Fills, of_packed_slots) {
  std::vector<Problem> problems;
  for (const Problem &each : into_dense_results({"bcsr<2,3>", "ell", "dia", "sell<2>", "dense", "csr"}))
    if (each.formats.at("A").find("inf") == std::string::npos || each.expression.starts_with("y(i) m"))
      problems.push_back(each);
  std::mt19937_64 random(33);
  EXPECT_GT(check_as_c(sample_of(problems, 12, 33), {1, 2}, random), 50u);
}

} // namespace unravel::run::test
