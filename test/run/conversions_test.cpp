// Operands that are converted to another order of their modes before the kernel is called: results, which are
// proposed, and when one is taken by itself.
#include "pipeline/conversions.h"
#include "report/diagnostic.h"
#include "run/session.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::run::test {
namespace {

const std::string mode_j = "Y(j,r) = T(i,j,k) * U(i,r) * V(k,r)";

Request request_of(const std::string &line, const std::string &layout = "csf") {
  Request request;
  request.compile.expression = line;
  request.compile.formats = {{"T", layout}};
  request.inputs = {{"T", "random:30x20x25,entries=600,seed=3"}, {"U", "random"}, {"V", "random"}};
  request.extents = {{"r", 16}};
  request.check = true;
  return request;
}

std::vector<std::string> conversions_of(const Request &request) {
  Data data(request);
  data.measure({}, 1, 1000);
  return data.conversions();
}

/// The layout that the kernel has T in, and whether its result is right.
std::string layout_of(const Request &request) {
  const Report report = run(request);
  EXPECT_TRUE(report.comparison && report.comparison->ok);
  EXPECT_EQ(report.conversion_ms.has_value(), !report.compilation.converted.empty());
  return report.compilation.layouts.at("T").name;
}

TEST(RunConversions, BringTheResultsModeToTheFront) {
  // Root mode: Y's rows stay in registers.
  EXPECT_EQ(conversions_of(request_of(mode_j)), std::vector<std::string>{"convert T to csf<1,0,2>"});
  EXPECT_EQ(conversions_of(request_of("Y(k,r) = T(i,j,k) * U(i,r) * V(j,r)", "csf3")),
            (std::vector<std::string>{"convert T to csf<2,0,1>", "convert T to csf<1,0,2>"}));
  EXPECT_EQ(conversions_of(request_of("Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)")), std::vector<std::string>{});
}

TEST(RunMeasure, EndsWithTheCallsOrTheirTime) {
  Data data(request_of(mode_j));
  EXPECT_EQ(data.measure({}, 3, 1e9).kernel.runs, 3);
  EXPECT_EQ(data.measure({}, 1000000, 0).kernel.runs, 1);
}

TEST(RunConversions, EveryPlanOfEveryOrderIsRight) {
  for (const char *layout : {"csf", "csf<1,2,0>"})
    for (const std::string &line : std::vector<std::string>{mode_j, "Y(k,r,s) = T(i,j,k) * U(i,r) * V(j,s)"})
      for (const char *order : {"csf<1,0,2>", "csf<2,1,0>", "coo3"})
        for (const char *plan : {"plan none", "plan 1", "plan 3"}) {
          Request request = request_of(line, layout);
          request.extents["s"] = 8;
          if (line == mode_j) request.extents.erase("s");
          request.compile.schedules = {std::string("convert T to ") + order, plan};
          const Report report = run(request);
          EXPECT_TRUE(report.comparison && report.comparison->ok) << line << layout << order << plan;
          EXPECT_EQ(report.compilation.converted.at("T").base_name, "csf");
        }
}

TEST(RunConversions, AreTakenWhereTheyPayWithinTheCalls) {
  Request request = request_of(mode_j);
  EXPECT_EQ(layout_of(request), "csf"); // one call
  request.repeat = 10000;
  EXPECT_EQ(layout_of(request), "csf<1, 0, 2>");
  request.compile.schedules = {"plan 1"}; // of the line as it is
  EXPECT_EQ(layout_of(request), "csf");
  request.compile.schedules = {"serial"}; // a wish
  EXPECT_EQ(layout_of(request), "csf");
}

TEST(RunConversions, ProgramsMayHaveThem) {
  Request request = request_of("for j { let s = 0; for i { for k { s += T(i,j,k); } } y(j) = s; }");
  request.inputs.erase("U");
  request.inputs.erase("V");
  request.extents.clear();
  request.compile.schedules = {"convert T to csf<1,0,2>"};
  EXPECT_EQ(layout_of(request), "csf<1, 0, 2>");
}

TEST(RunConversions, EstimatesHowManyPrefixesAreStored) {
  pipeline::Request request;
  request.expression = mode_j;
  request.formats = {{"T", "csf"}};
  const pipeline::Front front = pipeline::read_request(request);
  std::string why;
  std::optional<pipeline::Plans> plans = pipeline::plans_of(request, front, 1, why);
  ASSERT_TRUE(plans) << why;
  contract::Network &network = plans->network;
  for (contract::Index &index : network.indices)
    index.size = 16;
  network.factors[0].prefixes = {10, 40, 100};
  network.indices[network.factors[0].stored[1]].size = 8; // j
  pipeline::search_plans(front, 1, *plans);
  const std::vector<pipeline::Conversion> all = pipeline::conversions_of(front, *plans);
  const auto by_j = std::ranges::find(all, "convert T to csf<1,0,2>",
                                      [](const pipeline::Conversion &each) { return to_text(each); });
  ASSERT_NE(by_j, all.end());
  const std::vector<double> &prefixes = by_j->plans.network.factors[0].prefixes;
  EXPECT_NEAR(prefixes[0], 8, 0.001); // 100 entries anywhere leave none of 8 values out
  EXPECT_EQ(prefixes[1], 40);         // pairs (j, i) are the pairs (i, j)
  EXPECT_EQ(prefixes[2], 100);
  EXPECT_GT(by_j->least_calls, 1);
}

Request gram_request(const std::string &shape) {
  Request request;
  request.compile.expression = "C(i,j) = A(i,k) * A(j,k)";
  request.compile.formats = {{"A", "csr"}, {"C", "csr"}};
  request.inputs = {{"A", "random:" + shape + ",seed=1"}};
  request.check = true;
  return request;
}

TEST(RunConversions, MayBeOfOneUse) {
  Request request = gram_request("30x40,entries=90");
  request.compile.schedules = {"convert A#2 to csc"};
  const Report report = run(request);
  EXPECT_TRUE(report.comparison && report.comparison->ok);
  EXPECT_EQ(report.compilation.layouts.at("A").name, "csr");
  EXPECT_EQ(report.compilation.layouts.at("A_2").name, "csc");
  EXPECT_EQ(report.compilation.converted.at("A_2").name, "csr");
}

TEST(RunConversions, AreTakenWhereLoopsDoLess) {
  const Report large = run(gram_request("2000x2000,entries=4000")),
               small = run(gram_request("8x8,entries=9"));
  EXPECT_TRUE(large.comparison && large.comparison->ok);
  EXPECT_TRUE(
      large.compilation.layouts.contains("A_2")); // else each row of A is looked through for each other
  EXPECT_TRUE(small.compilation.converted.empty());
  Request asked = gram_request("2000x2000,entries=4000");
  asked.compile.schedules = {"serial"};
  EXPECT_TRUE(run(asked).compilation.converted.empty()); // a wish
}

TEST(RunConversions, OfLongProductsAreWeighedByPlansAlone) {
  Request request;
  request.compile.expression = "Y(i,r,s,t,u) = T(i,j,k,l,m) * A(j,r) * B(k,s) * C(l,t) * D(m,u)";
  request.compile.formats = {{"T", "csf"}};
  request.inputs = {{"T", "random:10x10x10x10x10,entries=1000,seed=1"}};
  for (const std::string factor : {"A", "B", "C", "D"})
    request.inputs[factor] = "random:10x4";
  EXPECT_TRUE(
      prepare(request).compilation.converted.empty()); // it would take 100 times as long as the kernel
}

TEST(RunConversions, RefusesWhatCannotBeConverted) {
  const auto refusal = [](const std::string &line, const std::string &schedule,
                          const std::map<std::string, std::string> &formats) {
    pipeline::Request request;
    request.expression = line;
    request.formats = formats;
    request.schedules = {schedule};
    report::Diagnostic why;
    EXPECT_FALSE(report::unless_refused([&] { return pipeline::read_request(request), true; }, &why));
    return why.message;
  };
  const std::map<std::string, std::string> csr{{"A", "csr"}, {"Y", "like:A"}};
  EXPECT_EQ(refusal("y(i) = A(i,j) * x(j)", "convert B to csc", {{"A", "csr"}}),
            "`convert B`: there is no such tensor");
  EXPECT_EQ(refusal("y(i) = A(i,j) * x(j)", "convert y to dense", {{"A", "csr"}}),
            "`convert y`: it is a result");
  EXPECT_EQ(refusal("y(i) = A(i,j) * x(j)", "convert A#2 to csc", {{"A", "csr"}}),
            "`convert A#2`: there is no such use of a tensor");
  EXPECT_EQ(refusal("for i { for j { y(i) += A(i,j) * A(j,i); } }", "convert A#2 to csc", {{"A", "csr"}}),
            "`convert A#2`: in programs all uses of a tensor have one layout");
  EXPECT_EQ(refusal("Y(i,j) = A(i,j) * x(j)", "convert A to csc", csr),
            "`convert A`: the result has the entries of `A` as they are given");
  EXPECT_EQ(refusal("y(i) = A(i,j) * x(j)", "convert A to csf3", {{"A", "csr"}}),
            "layout `csf3` is for tensors of order 3, but the tensor has order 2");
}

} // namespace
} // namespace unravel::run::test
