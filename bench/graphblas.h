#pragma once

extern "C" {
#include <GraphBLAS.h>
}

#include "operands.h"

#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>
#include <vector>

/// What all contestants that are GraphBLAS share.
namespace unravel::bench::graphblas {

inline void require(GrB_Info info) {
  if (info != GrB_SUCCESS)
    throw std::runtime_error(fmt::format("GraphBLAS returned {}", static_cast<int>(info)));
}

/// GraphBLAS is set up once per process; it takes that many threads from now on.
inline void begin(int threads) {
  static const bool begun = [] {
    require(GrB_init(GrB_NONBLOCKING));
    std::atexit([] { GrB_finalize(); });
    return true;
  }();
  static_cast<void>(begun);
  require(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads));
}

/// How operands are kept: as lists of entries. Left to itself GraphBLAS makes a bitmap or a full array of a
/// denser one when it is imported, a conversion that isn't timed and that others don't get.
inline constexpr int lists = GxB_SPARSE + GxB_HYPERSPARSE;

class Matrix {
public:
  Matrix(GrB_Index rows, GrB_Index columns, GxB_Format_Value format)
      : Matrix(GrB_FP64, rows, columns, format) {}
  Matrix(GrB_Type type, GrB_Index rows, GrB_Index columns, GxB_Format_Value format) {
    require(GrB_Matrix_new(&handle_, type, rows, columns));
    require(GxB_Matrix_Option_set(handle_, GxB_FORMAT, format));
  }
  /// A copy, stored by rows or by columns, whichever way the lines of `a` run.
  Matrix(const Compressed &a, bool lines_are_rows, GxB_Format_Value format)
      : Matrix(extent(lines_are_rows ? a.lines : a.length), extent(lines_are_rows ? a.length : a.lines),
               format) {
    require(GxB_Matrix_Option_set(handle_, GxB_SPARSITY_CONTROL, lists));
    std::vector<GrB_Index> line, place;
    for (std::int32_t k = 0; k < a.lines; ++k)
      for (std::int32_t p = a.pos[k]; p < a.pos[k + 1]; ++p) {
        line.push_back(extent(k));
        place.push_back(extent(a.crd[p]));
      }
    const auto &row = lines_are_rows ? line : place;
    const auto &column = lines_are_rows ? place : line;
    require(GrB_Matrix_build_FP64(handle_, row.data(), column.data(), a.val, line.size(), GrB_PLUS_FP64));
    wait();
  }
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;
  ~Matrix() { GrB_Matrix_free(&handle_); }

  operator GrB_Matrix() const { return handle_; }
  void wait() const { require(GrB_Matrix_wait(handle_, GrB_MATERIALIZE)); }

  Entries entries() const {
    GrB_Index count = 0;
    require(GrB_Matrix_nvals(&count, handle_));
    std::vector<GrB_Index> row(count), column(count);
    std::vector<double> value(count);
    require(GrB_Matrix_extractTuples_FP64(row.data(), column.data(), value.data(), &count, handle_));
    return {{row.begin(), row.end()}, {column.begin(), column.end()}, std::move(value)};
  }

  /// Row-major.
  std::vector<double> dense() const {
    GrB_Index rows = 0, columns = 0;
    require(GrB_Matrix_nrows(&rows, handle_));
    require(GrB_Matrix_ncols(&columns, handle_));
    std::vector<double> result(rows * columns);
    Entries all = entries();
    for (std::size_t e = 0; e < all.value.size(); ++e) {
      auto row = static_cast<GrB_Index>(all.row[e]), column = static_cast<GrB_Index>(all.column[e]);
      result[row * columns + column] = all.value[e];
    }
    return result;
  }

  static GrB_Index extent(std::int32_t value) { return static_cast<GrB_Index>(value); }

private:
  GrB_Matrix handle_ = nullptr;
};

class Vector {
public:
  explicit Vector(GrB_Index size) : Vector(GrB_FP64, size) {}
  Vector(GrB_Type type, GrB_Index size) { require(GrB_Vector_new(&handle_, type, size)); }
  explicit Vector(const Sparse &x) : Vector(Matrix::extent(x.size)) {
    require(GxB_Vector_Option_set(handle_, GxB_SPARSITY_CONTROL, lists));
    std::vector<GrB_Index> index(x.idx, x.idx + x.count);
    require(GrB_Vector_build_FP64(handle_, index.data(), x.val, index.size(), GrB_PLUS_FP64));
    wait();
  }
  Vector(const Vector &) = delete;
  Vector &operator=(const Vector &) = delete;
  ~Vector() { GrB_Vector_free(&handle_); }

  operator GrB_Vector() const { return handle_; }
  void wait() const { require(GrB_Vector_wait(handle_, GrB_MATERIALIZE)); }

  Entries entries() const {
    GrB_Index count = 0;
    require(GrB_Vector_nvals(&count, handle_));
    std::vector<GrB_Index> index(count);
    std::vector<double> value(count);
    require(GrB_Vector_extractTuples_FP64(index.data(), value.data(), &count, handle_));
    return {{index.begin(), index.end()}, std::vector<std::int64_t>(count), std::move(value)};
  }

  std::vector<double> dense() const {
    GrB_Index size = 0;
    require(GrB_Vector_size(&size, handle_));
    std::vector<double> result(size);
    Entries all = entries();
    for (std::size_t e = 0; e < all.value.size(); ++e)
      result[static_cast<std::size_t>(all.row[e])] = all.value[e];
    return result;
  }

private:
  GrB_Vector handle_ = nullptr;
};

} // namespace unravel::bench::graphblas
