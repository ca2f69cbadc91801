#include "graphs_peers.h"

#include "graphblas.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace unravel::bench {

namespace {

using namespace graphblas;

using SharedMatrix = std::shared_ptr<Matrix>;
using SharedVector = std::shared_ptr<Vector>;

constexpr double infinity = std::numeric_limits<double>::infinity();

GrB_Index size_of(const GraphOperands &o) {
  return Matrix::extent(o.matrix.lines);
}

SharedMatrix by_rows(const Compressed &a) {
  return std::make_shared<Matrix>(a, true, GxB_BY_ROW);
}

/// Entries that are all true: GraphBLAS reads one value for all.
SharedMatrix truths(const Compressed &a) {
  auto made =
      std::make_shared<Matrix>(GrB_BOOL, Matrix::extent(a.lines), Matrix::extent(a.length), GxB_BY_ROW);
  require(GrB_Matrix_apply(*made, nullptr, nullptr, GxB_ONE_BOOL, *by_rows(a), nullptr));
  made->wait();
  return made;
}

SharedVector vector(GrB_Type type, GrB_Index size) {
  return std::make_shared<Vector>(type, size);
}

/// Every element is stored.
SharedVector full(GrB_Type type, GrB_Index size, double value) {
  SharedVector made = vector(type, size);
  require(GrB_Vector_assign_FP64(*made, nullptr, nullptr, value, GrB_ALL, size, nullptr));
  return made;
}

SharedVector copied(GrB_Type type, const GraphOperands &o) {
  SharedVector made = full(type, size_of(o), 0);
  for (GrB_Index k = 0; k < size_of(o); ++k)
    require(GrB_Vector_setElement_FP64(*made, o.dense[k], k));
  made->wait();
  return made;
}

SharedVector few(GrB_Type type, const Sparse &x) {
  SharedVector made = vector(type, Matrix::extent(x.size));
  require(GxB_Vector_Option_set(*made, GxB_SPARSITY_CONTROL, lists));
  for (std::int32_t k = 0; k < x.count; ++k)
    require(GrB_Vector_setElement_FP64(*made, x.val[k], Matrix::extent(x.idx[k])));
  made->wait();
  return made;
}

/// Elements that aren't stored count as `otherwise`.
std::vector<double> dense(const Vector &x, double otherwise) {
  const Entries all = x.entries();
  GrB_Index size = 0;
  require(GrB_Vector_size(&size, x));
  std::vector<double> result(size, otherwise);
  for (std::size_t e = 0; e < all.value.size(); ++e)
    result[static_cast<std::size_t>(all.row[e])] = all.value[e];
  return result;
}

/// The entries of C = L * L, or L * U', where L has entries, by the plus-pair semiring, and their sum.
std::vector<Contestant> triangles(const GraphOperands &o) {
  SharedMatrix l = by_rows(o.matrix);
  auto u = std::make_shared<Matrix>(GrB_FP64, size_of(o), size_of(o), GxB_BY_ROW);
  require(GrB_transpose(*u, nullptr, nullptr, *l, nullptr));
  u->wait();
  auto c = std::make_shared<Matrix>(GrB_INT64, size_of(o), size_of(o), GxB_BY_ROW);
  auto sum = std::make_shared<std::int64_t>();
  auto by = [&](const std::string &name, SharedMatrix second, GrB_Descriptor how) {
    return Contestant{name,
                      [=] {
                        require(GrB_mxm(*c, *l, nullptr, GxB_PLUS_PAIR_INT64, *l, *second, how));
                        require(
                            GrB_Matrix_reduce_INT64(sum.get(), nullptr, GrB_PLUS_MONOID_INT64, *c, nullptr));
                      },
                      [=] { return std::vector<double>{static_cast<double>(*sum)}; }};
  };
  return {by("GrB L*L", l, GrB_DESC_RS), by("GrB L*U'", u, GrB_DESC_RST1)};
}

/// y = A x, and y op= A x of a y that is full and holds the identity.
std::vector<Contestant> product(const GraphOperands &o, GrB_Semiring semiring, GrB_BinaryOp reduction,
                                GrB_Type type, SharedMatrix a, double identity) {
  SharedVector x = copied(type, o);
  auto by = [&](const std::string &name, GrB_BinaryOp into) {
    SharedVector y = vector(type, size_of(o));
    return Contestant{
        name,
        [=] {
          if (into)
            require(GrB_Vector_assign_FP64(*y, nullptr, nullptr, identity, GrB_ALL, size_of(o), nullptr));
          require(GrB_mxv(*y, nullptr, into, semiring, *a, *x, nullptr));
          y->wait();
        },
        [=] { return dense(*y, identity); }};
  };
  return {by("GrB y=Ax", nullptr), by("GrB y+=Ax", reduction)};
}

/// A is symmetric: by rows it is by columns, too.
std::vector<Contestant> product_with_few(const GraphOperands &o, GrB_Semiring semiring, GrB_Type type,
                                         SharedMatrix a) {
  SharedVector x = few(type, o.sparse), y = vector(type, size_of(o));
  require(GxB_Vector_Option_set(*y, GxB_SPARSITY_CONTROL, lists));
  return {{"GrB x'*A",
           [=] {
             require(GrB_vxm(*y, nullptr, nullptr, semiring, *x, *a, nullptr));
             y->wait();
           },
           [=] { return flat(y->entries()); }}};
}

std::vector<Contestant> masked_product(const GraphOperands &o, GrB_Semiring semiring, GrB_Type type) {
  SharedMatrix a = by_rows(o.matrix);
  auto by = [&](const std::string &name, bool transposed, int method) {
    auto c = std::make_shared<Matrix>(type, size_of(o), size_of(o), GxB_BY_ROW);
    require(GxB_Matrix_Option_set(*c, GxB_SPARSITY_CONTROL, lists));
    std::shared_ptr<GrB_Descriptor> how(new GrB_Descriptor, [](GrB_Descriptor *d) {
      GrB_Descriptor_free(d);
      delete d;
    });
    require(GrB_Descriptor_new(how.get()));
    require(GrB_Descriptor_set(*how, GrB_MASK, GrB_STRUCTURE));
    if (transposed) require(GrB_Descriptor_set(*how, GrB_INP1, GrB_TRAN));
    require(GxB_Desc_set(*how, GxB_AxB_METHOD, method));
    return Contestant{name,
                      [=] {
                        require(GrB_mxm(*c, *a, nullptr, semiring, *a, *a, *how));
                        c->wait();
                      },
                      [=] { return flat(c->entries()); }};
  };
  return {by("GrB A*A", false, GxB_DEFAULT), by("GrB A*A'", true, GxB_DEFAULT),
          by("GrB saxpy", false, GxB_AxB_SAXPY), by("GrB dot", true, GxB_AxB_DOT)};
}

/// The number of entries.
GrB_Index count(const Vector &x) {
  GrB_Index found = 0;
  require(GrB_Vector_nvals(&found, x));
  return found;
}

/// By the front's edges (push), or by those of the vertices that are left (pull): which, by counts of edges
/// and vertices, as Beamer, Asanovic and Patterson do (2012).
Contestant breadth_first(const GraphOperands &o, bool may_pull) {
  const GrB_Index n = size_of(o);
  SharedMatrix a = truths(o.matrix);
  SharedVector degree = vector(GrB_INT64, n), level = vector(GrB_INT32, n), front = vector(GrB_BOOL, n),
               edges = vector(GrB_INT64, n);
  for (GrB_Index i = 0; i < n; ++i)
    require(GrB_Vector_setElement_INT64(*degree, o.matrix.pos[i + 1] - o.matrix.pos[i], i));
  degree->wait();
  auto search = [=] {
    require(GrB_Vector_clear(*level));
    require(GrB_Vector_clear(*front));
    require(GxB_Vector_Option_set(*level, GxB_SPARSITY_CONTROL, GxB_BITMAP + GxB_FULL));
    require(GrB_Vector_setElement_INT32(*level, 0, Matrix::extent(o.source)));
    require(GrB_Vector_setElement_BOOL(*front, true, Matrix::extent(o.source)));
    bool pushes = true, has_pulled = false, may_turn = may_pull;
    GrB_Index size = 1, size_before = 0;
    std::int64_t unexplored = o.matrix.entries();
    for (std::int32_t depth = 1; size > 0; ++depth) {
      if (may_turn && pushes && size > size_before) {
        if (has_pulled) {
          pushes = size <= n / 8;
        } else if (unexplored < static_cast<std::int64_t>(n)) {
          may_turn = false; // hardly anything is left
        } else {
          std::int64_t leaving = 0;
          require(GrB_Vector_assign(*edges, *front, nullptr, *degree, GrB_ALL, n, GrB_DESC_RS));
          require(GrB_Vector_reduce_INT64(&leaving, nullptr, GrB_PLUS_MONOID_INT64, *edges, nullptr));
          unexplored -= leaving;
          pushes = unexplored / 8 >= leaving;
        }
      } else if (!pushes && size < size_before) {
        pushes = size <= n / 512;
      }
      has_pulled = has_pulled || !pushes;
      require(GxB_Vector_Option_set(*front, GxB_SPARSITY_CONTROL, pushes ? GxB_SPARSE : GxB_BITMAP));
      if (pushes)
        require(GrB_vxm(*front, *level, nullptr, GxB_ANY_PAIR_BOOL, *front, *a, GrB_DESC_RSC));
      else
        require(GrB_mxv(*front, *level, nullptr, GxB_ANY_PAIR_BOOL, *a, *front, GrB_DESC_RSC));
      size_before = size;
      size = count(*front);
      require(GrB_Vector_assign_INT32(*level, *front, nullptr, depth, GrB_ALL, n, GrB_DESC_S));
    }
    level->wait();
  };
  return {may_pull ? "GrB push, pull" : "GrB push", search, [=] { return dense(*level, infinity); }};
}

Contestant page_rank(const GraphOperands &o) {
  const GrB_Index n = size_of(o);
  SharedMatrix a = by_rows(o.matrix);
  SharedVector degree = vector(GrB_FP64, n), dead = vector(GrB_FP64, n), rank = vector(GrB_FP64, n),
               old = vector(GrB_FP64, n), share = vector(GrB_FP64, n), lost = vector(GrB_FP64, n);
  for (GrB_Index i = 0; i < n; ++i) {
    const std::int32_t edges = o.matrix.pos[i + 1] - o.matrix.pos[i];
    require(GrB_Vector_setElement_FP64(*degree, std::max(edges, 1) / damping, i));
    if (edges == 0) require(GrB_Vector_setElement_FP64(*dead, 1, i));
  }
  degree->wait();
  dead->wait();
  auto rounds = [=] {
    const double vertices = static_cast<double>(n);
    require(GrB_Vector_assign_FP64(*rank, nullptr, nullptr, 1 / vertices, GrB_ALL, n, nullptr));
    for (int round = 0; round < page_rank_rounds; ++round) {
      double gone = 0;
      if (count(*dead) > 0) {
        require(GrB_Vector_assign(*lost, *dead, nullptr, *rank, GrB_ALL, n, GrB_DESC_RS));
        require(GrB_Vector_reduce_FP64(&gone, nullptr, GrB_PLUS_MONOID_FP64, *lost, nullptr));
      }
      require(GrB_Vector_eWiseMult_BinaryOp(*share, nullptr, nullptr, GrB_DIV_FP64, *rank, *degree, nullptr));
      const double each = (1 - damping + damping * gone) / vertices;
      require(GrB_Vector_assign_FP64(*rank, nullptr, nullptr, each, GrB_ALL, n, nullptr));
      require(GrB_mxv(*rank, nullptr, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, *a, *share, nullptr));
    }
    rank->wait();
  };
  return {"GrB y+=Ax", rounds, [=] { return dense(*rank, 0); }};
}

/// All edges in each round, until nothing changes (Bellman and Ford).
Contestant paths_by_all(const GraphOperands &o) {
  const GrB_Index n = size_of(o);
  SharedMatrix a = by_rows(o.matrix);
  SharedVector now = full(GrB_FP64, n, infinity), before = full(GrB_FP64, n, infinity),
               changed = vector(GrB_BOOL, n);
  auto search = [=] {
    require(GrB_Vector_assign_FP64(*now, nullptr, nullptr, infinity, GrB_ALL, n, nullptr));
    require(GrB_Vector_setElement_FP64(*now, 0, Matrix::extent(o.source)));
    for (bool any = true; any;) {
      require(GrB_Vector_assign(*before, nullptr, nullptr, *now, GrB_ALL, n, nullptr));
      require(GrB_mxv(*now, nullptr, GrB_MIN_FP64, GrB_MIN_PLUS_SEMIRING_FP64, *a, *before, nullptr));
      require(GrB_Vector_eWiseMult_BinaryOp(*changed, nullptr, nullptr, GrB_NE_FP64, *now, *before, nullptr));
      require(GrB_Vector_reduce_BOOL(&any, nullptr, GrB_LOR_MONOID_BOOL, *changed, nullptr));
    }
    now->wait();
  };
  return {"GrB all edges", search, [=] { return dense(*now, infinity); }};
}

/// The edges of the vertices that have come nearer in the round before.
Contestant paths_by_front(const GraphOperands &o) {
  const GrB_Index n = size_of(o);
  SharedMatrix a = by_rows(o.matrix);
  SharedVector distance = full(GrB_FP64, n, infinity), front = vector(GrB_FP64, n),
               next = vector(GrB_FP64, n), nearer = vector(GrB_BOOL, n);
  auto search = [=] {
    require(GrB_Vector_assign_FP64(*distance, nullptr, nullptr, infinity, GrB_ALL, n, nullptr));
    require(GrB_Vector_setElement_FP64(*distance, 0, Matrix::extent(o.source)));
    require(GrB_Vector_clear(*front));
    require(GrB_Vector_setElement_FP64(*front, 0, Matrix::extent(o.source)));
    while (count(*front) > 0) {
      require(GrB_vxm(*next, nullptr, nullptr, GrB_MIN_PLUS_SEMIRING_FP64, *front, *a, nullptr));
      require(
          GrB_Vector_eWiseMult_BinaryOp(*nearer, nullptr, nullptr, GrB_LT_FP64, *next, *distance, nullptr));
      require(GrB_Vector_assign(*front, *nearer, nullptr, *next, GrB_ALL, n, GrB_DESC_R));
      require(GrB_Vector_assign(*distance, *front, nullptr, *front, GrB_ALL, n, GrB_DESC_S));
    }
    distance->wait();
  };
  return {"GrB front", search, [=] { return dense(*distance, infinity); }};
}

} // namespace

std::vector<Contestant> graphblas_graphs(const GraphOperands &o, int threads) {
  begin(threads);
  switch (o.problem) {
  case GraphProblem::triangles: return triangles(o);
  case GraphProblem::shortest:
    return product(o, GrB_MIN_PLUS_SEMIRING_FP64, GrB_MIN_FP64, GrB_FP64, by_rows(o.matrix), infinity);
  case GraphProblem::reached:
    return product(o, GrB_LOR_LAND_SEMIRING_BOOL, GrB_LOR, GrB_BOOL, truths(o.matrix), 0);
  case GraphProblem::shortest_few:
    return product_with_few(o, GrB_MIN_PLUS_SEMIRING_FP64, GrB_FP64, by_rows(o.matrix));
  case GraphProblem::reached_few:
    return product_with_few(o, GrB_LOR_LAND_SEMIRING_BOOL, GrB_BOOL, truths(o.matrix));
  case GraphProblem::masked_times: return masked_product(o, GrB_PLUS_TIMES_SEMIRING_FP64, GrB_FP64);
  case GraphProblem::masked_pair: return masked_product(o, GxB_PLUS_PAIR_INT64, GrB_INT64);
  case GraphProblem::breadth_first: return {breadth_first(o, true), breadth_first(o, false)};
  case GraphProblem::page_rank: return {page_rank(o)};
  case GraphProblem::paths: return {paths_by_all(o), paths_by_front(o)};
  }
  return {};
}

} // namespace unravel::bench
