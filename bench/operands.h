#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Views of packed tensors, for programs that Unravel's kernels are compared with, and what they give back.
namespace unravel::bench {

/// A matrix by rows or by columns: line k (of `lines`, each `length` places long) has the entries pos[k] to
/// pos[k + 1] of `crd` and `val`, by increasing place.
struct Compressed {
  std::int32_t lines = 0;
  std::int32_t length = 0;
  const std::int32_t *pos = nullptr;
  const std::int32_t *crd = nullptr;
  const double *val = nullptr;

  std::int32_t entries() const { return pos[lines]; }
};

/// A sparse vector: `count` entries by increasing index.
struct Sparse {
  std::int32_t size = 0;
  std::int32_t count = 0;
  const std::int32_t *idx = nullptr;
  const double *val = nullptr;
};

/// A sparse result read back, in any order. Of a vector all columns are 0.
struct Entries {
  std::vector<std::int64_t> row, column;
  std::vector<double> value;

  void append(std::int64_t i, std::int64_t j, double entry) {
    row.push_back(i);
    column.push_back(j);
    value.push_back(entry);
  }
};

/// The kernels of bench_coiteration.
enum class Coiteration {
  spmspv_rows,    // y(i) = A(i,j) * x(j), A by rows
  spmspv_columns, // the same, A by columns
  dot,            // t = a(i) * b(i)
  row_dot,        // y(i) = A(i,j) * B(i,j)
  inner,          // C(i,j) = A(i,k) * B(k,j), B by columns
  triple_dot,     // t = a(i) * b(i) * c(i)
  triple_rows,    // y(i) = A(i,j) * B(i,j) * x(j)
  triangles       // t = L(i,j) * L(j,k) * L(i,k), L strictly lower triangular, all values 1
};

/// The operands of one of them, in the order of the expression, each once. The arrays must outlive this.
struct Operands {
  Coiteration kernel{};
  std::vector<Compressed> matrices;
  std::vector<Sparse> vectors;
  std::size_t result = 1; // elements of the dense result
};

} // namespace unravel::bench
