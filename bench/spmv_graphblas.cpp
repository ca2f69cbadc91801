#include "spmv_peers.h"

#include "graphblas.h"

#include <memory>

namespace unravel::bench {

namespace {

using namespace graphblas;

class Product {
public:
  Product(const Compressed &a, const std::vector<double> &x)
      : rows_(static_cast<GrB_Index>(a.lines)), columns_(static_cast<GrB_Index>(a.length)) {
    require(GrB_Matrix_new(&a_, GrB_FP64, rows_, columns_));
    require(GxB_Matrix_Option_set(a_, GxB_FORMAT, GxB_BY_ROW));
    std::vector<GrB_Index> row, column;
    for (std::int32_t k = 0; k < a.lines; ++k)
      for (std::int32_t p = a.pos[k]; p < a.pos[k + 1]; ++p) {
        row.push_back(static_cast<GrB_Index>(k));
        column.push_back(static_cast<GrB_Index>(a.crd[p]));
      }
    require(GrB_Matrix_build_FP64(a_, row.data(), column.data(), a.val, row.size(), GrB_PLUS_FP64));
    require(GrB_Matrix_wait(a_, GrB_MATERIALIZE));
    x_ = full(columns_);
    for (GrB_Index j = 0; j < columns_; ++j)
      require(GrB_Vector_setElement_FP64(x_, x[j], j));
    require(GrB_Vector_wait(x_, GrB_MATERIALIZE));
    y_ = full(rows_);
  }
  Product(const Product &) = delete;
  Product &operator=(const Product &) = delete;
  ~Product() {
    GrB_Matrix_free(&a_);
    GrB_Vector_free(&x_);
    GrB_Vector_free(&y_);
  }

  /// y = A x, or y += A x.
  void run(bool adds) const {
    GrB_BinaryOp plus = adds ? GrB_PLUS_FP64 : nullptr;
    require(GrB_mxv(y_, nullptr, plus, GrB_PLUS_TIMES_SEMIRING_FP64, a_, x_, nullptr));
    require(GrB_Vector_wait(y_, GrB_MATERIALIZE));
  }

  void clear() const {
    require(GrB_Vector_assign_FP64(y_, nullptr, nullptr, 0, GrB_ALL, rows_, nullptr));
    require(GrB_Vector_wait(y_, GrB_MATERIALIZE));
  }

  std::vector<double> result() const {
    GrB_Index entries = rows_;
    std::vector<GrB_Index> index(rows_);
    std::vector<double> value(rows_), dense(rows_);
    require(GrB_Vector_extractTuples_FP64(index.data(), value.data(), &entries, y_));
    for (GrB_Index e = 0; e < entries; ++e)
      dense[index[e]] = value[e];
    return dense;
  }

private:
  static GrB_Vector full(GrB_Index size) {
    GrB_Vector made = nullptr;
    require(GrB_Vector_new(&made, GrB_FP64, size));
    require(GrB_Vector_assign_FP64(made, nullptr, nullptr, 0, GrB_ALL, size, nullptr));
    require(GrB_Vector_wait(made, GrB_MATERIALIZE));
    return made;
  }

  GrB_Index rows_, columns_;
  GrB_Matrix a_ = nullptr;
  GrB_Vector x_ = nullptr, y_ = nullptr;
};

} // namespace

std::vector<Contestant> graphblas_spmv(const Compressed &a, const std::vector<double> &x, int threads) {
  begin(threads);
  auto product = std::make_shared<Product>(a, x);
  auto sum = [=] {
    product->clear();
    product->run(true);
    return product->result();
  };
  auto set = [=] {
    product->run(false);
    return product->result();
  };
  return {{"GrB y+=Ax", [=] { product->run(true); }, sum}, {"GrB y=Ax", [=] { product->run(false); }, set}};
}

} // namespace unravel::bench
