#pragma once

#include "operands.h"

#include <Eigen/SparseCore>
#include <cstdint>

/// What contestants that are Eigen share: its sparse types with 32-bit indices, copies of operands in them,
/// results read back.
namespace unravel::bench::eigen {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;
using Columns = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;
using Vector = Eigen::SparseVector<double, Eigen::ColMajor, std::int32_t>;

inline Rows rows(const Compressed &a) {
  return Eigen::Map<const Rows>(a.lines, a.length, a.entries(), a.pos, a.crd, a.val);
}

inline Columns columns(const Compressed &a) {
  return Eigen::Map<const Columns>(a.length, a.lines, a.entries(), a.pos, a.crd, a.val);
}

inline Vector vector(const Sparse &x) {
  Vector result(x.size);
  result.reserve(x.count);
  for (std::int32_t p = 0; p < x.count; ++p)
    result.insertBack(x.idx[p]) = x.val[p];
  return result;
}

/// Of a matrix of either order, or a vector.
template <class Any> Entries entries(const Any &sparse) {
  Entries found;
  for (Eigen::Index k = 0; k < sparse.outerSize(); ++k)
    for (typename Any::InnerIterator at(sparse, k); at; ++at)
      found.append(at.row(), at.col(), at.value());
  return found;
}

} // namespace unravel::bench::eigen
