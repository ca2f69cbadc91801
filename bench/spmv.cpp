// y = A x, A in CSR with int32 indices, x and y dense, one thread: Unravel against Eigen, on the same arrays.
//   spmv [--data FOLDER] [--pairs N]      FOLDER: of .mtx files; also $UNRAVEL_DATA
// Targets: geometric mean at most 1.05x Eigen's time, no input above 1.2x.

#include "contest.h"
#include "kernel.h"
#include "tensor/generate.h"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace {

using namespace unravel;
using EigenMatrix = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;

template <class T> T *elements(tensor::Tensor &tensor, const char *array) {
  return static_cast<T *>(tensor.array(array).data());
}

/// Largest difference, relative to the largest element: the two sum in different orders.
double difference(const Eigen::VectorXd &reference, const double *found) {
  Eigen::Map<const Eigen::VectorXd> other(found, reference.size());
  return (reference - other).cwiseAbs().maxCoeff() / std::max(1e-300, reference.cwiseAbs().maxCoeff());
}

bench::Contest measure(const tensor::Coordinates &matrix, int pairs) {
  tensor::Tensor a = bench::pack_as("csr", matrix);
  tensor::Tensor x = bench::pack_as("dense", bench::sparse_vector(matrix.shape[1], 1));
  tensor::Tensor y = bench::pack_as("dense", tensor::Coordinates({matrix.shape[0]}));
  pipeline::Request request;
  request.expression = "y(i) = A(i,j) * x(j)";
  request.formats = {{"A", "csr"}};
  bench::BoundKernel ours(request, {{"y", &y}, {"A", &a}, {"x", &x}});

  EigenMatrix eigen_a(matrix.shape[0], matrix.shape[1], static_cast<Eigen::Index>(a.array("val").size()),
                      elements<int>(a, "rowptr"), elements<int>(a, "col"), elements<double>(a, "val"));
  Eigen::Map<const Eigen::VectorXd> eigen_x(elements<double>(x, "val"), matrix.shape[1]);
  Eigen::VectorXd eigen_y(matrix.shape[0]);

  bench::Contest contest =
      bench::compare([&] { ours(); }, [&] { eigen_y.noalias() = eigen_a * eigen_x; }, pairs);
  if (double off = difference(eigen_y, elements<double>(y, "val")); !(off < 1e-10)) {
    std::fprintf(stderr, "the results differ by %g\n", off);
    std::exit(1);
  }
  return contest;
}

} // namespace

int main(int count, char **arguments) try {
  bench::keep_memory();
  const char *environment = std::getenv("UNRAVEL_DATA");
  std::string folder = bench::option(count, arguments, "data", environment ? environment : "");
  int pairs = std::max(1, std::atoi(bench::option(count, arguments, "pairs", "31").c_str()));
  std::vector<bench::Input> inputs = bench::matrices(
      folder,
      {"poisson2d:500x500", "poisson3d:60x60x60", "fem:8000,block=3", "rmat:scale=16,edges=16",
       "banded:100000,width=8", "random:200000x200000,entries=1600000", "random:20000x20000,entries=400000",
       "hypersparse:1000000,rows=60000,edges=4"},
      50000, INT32_MAX);
  fmt::print("{:<42} {:>9} {:>10} {:>10} {:>7}  {}\n", "input", "entries", "ours ms", "Eigen ms", "ratio",
             "quartiles");
  std::vector<double> ratios;
  for (const bench::Input &input : inputs) {
    bench::Contest contest = measure(input.matrix, pairs);
    ratios.push_back(contest.ratio);
    fmt::print("{:<42} {:>9} {:>10.4f} {:>10.4f} {:>7.3f}  {:.3f} to {:.3f}\n", input.name,
               input.matrix.size(), contest.first, contest.second, contest.ratio, contest.low, contest.high);
    std::fflush(stdout);
  }
  fmt::print("geometric mean {:.3f} (target 1.05), greatest {:.3f} (target 1.2)\n",
             bench::geometric_mean(ratios), *std::max_element(ratios.begin(), ratios.end()));
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
