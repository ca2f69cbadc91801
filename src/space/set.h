#pragma once

#include "term/term.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

struct isl_set;

/// Sets of integer points over atoms, decided by isl: all affine reasoning of the compiler.
///
/// An *atom* is a variable or an application of an uninterpreted function. Every atom is an isl
/// parameter identified by its text, so that sets over different atoms meet without alignment, and two
/// applications with equal arguments are one atom. isl knows nothing of functional consistency beyond
/// that: an equality between arguments that are not the same text must be made known by substitution
/// before (see substitute_arguments).
namespace unravel::space {

using term::Term;

/// An immutable set. Sets belong to the thread that made them (isl contexts are not thread-safe).
class Set {
public:
  /// Everything.
  Set();
  /// The points at which the formula holds. Products in the formula are opaque atoms.
  explicit Set(const Term &formula);
  Set(const Set &other);
  Set(Set &&other) noexcept;
  Set &operator=(Set other) noexcept;
  ~Set();

  Set intersect(const Set &other) const;
  Set unite(const Set &other) const;
  Set subtract(const Set &other) const;
  bool is_empty() const;
  bool is_subset(const Set &of) const;
  bool is_equal(const Set &to) const;
  /// Eliminates the atoms for which `drop` holds: the shadow of the set on the others.
  Set project(const std::function<bool(const Term &atom)> &drop) const;
  /// Only the constraints that mention no atom for which `drop` holds: no projection.
  Set without_constraints_on(const std::function<bool(const Term &atom)> &drop) const;
  /// What remains to be said of this set inside `context`.
  Set gist(const Set &context) const;
  /// The conjunction of constraints that encloses the set, from the constraints of its pieces.
  Set simple_hull() const;
  /// A set that encloses this one and needs no existentially quantified variables: what the constraints say
  /// without divisibility.
  Set without_divisions() const;
  /// Merges pieces where that is exact.
  Set coalesce() const;
  /// How many conjunctions the set is a union of.
  std::size_t pieces() const;
  /// The atoms that the constraints mention.
  std::set<Term> atoms() const;
  /// The constraints of a set of one piece (precondition), irredundant, each a Compare; existentially
  /// quantified variables appear as floor divisions.
  std::vector<Term> constraints() const;
  /// The constraints as isl has them, some perhaps redundant; none where the set has several pieces, or where
  /// variables are existentially quantified.
  std::optional<std::vector<Term>> plain_constraints() const;
  /// The set as a formula: a disjunction of conjunctions. Set(formula()) is the set again.
  Term formula() const;
  /// Some point, if any: values of the atoms; none of them where one takes more than 64 bits.
  std::optional<std::vector<std::pair<Term, std::int64_t>>> sample() const;

private:
  explicit Set(isl_set *taken) : set_(taken) {}
  isl_set *set_;
};

/// The atoms of a formula, and so of a set that is made from it.
std::set<Term> atoms_of(const Term &formula);

/// { positions : formula } for people: constraints in the notation of layout files.
std::string to_text(const Set &set);

/// Rewrites the arguments of applications by the equalities `variable = term` that a conjunction fixes (unit
/// coefficients, no application of the variable itself), so that equal arguments become equal texts:
/// rowptr(A.r) with A.r = i becomes rowptr(i). The equalities stay. (The soundness trap of
/// applications as atoms: a projected variable must not occur in an argument that is still used.)
Term substitute_arguments(const Term &conjunction, const term::Substitution &by);

} // namespace unravel::space
