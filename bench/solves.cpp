// Triangular solves L x = b by rows, on one thread and in wavefronts, against a loop by hand.
//   solves [--threads N] [--data FOLDER] [--budget MS] [--quick] [--json FILE]
// L: the lower triangle of each square matrix, its diagonal made large. Ratios are of the hand-written loop's
// time: above 1 we are faster. "levels": in wavefronts whatever they cost; "auto": where the kernel itself
// finds them wide enough; "packed": `wavefront i packed`, whose inspector copies the rows in the order of
// levels. The inspectors are called once and not part of a solve's time.

#include "kernel.h"
#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

namespace {

using namespace unravel;

const char *const solve = "tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); "
                          "for j in [0,i) { s -= L(i,j)*x(j); } x(i) = s / L(i,i); }";

data::Coordinates lower_triangle(const data::Coordinates &matrix) {
  data::Coordinates lower({matrix.shape[0], matrix.shape[0]});
  for (std::int64_t i = 0; i < matrix.shape[0]; ++i)
    lower.append({i, i}, 4);
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    std::int64_t i = matrix.index[0][k], j = matrix.index[1][k];
    if (i != j) lower.append({std::max(i, j), std::min(i, j)}, 1.0 / 1024);
  }
  return lower;
}

/// What one writes who knows that the diagonal is each row's last entry.
void by_hand(std::int64_t n, const std::int32_t *rowptr, const std::int32_t *col, const double *val,
             const double *b, double *x) {
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = b[i];
    std::int32_t last = rowptr[i + 1] - 1;
    for (std::int32_t p = rowptr[i]; p < last; ++p)
      sum -= val[p] * x[col[p]];
    x[i] = sum / val[last];
  }
}

/// Work per level from which on levels are to be faster than one thread: where `packed auto` takes them.
constexpr double wide = 12000;

void measure(const bench::Input &input, int threads, double budget, bench::Table &table) {
  tensor::Tensor L = bench::pack_as("csr", lower_triangle(input.matrix));
  std::int64_t n = input.matrix.shape[0];
  tensor::Tensor b = bench::pack_as("dense", data::Coordinates({n})), x = b;
  for (double &value : b.array("val").as<double>())
    value = 1;
  std::map<std::string, tensor::Tensor *> tensors = {{"L", &L}, {"b", &b}, {"x", &x}};
  auto kernel = [&](const std::string &schedule, bool always) {
    pipeline::Request request;
    request.expression = solve;
    request.formats = {{"L", "csr"}};
    if (!schedule.empty()) request.schedules = {schedule};
    request.always_parallel = always;
    request.counts = bench::counts({{"L", &L}});
    return std::make_unique<bench::BoundKernel>(request, tensors);
  };
  auto sequential = kernel("", false), levels = kernel("wavefront i", true),
       automatic = kernel("wavefront i", false), packed = kernel("wavefront i packed", true),
       packed_automatic = kernel("wavefront i packed", false);
  for (auto *each : {&levels, &automatic, &packed, &packed_automatic}) {
    (*each)->set_threads(threads);
    (*each)->inspect();
  }
  double inspector = levels->inspect(), packing = packed->inspect();
  auto result = [&] {
    auto values = x.array("val").as<double>();
    return std::vector<double>(values.begin(), values.end());
  };
  auto hand = [&] {
    by_hand(n, L.array("rowptr").as<std::int32_t>().data(), L.array("col").as<std::int32_t>().data(),
            L.array("val").as<double>().data(), b.array("val").as<double>().data(),
            x.array("val").as<double>().data());
  };
  std::vector<bench::Contestant> contestants = {{"hand", hand, result},
                                                {"one thread", [&] { (*sequential)(); }, result},
                                                {"levels", [&] { (*levels)(); }, result},
                                                {"auto", [&] { (*automatic)(); }, result},
                                                {"packed", [&] { (*packed)(); }, result},
                                                {"packed auto", [&] { (*packed_automatic)(); }, result}};
  std::vector<double> expected;
  for (const bench::Contestant &contestant : contestants) {
    contestant.run();
    std::vector<double> got = contestant.result();
    if (expected.empty()) expected = got;
    for (std::size_t k = 0; k < got.size(); ++k)
      if (std::abs(got[k] - expected[k]) > 1e-10 * std::abs(expected[k])) {
        std::fprintf(stderr, "%s: `%s` differs\n", input.name.c_str(), contestant.name.c_str());
        std::exit(1);
      }
  }
  bench::Standings standings = bench::compare(contestants, bench::Timing::wall, budget);
  double count = static_cast<double>(levels->levels().levels()),
         work = static_cast<double>(levels->levels().inspected()), per_level = work / std::max(count, 1.0);
  table.row(input.name, input.matrix.size());
  for (std::size_t k = 0; k < contestants.size(); ++k)
    table.figure(contestants[k].name, standings.milliseconds(k));
  for (std::size_t k = 1; k < contestants.size(); ++k)
    table.ratio("hand / " + contestants[k].name, standings.ratio(0, k));
  table.ratio("one thread / auto", standings.ratio(1, 3));
  table.ratio("one thread / packed auto", standings.ratio(1, 5));
  if (per_level >= wide) {
    table.ratio("one thread / levels, wide", standings.ratio(1, 2));
    table.ratio("one thread / packed, wide", standings.ratio(1, 4));
  }
  table.note("levels", fmt::format("{:.0f}", count));
  table.note("work per level", fmt::format("{:.0f}", per_level));
  table.note("inspector, solves", fmt::format("{:.1f}", inspector / standings.milliseconds(1)));
  table.note("packing, solves", fmt::format("{:.1f}", packing / standings.milliseconds(1)));
  table.print_row();
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_solves");
  int threads = bench::thread_count(count, arguments, "2");
  bool quick = bench::has_option(count, arguments, "quick");
  double budget =
      std::max(1, std::atoi(bench::option(count, arguments, "budget", quick ? "150" : "500").c_str()));
  std::vector<std::string> generators = {"random:100000x100000,entries=1000000", "poisson2d:300x300"};
  if (!quick)
    generators.insert(generators.end(),
                      {"random:1000000x1000000,entries=4000000", "random:20000x20000,entries=2000000",
                       "random:200000x200000,entries=10000000", "rmat:scale=17,edges=16", "fem:30000,block=3",
                       "poisson2d:1000x1000", "poisson3d:100x100x100"});
  bench::Table &table =
      report.table("solves", "L x = b by rows, L in CSR", bench::unit_of(bench::Timing::wall), threads);
  using bench::Better, bench::Statistic;
  for (const char *name : {"one thread", "levels", "auto", "packed", "packed auto"})
    table.expect(std::string("hand / ") + name, Better::higher);
  for (const char *name : {"one thread / auto", "one thread / packed auto"})
    table.expect(name, Better::higher, {{Statistic::least, 0.9}});
  for (const char *name : {"one thread / levels, wide", "one thread / packed, wide"})
    table.expect(name, Better::higher, {{Statistic::least, 1}});
  for (const bench::Input &input :
       bench::matrices(bench::data_folder(count, arguments), generators, 5000, INT32_MAX))
    if (input.matrix.shape[0] == input.matrix.shape[1]) measure(input, threads, budget, table);
  report.finish(table);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
