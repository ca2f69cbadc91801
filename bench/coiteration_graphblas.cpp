#include "coiteration_peers.h"

#include "graphblas.h"

#include <memory>
#include <utility>

namespace unravel::bench {

namespace {

using namespace graphblas;

using SharedMatrix = std::shared_ptr<Matrix>;
using SharedVector = std::shared_ptr<Vector>;

SharedMatrix by_rows(const Compressed &a) {
  return std::make_shared<Matrix>(a, true, GxB_BY_ROW);
}

SharedVector vector(const Sparse &x) {
  return std::make_shared<Vector>(x);
}

using SharedDescriptor = std::shared_ptr<GrB_Descriptor>;

/// With the method given, and the mask (if any) taken for its structure.
SharedDescriptor descriptor(int method) {
  SharedDescriptor made(new GrB_Descriptor, [](GrB_Descriptor *d) {
    GrB_Descriptor_free(d);
    delete d;
  });
  require(GrB_Descriptor_new(made.get()));
  require(GrB_Descriptor_set(*made, GrB_MASK, GrB_STRUCTURE));
  require(GxB_Desc_set(*made, GxB_AxB_METHOD, method));
  return made;
}

/// A vector that GraphBLAS stores as a bitmap whatever its density.
SharedVector bitmap(std::int32_t size) {
  auto made = std::make_shared<Vector>(Matrix::extent(size));
  require(GxB_Vector_Option_set(*made, GxB_SPARSITY_CONTROL, GxB_BITMAP));
  return made;
}

/// y = A x. By rows GraphBLAS itself may transpose A where x is very sparse: GxB_AxB_DOT forbids it.
Contestant product(const std::string &name, SharedMatrix a, const Sparse &x, std::int32_t size,
                   int method = GxB_DEFAULT) {
  auto y = std::make_shared<Vector>(Matrix::extent(size));
  SharedVector factor = vector(x);
  SharedDescriptor how = descriptor(method);
  return {name,
          [=] {
            require(GrB_mxv(*y, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, *a, *factor, *how));
            y->wait();
          },
          [=] { return y->dense(); }};
}

/// The same with x made a bitmap first, each time.
Contestant bitmap_product(const std::string &name, SharedMatrix a, const Sparse &x, std::int32_t size) {
  auto y = std::make_shared<Vector>(Matrix::extent(size));
  SharedVector given = vector(x), factor = bitmap(x.size);
  return {name,
          [=] {
            require(GrB_Vector_apply(*factor, nullptr, nullptr, GrB_IDENTITY_FP64, *given, nullptr));
            require(GrB_mxv(*y, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, *a, *factor, nullptr));
            y->wait();
          },
          [=] { return y->dense(); }};
}

/// The product of all vectors, entry by entry, then its sum.
Contestant dot(const Operands &o) {
  std::vector<SharedVector> factors;
  for (const Sparse &x : o.vectors)
    factors.push_back(vector(x));
  auto both = std::make_shared<Vector>(Matrix::extent(o.vectors[0].size));
  auto all = std::make_shared<Vector>(Matrix::extent(o.vectors[0].size));
  auto sum = std::make_shared<double>();
  return {"GrB .*, sum",
          [=] {
            auto times = [](const Vector &to, const Vector &a, const Vector &b) {
              require(GrB_Vector_eWiseMult_BinaryOp(to, nullptr, nullptr, GrB_TIMES_FP64, a, b, nullptr));
            };
            times(*both, *factors[0], *factors[1]);
            if (factors.size() == 3) times(*all, *both, *factors[2]);
            const Vector &product = factors.size() == 3 ? *all : *both;
            require(GrB_Vector_reduce_FP64(sum.get(), nullptr, GrB_PLUS_MONOID_FP64, product, nullptr));
          },
          [=] { return std::vector<double>{*sum}; }};
}

/// a' * b, both matrices of one column.
Contestant column_product(const Operands &o) {
  auto column = [](const Sparse &x) {
    std::vector<std::int32_t> pos{0, x.count};
    return std::make_shared<Matrix>(Compressed{1, x.size, pos.data(), x.idx, x.val}, false, GxB_BY_COL);
  };
  SharedMatrix a = column(o.vectors[0]), b = column(o.vectors[1]);
  auto c = std::make_shared<Matrix>(1, 1, GxB_BY_COL);
  return {"GrB a'*b",
          [=] {
            require(GrB_mxm(*c, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, *a, *b, GrB_DESC_T0));
            c->wait();
          },
          [=] { return c->dense(); }};
}

/// A .* B; then its rows are summed, or it is multiplied by the vector, which may be made a bitmap first.
Contestant row_dot(const Operands &o, bool with_bitmap = false) {
  const Compressed &shape = o.matrices[0];
  SharedMatrix a = by_rows(o.matrices[0]), b = by_rows(o.matrices[1]);
  SharedVector x = o.vectors.empty() ? nullptr : vector(o.vectors[0]);
  auto both = std::make_shared<Matrix>(Matrix::extent(shape.lines), Matrix::extent(shape.length), GxB_BY_ROW);
  auto y = std::make_shared<Vector>(Matrix::extent(shape.lines));
  SharedVector factor = with_bitmap ? bitmap(shape.length) : x;
  return {with_bitmap ? "GrB bitmap"
          : x         ? "GrB .*, mxv"
                      : "GrB .*, sum",
          [=] {
            if (with_bitmap)
              require(GrB_Vector_apply(*factor, nullptr, nullptr, GrB_IDENTITY_FP64, *x, nullptr));
            require(GrB_Matrix_eWiseMult_BinaryOp(*both, nullptr, nullptr, GrB_TIMES_FP64, *a, *b, nullptr));
            if (x)
              require(GrB_mxv(*y, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, *both, *factor, nullptr));
            else
              require(GrB_Matrix_reduce_Monoid(*y, nullptr, nullptr, GrB_PLUS_MONOID_FP64, *both, nullptr));
            y->wait();
          },
          [=] { return y->dense(); }};
}

Contestant matrix_product(const Operands &o) {
  SharedMatrix a = by_rows(o.matrices[0]);
  auto b = std::make_shared<Matrix>(o.matrices[1], false, GxB_BY_COL);
  auto c = std::make_shared<Matrix>(Matrix::extent(o.matrices[0].lines), Matrix::extent(o.matrices[1].lines),
                                    GxB_BY_ROW);
  return {"GrB A*B",
          [=] {
            require(GrB_mxm(*c, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, *a, *b, nullptr));
            c->wait();
          },
          [=] { return c->dense(); }};
}

/// The entries of C = L*L where L has entries, and their sum: all values are 1, so pairs are counted. With
/// the second factor by columns GraphBLAS takes dot products.
Contestant triangles(const std::string &name, const Compressed &l, GxB_Format_Value second) {
  SharedMatrix first = by_rows(l);
  SharedMatrix other = second == GxB_BY_ROW ? first : std::make_shared<Matrix>(l, true, second);
  auto c = std::make_shared<Matrix>(Matrix::extent(l.lines), Matrix::extent(l.lines), GxB_BY_ROW);
  auto sum = std::make_shared<double>();
  SharedDescriptor how = descriptor(second == GxB_BY_ROW ? GxB_AxB_SAXPY : GxB_AxB_DOT);
  return {name,
          [=] {
            require(GrB_mxm(*c, *first, nullptr, GxB_PLUS_PAIR_FP64, *first, *other, *how));
            require(GrB_Matrix_reduce_FP64(sum.get(), nullptr, GrB_PLUS_MONOID_FP64, *c, nullptr));
          },
          [=] { return std::vector<double>{*sum}; }};
}

std::vector<Contestant> spmspv_rows(const Operands &o) {
  SharedMatrix a = by_rows(o.matrices[0]);
  std::int32_t size = o.matrices[0].lines;
  return {product("GrB rows", a, o.vectors[0], size), product("GrB dot", a, o.vectors[0], size, GxB_AxB_DOT),
          bitmap_product("GrB bitmap", a, o.vectors[0], size)};
}

} // namespace

std::vector<Contestant> graphblas_peers(const Operands &o, int threads) {
  begin(threads);
  switch (o.kernel) {
  case Coiteration::spmspv_rows: return spmspv_rows(o);
  case Coiteration::spmspv_columns:
    return {product("GrB columns", std::make_shared<Matrix>(o.matrices[0], false, GxB_BY_COL), o.vectors[0],
                    o.matrices[0].length)};
  case Coiteration::dot: return {dot(o), column_product(o)};
  case Coiteration::row_dot: return {row_dot(o)};
  case Coiteration::triple_rows: return {row_dot(o), row_dot(o, true)};
  case Coiteration::inner: return {matrix_product(o)};
  case Coiteration::triple_dot: return {dot(o)};
  case Coiteration::triangles:
    return {triangles("GrB dot", o.matrices[0], GxB_BY_COL),
            triangles("GrB saxpy", o.matrices[0], GxB_BY_ROW)};
  }
  return {};
}

} // namespace unravel::bench
