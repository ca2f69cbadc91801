// How good the choice among templates is: kernels of bench_coiteration as Unravel makes them for the data
// ("auto") and for any data ("any"), against the same with one template for every find, on one thread.
//   templates [--data FOLDER] [--kernels 1,4] [--only TEXT] [--quick | --large] [--budget MS]
// Target: auto's time at most 1.25 times that of the best single template, on every case.

#include "coiteration_cases.h"
#include "contest.h"
#include "kernel.h"
#include "report.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

namespace {

using namespace unravel;
using bench::Contestant;

constexpr double target = 1.25;
/// A template that takes so many steps (about a second) for all targets of A is left out.
constexpr double most_steps = 4e8;
const std::vector<std::string> methods = {"seq", "gallop", "binary", "map", "hash", "scan"};

/// The finds of the contestant `seq`, by another method.
std::vector<std::string> finds_by(const bench::KernelSpec &spec, const std::string &method) {
  std::vector<std::string> finds;
  for (const std::string &find : spec.sequential)
    finds.push_back(find.substr(0, find.find('=') + 1) + method);
  return finds;
}

class Choices {
public:
  Choices(bench::Report &report, const bench::KernelSpec &spec, double budget, std::string only)
      : report_(report), table_(report.table(fmt::format("templates {}", spec.number),
                                             fmt::format("{}: {}, CPU time", spec.title, spec.expression),
                                             "milliseconds", 1)),
        spec_(spec), budget_(budget), only_(std::move(only)) {
    table_.expect("auto / best", bench::Better::lower, {{bench::Statistic::greatest, target}});
    table_.expect("any / best", bench::Better::lower);
  }

  void run(const std::vector<bench::Input> &inputs, bench::Size size) {
    auto measure_one = [this](bench::Case &one) {
      if (one.name.find(only_) != std::string::npos) measure(one);
    };
    bench::for_each_case(spec_, inputs, size, measure_one, {0.5});
    report_.finish(table_);
  }

private:
  Contestant kernel(bench::Case &one, const std::string &name, const std::vector<std::string> &finds) {
    try {
      auto bound = bench::bound_kernel(spec_, one, finds, name == "auto");
      return {name, [bound] { (*bound)(); }, {}};
    } catch (const report::Error &) {
      return {name, {}, {}}; // not proved for these layouts
    }
  }

  /// A plain scan compares each target with each entry.
  bool takes_too_long(const std::string &method, const bench::Case &one) const {
    if (method != "scan" && method != "seq") return false;
    double steps = 1;
    for (const std::string &name : spec_.vectors)
      steps *= static_cast<double>(one.tensors.at(name).array("val").size());
    for (const std::string &name : spec_.matrices)
      if (!spec_.vectors.empty())
        steps *= static_cast<double>(method == "seq" ? one.tensors.at(name).shape()[0]
                                                     : one.tensors.at(name).array("val").size());
    return steps > most_steps;
  }

  void measure(bench::Case &one) {
    std::vector<Contestant> all{kernel(one, "auto", {}), kernel(one, "any", {})};
    for (const std::string &method : methods)
      all.push_back(takes_too_long(method, one) ? Contestant{method, {}, {}}
                                                : kernel(one, method, finds_by(spec_, method)));
    std::vector<Contestant> running;
    for (const Contestant &each : all)
      if (each.run) running.push_back(each);
    // Each once before it is timed: its neighbour may have read less of A.
    bench::Standings standings = bench::compare(running, bench::Timing::cpu, budget_, 1);
    double to_best = 0, any_to_best = 0;
    table_.row(one.name);
    for (std::size_t k = 0; k < running.size(); ++k) {
      table_.figure(running[k].name, standings.milliseconds(k));
      if (k < 2) continue;
      to_best = std::max(to_best, standings.ratio(0, k));
      any_to_best = std::max(any_to_best, standings.ratio(1, k));
    }
    table_.ratio("auto / best", to_best);
    table_.ratio("any / best", any_to_best);
    table_.print_row();
  }

  bench::Report &report_;
  bench::Table &table_;
  const bench::KernelSpec &spec_;
  double budget_;
  std::string only_;
};

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  const char *environment = std::getenv("UNRAVEL_DATA");
  const std::string folder = bench::option(count, arguments, "data", environment ? environment : "");
  const std::string kernels = "," + bench::option(count, arguments, "kernels", "1,4") + ",";
  const std::string only = bench::option(count, arguments, "only", "");
  bench::Size size = bench::Size::normal;
  if (bench::has_option(count, arguments, "quick")) size = bench::Size::quick;
  if (bench::has_option(count, arguments, "large")) size = bench::Size::large;
  const double budget = std::atof(bench::option(count, arguments, "budget", "100").c_str());
  bench::Report report(count, arguments, "bench_templates");
  const std::vector<bench::Input> inputs = bench::coiteration_inputs(folder, size);
  for (const bench::KernelSpec &spec : bench::coiteration_kernels())
    if (!spec.sequential.empty() && kernels.find(fmt::format(",{},", spec.number)) != std::string::npos)
      Choices(report, spec, budget, only).run(inputs, size);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
