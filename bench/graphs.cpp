// Graph algorithms and their kernels, f64, int32, against SuiteSparse:GraphBLAS.
//   graphs [--kernels triangles,spmv-min-plus,...] [--threads 1|2|both] [--data FOLDER] [--quick] [--budget
//   MS]
//   [--only TEXT] [--json FILE]
// FOLDER: of .mtx files; also $UNRAVEL_DATA. bench/README.md has the kernels and targets.

#include "graphs_cases.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace {

using namespace unravel;

std::vector<bench::Contestant> peers([[maybe_unused]] const bench::GraphOperands &operands,
                                     [[maybe_unused]] int threads) {
#ifdef UNRAVEL_BENCH_GRAPHBLAS
  return bench::graphblas_graphs(operands, threads);
#else
  return {};
#endif
}

/// Stops where two results aren't the same, or (sums) almost.
void check(const bench::GraphCase &one, const std::vector<bench::Contestant> &all) {
  std::vector<double> expected;
  for (const bench::Contestant &contestant : all) {
    contestant.run();
    const std::vector<double> found = contestant.result();
    if (&contestant == &all.front()) expected = found;
    auto fail = [&](const std::string &what) {
      throw std::runtime_error(
          fmt::format("{}: {} and {} disagree: {}", one.name, contestant.name, all.front().name, what));
    };
    if (found.size() != expected.size())
      fail(fmt::format("{} and {} numbers", found.size(), expected.size()));
    for (std::size_t k = 0; k < found.size(); ++k)
      if (found[k] != expected[k] && !(std::abs(found[k] - expected[k]) <= 1e-9 * std::abs(expected[k])))
        fail(fmt::format("{} and {} at {}", found[k], expected[k], k));
  }
}

void measure(const bench::GraphKernel &kernel, bench::GraphCase &one, int threads, double budget,
             bench::Table &table) {
  std::vector<bench::Contestant> all{bench::our_contestant(kernel, one, "ours", threads)};
  for (bench::Contestant &peer : peers(bench::operands_of(kernel, one), threads))
    all.push_back(std::move(peer));
  check(one, all);
  const bench::Standings standings = bench::compare(all, bench::timing_of(threads), budget);
  table.row(one.name, one.entries);
  std::size_t best = 1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    table.figure(all[k].name, standings.milliseconds(k));
    if (k > 0 && standings.milliseconds(k) < standings.milliseconds(best)) best = k;
  }
  if (all.size() > 1) {
    table.ratio("ours / best peer", standings.ratio(0, best));
    table.note("best peer", all[best].name);
  }
  table.print_row();
}

/// Those that are asked for, in their order; all without a name.
std::vector<bench::GraphKernel> chosen(const std::string &names) {
  if (names.empty()) return bench::graph_kernels();
  std::vector<bench::GraphKernel> found;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    const std::size_t before = found.size();
    for (const bench::GraphKernel &kernel : bench::graph_kernels())
      if (kernel.name == name) found.push_back(kernel);
    if (found.size() == before) throw std::runtime_error(fmt::format("there is no kernel `{}`", name));
  }
  return found;
}

} // namespace

int main(int count, char **arguments) try {
  bench::let_threads_sleep(arguments);
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_graphs");
  const bool quick = bench::has_option(count, arguments, "quick");
  const double budget = std::atof(bench::option(count, arguments, "budget", quick ? "50" : "300").c_str());
  const std::string only = bench::option(count, arguments, "only", "");
  const std::vector<bench::GraphKernel> kernels = chosen(bench::option(count, arguments, "kernels", ""));
  const std::vector<bench::Input> graphs =
      bench::graphs(bench::data_folder(count, arguments), quick ? bench::Size::quick : bench::Size::normal);
  int failed = 0;
  for (const bench::GraphKernel &kernel : kernels)
    for (int threads : bench::thread_counts(count, arguments)) {
      bench::Table &table =
          report.table(kernel.name, kernel.title, bench::unit_of(bench::timing_of(threads)), threads);
      table.expect("ours / best peer", bench::Better::lower, {{bench::Statistic::mean, kernel.wanted}});
      bench::for_each_case(kernel, graphs, [&](bench::GraphCase &one) {
        if (one.name.find(only) == std::string::npos) return;
        try {
          measure(kernel, one, threads, budget, table);
        } catch (const report::Error &error) {
          std::fprintf(stderr, "%s, %s: %s\n", kernel.name.c_str(), one.name.c_str(), error.what());
          ++failed;
        }
      });
      report.finish(table);
    }
  if (failed > 0) fmt::print("{} cases without a kernel of ours\n", failed);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
