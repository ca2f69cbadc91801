// Kernels that co-iterate over sparse operands, in one run: Unravel's own choice ("auto") and its walking
// finds ("seq") against hand-written merges, Eigen and SuiteSparse:GraphBLAS, on the same arrays.
//   coiteration [--data FOLDER] [--kernels 1,4,7] [--threads 1|2|both] [--quick | --large] [--budget MS]
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
      for (const find::LevelPlan &plan : leaf.plan.finds.levels)
        if (plan.level == k) method = find::name_of(plan.method);
      if (method == "direct") continue;
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", leaf.plan.parallel == k ? "parallel " : "",
                          nest.levels[k].variable);
      if (!method.empty()) text += ":" + method;
    }
  }
  return text;
}

/// Ratios peer / ours of one kernel, against one peer or the best.
struct Ratios {
  std::string name;
  bench::Target target;
  std::vector<double> values;
  double least = 0;
  std::string least_case;

  void add(double ratio, const std::string &input, bool in_least) {
    values.push_back(ratio);
    if (!in_least || (!least_case.empty() && ratio >= least)) return;
    least = ratio;
    least_case = input;
  }

  void print() const {
    if (values.empty()) return;
    double mean = bench::geometric_mean(values);
    fmt::print("  {:<12} / ours: {:>3} cases, geometric mean {:>8.2f}{}, least {:.2f}{} ({})\n", name,
               values.size(), mean, against(mean, target.mean), least, against(least, target.least),
               least_case);
  }

private:
  static std::string against(double value, const std::optional<double> &target) {
    if (!target) return "";
    return fmt::format(" (target {:g}: {})", *target, value >= *target ? "met" : "missed");
  }
};

/// One kernel on one number of threads: its table and its means.
class Table {
public:
  Table(const bench::KernelSpec &spec, int threads, Options options)
      : spec_(spec), threads_(threads), options_(options), best_{"best peer", spec.best, {}, 0, {}},
        merge_{"merge", spec.merge, {}, 0, {}}, graphblas_{"GraphBLAS", spec.graphblas, {}, 0, {}} {}

  void print(const std::vector<bench::Input> &inputs) {
    fmt::print("\n{}. {}: {}, {} thread{}, milliseconds ({}), load {:.1f}\n", spec_.number, spec_.title,
               spec_.expression, threads_, threads_ == 1 ? "" : "s",
               threads_ == 1 ? "CPU time" : "wall clock", bench::load());
    bench::for_each_case(spec_, inputs, options_.size, [this](bench::Case &one) { measure(one); });
    best_.print();
    merge_.print();
    graphblas_.print();
    if (failed_ > 0) fmt::print("  {} cases without a kernel of ours\n", failed_);
  }

private:
  void measure(bench::Case &one) {
    std::vector<Contestant> all = ours(one);
    std::vector<Contestant> others = peers(one);
    all.insert(all.end(), others.begin(), others.end());
    print_header(all);
    std::vector<Contestant> running;
    std::vector<std::size_t> place(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      place[k] = running.size();
      if (all[k].run) running.push_back(all[k]);
    }
    check(one, running);
    bench::Standings standings =
        bench::compare(running, threads_ == 1 ? bench::Timing::cpu : bench::Timing::wall, options_.budget);
    fmt::print("{:<46}", one.name.substr(0, 46));
    for (std::size_t k = 0; k < all.size(); ++k)
      fmt::print(" {:>11}", all[k].run ? fmt::format("{:.4f}", standings.milliseconds(place[k])) : "-");
    if (all[0].run)
      print_ratios(one, running, standings);
    else
      ++failed_;
    fmt::print("  {}\n", form_);
    std::fflush(stdout);
  }

  /// Ours comes first, then `seq`, if it could be made.
  void print_ratios(const bench::Case &one, const std::vector<Contestant> &running,
                    const bench::Standings &standings) {
    std::size_t best = 0;
    double to_best = 0, to_graphblas = 0;
    std::string to_merge = "-";
    for (std::size_t k = 1; k < running.size(); ++k) {
      if (running[k].name == "seq") continue;
      double ratio = standings.ratio(k, 0);
      if (best == 0 || ratio < to_best) {
        best = k;
        to_best = ratio;
      }
      if (running[k].name == "merge") {
        merge_.add(ratio, one.name, true);
        to_merge = fmt::format("{:.2f}", ratio);
      }
      if (running[k].name.starts_with("GrB"))
        to_graphblas = to_graphblas == 0 ? ratio : std::min(to_graphblas, ratio);
    }
    if (to_graphblas > 0) graphblas_.add(to_graphblas, one.name, one.in_least);
    if (best > 0) {
      best_.add(to_best, one.name, true);
      fmt::print(" {:>10.2f} {:<11} {:>10}", to_best, running[best].name, to_merge);
    }
  }

  void print_header(const std::vector<Contestant> &contestants) {
    if (header_printed_) return;
    header_printed_ = true;
    fmt::print("{:<46}", "input");
    for (const Contestant &contestant : contestants)
      fmt::print(" {:>11}", contestant.name);
    fmt::print(" {:>10} {:<11} {:>10}  auto is\n", "best/auto", "which", "merge/auto");
  }

  Contestant kernel(bench::Case &one, const std::string &name, const std::vector<std::string> &finds) {
    pipeline::Request request;
    request.expression = spec_.expression;
    request.formats = spec_.formats;
    request.finds = finds;
    std::map<std::string, tensor::Tensor *> tensors;
    std::map<std::string, const tensor::Tensor *> known;
    for (auto &[tensor, packed] : one.tensors) {
      tensors[tensor] = &packed;
      known[tensor] = &packed;
    }
    if (finds.empty()) request.counts = bench::counts(known);
    try {
      auto bound = std::make_shared<bench::BoundKernel>(request, tensors);
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

  const bench::KernelSpec &spec_;
  int threads_;
  Options options_;
  Ratios best_, merge_, graphblas_;
  std::string form_; // of the last `auto`
  bool header_printed_ = false;
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
  const char *environment = std::getenv("UNRAVEL_DATA");
  std::string folder = bench::option(count, arguments, "data", environment ? environment : "");
  std::vector<int> chosen = numbers(bench::option(count, arguments, "kernels", "1,2,3,4,5,6,7"));
  std::string threads = bench::option(count, arguments, "threads", "both");
  Options options;
  if (bench::has_option(count, arguments, "quick")) options.size = bench::Size::quick;
  if (bench::has_option(count, arguments, "large")) options.size = bench::Size::large;
  std::string budget = options.size == bench::Size::quick ? "50" : "300";
  options.budget = std::atof(bench::option(count, arguments, "budget", budget).c_str());
  std::vector<bench::Input> inputs = bench::coiteration_inputs(folder, options.size);
  for (const bench::KernelSpec &spec : bench::coiteration_kernels()) {
    if (std::find(chosen.begin(), chosen.end(), spec.number) == chosen.end()) continue;
    for (int n : threads == "both" ? std::vector{1, 2} : numbers(threads))
      Table(spec, n, options).print(inputs);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
