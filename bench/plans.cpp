// Products of several tensors, f64, int32: as they are written, all factors in the innermost loop, against
// the plan that is taken, and against other plans that are a program of their own.
//   plans [--kernels mttkrp,ttmc,attention,chain,rows,goals,choice] [--threads 1|2] [--budget MS]
//   [--goals ttmc,tttc,tttp,mttkrp3,mttkrp4,attention] [--data FOLDER] [--quick] [--json FILE]
// `goals`: the plan that is taken against forms written by hand (plans_goals.cpp).
// `choice`: of small products all plans that cost up to ten times as much as the cheapest one are measured,
// and the one that is taken by itself is compared with the fastest, and with the fastest of those that do
// little enough work to be taken.
// Generated tensors, and for `goals` those of FOLDER (.tns). bench/README.md has the targets.

#include "pipeline/plans.h"
#include "cost/contractions.h"
#include "parse/parse.h"
#include "plans_contest.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>

namespace {

using namespace unravel;
using bench::Case, bench::ProductContest, bench::Options;

std::vector<Case> cases_of(const std::string &kernel, bool quick) {
  std::vector<Case> cases;
  const std::vector<std::int64_t> widths =
      quick ? std::vector<std::int64_t>{16} : std::vector<std::int64_t>{16, 32};
  const std::vector<std::string> tensors{"random:2000x2000x2000,entries=400000,seed=1",
                                         "random:300x300x300,entries=500000,seed=2"};
  for (std::int64_t width : widths) {
    if (kernel == "mttkrp" || kernel == "ttmc")
      for (const std::string &tensor : tensors)
        cases.push_back({fmt::format("{} width {}", tensor, width),
                         kernel == "ttmc" ? "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)"
                                          : "Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)",
                         {{"T", "csf3"}},
                         {{"T", tensor}},
                         {{"r", width}, {"s", width}}});
    if (kernel == "attention")
      for (const char *mask : {"random:4000x4000,entries=160000,seed=1", "banded:20000,width=16"})
        cases.push_back({fmt::format("{} width {}", mask, width),
                         "Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)",
                         {{"S", "csr"}},
                         {{"S", mask}},
                         {{"k", width}, {"r", width}}});
    if (kernel == "rows")
      cases.push_back({fmt::format("random:4000x400 width {}", width),
                       "Y(i,m) = A(i,j) * B(j,k) * C(k,m)",
                       {{"A", "csr"}},
                       {{"A", "random:4000x400,entries=40000,seed=1"}},
                       {{"k", 100}, {"m", width}}});
  }
  if (kernel == "chain") {
    const std::string matrix = "random:20000x20000,entries=200000,seed=";
    cases.push_back({"two matrices",
                     "y(i) = A(i,j) * B(j,k) * x(k)",
                     {{"A", "csr"}, {"B", "csr"}},
                     {{"A", matrix + "1"}, {"B", matrix + "2"}},
                     {}});
    cases.push_back({"three matrices",
                     "y(i) = A(i,j) * B(j,k) * C(k,l) * x(l)",
                     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}},
                     {{"A", matrix + "1"}, {"B", matrix + "2"}, {"C", matrix + "3"}},
                     {}});
  }
  if (cases.empty()) throw std::runtime_error(fmt::format("there is no kernel `{}`", kernel));
  return cases;
}

/// As which it is compiled.
std::string text_of(const pipeline::Front &front, const pipeline::Plans &plans, const contract::Plan &plan) {
  const compute::PlannedLine line = pipeline::planned_line(front, plans, plan);
  return (line.program ? parse::to_text(*line.program) : "") +
         (line.nested.empty() ? "" : contract::to_text(plans.network, plan.forest));
}

/// The numbers of the best plans that are programs of their own, and not the one that is taken.
std::vector<std::size_t> other_plans(const pipeline::Request &request) {
  const pipeline::Front front = pipeline::read_request(request);
  std::string why;
  const std::optional<pipeline::Plans> plans = pipeline::plans_of(request, front, 20, why);
  if (!plans) throw std::runtime_error(why);
  const std::optional<std::size_t> taken = pipeline::compile(request).plan;
  std::set<std::string> programs;
  if (taken) programs.insert(text_of(front, *plans, plans->found.plans[*taken]));
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < plans->found.plans.size() && numbers.size() < 3; ++k) {
    const contract::Plan &plan = plans->found.plans[k];
    if (plan.cost > 20 * plans->found.plans.front().cost) break;
    if (programs.insert(text_of(front, *plans, plan)).second) numbers.push_back(k + 1);
  }
  return numbers;
}

/// Small products of all kinds, for which all plans are measured.
std::vector<Case> cases_of_choice() {
  const std::string cube = "random:300x200x250,entries=60000,seed=1",
                    flat = "random:3000x40x30,entries=60000,seed=2",
                    matrix = "random:2000x1500,entries=30000,seed=3",
                    second = "random:1500x1800,entries=30000,seed=4", band = "banded:3000,width=8";
  return {
      {"mttkrp, cube", "Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}}, {{"T", cube}}, {{"r", 16}}},
      {"mttkrp, flat", "Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}}, {{"T", flat}}, {{"r", 16}}},
      {"mttkrp, mode j", "Y(j,r) = T(i,j,k) * U(i,r) * V(k,r)", {{"T", "csf3"}}, {{"T", cube}}, {{"r", 16}}},
      {"mttkrp, mode k", "Y(k,r) = T(i,j,k) * U(i,r) * V(j,r)", {{"T", "csf3"}}, {{"T", cube}}, {{"r", 16}}},
      {"ttmc, cube",
       "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)",
       {{"T", "csf3"}},
       {{"T", cube}},
       {{"r", 8}, {"s", 8}}},
      {"ttmc, flat",
       "Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)",
       {{"T", "csf3"}},
       {{"T", flat}},
       {{"r", 8}, {"s", 8}}},
      {"attention",
       "Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)",
       {{"S", "csr"}},
       {{"S", matrix}},
       {{"k", 16}, {"r", 16}}},
      {"attention, band",
       "Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)",
       {{"S", "csr"}},
       {{"S", band}},
       {{"k", 8}, {"r", 8}}},
      {"chain",
       "y(i) = A(i,j) * B(j,k) * x(k)",
       {{"A", "csr"}, {"B", "csr"}},
       {{"A", matrix}, {"B", second}},
       {}},
      {"scaled", "y(i) = A(i,j) * x(j) * z(j)", {{"A", "csr"}}, {{"A", matrix}}, {}},
      {"scaled rows", "y(i) = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, {{"A", matrix}}, {}},
      {"rows", "Y(i,m) = A(i,j) * B(j,k) * C(k,m)", {{"A", "csr"}}, {{"A", matrix}}, {{"k", 30}, {"m", 16}}},
      {"narrow rows",
       "Y(i,m) = A(i,j) * B(j,k) * C(k,m)",
       {{"A", "csr"}},
       {{"A", matrix}},
       {{"k", 3}, {"m", 16}}},
      {"sparse rows",
       "Y(i,m) = A(i,j) * B(j,k) * C(k,m)",
       {{"A", "csr"}, {"B", "csr"}},
       {{"A", matrix}, {"B", "random:1500x1800,entries=2000,seed=6"}},
       {{"m", 16}}},
      {"sparse chain",
       "y(i) = A(i,j) * B(j,k) * x(k)",
       {{"A", "csr"}, {"B", "csr"}},
       {{"A", "random:2000x1500,entries=3000,seed=7"}, {"B", "random:1500x1800,entries=2000,seed=6"}},
       {}},
      {"few rows",
       "Y(i,m) = A(i,j) * B(j,k) * C(k,m)",
       {{"A", "csr"}},
       {{"A", "random:100x1500,entries=2000,seed=5"}},
       {{"k", 30}, {"m", 16}}},
      {"bilinear", "s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, {{"A", matrix}}, {}}};
}

void measure_choice(const Case &of, const Options &options, bench::Table &table) {
  ProductContest contest(of, options);
  std::string why;
  const std::optional<pipeline::Plans> plans =
      pipeline::plans_of(contest.request(), contest.front(), 60, why);
  if (!plans) throw std::runtime_error(why);
  std::set<std::string> texts;
  const auto add = [&](const std::string &schedule) {
    std::vector<std::string> schedules;
    if (!schedule.empty()) schedules.push_back(schedule);
    if (texts.insert(loop::to_text(pipeline::compile(contest.with(schedules)).program)).second)
      contest.add(schedule, schedules);
  };
  add("");
  constexpr std::size_t most = 24;
  const std::vector<bench::Contestant> &contestants = contest.contestants();
  for (std::size_t k = 0; k < plans->found.plans.size() && contestants.size() < most; ++k)
    if (plans->found.plans[k].cost <= 10 * plans->found.plans.front().cost)
      add(fmt::format("plan {}", k + 1));
  add("plan none");
  const bench::Standings standings = contest.run(table, bench::timing_of(options.threads));
  const auto plan_of = [&](std::size_t contestant) -> const contract::Plan & {
    const std::string &name = contestants[contestant].name;
    const bool has_number = name.starts_with("plan ") && name != "plan none";
    return has_number ? plans->found.plans[std::strtoul(name.c_str() + 5, nullptr, 10) - 1] : plans->written;
  };
  std::size_t best = 0, best_allowed = 0; // by its work
  const double most_work = pipeline::most_work_of(contest.front(), *plans, plans->least_work);
  for (std::size_t k = 0; k < contestants.size(); ++k) {
    if (standings.milliseconds(k) < standings.milliseconds(best)) best = k;
    const double work = contract::cost_of(plans->network, plan_of(k).forest, {contract::Objective::Work});
    if (work <= most_work && standings.milliseconds(k) < standings.milliseconds(best_allowed))
      best_allowed = k;
  }
  table.figure("kernels", static_cast<double>(contestants.size()));
  table.figure("ours", standings.milliseconds(0));
  table.figure("best", standings.milliseconds(best));
  table.ratio("ours / best", best == 0 ? 1 : standings.ratio(0, best));
  table.ratio("ours / allowed", best_allowed == 0 ? 1 : standings.ratio(0, best_allowed));
  table.print_row();
  std::printf("    best: %s\n", best == 0 ? "ours" : contestants[best].name.c_str());
  if (!std::getenv("UNRAVEL_BENCH_PLANS")) return;
  std::vector<std::size_t> by_time(contestants.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::ranges::sort(by_time, {}, [&](std::size_t k) { return standings.milliseconds(k); });
  for (std::size_t k : by_time) {
    const std::string &name = contestants[k].name;
    const contract::Plan &plan = plan_of(k);
    std::printf("    %-10s %8.4f ms, cost %8.4f M\n", name.empty() ? "ours" : name.c_str(),
                standings.milliseconds(k), plan.cost / 1e6);
    if (&plan != &plans->written) std::printf("%s", to_text(plans->network, plan.forest).c_str());
  }
}

void measure(const Case &of, const Options &options, bench::Table &table) {
  ProductContest contest(of, options);
  contest.add("ours", {});
  contest.add("as written", {"plan none"});
  const std::vector<bench::Contestant> &contestants = contest.contestants();
  for (std::size_t number : other_plans(contest.request()))
    contest.add(fmt::format("other {}", contestants.size() - 1), {fmt::format("plan {}", number)});
  const bench::Standings standings = contest.run(table, bench::timing_of(options.threads));
  for (std::size_t k = 0; k < contestants.size(); ++k)
    table.figure(contestants[k].name, standings.milliseconds(k));
  for (std::size_t k = 1; k < contestants.size(); ++k)
    table.ratio(contestants[k].name + " / ours", standings.ratio(k, 0));
  table.print_row();
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("KMP_BLOCKTIME", "0", 0);
  bench::Report report(count, arguments, "bench_plans");
  Options options;
  options.folder = bench::data_folder(count, arguments);
  options.goals = bench::option(count, arguments, "goals", "");
  options.threads = bench::thread_count(count, arguments, "1") > 1 ? 2 : 1;
  options.quick = bench::has_option(count, arguments, "quick");
  options.budget = std::atof(bench::option(count, arguments, "budget", options.quick ? "80" : "300").c_str());
  std::istringstream kernels(
      bench::option(count, arguments, "kernels", "mttkrp,ttmc,attention,chain,rows,goals"));
  for (std::string kernel; std::getline(kernels, kernel, ',');) {
    if (kernel == "goals") {
      bench::measure_goals(report, options);
      continue;
    }
    if (kernel == "choice") {
      bench::Table &table = report.table(kernel, "all plans of small products",
                                         bench::unit_of(bench::timing_of(options.threads)), options.threads);
      table.expect("ours / best", bench::Better::lower, {{bench::Statistic::greatest, 2}});
      for (const Case &of : cases_of_choice())
        measure_choice(of, options, table);
      report.finish(table);
      continue;
    }
    const std::vector<Case> cases = cases_of(kernel, options.quick);
    bench::Table &table = report.table(kernel, cases.front().expression,
                                       bench::unit_of(bench::timing_of(options.threads)), options.threads);
    table.expect("as written / ours", bench::Better::higher, {{bench::Statistic::least, 0.95}});
    for (const Case &of : cases)
      measure(of, options, table);
    report.finish(table);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
