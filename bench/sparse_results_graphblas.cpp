#include "sparse_results_peers.h"

#include "graphblas.h"

#include <memory>

namespace unravel::bench {

namespace {

using namespace graphblas;

using SharedMatrix = std::shared_ptr<Matrix>;

/// Copies of the operands by rows.
std::vector<SharedMatrix> by_rows(const SparseOperands &o) {
  std::vector<SharedMatrix> copies;
  for (std::size_t k = 0; k < o.matrices.size(); ++k)
    copies.push_back(o.same_as(k) < k ? copies[o.same_as(k)]
                                      : std::make_shared<Matrix>(o.matrices[k], true, GxB_BY_ROW));
  return copies;
}

/// Kept as lists of entries whatever its density, as the other contestants' results.
SharedMatrix result(std::int32_t rows, std::int32_t columns, GxB_Format_Value format = GxB_BY_ROW) {
  auto made = std::make_shared<Matrix>(Matrix::extent(rows), Matrix::extent(columns), format);
  require(GxB_Matrix_Option_set(*made, GxB_SPARSITY_CONTROL, lists));
  return made;
}

void multiply(const Matrix &c, const Matrix &a, const Matrix &b) {
  require(GrB_mxm(c, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, a, b, nullptr));
}

SparseContestant contestant(const std::string &name, SharedMatrix c, const std::function<void()> &run) {
  return {name, run, [=] { return c->entries(); }};
}

SparseContestant product(SharedMatrix a, SharedMatrix b, SharedMatrix c, bool sorted) {
  // The product is there when the call returns; waiting sorts its rows.
  return contestant("GrB A*B", c, [=] {
    multiply(*c, *a, *b);
    if (sorted) c->wait();
  });
}

SparseContestant product(const SparseOperands &o, bool sorted) {
  std::vector<SharedMatrix> m = by_rows(o);
  return product(m[0], m[1], result(o.matrices[0].lines, o.matrices[1].length), sorted);
}

/// With a mask of the entries, and without.
std::vector<SparseContestant> known_entries(const SparseOperands &o) {
  std::vector<SharedMatrix> m = by_rows(o); // the mask first
  auto fresh = [&] { return result(o.matrices[0].lines, o.matrices[0].length); };
  SharedMatrix c = fresh();
  auto masked = [=] {
    require(GrB_mxm(*c, *m[0], nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, *m[1], *m[2], GrB_DESC_S));
    c->wait();
  };
  return {contestant("GrB C<S>", c, masked), product(m[1], m[2], fresh(), true)};
}

SparseContestant sum(const SparseOperands &o) {
  std::vector<SharedMatrix> m = by_rows(o);
  SharedMatrix c = result(o.matrices[0].lines, o.matrices[0].length);
  return contestant("GrB A+B", c, [=] {
    for (std::size_t k = 1; k < m.size(); ++k) {
      const Matrix &before = k == 1 ? *m[0] : *c;
      require(GrB_Matrix_eWiseAdd_BinaryOp(*c, nullptr, nullptr, GrB_PLUS_FP64, before, *m[k], nullptr));
    }
    c->wait();
  });
}

SparseContestant elementwise(const SparseOperands &o) {
  std::vector<SharedMatrix> m = by_rows(o);
  SharedMatrix c = result(o.matrices[0].lines, o.matrices[0].length);
  return contestant("GrB A.*B", c, [=] {
    require(GrB_Matrix_eWiseMult_BinaryOp(*c, nullptr, nullptr, GrB_TIMES_FP64, *m[0], *m[1], nullptr));
    c->wait();
  });
}

SparseContestant triple(const SparseOperands &o, bool left_first) {
  std::vector<SharedMatrix> m = by_rows(o);
  SharedMatrix first = left_first ? result(o.matrices[0].lines, o.matrices[1].length)
                                  : result(o.matrices[1].lines, o.matrices[2].length);
  SharedMatrix c = result(o.matrices[0].lines, o.matrices[2].length);
  return contestant(left_first ? "GrB (RA)P" : "GrB R(AP)", c, [=] {
    multiply(*first, *m[left_first ? 0 : 1], *m[left_first ? 1 : 2]);
    multiply(*c, left_first ? *first : *m[0], left_first ? *m[2] : *first);
    c->wait();
  });
}

/// By columns from a matrix by rows: the format of the result makes it a conversion.
SparseContestant conversion(const SparseOperands &o) {
  std::vector<SharedMatrix> m = by_rows(o);
  SharedMatrix c = result(o.matrices[0].lines, o.matrices[0].length, GxB_BY_COL);
  return contestant("GrB C=A", c, [=] {
    require(GrB_Matrix_apply(*c, nullptr, nullptr, GrB_IDENTITY_FP64, *m[0], nullptr));
    c->wait();
  });
}

SparseContestant product_with_vector(const SparseOperands &o) {
  auto a = std::make_shared<Matrix>(o.matrices[0], false, GxB_BY_COL);
  auto x = std::make_shared<Vector>(o.vectors[0]);
  auto y = std::make_shared<Vector>(Matrix::extent(o.matrices[0].length));
  require(GxB_Vector_Option_set(*y, GxB_SPARSITY_CONTROL, lists));
  return {"GrB A*x",
          [=] {
            require(GrB_mxv(*y, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, *a, *x, nullptr));
            y->wait();
          },
          [=] { return y->entries(); }};
}

} // namespace

std::vector<SparseContestant> graphblas_results(const SparseOperands &o, int threads) {
  begin(threads);
  switch (o.kernel) {
  case SparseResult::product: return {product(o, true)};
  case SparseResult::unsorted: return {product(o, false)};
  case SparseResult::values: return known_entries(o);
  case SparseResult::sum: return {sum(o)};
  case SparseResult::elementwise: return {elementwise(o)};
  case SparseResult::triple: return {triple(o, true), triple(o, false)};
  case SparseResult::transposition: return {conversion(o)};
  case SparseResult::columns: return {product_with_vector(o)};
  }
  return {};
}

} // namespace unravel::bench
