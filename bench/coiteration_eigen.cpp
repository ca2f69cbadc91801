#include "coiteration_peers.h"

#include "eigen.h"

#include <memory>

namespace unravel::bench {

namespace {

using namespace eigen;

using Dense = Eigen::VectorXd;

std::vector<double> values(const Dense &dense) {
  return {dense.data(), dense.data() + dense.size()};
}

/// A contestant whose data live in a `State` of its own, with a member `result`.
template <class State, class Run>
Contestant contestant(const std::string &name, std::shared_ptr<State> state, Run run) {
  return {name, [=] { run(*state); }, [=] { return values(Dense(state->result)); }};
}

template <class Matrix> struct Product {
  Matrix a;
  Vector x, result;
};

template <class Matrix> Contestant product(const std::string &name, Matrix a, Vector x) {
  auto state = std::make_shared<Product<Matrix>>();
  state->a = std::move(a);
  state->x = std::move(x);
  return contestant(name, state, [](Product<Matrix> &s) { s.result = s.a * s.x; });
}

struct RowProduct {
  Rows a;
  Vector x;
  Dense result;
};

Contestant row_by_row(Rows a, Vector x) {
  auto rows = a.rows();
  auto state = std::make_shared<RowProduct>(RowProduct{std::move(a), std::move(x), Dense(rows)});
  return contestant("Eig row.x", state, [](RowProduct &s) {
    for (Eigen::Index i = 0; i < s.a.rows(); ++i)
      s.result[i] = s.a.row(i).dot(s.x);
  });
}

struct Vectors {
  Vector a, b, c;
  Dense result{Dense::Zero(1)};
};

struct Matrices {
  Rows a, b;
  Columns by_columns;
  Vector x;
  Dense result;
};

std::vector<Contestant> row_dots(const Operands &o) {
  auto state = std::make_shared<Matrices>();
  state->a = rows(o.matrices[0]);
  state->b = rows(o.matrices[1]);
  state->result = Dense(state->a.rows());
  return {contestant("Eig rows", state,
                     [](Matrices &s) {
                       for (Eigen::Index i = 0; i < s.a.rows(); ++i)
                         s.result[i] = s.a.row(i).dot(s.b.row(i));
                     }),
          contestant("Eig A.*B", state, [](Matrices &s) {
            Rows both = s.a.cwiseProduct(s.b);
            s.result = both * Dense::Ones(both.cols());
          })};
}

std::vector<Contestant> inner_products(const Operands &o) {
  auto state = std::make_shared<Matrices>();
  state->a = rows(o.matrices[0]);
  state->by_columns = columns(o.matrices[1]);
  state->result = Dense(state->a.rows() * state->by_columns.cols());
  return {contestant("Eig row.col", state,
                     [](Matrices &s) {
                       Eigen::Index k = 0;
                       for (Eigen::Index i = 0; i < s.a.rows(); ++i)
                         for (Eigen::Index j = 0; j < s.by_columns.cols(); ++j)
                           s.result[k++] = s.a.row(i).dot(s.by_columns.col(j));
                     }),
          contestant("Eig A*B", state, [](Matrices &s) {
            using Result = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
            Eigen::Map<Result> c(s.result.data(), s.a.rows(), s.by_columns.cols());
            c = s.a * s.by_columns;
          })};
}

Contestant triple_rows(const Operands &o) {
  auto state = std::make_shared<Matrices>();
  state->a = rows(o.matrices[0]);
  state->b = rows(o.matrices[1]);
  state->x = vector(o.vectors[0]);
  return contestant("Eig A.*B*x", state, [](Matrices &s) {
    Rows both = s.a.cwiseProduct(s.b);
    Vector y = both * s.x;
    s.result = y;
  });
}

Contestant triangles(const Operands &o) {
  auto state = std::make_shared<Matrices>();
  state->a = rows(o.matrices[0]);
  state->result = Dense(1);
  return contestant("Eig L*L.*L", state, [](Matrices &s) {
    Rows squared = s.a * s.a;
    s.result[0] = squared.cwiseProduct(s.a).sum();
  });
}

} // namespace

std::vector<Contestant> eigen_peers(const Operands &o, int threads, bool long_walks) {
  Eigen::setNbThreads(threads);
  switch (o.kernel) {
  case Coiteration::spmspv_rows: {
    Contestant rowwise = row_by_row(rows(o.matrices[0]), vector(o.vectors[0]));
    if (!long_walks) rowwise.run = {};
    return {product("Eig A*x", rows(o.matrices[0]), vector(o.vectors[0])), rowwise};
  }
  case Coiteration::spmspv_columns: return {product("Eig A*x", columns(o.matrices[0]), vector(o.vectors[0]))};
  case Coiteration::dot: {
    auto state = std::make_shared<Vectors>(Vectors{vector(o.vectors[0]), vector(o.vectors[1]), {}});
    return {contestant("Eig a.b", state, [](Vectors &s) { s.result[0] = s.a.dot(s.b); })};
  }
  case Coiteration::row_dot: return row_dots(o);
  case Coiteration::inner: return inner_products(o);
  case Coiteration::triple_dot: {
    auto state =
        std::make_shared<Vectors>(Vectors{vector(o.vectors[0]), vector(o.vectors[1]), vector(o.vectors[2])});
    return {contestant("Eig a.*b.c", state, [](Vectors &s) {
      Vector both = s.a.cwiseProduct(s.b);
      s.result[0] = both.dot(s.c);
    })};
  }
  case Coiteration::triple_rows: return {triple_rows(o)};
  case Coiteration::triangles: return {triangles(o)};
  }
  return {};
}

} // namespace unravel::bench
