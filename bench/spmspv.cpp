// y = A x, A in CSR, x sparse, y dense, int32 indices, one thread: Unravel against a hand-written conjunctive
// merge (two pointers walk over a row and over x, as in "The tensor algebra compiler", OOPSLA 2017), on the
// same arrays.
//   spmspv [--data FOLDER] [--pairs N] [--quick] [--json FILE]
// FOLDER: of .mtx files; also $UNRAVEL_DATA.
// Target: with sequential iteration at least 1.5x faster than the merge, geometric mean. `auto` is what
// Unravel chooses by itself; `scan` is the fallback where nothing was proved, for the record, on the smallest
// inputs.

#include "kernel.h"
#include "merge.h"
#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace {

using namespace unravel;

template <class T> T *elements(tensor::Tensor &tensor, const char *array) {
  return static_cast<T *>(tensor.array(array).data());
}

class Case {
public:
  Case(const data::Coordinates &matrix, double density)
      : a_(bench::pack_as("csr", matrix)),
        x_(bench::pack_as("sv", bench::sparse_vector(matrix.shape[1], density))),
        y_(bench::pack_as("dense", data::Coordinates({matrix.shape[0]}))),
        reference_(static_cast<std::size_t>(matrix.shape[0])) {}

  /// Unravel with the method (empty: its own choice) against the merge.
  bench::Contest measure(const std::string &method, int pairs) {
    pipeline::Request request;
    request.expression = "y(i) = A(i,j) * x(j)";
    request.formats = {{"A", "csr"}, {"x", "sv"}};
    if (!method.empty()) request.finds = {"x=" + method};
    // What `unravel run` tells of the data. It may lead to loops over x, which then is not found but walked
    // over.
    if (method.empty()) request.counts = bench::counts({{"A", &a_}, {"x", &x_}});
    bench::BoundKernel ours(request, {{"y", &y_}, {"A", &a_}, {"x", &x_}});
    bench::Contest contest = bench::compare([&] { ours(); }, [&] { merge(); }, pairs);
    check();
    return contest;
  }

private:
  double rows() const { return static_cast<double>(reference_.size()); }

  void merge() {
    bench::Compressed a{static_cast<std::int32_t>(rows()), static_cast<std::int32_t>(x_.shape()[0]),
                        elements<std::int32_t>(a_, "rowptr"), elements<std::int32_t>(a_, "col"),
                        elements<double>(a_, "val")};
    bench::Sparse x{a.length, static_cast<std::int32_t>(x_.array("val").size()),
                    elements<std::int32_t>(x_, "idx"), elements<double>(x_, "val")};
    bench::merge_spmspv(a, x, reference_.data(), 1);
  }

  void check() {
    const double *found = elements<double>(y_, "val");
    for (std::size_t i = 0; i < reference_.size(); ++i)
      if (!(std::abs(found[i] - reference_[i]) <= 1e-10 * std::max(1.0, std::abs(reference_[i])))) {
        std::fprintf(stderr, "row %zu: %g is not %g\n", i, found[i], reference_[i]);
        std::exit(1);
      }
  }

  tensor::Tensor a_, x_, y_;
  std::vector<double> reference_;
};

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  bench::Report report(count, arguments, "bench_spmspv");
  bool quick = bench::has_option(count, arguments, "quick");
  int pairs = std::max(1, std::atoi(bench::option(count, arguments, "pairs", quick ? "3" : "11").c_str()));
  // A merge takes rows * entries of x steps: larger inputs would take minutes.
  std::vector<std::string> generators = {"poisson2d:150x150", "fem:4000,block=3", "banded:20000,width=8"};
  if (!quick)
    generators.insert(generators.end(),
                      {"poisson3d:25x25x25", "rmat:scale=14,edges=16", "random:12000x12000,entries=876000",
                       "random:50000x50000,entries=400000"});
  std::vector<bench::Input> inputs =
      bench::matrices(bench::data_folder(count, arguments), generators, 50000, 50000);
  bench::Table &table =
      report.table("spmspv", "y = A x, A in CSR, x sparse", bench::unit_of(bench::Timing::cpu), 1);
  table.expect("merge / seq", bench::Better::higher, {{bench::Statistic::mean, 1.5}});
  for (const char *ratio : {"merge / auto", "merge / scan"})
    table.expect(ratio, bench::Better::higher);
  for (const bench::Input &input : inputs)
    for (double density : {1e-3, 1e-2, 1e-1}) {
      Case one(input.matrix, density);
      bench::Contest seq = one.measure("seq", pairs), own = one.measure("", pairs);
      table.row(fmt::format("{} @ {:g}", input.name, density), input.matrix.size());
      table.figure("merge", seq.second);
      table.figure("seq", seq.first);
      table.figure("auto", own.first);
      table.ratio("merge / seq", 1 / seq.ratio);
      table.ratio("merge / auto", 1 / own.ratio);
      double steps =
          static_cast<double>(input.matrix.size()) * static_cast<double>(input.matrix.shape[1]) * density;
      if (steps < 1e8) table.ratio("merge / scan", 1 / one.measure("scan", std::min(pairs, 5)).ratio);
      table.print_row();
    }
  report.finish(table);
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
