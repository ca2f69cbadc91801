// Formulas over pairs of positions of which neighbours need to be tested only.
#include "check/neighbours.h"
#include "term/solve.h"

#include <algorithm>

namespace unravel::check {

using term::Term;

std::int64_t bounding(const Term &part, const std::string &variable) {
  const Term *left = term::inequality(part);
  if (!left) return 0;
  std::int64_t coefficient = term::coefficient_of(*left, variable);
  Term rest = *left - term::scale(coefficient, term::variable(variable));
  return term::mentions(rest, variable) ? 0 : coefficient;
}

namespace {

class Pair {
public:
  Pair(const prove::Axiom &axiom, const std::string &p, const std::string &q)
      : guard_(term::conjuncts(axiom.guard)), p_(p), q_(q), first_(term::variable(p)),
        second_(term::variable(q)) {
    std::vector<Term> said{axiom.conclusion};
    for (const Term &part : guard_)
      if (lets_all_through(part))
        kept_.push_back(part);
      else
        said.push_back(term::negation(part));
    said_ = term::disjunction(said);
  }

  bool is_ordered() const { return holds(term::less(first_, second_)); }

  /// said(p, m) and said(m, q) give said(p, q).
  bool is_transitive() const {
    std::string name = p_ + "_between";
    while (std::ranges::any_of(guard_, [&](const Term &part) { return term::mentions(part, name); }) ||
           term::mentions(said_, name))
      name += "_";
    Term middle = term::variable(name);
    std::vector<Term> hypotheses = kept_;
    hypotheses.insert(hypotheses.end(), {term::less(first_, middle), term::less(middle, second_),
                                         term::substitute(said_, {{q_, middle}}),
                                         term::substitute(said_, {{p_, middle}}), term::negation(said_)});
    return prove::Prover({}).refute("transitive", p_, hypotheses) == prove::Answer::Refuted;
  }

  /// The guard at q = p + 1.
  Term neighbours() const {
    Term next = first_ + Term(1);
    return term::conjunction(
        {term::substitute(term::conjunction(guard_), {{q_, next}}), term::equal(second_, next)});
  }

  /// Upper bounds of q as such of p.
  std::vector<Term> bounds_of_first() const {
    std::vector<Term> result;
    for (const Term &part : guard_)
      if (!term::mentions(part, p_) && bounding(part, q_) < 0)
        result.push_back(term::substitute(part, {{q_, first_}}));
    return result;
  }

private:
  bool holds(const Term &part) const { return std::ranges::find(guard_, part) != guard_.end(); }

  /// Does the part hold of p and m, and of m and q, where the guard does of p and q, p < m < q?
  bool lets_all_through(const Term &part) const {
    bool with_p = term::mentions(part, p_), with_q = term::mentions(part, q_);
    if (part == term::less(first_, second_) || (!with_p && !with_q)) return true;
    const std::string &mentioned = with_p ? p_ : q_;
    std::int64_t coefficient = bounding(part, mentioned);
    if (coefficient == 0 || (with_p && with_q)) return false;
    bool inner_side = with_p == (coefficient < 0); // an upper bound of p, a lower bound of q
    return !inner_side || holds(term::substitute(part, {{mentioned, with_p ? second_ : first_}}));
  }

  std::vector<Term> guard_, kept_;
  std::string p_, q_;
  Term first_, second_, said_;
};

} // namespace

Term guard_to_test(const prove::Axiom &axiom) {
  std::vector<Term> parts{axiom.guard};
  for (const std::string &p : axiom.variables)
    for (const std::string &q : axiom.variables) {
      if (p == q) continue;
      Pair pair(axiom, p, q);
      if (!pair.is_ordered()) continue;
      if (pair.is_transitive()) return pair.neighbours();
      for (Term &bound : pair.bounds_of_first())
        parts.push_back(std::move(bound));
    }
  return term::conjunction(parts);
}

} // namespace unravel::check
