// y(i) = A(i,j) x(j) in every semiring, A in CSR, f64, int32, one thread: Unravel against the same loop by
// hand.
//   operators [--data FOLDER] [--budget MS] [--only TEXT] [--quick] [--json FILE]
// FOLDER: of .mtx files; also $UNRAVEL_DATA.
// Target: no operator takes more than 1.2 times its hand-written loop's time.

#include "kernel.h"
#include "operators_hand.h"
#include "report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>

namespace {

using namespace unravel;

/// Every second element is 0, which is false.
data::Coordinates half_zero(std::int64_t size) {
  data::Coordinates x({size});
  for (std::int64_t j = 0; j < size; ++j)
    x.append({j}, j % 2 == 0 ? 0.0 : 1 + static_cast<double>(j % 17) / 16);
  return x;
}

class Case {
public:
  explicit Case(const data::Coordinates &matrix)
      : a_(bench::pack_as("csr", matrix)), x_(bench::pack_as("dense", half_zero(matrix.shape[1]))),
        y_(bench::pack_as("dense", data::Coordinates({matrix.shape[0]}))),
        by_hand_(static_cast<std::size_t>(matrix.shape[0])) {}

  void measure(const bench::HandWritten &semiring, double budget, bench::Table &table) {
    pipeline::Request request;
    request.expression = "y(i) = A(i,j) * x(j) in " + semiring.semiring;
    request.formats = {{"A", "csr"}};
    request.counts = bench::counts({{"A", &a_}, {"x", &x_}});
    bench::BoundKernel ours(request, {{"y", &y_}, {"A", &a_}, {"x", &x_}});
    const bench::Compressed a = bench::compressed(a_);
    const auto values = [](tensor::Tensor &tensor) {
      return static_cast<double *>(tensor.array("val").data());
    };
    const bench::Standings standings =
        bench::compare({{"ours", [&] { ours(); }, {}},
                        {"by hand", [&] { semiring.run(a, values(x_), by_hand_.data()); }, {}}},
                       bench::timing_of(1), budget, 1);
    for (std::size_t i = 0; i < by_hand_.size(); ++i)
      if (const double found = values(y_)[i];
          found != by_hand_[i] && !(std::abs(found - by_hand_[i]) <= tolerance(a, i, by_hand_[i])))
        throw std::runtime_error(
            fmt::format("{}: y({}) is {}, by hand {}", semiring.semiring, i, found, by_hand_[i]));
    table.row(semiring.semiring, a_.entries());
    table.figure("ours", standings.milliseconds(0));
    table.figure("by hand", standings.milliseconds(1));
    table.ratio("ours / by hand", standings.ratio(0, 1));
    table.print_row();
  }

private:
  /// What the sum of row i may differ by in another order: its parts may cancel each other. x is below 2.
  static double tolerance(const bench::Compressed &a, std::size_t i, double found) {
    double size = std::abs(found);
    for (auto p = a.pos[i]; p < a.pos[i + 1]; ++p)
      size += 2 * std::abs(a.val[p]);
    return 1e-12 * size;
  }

  tensor::Tensor a_, x_, y_;
  std::vector<double> by_hand_;
};

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_operators");
  const bool quick = bench::has_option(count, arguments, "quick");
  const double budget = std::atof(bench::option(count, arguments, "budget", quick ? "50" : "300").c_str());
  const std::string only = bench::option(count, arguments, "only", "");
  std::vector<std::string> generators{"banded:40000x40000,width=6", "rmat:scale=14"};
  if (!quick) generators.push_back("random:200000x200000,density=0.00005");
  for (const bench::Input &input :
       bench::matrices(bench::data_folder(count, arguments), generators, 100000, 2000000)) {
    if (input.name.find(only) == std::string::npos) continue;
    bench::Table &table = report.table(
        input.name, fmt::format("y(i) = A(i,j) x(j) in other operators, A = {}", input.name), "ms", 1);
    table.expect("ours / by hand", bench::Better::lower, {{bench::Statistic::greatest, 1.2}});
    Case one(input.matrix);
    for (const bench::HandWritten &semiring : bench::semirings_by_hand())
      one.measure(semiring, budget, table);
    report.finish(table);
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
