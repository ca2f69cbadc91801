#pragma once

#include "combine/space.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Which variables of an iteration space are fixed or bounded by which others: what loop-order planning looks
/// at.
namespace unravel::schedule {

/// A set of variables, by index.
using Variables = std::uint64_t;
/// What such a set has room for.
inline constexpr std::size_t most_variables = 64;

/// Positions that are affine in other variables without index arrays (dense levels) are eliminated: they
/// never are loops of their own. The others are numbered.
class Determination {
public:
  explicit Determination(const combine::IterationSpace &space);

  std::size_t size() const { return names_.size(); }
  const std::string &name(std::size_t variable) const { return names_[variable]; }
  Variables all() const { return size() == 64 ? ~Variables{0} : (Variables{1} << size()) - 1; }

  /// The variable that stands for a name; an eliminated position that equals one variable counts as it.
  /// -1: none.
  int find(const std::string &name) const;

  /// `bound` and everything that is determined by it, in the order in which it becomes known; what an index
  /// array gives comes after the eliminated positions at which it is read.
  Variables close(Variables bound, std::vector<std::string> *order = nullptr) const;

  /// What becomes known with the variable where `bound` is, but for itself: each with its value, over these.
  term::Substitution determined_by(std::size_t variable, Variables bound) const;

  /// Some lower and upper bound of the variable needs no variable outside `bound`.
  bool bounded(std::size_t variable, Variables bound) const;
  /// Do all bounds that need no variable outside `bound` need none outside `fewer` either?
  bool bounded_as_by(std::size_t variable, Variables bound, Variables fewer) const;
  /// The index-array applications at the variable that equations fix by `bound` alone, as sorted texts: if
  /// there are any, looping over the variable is a find; so it is where an interval leaves few values:
  /// rowptr(r) <= p < rowptr(r + 1).
  std::vector<std::string> keys(std::size_t variable, Variables bound) const;
  /// The variables that alone give the keys their targets: of col(p) = j, where j is bound, that is j.
  Variables targets(std::size_t variable, Variables bound) const;
  /// Is there an equation over it and `bound` alone, in which it has a factor, as 2*j = col(p)? One value at
  /// most satisfies it.
  bool is_multiplied_in_equation(std::size_t variable, Variables bound) const;
  /// Upper bounds (inclusive) of the variable that need only `bound`.
  std::vector<term::Term> upper_bounds(std::size_t variable, Variables bound) const;
  /// Lower bounds of the variable that need only `bound`.
  std::vector<term::Term> lower_bounds(std::size_t variable, Variables bound) const;

  /// Appends the eliminated positions whose value is known now.
  void append_eliminated(Variables bound, std::vector<std::string> &order) const;
  /// The space's variables that were eliminated, with their values over the others.
  const std::map<std::string, term::Term> &eliminated() const { return eliminated_; }

private:
  struct Constraint {
    bool equality = false;
    term::Term left;                 // = 0 or >= 0
    Variables outside = 0;           // occurs as a summand
    Variables inside = 0;            // occurs in an argument
    std::set<std::string> arguments; // eliminated positions in arguments, as the relation states it
    std::map<std::size_t, std::int64_t> coefficients;
  };

  /// The only variable that the equation leaves open, or -1.
  int solved_for(const Constraint &constraint, Variables bound) const;
  Variables mask(const term::Term &term) const;
  /// Is the inequality one side of an interval whose width depends on arrays alone, or is constant?
  bool has_narrow_other_side(const Constraint &side) const;
  void eliminate(const combine::IterationSpace &space, std::vector<term::Term> &parts);
  /// What constraints on a variable say of those that were made of it.
  std::vector<term::Term> about_added(const combine::IterationSpace &space,
                                      std::vector<term::Term> parts) const;

  std::vector<std::string> names_;
  std::map<std::string, term::Term> eliminated_;
  std::vector<Constraint> constraints_;
};

} // namespace unravel::schedule
