// Kernels that co-iterate over sparse operands, in one run: Unravel's own choice ("auto") and its walking
// finds ("seq") against hand-written merges, Eigen and SuiteSparse:GraphBLAS, on the same arrays.
//   coiteration [--data FOLDER] [--kernels 1,4,7] [--threads 1|2|both] [--quick | --large] [--budget MS]
//   [--json FILE]
// FOLDER: of .mtx files; also $UNRAVEL_DATA. A table per kernel and number of threads, then its geometric
// means with the targets.

#include "coiteration_cases.h"
#include "coiteration_peers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <sstream>

namespace {

using namespace unravel;
using bench::Contestant;

/// Merges that would take more steps than this (about 0.7 s) are left out.
constexpr double most_steps = 4e8;

struct Options {
  bench::Size size = bench::Size::normal;
  double budget = 0; // milliseconds per contestant and case
};

/// What the compiler chose: loops and finds from the outermost in, finds with their method unless it is
/// direct.
std::string form_of(const pipeline::Compilation &compilation) {
  std::string text;
  for (const pipeline::Leaf &leaf : compilation.leaves) {
    const scan::Nest &nest = leaf.plan.nest;
    for (std::size_t k = 0; k < nest.levels.size(); ++k) {
      if (nest.levels[k].kind == scan::Level::Kind::Let) continue;
      std::string method;
      for (const plan::LevelPlan &plan : leaf.plan.finds.levels)
        if (plan.level == k) method = plan::name_of(plan.method());
      if (method == "direct") continue;
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", leaf.plan.parallel == k ? "parallel " : "",
                          nest.levels[k].variable);
      if (!method.empty()) text += ":" + method;
    }
  }
  return text;
}

/// One kernel on one number of threads: its table and its means.
class Contests {
public:
  Contests(bench::Report &report, const bench::KernelSpec &spec, int threads, Options options)
      : report_(report), spec_(spec), threads_(threads), options_(options),
        timing_(bench::timing_of(threads)),
        table_(report.table(fmt::format("{} {}", spec.number, spec.title),
                            fmt::format("{}: {}", spec.title, spec.expression), bench::unit_of(timing_),
                            threads)) {
    // What is asked of the least is asked of some cases only: of a column of their own.
    auto is_least = [](const bench::Target &target) { return target.of == bench::Statistic::least; };
    std::vector<bench::Target> all = spec.graphblas, some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some), is_least);
    std::erase_if(all, is_least);
    table_.expect("best peer / ours", bench::Better::higher, spec.best);
    table_.expect("merge / ours", bench::Better::higher, spec.merge);
    table_.expect("GraphBLAS / ours", bench::Better::higher, all);
    table_.expect(many, bench::Better::higher, some);
  }

  void run(const std::vector<bench::Input> &inputs) {
    bench::for_each_case(spec_, inputs, options_.size, [this](bench::Case &one) { measure(one); });
    report_.finish(table_);
    if (failed_ > 0) fmt::print("  {} cases without a kernel of ours\n", failed_);
  }

private:
  static constexpr const char *many = "GraphBLAS / ours, more than 10 entries";

  void measure(bench::Case &one) {
    std::vector<Contestant> all = ours(one);
    std::vector<Contestant> others = peers(one);
    all.insert(all.end(), others.begin(), others.end());
    std::vector<Contestant> running;
    std::vector<std::size_t> place(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      place[k] = running.size();
      if (all[k].run) running.push_back(all[k]);
    }
    check(one, running);
    bench::Standings standings = bench::compare(running, timing_, options_.budget);
    table_.row(one.name);
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].run) table_.figure(all[k].name, standings.milliseconds(place[k]));
    if (all[0].run)
      add_ratios(one, running, standings);
    else
      ++failed_;
    table_.note("auto is", form_);
    table_.print_row();
  }

  /// Ours comes first, then `seq`, if it could be made.
  void add_ratios(const bench::Case &one, const std::vector<Contestant> &running,
                  const bench::Standings &standings) {
    std::size_t best = 0;
    double to_best = 0, to_graphblas = 0;
    for (std::size_t k = 1; k < running.size(); ++k) {
      if (running[k].name == "seq") continue;
      double ratio = standings.ratio(k, 0);
      if (best == 0 || ratio < to_best) {
        best = k;
        to_best = ratio;
      }
      if (running[k].name == "merge") table_.ratio("merge / ours", ratio);
      if (running[k].name.starts_with("GrB"))
        to_graphblas = to_graphblas == 0 ? ratio : std::min(to_graphblas, ratio);
    }
    if (to_graphblas > 0) {
      table_.ratio("GraphBLAS / ours", to_graphblas);
      if (spec_.kind == bench::Coiteration::spmspv_columns && one.in_least) table_.ratio(many, to_graphblas);
    }
    if (best == 0) return;
    table_.ratio("best peer / ours", to_best);
    table_.note("best peer", running[best].name);
  }

  Contestant kernel(bench::Case &one, const std::string &name, const std::vector<std::string> &finds) {
    try {
      auto bound = bench::bound_kernel(spec_, one, finds, finds.empty());
      bound->set_threads(threads_);
      if (finds.empty()) form_ = form_of(bound->compilation());
      auto values = one.tensors.at(spec_.result).array("val").as<double>();
      return {name, [bound] { (*bound)(); }, [values] { return std::vector(values.begin(), values.end()); }};
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s, %s: %s\n", one.name.c_str(), name.c_str(), error.what());
      return {name, {}, {}};
    }
  }

  std::vector<Contestant> ours(bench::Case &one) {
    std::vector<Contestant> found{kernel(one, "auto", {})};
    if (!spec_.sequential.empty()) found.push_back(kernel(one, "seq", spec_.sequential));
    return found;
  }

  std::vector<Contestant> peers(bench::Case &one) {
    bench::Operands operands = bench::operands_of(spec_, one);
    bool long_walks =
        operands.matrices.empty() || operands.vectors.empty() ||
        static_cast<double>(operands.matrices[0].lines) * operands.vectors[0].count < most_steps;
    std::vector<Contestant> found = bench::merge_peers(operands, threads_, long_walks);
    auto add = [&](const std::vector<Contestant> &more) {
      found.insert(found.end(), more.begin(), more.end());
    };
    static_cast<void>(add);
#ifdef UNRAVEL_BENCH_EIGEN
    add(bench::eigen_peers(operands, threads_, long_walks));
#endif
#ifdef UNRAVEL_BENCH_GRAPHBLAS
    add(bench::graphblas_peers(operands, threads_));
#endif
    return found;
  }

  /// Every contestant's result must be the merge's, or where it was left out the last one's.
  void check(const bench::Case &one, const std::vector<Contestant> &running) {
    auto judge = std::find_if(running.begin(), running.end() - 1,
                              [](const Contestant &contestant) { return contestant.name == "merge"; });
    judge->run();
    std::vector<double> expected = judge->result();
    for (const Contestant &contestant : running) {
      contestant.run();
      std::vector<double> found = contestant.result();
      bool same = found.size() == expected.size();
      for (std::size_t k = 0; same && k < found.size(); ++k)
        same = std::abs(found[k] - expected[k]) <= 1e-9 * std::max(1.0, std::abs(expected[k]));
      if (same) continue;
      std::fprintf(stderr, "%s: %s and %s disagree\n", one.name.c_str(), contestant.name.c_str(),
                   judge->name.c_str());
      std::exit(1);
    }
  }

  bench::Report &report_;
  const bench::KernelSpec &spec_;
  int threads_;
  Options options_;
  bench::Timing timing_;
  bench::Table &table_;
  std::string form_; // of the last `auto`
  int failed_ = 0;
};

std::vector<int> numbers(const std::string &list) {
  std::vector<int> found;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');)
    found.push_back(std::atoi(word.c_str()));
  return found;
}

} // namespace

int main(int count, char **arguments) try {
  bench::let_threads_sleep(arguments);
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_coiteration");
  std::vector<int> chosen = numbers(bench::option(count, arguments, "kernels", "1,2,3,4,5,6,7"));
  Options options;
  if (bench::has_option(count, arguments, "quick")) options.size = bench::Size::quick;
  if (bench::has_option(count, arguments, "large")) options.size = bench::Size::large;
  std::string budget = options.size == bench::Size::quick ? "50" : "300";
  options.budget = std::atof(bench::option(count, arguments, "budget", budget).c_str());
  std::vector<bench::Input> inputs =
      bench::coiteration_inputs(bench::data_folder(count, arguments), options.size);
  for (const bench::KernelSpec &spec : bench::coiteration_kernels()) {
    if (std::find(chosen.begin(), chosen.end(), spec.number) == chosen.end()) continue;
    for (int threads : bench::thread_counts(count, arguments))
      Contests(report, spec, threads, options).run(inputs);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
