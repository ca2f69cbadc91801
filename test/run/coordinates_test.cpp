// Index variables, variables of loops and sizes as values, in all kinds of layouts and loops.
#include "run/sweep.h"

#include <gtest/gtest.h>

namespace unravel::run::test {

namespace {

using Formats = std::map<std::string, std::string>;

const std::vector<std::string> &lines() {
  static const std::vector<std::string> all{
      "y(i) = A(i,j) * j",
      "y(i) = A(i,j) * (2*i - j + 1)",
      "y(j) = A(i,j) * i",
      "y(i) += A(i,j) * x(j) * i",
      "s = A(i,j) * i * j",
      "y(i) = A(i,j) * x(j) + i",
      "C(i,j) = A(i,j) * B(i,j) * (i - j)",
      "C(i,j) = A(i,j) * j - B(i,j) * i",
      "y(i) = select(A(i,j) > 0, j, -1)",
      "y(i) min= select(A(i,j) != 0, j, inf)",
      "y(j) = A(i,j) * i in min.second",
      "y(i) = A(i,j) * j in max.+",
      "y(i) max= A(i,j) * j * x(j) mask A(i,j)",
      "y(i) = A(i,j) * (x(j) > j)", // x is looked for, also once for many iterations
      "y(i) = A(i,j) * f64(j) / f64(2*i + 1)",
      "y(i+1) = A(i,j) * (i + 3*j)",
      "y(i) = A(i,j) * x(j) * (i = j + 1)",
      "y(i) = A(i,j) * x(j) - 3 * (i = 2)",
  };
  return all;
}

/// An integer where a row has no entry, which the reference for kernels in C takes for an infinity.
const std::vector<std::string> &lines_of_argmin() {
  static const std::vector<std::string> all{
      "y(i) = argmin(j, A(i,j)) in min.*",
      "y(j) = argmin(i, A(i,j))",
      "y(i) = argmin(j, A(i,j) * x(j)) in min.+ mask i != j",
      "s = argmin(10*i + j, A(i,j)) mask A(i,j)",
  };
  return all;
}

std::vector<Problem> in_layouts(const std::vector<std::string> &layouts,
                                const std::vector<std::string> &all = lines()) {
  std::vector<Problem> problems;
  for (const std::string &line : all)
    for (const std::string &layout : layouts) {
      if (layout == "dense" && line.find("mask") != std::string::npos) continue; // it masks nothing
      problems.push_back({line, {{"A", layout}, {"B", "csr"}}, {}, {}});
      problems.push_back({line, {{"A", layout}, {"B", "csc"}, {"x", "sv"}}, {}, {}});
    }
  leave_out_other_formats(problems);
  return problems;
}

std::vector<Problem> others() {
  std::vector<Problem> problems;
  auto add = [&](const std::string &text, const Formats &formats,
                 const std::vector<std::string> &schedules = {}) {
    problems.push_back({text, formats, schedules, {}});
  };
  // nothing but coordinates: loops over all
  add("y(i) += i", {});
  add("y(i) = x(i) + i + 1", {});
  add("C(i,j) += i - 2*j", {});
  for (const char *result : {"csr", "dcsr", "coo", "csc"}) {
    add("C(i,j) = A(i,j) * (i + j)", {{"A", "csr"}, {"C", result}});
    add("C(i,j) = A(i,j) * j + B(i,j) * i", {{"A", "csr"}, {"B", "csr"}, {"C", result}});
    add("C(i,j) = A(i,k) * B(k,j) * k", {{"A", "csr"}, {"B", "csr"}, {"C", result}});
    add("C(i,j) = A(i,j) - 2 * (i = j)", {{"A", "csr"}, {"C", result}});
    add("C(i,j) = max(A(i,j), B(i,j)) * j", {{"A", "csr"}, {"B", "csr"}, {"C", result}});
  }
  add("D(i,j) = A(i,j) * i", {{"A", "csr"}, {"D", "like:A"}});
  // schedules that change the loops around
  for (const char *schedule : {"tile j by 2", "tile i by 2", "skew j by i", "shift i by 1", "vectorise j",
                               "unroll j by 2", "serial"}) {
    add("y(i) = A(i,j) * (i + 2*j)", {{"A", "dense"}}, {schedule});
    if (std::string(schedule).find("vectorise") == std::string::npos &&
        std::string(schedule).find("unroll") == std::string::npos)
      add("y(i) = A(i,j) * (i + 2*j)", {{"A", "csr"}}, {schedule});
  }
  add("C(i,j) = A(i,k) * B(k,j) * j", {{"A", "csr"}, {"B", "csr"}}, {"workspace w(j) for A(i,k) * B(k,j)"});
  add("y(i) = A(i,j) * x(j) * i", {{"A", "csr"}}, {"workspace w(i) for A(i,j) * x(j)"});
  // programs
  for (const char *layout : {"csr", "csc", "coo", "dcsr", "bcsr<2,2>", "dia", "dense"}) {
    const Formats formats{{"A", layout}};
    add("tensor A(n, m), y(n); for i in [0, n) { let t = i; for j { t += A(i,j) * (i - j); } y(i) = t; }",
        formats);
    add("tensor A(n, m), y(n); for i { for j { y(i) += A(i,j) * n + j; } }", formats);
    add("tensor A(n, n), y(n); for i { for j in [0, i) { y(i) += A(i,j) * (i - j); } }", formats);
    // the coordinate of the least entry of each row
    add("for i { let m = inf; for j { m min= A(i,j) in min.*; } "
        "let at = inf; for j { at min= select(A(i,j) = m, j, inf) in min.*; } y(i) = at; }",
        formats);
    add("for i { let at = argmin(2*j, A(i,j)); if i > 0 { y(i) = argmin(j, A(i,j)) in min.*; } y(i) += at; }",
        formats);
    add("for i { y(i) = argmin(j, A(i,j)); }", formats);
    add("for i { for k { C(k,i) = argmax(j, A(i,j) * B(k,j)); } }", formats);
    add("y(i) = argmax(j, A(i,j)) mask !B(i,j)", {{"A", layout}, {"B", "csr"}});
    add("for i { let w(j) = j; for j { w(j) += A(i,j); } for j { y(i) += w(j) * i; } }", formats);
  }
  add("tensor x(n); size k; for i in [0, n) { x(i) = k * i - 3; }", {});
  add("tensor x(n); for i in [0, n) { x(i) = i; } repeat 3 { for i in [0, n) { x(i) += i; } }", {});
  leave_out_other_formats(problems);
  return problems;
}

} // namespace

TEST(Coordinates, in_layouts_on_small_inputs) {
  std::mt19937_64 random(41);
  check_each_on_small_inputs(
      in_layouts({"csr", "csc", "coo", "dcsr", "bcsr<2,2>", "ell", "dia", "sell<2>", "dense"}), 2, random);
  std::vector<Problem> linear; // in layouts that may store a coordinate twice
  for (const char *line : {"y(i) = A(i,j) * j", "y(j) = A(i,j) * (2*i - j)", "s = A(i,j) * x(j) * i * j"})
    for (const char *layout : {"hyb<1>", "coo_dup"})
      linear.push_back({line, {{"A", layout}}, {}, {}});
  check_each_on_small_inputs(linear, 4, random);
}

TEST(Coordinates, of_the_least_on_small_inputs) {
  std::mt19937_64 random(44);
  check_each_on_small_inputs(
      in_layouts({"csr", "csc", "coo", "dcsr", "bcsr<2,2>", "ell", "dia", "hyb<1>", "dense"},
                 lines_of_argmin()),
      3, random);
}

TEST(Coordinates, in_programs_on_small_inputs) {
  std::mt19937_64 random(42);
  check_each_on_small_inputs(others(), 4, random);
}

TEST(Coordinates, as_c) {
  std::mt19937_64 random(43);
  std::vector<Problem> problems = in_layouts({"csr", "csc", "dcsr", "coo", "dense"});
  for (const Problem &problem : others()) { // with dense results, and of layouts without padding
    const auto layout = problem.formats.find("A");
    const bool is_padded =
        layout != problem.formats.end() && (layout->second == "dia" || layout->second.starts_with("bcsr"));
    if (!is_padded && !problem.formats.contains("C") && !problem.formats.contains("D"))
      problems.push_back(problem);
  }
  EXPECT_GT(check_as_c(sample_of(problems, 25, 43), {1, 2}, random), 100u);
}

} // namespace unravel::run::test
