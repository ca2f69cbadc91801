// Products beside other terms, for sparse results, with sums of their own, in loops: what their plans make of
// them means what the line says.
#include "pipeline/term_plans.h"

#include "report/diagnostic.h"
#include "run/interpreted.h"
#include "run/sweep.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// Long rows: sums of products pay.
const schedule::Counts &long_rows() {
  static const schedule::Counts counts = [] {
    schedule::Counts made;
    for (const char *tensor : {"A", "B", "D"}) {
      const std::string name = tensor;
      made[name + ".M"] = made[name + ".N"] = 300;
      made[name + ".rowptr"] = made[name + ".colptr"] = 90;
      made[name + ".NNZ"] = 27000;
    }
    return made;
  }();
  return counts;
}

Problem problem(const std::string &line, const std::string &a, const std::string &b,
                const std::map<std::string, std::string> &others = {}) {
  Problem made{line, others, {}, {}};
  for (const auto &[tensor, layout] : {std::pair("A", a), std::pair("B", b)})
    if (line.find(tensor) != std::string::npos) made.formats.emplace(tensor, layout);
  made.counts = long_rows();
  return made;
}

std::vector<Problem> dense_results() {
  std::vector<Problem> all;
  for (const auto &[a, b] : {std::pair("csr", "csr"), std::pair("csc", "coo"), std::pair("dense", "csr"),
                             std::pair("csr int32", "dense int32"), std::pair("dcsr", "csc")})
    for (const char *line :
         {"y(i) = b(i) - A(i,j) * B(j,k) * x(k)", "y(i) += b(i) * c(i) + 2 * A(i,j) * B(j,k) * x(k)",
          "y(i) = A(i,j) * B(j,k) * x(k) + 3 * B(i,j) * A(j,k) * x(k)",
          "Y(i,l) = E(i,l) + A(i,j) * B(j,k) * D(k,l)", "s = a + A(i,j) * B(k,l)",
          "y(i) = A(i,j) * B(i,k) + b(i)", "y(i) = b(i) + A(i,j) * B(j,k) * x(k) / c(k)",
          "y(i) = b(i) + A(i,j) * B(j,k) * x(k) mask M(j,i) or M(k,j)",
          "y(i) = b(i) + A(i,j) * B(j,k) * x(k) in min.+", "y(i) = b(i) + A(i,j) * B(j,k) * x(k) in or.and",
          "for i { y(i) = b(i); for j { for k { y(i) += A(i,j) * B(j,k) * x(k); } } }",
          "for i { for j { for k { y(i) += A(i,j) * B(j,k) * x(k); } } }"})
      all.push_back(problem(line, a, b, {{"M", "csr"}}));
  for (Problem &each : all)
    if (each.formats.at("A").find("int32") != std::string::npos)
      for (const char *tensor : {"x", "b", "c", "y", "Y", "D", "E", "s", "a"})
        if (each.expression.find(tensor) != std::string::npos) each.formats.emplace(tensor, "dense int32");
  leave_out_other_formats(all);
  return all;
}

bool is_planned(const Problem &line) {
  const pipeline::Request request = line.request();
  return pipeline::with_planned_terms(request, pipeline::read_request(request)).has_value();
}

} // namespace

TEST(TermPlans, terms_of_dense_results) {
  std::mt19937_64 random(4101);
  const std::vector<Problem> all = dense_results();
  std::size_t planned = 0;
  for (const Problem &each : all)
    planned += is_planned(each);
  EXPECT_GT(planned, all.size() / 2);
  check_each_on_small_inputs(all, 2, random);
}

TEST(TermPlans, sparse_results) {
  std::mt19937_64 random(4102);
  std::vector<Problem> all;
  for (const auto &[a, b] : {std::pair("csr", "csr"), std::pair("dense", "csr"), std::pair("csr", "dense")})
    for (const char *result : {"csr", "dcsr", "coo"})
      for (const char *line :
           {"C(i,l) = A(i,j) * B(j,k) * D(k,l)", "C(i,l) = E(i,l) - A(i,j) * B(j,k) * D(k,l)",
            "C(i,l) = A(i,j) * B(j,k) * D(k,m) * B(m,l)", "C(i,l) = A(i,j) * B(j,k) * D(k,l) in min.+",
            "C(i,l) = A(i,j) * B(j,k) * D(k,l) mask M(i,l)", "C(i,l) = A(i,j) * B(j,k) * D(k,l) mask !M(j,l)",
            "C(i,l) = A(i,j) * B(j,k) * D(k,l) mask M(i,l) or i = l"})
        all.push_back(problem(line, a, b, {{"C", result}, {"D", "csr"}, {"E", "csr"}, {"M", "csr"}}));
  leave_out_other_formats(all);
  std::size_t planned = 0, runs = 0;
  for (const Problem &each : all) {
    std::optional<Interpreted> compiled;
    if (!report::unless_refused([&] { return compiled.emplace(each), true; })) continue;
    planned += compiled->compilation().combination.locals.size() > 1;
    for (int round = 0; round < 8; ++round) {
      const std::optional<SmallCase> input = compiled->draw(random);
      if (!input) continue;
      loop::InterpretOptions options;
      options.permute_parallel = round % 3 != 0;
      ++runs;
      EXPECT_TRUE(compiled->check(*input, options, Values::Exact)) << each.text();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(planned, all.size() / 2);
  EXPECT_GT(runs, 4 * planned);
}

TEST(TermPlans, none_is_taken_where_it_may_not) {
  const auto refused = [](const std::string &line, const std::string &schedule) {
    Problem made = problem(line, "csr", "csr");
    if (!schedule.empty()) made.schedules = {schedule};
    return !is_planned(made);
  };
  const std::string sum = "y(i) = b(i) - A(i,j) * B(j,k) * x(k)";
  EXPECT_FALSE(refused(sum, ""));
  EXPECT_TRUE(refused(sum, "plan none"));
  EXPECT_TRUE(refused(sum, "order i, j, k"));
  EXPECT_TRUE(refused("y(i) min= b(i) + A(i,j) * B(j,k) * x(k)", ""));
  EXPECT_TRUE(refused("y(i) = b(i) + A(i,j) * x(j) / c(i)", ""));
  EXPECT_TRUE(refused("y(i) = b(i) + A(i,j) * x(j)", ""));
  // Elements outside of the loops keep what they hold, which a line wouldn't do.
  EXPECT_TRUE(refused("tensor y(n), A(n,p), B(p,q), x(q); for i in [1, n) { y(i) = 0; for j { for k { y(i) "
                      "+= A(i,j) * B(j,k) * x(k); } } }",
                      ""));
}
