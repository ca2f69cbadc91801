#include "sparse_results_peers.h"

#include "eigen.h"

#include <memory>
#include <utility>

namespace unravel::bench {

namespace {

using namespace eigen;

/// Copies of the operands, and a result.
template <class Operand, class Result> struct State {
  std::vector<std::shared_ptr<const Operand>> operands;
  Result result;

  const Operand &operator[](std::size_t k) const { return *operands[k]; }
};

template <class Result> std::shared_ptr<State<Rows, Result>> state_of(const SparseOperands &o) {
  auto state = std::make_shared<State<Rows, Result>>();
  for (std::size_t k = 0; k < o.matrices.size(); ++k)
    state->operands.push_back(o.same_as(k) < k ? state->operands[o.same_as(k)]
                                               : std::make_shared<const Rows>(rows(o.matrices[k])));
  return state;
}

/// `run` returns the result: its memory becomes the state's, which gives back that of the run before.
template <class State, class Run>
SparseContestant contestant(const std::string &name, std::shared_ptr<State> state, Run run) {
  return {name, [=] { state->result = run(std::as_const(*state)); }, [=] { return entries(state->result); }};
}

SparseContestant product_with_vector(const SparseOperands &o) {
  struct Product {
    Columns a;
    Vector x, result;
  };
  auto state = std::make_shared<Product>(Product{columns(o.matrices[0]), vector(o.vectors[0]), {}});
  return contestant("Eig A*x", state, [](const Product &s) { return Vector(s.a * s.x); });
}

} // namespace

std::vector<SparseContestant> eigen_results(const SparseOperands &o) {
  using Operands = State<Rows, Rows>;
  switch (o.kernel) {
  case SparseResult::values: // it knows no masks
    return {contestant("Eig A*B", state_of<Rows>(o), [](const Operands &s) { return Rows(s[1] * s[2]); })};
  case SparseResult::product:
  case SparseResult::unsorted:
    return {contestant("Eig A*B", state_of<Rows>(o), [](const Operands &s) { return Rows(s[0] * s[1]); })};
  case SparseResult::sum:
    return {contestant("Eig A+B", state_of<Rows>(o), [](const Operands &s) {
      Rows sum = s[0] + s[1];
      for (std::size_t k = 2; k < s.operands.size(); ++k)
        sum = Rows(sum + s[k]);
      return sum;
    })};
  case SparseResult::elementwise:
    return {contestant("Eig A.*B", state_of<Rows>(o),
                       [](const Operands &s) { return Rows(s[0].cwiseProduct(s[1])); })};
  case SparseResult::triple:
    return {contestant("Eig (RA)P", state_of<Rows>(o),
                       [](const Operands &s) {
                         Rows first = s[0] * s[1];
                         return Rows(first * s[2]);
                       }),
            contestant("Eig R(AP)", state_of<Rows>(o), [](const Operands &s) {
              Rows first = s[1] * s[2];
              return Rows(s[0] * first);
            })};
  case SparseResult::transposition:
    return {contestant("Eig C=A", state_of<Columns>(o),
                       [](const State<Rows, Columns> &s) { return Columns(s[0]); })};
  case SparseResult::columns: return {product_with_vector(o)};
  }
  return {};
}

} // namespace unravel::bench
