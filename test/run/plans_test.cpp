// Plans: every one of products of up to four factors, a sample of more, as the line says; by the interpreter
// on small inputs, and compiled.
#include "loop/loop.h"
#include "parse/parse.h"
#include "pipeline/plans.h"
#include "report/diagnostic.h"
#include "run/sweep.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace unravel;
using namespace unravel::run::test;

namespace {

const std::vector<Problem> &lines() {
  static const std::vector<Problem> all = {
      {"y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "csr"}, {"B", "csr"}}, {}, {}},
      {"y(i) += A(i,j) * B(j,k) * x(k)", {{"A", "csc"}, {"B", "coo"}}, {}, {}},
      {"Y(i,m) = 2 * A(i,j) * B(j,k) * C(k,m)", {{"A", "dcsr"}}, {}, {}},
      {"Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}}, {}, {}},
      {"Y(j,r) = T(i,j,k) * U(i,r) * V(k,r)", {{"T", "csf3"}}, {}, {}},
      {"Y(k,r) = T(i,j,k) * U(i,r) * V(j,r)", {{"T", "csf3"}}, {}, {}},
      {"Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", {{"T", "csf3"}}, {}, {}},
      {"Y(k,r,s) = T(i,j,k) * U(i,r) * V(j,s)", {{"T", "csf3"}}, {}, {}},
      {"Y(q,r,s) = T(i,j,k) * P(i,q) * U(j,r) * V(k,s)", {{"T", "csf3"}}, {}, {}},
      {"y = T(i,j,k) * A(i,a) * B(a,j,b) * C(b,k)", {{"T", "csf3"}}, {}, {}}, // a train around a core
      {"Z(i,l) = T(i,j,k) * V(j,k,c) * W(c,l)", {{"T", "csf3"}, {"V", "csf3"}}, {}, {}}, // two sparse ones
      {"Z(i,j,l) = A(i,k,c) * B(k,j) * C(c,l)", {{"A", "csf3"}, {"B", "csr"}}, {}, {}},
      {"Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)", {{"S", "csr"}}, {}, {}},
      {"Y(i,r) = -S(i,j) * Q(i,k) * K(j,k) * V(j,r)", {{"S", "coo"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * C(k,l) * x(l)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, {}, {}},
      {"s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, {}, {}},
      {"Y(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)", {{"T", "csf3"}, {"Y", "like:T"}}, {}, {}},
      {"Y(i,j) = 2 * S(i,j) * Q(i,k) * K(j,k)", {{"S", "coo"}, {"Y", "like:S"}}, {}, {}},
      {"d(k) = A(i,j) * e(i) * B(j,k) in min.+", {{"A", "csr"}, {"B", "csr"}, {"e", "sv"}}, {}, {}},
      {"d(k) = A(i,j) * e(i) * B(j,k) in or.and", {{"A", "csr"}, {"B", "csr"}, {"e", "sv"}}, {}, {}},
      // factors that have loops over coordinates, and not all elements
      {"Y(l,k) = B(l,k) * x(l) * a", {{"B", "banded"}, {"x", "sv"}}, {}, {}},
      {"Y(l,m) = B(l,k) * C(k,m) * x(l)", {{"B", "banded"}, {"x", "sv"}}, {}, {}},
      {"Y(l,m) = B(l,k) * C(k,m) * x(m)", {{"B", "packed_lower"}, {"x", "sv"}}, {}, {}},
      // operators of the line's own
      {"y(i) min= A(i,j) + B(j,k) + x(k)", {{"A", "csr fill inf"}, {"B", "csr fill inf"}}, {}, {}},
      {"y(i) max= min(A(i,j), B(j,k), x(k))", {{"A", "csr fill -inf"}}, {}, {}},
      // types: parts are computed in the type of all, or, of real ones beside complex ones, of its parts
      {"y(i) += A(i,j) * B(j,k) * x(k)",
       {{"A", "csr int64"}, {"B", "csr int32"}, {"x", "dense int8"}, {"y", "dense int64"}},
       {},
       {}},
      {"y(i) = A(i,j) * B(j,k) * x(k)",
       {{"A", "csr"}, {"B", "csr f32"}, {"x", "dense f32"}, {"y", "dense f32"}},
       {},
       {}},
      {"y(i) = 0.5 * A(i,j) * B(j,k) * x(k)",
       {{"A", "csr int32"}, {"B", "csr int32"}, {"x", "dense int32"}},
       {},
       {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) / d(k)",
       {{"A", "csr"}, {"B", "csr int32"}, {"x", "dense int32"}, {"d", "dense int32"}},
       {},
       {}},
      {"y(i) = A(i,j) * B(j,k) * x(k)",
       {{"A", "csr complex128"}, {"B", "csr"}, {"y", "dense complex128"}},
       {},
       {}},
      // masks: of the result; of indices that are summed over; of each once, or of two
      {"C(i,l) = A(i,j) * B(j,k) * D(k,l) mask M(i,l)", {{"A", "csr"}, {"B", "csr"}, {"M", "csr"}}, {}, {}},
      {"C(i,l) += A(i,j) * B(j,k) * D(k,l) mask !M(l,i)", {{"A", "csr"}, {"M", "coo"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) mask M(j,k) and !N(i)",
       {{"A", "csr"}, {"M", "csr"}, {"N", "sv"}},
       {},
       {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) mask M(i,k)", {{"A", "csr"}, {"B", "csr"}, {"M", "csr"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) in min.+ mask A(i,k)", {{"A", "csr"}, {"B", "csc"}}, {}, {}},
      // divisors: of a row, of what is summed over, of no sparse factor
      {"y(i) = A(i,j) * B(j,k) * x(k) / d(i)", {{"A", "csr"}, {"B", "csr"}}, {}, {}},
      {"y(i) += A(i,j) * B(j,k) * x(k) / d(j)", {{"A", "csr"}, {"B", "csr"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) / (d(i) * e(k)) mask M(i)", {{"M", "sv"}}, {}, {}}};
  return all;
}

std::optional<pipeline::Plans> plans_of(const Problem &line, std::size_t most, std::string &why) {
  const pipeline::Request request = line.request();
  return pipeline::plans_of(request, pipeline::read_request(request), most, why);
}

/// As which it is compiled.
std::string text_of(const pipeline::Front &front, const pipeline::Plans &plans, const contract::Plan &plan) {
  const compute::PlannedLine line = pipeline::planned_line(front, plans, plan);
  return (line.program ? parse::to_text(*line.program) : "") +
         (line.nested.empty() ? "" : contract::to_text(plans.network, plan.forest));
}

/// With each of its plans that is a kernel of its own.
std::vector<Problem> with_plans(const Problem &line, std::size_t most = pipeline::most_plans) {
  std::string why;
  const std::optional<pipeline::Plans> plans = plans_of(line, most, why);
  EXPECT_TRUE(plans) << line.text() << ": " << why;
  const pipeline::Front front = pipeline::read_request(line.request());
  std::set<std::string> programs;
  std::vector<Problem> all;
  for (std::size_t k = 0; plans && k < plans->found.plans.size(); ++k) {
    if (!programs.insert(text_of(front, *plans, plans->found.plans[k])).second) continue;
    all.push_back(line);
    all.back().schedules.push_back("plan " + std::to_string(k + 1));
  }
  return all;
}

std::string refusal_of(const std::string &line, const std::map<std::string, std::string> &formats) {
  std::string why;
  EXPECT_FALSE(plans_of({line, formats, {}, {}}, 1, why)) << line;
  return why;
}

std::string program_of(const std::string &line, const std::map<std::string, std::string> &formats,
                       const std::vector<std::string> &schedules = {}) {
  const Problem problem{line, formats, schedules, {}};
  const pipeline::Front line_front = pipeline::read_request(problem.request());
  const std::optional<pipeline::Front> front = pipeline::with_plan(
      problem.request(), line_front, pipeline::plans_to_choose_from(problem.request(), line_front));
  return front ? front->program : "";
}

} // namespace

TEST(Plans, all_mean_what_the_line_says) {
  std::mt19937_64 random(2101);
  std::vector<Problem> all;
  for (const Problem &line : lines())
    for (Problem &problem : with_plans(line))
      all.push_back(std::move(problem));
  std::cout << all.size() << " kernels\n";
  EXPECT_GT(all.size(), 100u);
  check_each_on_small_inputs(all, 2, random);
}

TEST(Plans, a_sample_of_more_factors) {
  std::mt19937_64 random(2102);
  std::vector<Problem> all;
  for (const Problem &line : std::vector<Problem>{
           {"Y(i,r) = T(i,j,k,l) * U(j,r) * V(k,r) * W(l,r)", {{"T", "csf4"}}, {}, {}},
           {"Y(l,r) = T(i,j,k,l) * U(i,r) * V(j,r) * W(k,r)", {{"T", "csf4"}}, {}, {}},
           {"Y(i,r,s,t) = T(i,j,k,l) * U(j,r) * V(k,s) * W(l,t)", {{"T", "csf4"}}, {}, {}},
           {"Z(c,l) = T(i,j,k,l) * A(i,a) * B(a,j,b) * C(b,k,c)", {{"T", "csf4"}}, {}, {}},
           {"Z(e,n) = T(i,j,k,l,m,n) * A(i,a) * B(a,j,b) * C(b,k,c) * D(c,l,d) * E(d,m,e)",
            {{"T", "csf"}},
            {},
            {}},
           {"Y(i,j,k,l) = T(i,j,k,l) * U(i,r) * V(j,r) * W(k,r) * X(l,r)",
            {{"T", "csf4"}, {"Y", "like:T"}},
            {},
            {}},
           {"Y(i,r) = T(i,j,k,l) * U(j,r) * V(k,r) * W(l,r) * d(i)", {{"T", "csf4"}}, {}, {}},
           {"y(a) = A(a,b) * B(b,c) * C(c,d) * D(d,e) * E(e,f) * x(f)",
            {{"A", "csr"}, {"D", "csr"}},
            {},
            {}}}) {
    std::vector<Problem> plans = with_plans(line, 300);
    std::shuffle(plans.begin(), plans.end(), random);
    if (!take_all()) plans.resize(std::min<std::size_t>(plans.size(), 8));
    all.insert(all.end(), plans.begin(), plans.end());
  }
  check_each_on_small_inputs(all, 1, random);
}

TEST(Plans, a_sample_as_c) {
  std::mt19937_64 random(2103);
  std::vector<Problem> few;
  for (const Problem &line : lines()) {
    if (line.formats.contains("Y")) continue; // like an operand: the interpreter's
    std::vector<Problem> plans = with_plans(line, 20);
    std::shuffle(plans.begin(), plans.end(), random);
    plans.resize(std::min<std::size_t>(plans.size(), 2));
    few.insert(few.end(), plans.begin(), plans.end());
  }
  EXPECT_GT(check_as_c(few, {1, 2}, random), few.size());
}

TEST(Plans, products_are_taken_apart_by_themselves) {
  EXPECT_EQ(program_of("y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "csr"}, {"B", "csr"}}),
            "for i {\n"
            "  y(i) = 0;\n"
            "}\n"
            "let w(j) = 0;\n"
            "for j {\n"
            "  for k {\n"
            "    w(j) += B(j, k) * x(k);\n"
            "  }\n"
            "}\n"
            "for i {\n"
            "  for j {\n"
            "    y(i) += A(i, j) * w(j);\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(program_of("y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "csr"}, {"B", "csr"}}, {"plan none"}), "");
  // One nest, in which sums are kept in locals.
  EXPECT_EQ(program_of("Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", {{"T", "csf3"}}), "");
  EXPECT_EQ(program_of("Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}}), "");
  EXPECT_EQ(program_of("Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)", {{"S", "csr"}}), "");
  // The user speaks of the loops.
  EXPECT_EQ(program_of("y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "csr"}, {"B", "csr"}}, {"order i"}), "");
}

TEST(Plans, contractions_in_the_loops_of_a_sparse_factor_are_kernels_of_their_own) {
  for (const Problem &line : std::vector<Problem>{
           {"Y(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)", {{"T", "csf3"}, {"Y", "like:T"}}, {}, {}},
           {"Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}}, {}, {}},
           {"Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", {{"T", "csf3"}}, {}, {}}}) {
    std::set<std::string> texts;
    const std::vector<Problem> plans = with_plans(line);
    for (const Problem &plan : plans) {
      const pipeline::Compilation made = pipeline::compile(plan.request());
      EXPECT_TRUE(made.combination.leaves.size() > 1 || made.leaves[0].plan.parts) << plan.text();
      texts.insert(loop::to_text(made.program));
    }
    EXPECT_GT(plans.size(), 2u);
    EXPECT_EQ(texts.size(), plans.size()) << line.text();
  }
}

TEST(Plans, what_is_the_same_for_a_fibre_is_multiplied_once_for_it) {
  const pipeline::Compilation made = pipeline::compile(Problem{
      "Y(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)",
      {{"T", "csf3"}, {"Y", "like:T"}},
      {"plan 1"},
      {}}.request());
  ASSERT_TRUE(made.leaves[0].plan.parts);
  const plan::Parts &parts = *made.leaves[0].plan.parts;
  ASSERT_EQ(parts.all.size(), 3u);
  EXPECT_EQ(parts.all[0].factors, (std::set<std::string>{"U", "V"}));
  EXPECT_TRUE(parts.all[0].sets); // not added to what has been cleared
  ASSERT_EQ(parts.all[0].modes.size(), 1u);
  EXPECT_EQ(parts.all[0].modes[0].variable, "r");
  EXPECT_EQ(parts.all[1].factors, (std::set<std::string>{"W"}));
  EXPECT_TRUE(parts.all[1].modes.empty());
  EXPECT_EQ(made.leaves[0].parallel, 0u);
}

TEST(Plans, where_two_factors_are_walked_through_all_is_one_product) {
  const Problem line{"y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "csr"}, {"B", "csr"}}, {"plan 2"}, {}};
  const pipeline::Compilation made = pipeline::compile(line.request());
  EXPECT_FALSE(made.leaves[0].plan.parts);
}

TEST(Plans, a_condition_inside_is_about_all_parts) {
  // Blocks may extend beyond the edge: no part may write there.
  const Problem line{"Y(i,q,r) = A(i,j,k) * C(j,q) * D(k,r)", {{"A", "mode_generic<2,1,2>"}}, {}, {}};
  std::mt19937_64 random(2104);
  check_each_on_small_inputs(with_plans(line, 5), 6, random);
}

TEST(Plans, an_inner_product_for_each_entry_is_computed_once) {
  const pipeline::Compilation made = pipeline::compile(
      Problem{"Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)", {{"S", "csr"}}, {}, {}}.request());
  ASSERT_EQ(made.leaves.size(), 1u);
  ASSERT_TRUE(made.leaves[0].plan.parts);
  EXPECT_EQ(made.leaves[0].plan.parts->all[0].factors, (std::set<std::string>{"Q", "K"}));
  EXPECT_TRUE(made.program.workspace.empty()); // it is a local value
}

TEST(Plans, what_the_laws_or_the_form_forbid_is_kept_as_written) {
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * x(j)", {{"A", "csr"}}), "it has fewer than three factors");
  EXPECT_EQ(refusal_of("y(i) min= A(i,j) * B(j,k) * x(k)", {}),
            "`product` can't be taken out of what `min` reduces");
  EXPECT_EQ(refusal_of("y(i) max= A(i,j) * B(j,k) * x(k)", {}),
            "`product` can't be taken out of what `max` reduces");
  EXPECT_EQ(refusal_of("y(i) min= A(i,j) + B(j,k) + x(k)", {{"A", "csr"}}),
            "what `A` doesn't store is not what `min` begins with");
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * B(j,k) * x(k) mask i < j", {}), "it has a condition");
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * B(j,k) * x(k) / z(k)", {{"z", "sv"}}), "the divisor `z` is sparse");
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * B(j,k) * abs(x(k))", {}), "the value is not a product of tensors");
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * B(j,k) * x(k) in min.+",
                       {{"A", "csr int32"}, {"B", "csr int32"}, {"x", "dense int32"}, {"y", "dense int32"}}),
            "integers have no infinity: sums with their ends wrap around");
  const auto refusal_in = [&](const std::string &types, const std::string &result) {
    return refusal_of(
        "y(i) = A(i,j) * B(j,k) * x(k)",
        {{"A", "csr " + types}, {"B", "csr " + types}, {"x", "dense " + types}, {"y", "dense " + result}});
  };
  EXPECT_EQ(refusal_in("int32", "int64"), "it reduces numbers of type int64, which it computes in int32");
  EXPECT_EQ(refusal_in("int32", "f64"), "it reduces numbers of type f64, which it computes in int32");
  EXPECT_EQ(refusal_in("f64", "int32"), "it reduces numbers of type int32, which it computes in f64");
  EXPECT_EQ(refusal_in("f32", "f64"), "it reduces numbers of type f64, which it computes in f32");
  EXPECT_EQ(refusal_in("bool", "bool"), "it reduces numbers of type bool, which it computes in int32");
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * B(j,k+1) * x(k)", {}), "subscripts are sums");
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * x(j) * z(j) + b(i)", {}),
            "it is not a single product in index notation");
  EXPECT_EQ(refusal_of("C(i,m) = A(i,j) * B(j,k) * D(k,m)", {{"A", "csr"}, {"C", "csr"}}),
            "`C` is neither dense nor like a factor");
  EXPECT_EQ(refusal_of("y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "csr fill 1"}}),
            "the fill of a tensor is not the identity of the reduction");
  EXPECT_EQ(refusal_of("y(i,l) = A(i,j) * B(j,k) * x(k)", {}), "no factor has the index `l`");
}

TEST(Plans, what_there_is_not_is_refused) {
  const auto message_of = [](const Problem &problem) -> std::string {
    try {
      pipeline::compile(problem.request());
    } catch (const report::Error &error) {
      return error.diagnostic().message;
    }
    return "";
  };
  EXPECT_EQ(message_of({"y(i) = A(i,j) * B(j,k) * x(k)", {}, {"plan 9999"}, {}}),
            "`plan 9999`: there are 13 plans");
  EXPECT_EQ(message_of({"y(i) = A(i,j) * x(j)", {}, {"plan 1"}, {}}),
            "`plan 1`: it has fewer than three factors");
  EXPECT_EQ(message_of({"for i { y(i) += x(i); }", {}, {"plan 1"}, {}}),
            "`plan` is for a line of index notation");
}
