#pragma once

#include "prove/prover.h"

#include <map>

/// Properties of arrays as layouts state them, for hand-made cases.
namespace unravel::find::test {

using namespace term;
using prove::Axiom;

inline Term v(const std::string &name) {
  return variable(name);
}
inline Term at(const std::string &array, const Term &index) {
  return apply(array, {index});
}

/// How values follow each other: strictly or weakly rising or falling, all different, anything.
enum class Order { Strict, Weak, Falling, WeakFalling, Different, Any };

inline Term ordered(const Term &a, const Term &b, Order order) {
  switch (order) {
  case Order::Strict: return less(a, b);
  case Order::Weak: return at_most(a, b);
  case Order::Falling: return less(b, a);
  case Order::WeakFalling: return at_most(b, a);
  case Order::Different: return negation(equal(a, b));
  case Order::Any: return truth();
  }
  return truth();
}

/// Arrays with extents, and properties with the domain guards that layouts give them.
class Properties {
public:
  Properties &array(const std::string &name, const Term &extent) {
    return array(name, std::vector<Term>{extent});
  }
  Properties &array(const std::string &name, std::vector<Term> extents) {
    extents_[name] = std::move(extents);
    return *this;
  }

  Properties &add(const std::string &text, std::vector<std::string> variables, const Term &guard,
                  const Term &conclusion) {
    std::vector<Term> parts;
    for (const Term &formula : {guard, conclusion})
      for (const Term &application : applications_of(formula)) {
        const auto *call = application.as<Apply>();
        for (std::size_t k = 0; k < call->arguments.size(); ++k)
          parts.push_back(between(0, call->arguments[k], extents_.at(call->function).at(k)));
      }
    parts.push_back(guard);
    axioms_.push_back({text, std::move(variables), conjunction(parts), conclusion});
    return *this;
  }

  Properties &vector(const std::string &tensor, Order order) {
    array(tensor + ".idx", v(tensor + ".len"));
    if (order == Order::Any) return *this;
    return add("order of " + tensor, {"p", "q"}, less(v("p"), v("q")),
               ordered(at(tensor + ".idx", v("p")), at(tensor + ".idx", v("q")), order));
  }

  /// rows(rowptr): positions per row.
  Properties &rows(const std::string &rowptr, const Term &count, const Term &entries) {
    array(rowptr, count + Term(1));
    add(rowptr + " rises", {"r", "s"}, at_most(v("r"), v("s")),
        at_most(at(rowptr, v("r")), at(rowptr, v("s"))));
    return add("range of " + rowptr, {"r"}, truth(), between(0, at(rowptr, v("r")), entries + Term(1)));
  }

  Properties &within(const std::string &column, const std::string &rowptr, const Term &entries, Order order,
                     const Term &also = truth()) {
    array(column, entries);
    if (order == Order::Any) return *this;
    Term low = at(rowptr, v("r")), high = at(rowptr, v("r") + Term(1));
    return add(column + " within " + rowptr, {"r", "p", "q"},
               conjunction({also, at_most(low, v("p")), less(v("p"), v("q")), less(v("q"), high)}),
               ordered(at(column, v("p")), at(column, v("q")), order));
  }

  Properties &csr(const std::string &tensor, Order order = Order::Strict, const Term &also = truth()) {
    rows(tensor + ".rowptr", v(tensor + ".N"), v(tensor + ".nnz"));
    return within(tensor + ".col", tensor + ".rowptr", v(tensor + ".nnz"), order, also);
  }

  /// The tensors' row counts are the same.
  Properties &same_rows() { return add("same size", {}, truth(), equal(v("A.N"), v("B.N"))); }

  Properties &dcsr(const std::string &tensor) {
    csr(tensor).array(tensor + ".row", v(tensor + ".N"));
    return add("rows of " + tensor, {"p", "q"}, less(v("p"), v("q")),
               less(at(tensor + ".row", v("p")), at(tensor + ".row", v("q"))));
  }

  Properties &coo(const std::string &tensor, Order order) {
    array(tensor + ".row", v(tensor + ".nnz")).array(tensor + ".col", v(tensor + ".nnz"));
    Term r1 = at(tensor + ".row", v("p")), r2 = at(tensor + ".row", v("q"));
    Term c1 = at(tensor + ".col", v("p")), c2 = at(tensor + ".col", v("q"));
    Term conclusion = order == Order::Different
                          ? disjunction({negation(equal(r1, r2)), negation(equal(c1, c2))})
                          : disjunction({less(r1, r2), conjunction({equal(r1, r2), ordered(c1, c2, order)})});
    return add("entries of " + tensor, {"p", "q"}, less(v("p"), v("q")), conclusion);
  }

  Properties &blocks(const std::string &tensor, bool aligned = true) {
    rows(tensor + ".rowptr", v(tensor + ".nb"), v(tensor + ".nblk"));
    if (aligned) return within(tensor + ".bcol", tensor + ".rowptr", v(tensor + ".nblk"), Order::Strict);
    array(tensor + ".bcol", v(tensor + ".nblk"));
    return add("blocks keep their distance", {"r", "p", "q"},
               conjunction({at_most(at(tensor + ".rowptr", v("r")), v("p")), less(v("p"), v("q")),
                            less(v("q"), at(tensor + ".rowptr", v("r") + Term(1)))}),
               at_most(at(tensor + ".bcol", v("p")) + Term(3), at(tensor + ".bcol", v("q"))));
  }

  operator std::vector<Axiom>() const { return axioms_; }

private:
  std::map<std::string, std::vector<Term>> extents_;
  std::vector<Axiom> axioms_;
};

} // namespace unravel::find::test
