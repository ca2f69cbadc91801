// y = A x, A in CSR with int32 indices, x and y dense: Unravel against Eigen, SuiteSparse:GraphBLAS and
// librsb.
//   spmv [--data FOLDER] [--threads 1|2|both] [--budget MS] [--only TEXT] [--quick] [--json FILE]
// FOLDER: of .mtx files; also $UNRAVEL_DATA. Targets, of ours / the best peer of each input: geometric mean
// at most 0.9, none above 1.1.

#include "kernel.h"
#include "report.h"
#include "spmv_peers.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

using namespace unravel;
using bench::Contestant;

/// Generated inputs: rows of 5, 7, 27 (by 3 x 3 blocks), 16 (by a power law), 17, 8, 20 entries; 6 % of the
/// rows with 4 each.
const std::vector<std::string> generators = {"poisson2d:500x500",
                                             "poisson3d:60x60x60",
                                             "fem:8000,block=3",
                                             "rmat:scale=16,edges=16",
                                             "banded:100000,width=8",
                                             "random:200000x200000,entries=1600000",
                                             "random:20000x20000,entries=400000",
                                             "hypersparse:1000000,rows=60000,edges=4"};

/// With --quick.
const std::vector<std::string> few_generators = {"poisson2d:500x500", "fem:8000,block=3",
                                                 "random:20000x20000,entries=400000",
                                                 "hypersparse:1000000,rows=60000,edges=4"};

/// Untimed runs before a timed one: from the third or fourth on they take the same time.
constexpr int warming = 5;

/// The matrix and x, packed, and y for our kernels.
struct Case {
  tensor::Tensor a, x, y;

  explicit Case(const data::Coordinates &matrix)
      : a(bench::pack_as("csr", matrix)),
        x(bench::pack_as("dense", bench::sparse_vector(matrix.shape[1], 1))),
        y(bench::pack_as("dense", data::Coordinates({matrix.shape[0]}))) {}

  bench::Compressed rows() {
    return {static_cast<std::int32_t>(y.array("val").size()),
            static_cast<std::int32_t>(x.array("val").size()), a.array("rowptr").as<std::int32_t>().data(),
            a.array("col").as<std::int32_t>().data(), a.array("val").as<double>().data()};
  }
};

/// Our kernel, told the counts of the data, as `unravel run` does, or not.
Contestant ours(Case &one, bool counts_are_known, int threads) {
  pipeline::Request request;
  request.expression = "y(i) = A(i,j) * x(j)";
  request.formats = {{"A", "csr"}};
  if (counts_are_known) request.counts = bench::counts({{"y", &one.y}, {"A", &one.a}, {"x", &one.x}});
  auto kernel = std::make_shared<bench::BoundKernel>(
      request, std::map<std::string, tensor::Tensor *>{{"y", &one.y}, {"A", &one.a}, {"x", &one.x}});
  kernel->set_threads(threads);
  auto values = one.y.array("val").as<double>();
  return {counts_are_known ? "ours" : "no counts", [kernel] { (*kernel)(); },
          [values] { return std::vector<double>(values.begin(), values.end()); }};
}

std::vector<Contestant> peers(Case &one, [[maybe_unused]] int threads) {
  [[maybe_unused]] bench::Compressed rows = one.rows();
  auto values = one.x.array("val").as<double>();
  std::vector<double> x(values.begin(), values.end());
  std::vector<Contestant> found;
  [[maybe_unused]] auto add = [&](const std::vector<Contestant> &more) {
    found.insert(found.end(), more.begin(), more.end());
  };
#ifdef UNRAVEL_BENCH_EIGEN
  add(bench::eigen_spmv(rows, x, threads));
#endif
#ifdef UNRAVEL_BENCH_GRAPHBLAS
  add(bench::graphblas_spmv(rows, x, threads));
#endif
#ifdef UNRAVEL_BENCH_LIBRSB
  add(bench::librsb_spmv(rows, x, threads));
#endif
  return found;
}

/// Stops where a contestant's result isn't the product, as it is written down here.
void check(Case &one, const std::vector<Contestant> &contestants, const std::string &input) {
  bench::Compressed a = one.rows();
  auto x = one.x.array("val").as<double>();
  std::vector<double> expected, magnitude;
  for (std::int32_t i = 0; i < a.lines; ++i) {
    double sum = 0, absolute = 0;
    for (std::int32_t p = a.pos[i]; p < a.pos[i + 1]; ++p) {
      double product = a.val[p] * x[static_cast<std::size_t>(a.crd[p])];
      sum += product;
      absolute += std::abs(product);
    }
    expected.push_back(sum);
    magnitude.push_back(absolute);
  }
  for (const Contestant &contestant : contestants) {
    contestant.run();
    std::vector<double> found = contestant.result();
    bool same = found.size() == expected.size();
    for (std::size_t i = 0; same && i < found.size(); ++i)
      same = std::abs(found[i] - expected[i]) <= 1e-12 * magnitude[i];
    if (same) continue;
    std::fprintf(stderr, "%s: the result of %s is wrong\n", input.c_str(), contestant.name.c_str());
    std::exit(1);
  }
}

void run_table(bench::Report &report, const std::vector<bench::Input> &inputs, int threads, double budget) {
  bench::Timing timing = bench::timing_of(threads);
  bench::Table &table = report.table("spmv", "y = A x, A in CSR", bench::unit_of(timing), threads);
  for (const char *ratio : {"ours / best peer", "no counts / best peer"})
    table.expect(ratio, bench::Better::lower,
                 {{bench::Statistic::mean, 0.9}, {bench::Statistic::greatest, 1.1}});
  for (const bench::Input &input : inputs) {
    Case one(input.matrix);
    std::vector<Contestant> all = {ours(one, true, threads), ours(one, false, threads)};
    check(one, {all[0]}, input.name);
    std::vector<Contestant> others = peers(one, threads);
    all.insert(all.end(), others.begin(), others.end());
    check(one, all, input.name);
    bench::Standings standings = bench::compare(all, timing, budget, warming);
    table.row(input.name, input.matrix.size());
    for (std::size_t k = 0; k < all.size(); ++k)
      table.figure(all[k].name, standings.milliseconds(k));
    std::size_t best = 2;
    for (std::size_t k = 2; k < all.size(); ++k)
      if (standings.ratio(0, k) > standings.ratio(0, best)) best = k;
    if (best < all.size()) {
      table.ratio("ours / best peer", standings.ratio(0, best));
      table.ratio("no counts / best peer", standings.ratio(1, best));
      table.note("best peer", all[best].name);
    }
    table.print_row();
  }
  report.finish(table);
}

} // namespace

int main(int count, char **arguments) try {
  bench::let_threads_sleep(arguments);
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_spmv");
  bool quick = bench::has_option(count, arguments, "quick");
  double budget = std::atof(bench::option(count, arguments, "budget", quick ? "100" : "400").c_str());
  std::string only = bench::option(count, arguments, "only", "");
  std::vector<bench::Input> inputs = bench::matrices(bench::data_folder(count, arguments),
                                                     quick ? few_generators : generators, 50000, INT32_MAX);
  std::erase_if(inputs,
                [&](const bench::Input &input) { return input.name.find(only) == std::string::npos; });
  for (int threads : bench::thread_counts(count, arguments))
    run_table(report, inputs, threads, budget);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
