// Kernels that assemble sparse results, f64, int32, against Eigen and SuiteSparse:GraphBLAS.
//   sparse_results [--kernels spgemm,unsorted,values,sums,elementwise,galerkin,transpose,spmspv]
//   [--data FOLDER] [--threads 1|2|both] [--quick | --large] [--budget MS] [--only TEXT] [--json FILE]
// FOLDER: of .mtx files; also $UNRAVEL_DATA. bench/README.md has the targets. `--turns FOLDER`: the other
// half of sparse_results.py, which adds SciPy.

#include "data/npy.h"
#include "sparse_results_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace {

using namespace unravel;

/// Two threads shall pay from that many products on.
constexpr double much_work = 1e6;

struct Options {
  std::string folder; // of files
  bench::Size size = bench::Size::normal;
  double budget = 0; // milliseconds per contestant and case
  std::string only;  // a part of the names of inputs
};

std::vector<bench::SparseContestant> peers([[maybe_unused]] const bench::SparseOperands &operands,
                                           [[maybe_unused]] int threads) {
  std::vector<bench::SparseContestant> found;
  [[maybe_unused]] auto add = [&](const std::vector<bench::SparseContestant> &more) {
    found.insert(found.end(), more.begin(), more.end());
  };
#ifdef UNRAVEL_BENCH_EIGEN
  add(bench::eigen_results(operands));
#endif
#ifdef UNRAVEL_BENCH_GRAPHBLAS
  add(bench::graphblas_results(operands, threads));
#endif
  return found;
}

bench::SparseContestant ours(const std::string &name, const bench::SparseKernel &kernel,
                             const bench::SparseCase &one, int threads) {
  auto bound = std::make_shared<bench::SparseResultKernel>(kernel, one, threads);
  return {name, [bound] { bound->run(); }, [bound] { return bound->entries(); }};
}

data::Coordinates sorted(bench::Entries entries, const std::vector<std::int64_t> &shape) {
  data::Coordinates made(shape.size() == 1 ? std::vector<std::int64_t>{shape[0], 1} : shape);
  made.index = {std::move(entries.row), std::move(entries.column)};
  made.value = std::move(entries.value);
  data::sort(made, data::natural_modes(2));
  return made;
}

/// Whether two results are the same entries, zeros too, with the same values. Where the terms of a sum
/// cancel, its error is relative to them.
bool agree(const data::Coordinates &found, const data::Coordinates &expected) {
  if (found.index != expected.index) return false;
  double largest = 0;
  for (double value : expected.value)
    largest = std::max(largest, std::abs(value));
  for (std::size_t e = 0; e < found.size(); ++e) {
    double allowed = std::max(1e-9 * std::abs(expected.value[e]), 1e-12 * largest);
    if (!(std::abs(found.value[e] - expected.value[e]) <= allowed)) return false;
  }
  return true;
}

/// Stops where two results don't agree.
void check(const bench::SparseCase &one, const std::vector<bench::SparseContestant> &all) {
  auto result_of = [&](const bench::SparseContestant &contestant) {
    contestant.run();
    return sorted(contestant.entries(), one.shape);
  };
  const data::Coordinates expected = result_of(all.back());
  for (const bench::SparseContestant &contestant : all) {
    const data::Coordinates found = result_of(contestant);
    if (!agree(found, expected))
      throw std::runtime_error(fmt::format("{}: {} and {} disagree: {} and {} entries", one.name,
                                           contestant.name, all.back().name, found.size(), expected.size()));
  }
}

bench::Standings compare(const std::vector<bench::SparseContestant> &all, int threads, double budget) {
  std::vector<bench::Contestant> running;
  for (const bench::SparseContestant &contestant : all)
    running.push_back({contestant.name, contestant.run, {}});
  return bench::compare(running, bench::timing_of(threads), budget);
}

/// Of the peers that the kernel's targets are about, all behind `first`, the fastest.
std::optional<std::size_t> best_peer(const bench::SparseKernel &kernel,
                                     const std::vector<bench::SparseContestant> &all,
                                     const bench::Standings &standings, std::size_t first) {
  std::optional<std::size_t> best;
  for (std::size_t k = first; k < all.size(); ++k)
    if (all[k].name.starts_with(kernel.rivals) &&
        (!best || standings.milliseconds(k) < standings.milliseconds(*best)))
      best = k;
  return best;
}

/// One kernel on one number of threads: its table.
class Contests {
public:
  Contests(bench::Report &report, const bench::SparseKernel &kernel, int threads, const Options &options)
      : report_(report), kernel_(kernel), threads_(threads), options_(options),
        ratio_(fmt::format("ours / {}", kernel.rivals == "GrB"   ? "GraphBLAS"
                                        : kernel.rivals == "Eig" ? "Eigen"
                                                                 : "best peer")),
        table_(report.table(kernel.table, fmt::format("{}: {}", kernel.title, shown(kernel.expression)),
                            bench::unit_of(bench::timing_of(threads)), threads)) {
    table_.expect(ratio_, bench::Better::lower, kernel.targets);
    if (threads > 1) table_.expect(gain, bench::Better::higher, {{bench::Statistic::mean, 1.7}});
  }

  void run() {
    bench::for_each_case(kernel_, options_.folder, options_.size, [this](const bench::SparseCase &one) {
      if (one.name.find(options_.only) == std::string::npos) return;
      try {
        measure(one);
      } catch (const report::Error &error) {
        std::fprintf(stderr, "%s, %s: %s\n", kernel_.table.c_str(), one.name.c_str(), error.what());
        ++failed_;
      }
    });
    report_.finish(table_);
    if (failed_ > 0) fmt::print("  {} cases without a kernel of ours\n", failed_);
  }

private:
  static constexpr const char *gain = "1 thread / 2 threads";

  /// Sums of many without those in the middle.
  static std::string shown(const std::string &expression) {
    if (expression.size() < 60) return expression;
    return expression.substr(0, expression.find('+')) + "+ ... " + expression.substr(expression.rfind('+'));
  }

  void measure(const bench::SparseCase &one) {
    std::vector<bench::SparseContestant> all{ours("ours", kernel_, one, threads_)};
    if (threads_ > 1) all.push_back(ours("on one", kernel_, one, 1));
    const std::size_t first = all.size();
    std::vector<bench::SparseContestant> others = peers(bench::operands_of(kernel_, one), threads_);
    all.insert(all.end(), others.begin(), others.end());
    check(one, all);
    bench::Standings standings = compare(all, threads_, options_.budget);
    table_.row(one.name, one.entries);
    for (std::size_t k = 0; k < all.size(); ++k)
      table_.figure(all[k].name, standings.milliseconds(k));
    if (threads_ > 1 && one.work > much_work) table_.ratio(gain, standings.ratio(1, 0));
    if (std::optional<std::size_t> best = best_peer(kernel_, all, standings, first)) {
      table_.ratio(ratio_, standings.ratio(0, *best));
      table_.note("best peer", all[*best].name);
    }
    table_.print_row();
  }

  bench::Report &report_;
  const bench::SparseKernel &kernel_;
  int threads_;
  const Options &options_;
  std::string ratio_;
  bench::Table &table_;
  int failed_ = 0;
};

/// The operands' arrays as files 0_pos.npy, 0_crd.npy, 0_val.npy, 1_pos.npy, ...; operands that are the same
/// arrays have the same number.
nlohmann::ordered_json written(const bench::SparseOperands &operands, const std::string &folder) {
  auto made = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < operands.matrices.size(); ++k) {
    const bench::Compressed &a = operands.matrices[k];
    const std::size_t number = operands.same_as(k);
    made.push_back({{"number", number}, {"lines", a.lines}, {"length", a.length}});
    if (number < k) continue;
    auto write = [&](const char *array, const auto *begin, std::int32_t count) {
      data::write_npy(fmt::format("{}/{}_{}.npy", folder, k, array),
                      data::Array::of(std::vector(begin, begin + count)));
    };
    write("pos", a.pos, a.lines + 1);
    write("crd", a.crd, a.entries());
    write("val", a.val, a.entries());
  }
  return made;
}

/// A line per case, as JSON; then "run" is answered with milliseconds, "result" with files of our entries,
/// until "next". One thread, CPU time.
void take_turns(const bench::SparseKernel &kernel, const Options &options, const std::string &folder) {
  auto targets = nlohmann::ordered_json::array();
  for (const bench::Target &target : kernel.targets)
    targets.push_back({bench::name_of(target.of), target.wanted});
  auto say = [](const nlohmann::ordered_json &line) {
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
  };
  bench::for_each_case(kernel, options.folder, options.size, [&](const bench::SparseCase &one) {
    if (one.name.find(options.only) == std::string::npos) return;
    const bench::SparseOperands operands = bench::operands_of(kernel, one);
    std::vector<bench::SparseContestant> all{ours("ours", kernel, one, 1)};
    std::vector<bench::SparseContestant> others = peers(operands, 1);
    if (!others.empty()) {
      // The best of them goes on.
      auto best = best_peer(kernel, others, compare(others, 1, 0), 0);
      all.push_back(others[best.value_or(0)]);
    }
    check(one, all);
    say({{"kernel", kernel.name},
         {"table", kernel.table},
         {"title", kernel.title},
         {"targets", targets},
         {"input", one.name},
         {"entries", one.entries},
         {"operands", written(operands, folder)}});
    for (std::string word; std::getline(std::cin, word) && word != "next";) {
      nlohmann::ordered_json answer = nlohmann::ordered_json::object();
      if (word == "run") {
        bench::Standings standings = compare(all, 1, 0);
        for (std::size_t k = 0; k < all.size(); ++k)
          answer[all[k].name] = standings.milliseconds(k);
      } else {
        data::Coordinates result = sorted(all[0].entries(), one.shape);
        data::write_npy(folder + "/row.npy", data::Array::of(result.index[0]));
        data::write_npy(folder + "/column.npy", data::Array::of(result.index[1]));
        data::write_npy(folder + "/value.npy", data::Array::of(result.value));
      }
      say(answer);
    }
  });
}

/// Those that are asked for, in their order.
std::vector<bench::SparseKernel> chosen(const std::string &names) {
  std::vector<bench::SparseKernel> all = bench::sparse_kernels(), found;
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    const std::size_t before = found.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const bench::SparseKernel &kernel) { return kernel.name == name; });
    if (found.size() == before) throw std::runtime_error(fmt::format("there is no kernel `{}`", name));
  }
  return found;
}

} // namespace

int main(int count, char **arguments) try {
  bench::let_threads_sleep(arguments);
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_sparse_results");
  Options options;
  options.folder = bench::data_folder(count, arguments);
  if (bench::has_option(count, arguments, "quick")) options.size = bench::Size::quick;
  if (bench::has_option(count, arguments, "large")) options.size = bench::Size::large;
  std::string budget = options.size == bench::Size::quick ? "50" : "300";
  options.budget = std::atof(bench::option(count, arguments, "budget", budget).c_str());
  options.only = bench::option(count, arguments, "only", "");
  const std::vector<bench::SparseKernel> kernels = chosen(bench::option(
      count, arguments, "kernels", "spgemm,unsorted,values,sums,elementwise,galerkin,transpose,spmspv"));
  if (std::string to = bench::option(count, arguments, "turns", ""); !to.empty()) {
    for (const bench::SparseKernel &kernel : kernels)
      take_turns(kernel, options, to);
    return 0;
  }
  for (const bench::SparseKernel &kernel : kernels)
    for (int threads : bench::thread_counts(count, arguments))
      Contests(report, kernel, threads, options).run();
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
