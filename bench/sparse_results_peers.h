#pragma once

#include "operands.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// What a user would run instead of Unravel's kernels with sparse results.
namespace unravel::bench {

/// The kernels of bench_sparse_results.
enum class SparseResult {
  product,       // C(i,j) = A(i,k) * B(k,j), all by rows
  unsorted,      // the same, the columns of C's rows in any order
  values,        // C(i,j) = S(i,j) * A(i,k) * B(k,j): the entries of A * B are those of S, whose values are 1
  sum,           // C(i,j) = A1(i,j) + A2(i,j) + ...
  elementwise,   // C(i,j) = A(i,j) * B(i,j)
  triple,        // C(i,l) = R(i,j) * A(j,k) * P(k,l)
  transposition, // C(i,j) = A(i,j), A by rows, C by columns
  columns        // y(i) = A(i,j) * x(j), A by columns, x and y sparse
};

/// The operands of one of them, in the order of the expression; the same arrays twice for A * A. The arrays
/// must outlive this.
struct SparseOperands {
  SparseResult kernel{};
  std::vector<Compressed> matrices;
  std::vector<Sparse> vectors;

  /// The first matrix that is the same arrays as matrix k: one copy does for both.
  std::size_t same_as(std::size_t k) const {
    std::size_t first = 0;
    while (matrices[first].val != matrices[k].val)
      ++first;
    return first;
  }
};

/// One of several programs that compute the same. Each run takes memory for its result, and gives back that
/// of the run before.
struct SparseContestant {
  std::string name;
  std::function<void()> run;
  std::function<Entries()> entries; // of the last run
};

/// Eigen, where the benchmark was built with it. It runs none of these on several threads.
std::vector<SparseContestant> eigen_results(const SparseOperands &operands);

/// SuiteSparse:GraphBLAS, where the benchmark was built with it. Each run waits for its result, which is
/// sorted then, but for `unsorted`.
std::vector<SparseContestant> graphblas_results(const SparseOperands &operands, int threads);

} // namespace unravel::bench
