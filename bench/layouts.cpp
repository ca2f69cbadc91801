// y = A x with A in other layouts against A in CSR, both by Unravel, on one matrix at a time.
//   layouts spmv [--threads 1|2] [--pairs N] [--data FOLDER] [--layout NAME]
// The ratio is CSR's time by the layout's: above 1 the layout pays. FOLDER: of .mtx files, for sell<8> and
// sellcs<8> only; also $UNRAVEL_DATA.

#include "contest.h"
#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace {

using namespace unravel;

/// A layout with matrices that suit it.
struct Suite {
  std::string layout;
  double target;    // geometric mean of the ratios
  double least;     // no ratio below; 0: none
  bool any = false; // matrices of files too
  std::vector<std::string> inputs;
};

const std::vector<Suite> suites = {
    {"bcsr<3,3>", 1.3, 0, false, {"fem:8000,block=3", "fem:30000,block=3"}},
    {"bcsr<2,2>", 1, 0, false, {"fem:20000,block=2"}},
    {"bcsr<4,4>", 1.3, 0, false, {"fem:12000,block=4"}},
    {"symmetric_csr",
     1.2,
     0,
     false,
     {"fem:30000,block=3", "fem:60000,block=3", "poisson2d:1000x1000", "poisson3d:100x100x100"}},
    {"dia",
     1.3,
     0,
     false,
     {"poisson2d:500x500", "poisson2d:1000x1000", "poisson3d:60x60x60", "poisson3d:100x100x100",
      "banded:100000,width=8"}},
    {"ell",
     1,
     0,
     false,
     {"poisson2d:500x500", "poisson2d:1000x1000", "poisson3d:60x60x60", "poisson3d:100x100x100"}},
    {"sell<8>",
     1,
     0.9,
     true,
     {"poisson2d:500x500", "poisson2d:1000x1000", "poisson3d:60x60x60", "poisson3d:100x100x100",
      "banded:100000,width=8", "random:200000x200000,entries=1600000"}},
    {"sellcs<8>",
     1,
     0.9,
     true,
     {"poisson2d:500x500", "poisson2d:1000x1000", "poisson3d:60x60x60", "poisson3d:100x100x100",
      "banded:100000,width=8", "random:200000x200000,entries=1600000", "rmat:scale=17,edges=16",
      "rmat:scale=18,edges=4"}},
    {"dcsr", 1.9, 0, false, {"hypersparse:1000000,rows=60000,edges=4"}},
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

bench::Contest measure(const std::string &layout, const tensor::Coordinates &matrix, int threads, int pairs) {
  tensor::Tensor rows = bench::pack_as("csr", matrix);
  tensor::Tensor other = bench::pack_as(layout, matrix);
  tensor::Tensor x = bench::pack_as("dense", bench::sparse_vector(matrix.shape[1], 1));
  tensor::Tensor y = bench::pack_as("dense", tensor::Coordinates({matrix.shape[0]}));
  tensor::Tensor z = y;
  pipeline::Request request;
  request.expression = "y(i) = A(i,j) * x(j)";
  request.formats = {{"A", "csr"}};
  bench::BoundKernel by_rows(request, {{"y", &y}, {"A", &rows}, {"x", &x}});
  request.formats = {{"A", layout}};
  bench::BoundKernel by_layout(request, {{"y", &z}, {"A", &other}, {"x", &x}});
  by_rows.set_threads(threads);
  by_layout.set_threads(threads);
  bench::Contest contest = bench::compare([&] { by_rows(); }, [&] { by_layout(); }, pairs,
                                          threads > 1 ? bench::Timing::wall : bench::Timing::cpu);
  if (double off = difference(y, z); !(off < 1e-10)) {
    std::fprintf(stderr, "%s: the results differ by %g\n", layout.c_str(), off);
    std::exit(1);
  }
  return contest;
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  if (count < 2 || std::string(arguments[1]) != "spmv") {
    std::fprintf(stderr, "usage: %s spmv [--threads 1|2] [--pairs N] [--data FOLDER] [--layout NAME]\n",
                 arguments[0]);
    return 2;
  }
  const char *environment = std::getenv("UNRAVEL_DATA");
  std::string folder = bench::option(count, arguments, "data", environment ? environment : "");
  std::string only = bench::option(count, arguments, "layout", "");
  int pairs = std::max(1, std::atoi(bench::option(count, arguments, "pairs", "21").c_str()));
  int threads = std::clamp(std::atoi(bench::option(count, arguments, "threads", "1").c_str()), 1, 64);
  fmt::print("{:<14} {:<38} {:>9} {:>9} {:>9} {:>10}  {}\n", "layout", "input", "entries", "csr ms",
             "layout ms", "csr/layout", "quartiles");
  for (const Suite &suite : suites) {
    if (!only.empty() && only != suite.layout) continue;
    std::vector<double> ratios;
    for (const bench::Input &input :
         bench::matrices(suite.any ? folder : "", suite.inputs, 50000, INT32_MAX)) {
      bench::Contest contest = measure(suite.layout, input.matrix, threads, pairs);
      ratios.push_back(contest.ratio);
      fmt::print("{:<14} {:<38} {:>9} {:>9.4f} {:>9.4f} {:>10.3f}  {:.3f} to {:.3f}\n", suite.layout,
                 input.name, input.matrix.size(), contest.first, contest.second, contest.ratio, contest.low,
                 contest.high);
      std::fflush(stdout);
    }
    fmt::print("{:<14} geometric mean {:.2f} (target {}), least {:.2f}", suite.layout,
               bench::geometric_mean(ratios), suite.target, *std::min_element(ratios.begin(), ratios.end()));
    fmt::print("{}\n", suite.least > 0 ? fmt::format(" (target {})", suite.least) : "");
  }
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
