// y = A x with A in other layouts against A in CSR, both by Unravel, on one matrix at a time.
//   layouts spmv [--threads 1|2] [--pairs N] [--data FOLDER] [--layout NAME] [--quick] [--json FILE]
// The ratio is CSR's time by the layout's: above 1 the layout pays. FOLDER: of .mtx files, for sell<8> and
// sellcs<8> only; also $UNRAVEL_DATA.

#include "kernel.h"
#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace {

using namespace unravel;

/// A layout with matrices that suit it; ratios of CSR's time by the layout's.
struct Suite {
  std::string layout;
  std::vector<bench::Target> targets;
  std::vector<std::string> inputs;
  bool any = false; // the matrices of files too, whether they suit it or not
  std::vector<bench::Target> of_files = {};
};

constexpr auto mean = bench::Statistic::mean, least = bench::Statistic::least;

const std::vector<std::string> grids = {"poisson2d:500x500", "poisson2d:1000x1000", "poisson3d:60x60x60",
                                        "poisson3d:100x100x100"};

std::vector<std::string> grids_and(const std::vector<std::string> &more) {
  std::vector<std::string> all = grids;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::string banded = "banded:100000,width=8", random = "random:200000x200000,entries=1600000";

/// With --quick the first two inputs of each.
const std::vector<Suite> suites = {
    {"bcsr<3,3>", {{mean, 1.3}}, {"fem:8000,block=3", "fem:30000,block=3"}},
    {"bcsr<2,2>", {{mean, 1}}, {"fem:20000,block=2"}},
    {"bcsr<4,4>", {{mean, 1.3}}, {"fem:12000,block=4"}},
    {"symmetric_csr",
     {{mean, 1.2}},
     {"fem:30000,block=3", "fem:60000,block=3", "poisson2d:1000x1000", "poisson3d:100x100x100"}},
    {"dia", {{mean, 1.3}}, grids_and({banded})},
    {"ell", {{mean, 1}, {least, 0.9}}, grids},
    {"sell<8>", {{mean, 1}, {least, 0.9}}, grids_and({banded, random}), true},
    {"sellcs<8>",
     {{mean, 1}, {least, 0.9}},
     grids_and({banded, random, "rmat:scale=17,edges=16", "rmat:scale=18,edges=4"}),
     true,
     {{mean, 1.2}, {least, 0.9}}},
    {"dcsr", {{mean, 1.9}}, {"hypersparse:1000000,rows=60000,edges=4"}},
};

/// Largest difference, relative to the largest element.
double difference(const tensor::Tensor &reference, const tensor::Tensor &found) {
  auto expected = reference.array("val").as<double>();
  auto got = found.array("val").as<double>();
  double largest = 1e-300, off = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    largest = std::max(largest, std::abs(expected[k]));
    double here = std::abs(expected[k] - got[k]);
    off = here > off || std::isnan(here) ? here : off;
  }
  return off / largest;
}

bench::Contest measure(const std::string &layout, const data::Coordinates &matrix, int threads, int pairs) {
  tensor::Tensor rows = bench::pack_as("csr", matrix);
  tensor::Tensor other = bench::pack_as(layout, matrix);
  tensor::Tensor x = bench::pack_as("dense", bench::sparse_vector(matrix.shape[1], 1));
  tensor::Tensor y = bench::pack_as("dense", data::Coordinates({matrix.shape[0]}));
  tensor::Tensor z = y;
  pipeline::Request request;
  request.expression = "y(i) = A(i,j) * x(j)";
  request.formats = {{"A", "csr"}};
  bench::BoundKernel by_rows(request, {{"y", &y}, {"A", &rows}, {"x", &x}});
  request.formats = {{"A", layout}};
  bench::BoundKernel by_layout(request, {{"y", &z}, {"A", &other}, {"x", &x}});
  by_rows.set_threads(threads);
  by_layout.set_threads(threads);
  bench::Contest contest =
      bench::compare([&] { by_rows(); }, [&] { by_layout(); }, pairs, bench::timing_of(threads));
  if (double off = difference(y, z); !(off < 1e-10)) {
    std::fprintf(stderr, "%s: the results differ by %g\n", layout.c_str(), off);
    std::exit(1);
  }
  return contest;
}

void run_suite(bench::Report &report, Suite suite, const std::string &folder, int threads, int pairs,
               bool quick) {
  bench::Table &table = report.table(suite.layout, "y = A x, A in " + suite.layout + " against CSR",
                                     bench::unit_of(bench::timing_of(threads)), threads);
  const std::string on_generated = "csr / " + suite.layout, on_files = on_generated + ", files";
  table.expect(on_generated, bench::Better::higher, suite.targets);
  table.expect(on_files, bench::Better::higher, suite.of_files);
  auto measure_all = [&](const std::vector<bench::Input> &inputs, const std::string &ratio) {
    for (const bench::Input &input : inputs) {
      bench::Contest contest = measure(suite.layout, input.matrix, threads, pairs);
      table.row(input.name, input.matrix.size());
      table.figure("csr", contest.first);
      table.figure(suite.layout, contest.second);
      table.ratio(ratio, contest.ratio);
      table.note("quartiles", fmt::format("{:.3f} to {:.3f}", contest.low, contest.high));
      table.print_row();
    }
  };
  if (quick && suite.inputs.size() > 2) suite.inputs.resize(2);
  measure_all(bench::matrices("", suite.inputs, 50000, INT32_MAX), on_generated);
  if (suite.any) measure_all(bench::matrices(folder, {}, 50000, INT32_MAX), on_files);
  report.finish(table);
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  if (count < 2 || std::string(arguments[1]) != "spmv") {
    std::fprintf(stderr,
                 "usage: %s spmv [--threads 1|2] [--pairs N] [--data FOLDER] [--layout NAME] [--quick] "
                 "[--json FILE]\n",
                 arguments[0]);
    return 2;
  }
  bench::Report report(count, arguments, "bench_layouts");
  std::string only = bench::option(count, arguments, "layout", "");
  bool quick = bench::has_option(count, arguments, "quick");
  int pairs = std::max(1, std::atoi(bench::option(count, arguments, "pairs", quick ? "7" : "21").c_str()));
  for (const Suite &suite : suites)
    if (only.empty() || only == suite.layout)
      run_suite(report, suite, bench::data_folder(count, arguments),
                bench::thread_count(count, arguments, "1"), pairs, quick);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
