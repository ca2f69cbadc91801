#pragma once

#include "prove/differences.h"
#include "prove/prover.h"
#include "space/set.h"
#include "term/term.h"

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

/// What is known at a level of the nest: isl's set, and the comparisons as they were said, which answer most
/// questions without isl.
namespace unravel::scan {

/// Comparisons that hold.
class Stated {
public:
  /// A formula that holds. Of a conjunction every part; what isn't a comparison is left out.
  void add(const term::Term &formula);
  /// Whether the formula follows: from the differences of two terms among the comparisons, or from at most
  /// two comparisons of any form. None where that isn't known. (Where a part is known not to follow and the
  /// others are not known, the answer is false.)
  std::optional<bool> implies(const term::Term &formula);
  /// Of comparisons the least part from which all follow, if there is only one. None where that isn't known,
  /// or where they contradict what is.
  std::optional<std::vector<term::Term>> reduced(const std::vector<term::Term> &comparisons);

private:
  void add_at_least_zero(const term::Term &sum);
  /// sum + constant >= 0 by a single comparison; `sum` has no constant.
  bool follows(const term::Term &sum, std::int64_t constant) const;
  bool follows_from_two(const term::Term &sum) const;
  std::optional<bool> at_least_zero(const term::Term &sum);
  /// sum >= 0 as a difference of two atoms, where it is one.
  std::optional<prove::Difference> difference(const term::Term &sum);
  std::optional<int> unknown_of(const term::Term &atom);
  /// Whether the comparison could be added to the differences.
  bool add_difference(const term::Term &comparison);
  /// Which comparisons follow from these differences with what is known; none where that isn't known, or
  /// where they contradict it.
  std::optional<std::vector<bool>> with(const std::vector<term::Term> &assumed,
                                        const std::vector<term::Term> &asked);

  std::unordered_map<term::Term, std::int64_t> least_;              // sum + value >= 0
  std::unordered_map<term::Term, std::vector<term::Term>> by_atom_; // the sums that an atom occurs in
  prove::Differences differences_;
  std::unordered_map<term::Term, int> unknowns_;
  bool complete_ = true; // all that holds is in the differences, and it is possible
};

/// At most a few points, each of which satisfies all that is known. Atoms (variables, applications, products)
/// have a value each, as in isl's sets; one that a point doesn't have is 0 there.
class Points {
public:
  using Point = std::vector<std::pair<term::Term, std::int64_t>>;
  /// Precondition: all that is known holds at the point.
  void add(const Point &point);
  /// From here on the formula holds: points at which it doesn't are dropped.
  void keep_where(const term::Term &formula);
  /// Whether the formula is false at one of the points.
  bool refute(const term::Term &formula) const;

private:
  using Values = std::unordered_map<term::Term, std::int64_t>;
  /// Of a formula 0 or 1. None where a number doesn't fit.
  static std::optional<std::int64_t> value_at(const Values &point, const term::Term &term);

  std::vector<Values> points_; // the last ones of those that were added
};

class Known {
public:
  /// From here on the formula holds.
  void add(const term::Term &formula);
  bool implies(const term::Term &formula);
  /// What remains to be said of a set.
  term::Term left_of(const space::Set &set);
  /// What remains of a conjunction of comparisons; none where only isl knows.
  std::optional<std::vector<term::Term>> left_of(const std::vector<term::Term> &comparisons) {
    return stated_.reduced(comparisons);
  }
  /// As a set. Formulas are put together until it is asked for: each intersection of isl looks at all of it.
  const space::Set &set();

private:
  space::Set set_;
  std::vector<term::Term> added_; // since the set was made
  Stated stated_;
  Points points_; // at which all holds
};

// ---- Facts about array values: axioms of at most three quantified variables, instantiated on the
// applications that are known at a level, where what is enforced there implies their guard.

class Facts {
public:
  explicit Facts(const std::vector<prove::Axiom> &axioms) : axioms_(axioms) {}

  /// What holds of sizes and counts alone.
  term::Term about_sizes() const;

  /// Adds to `known` every conclusion whose guard it implies, for instances on the given applications;
  /// repeated until nothing new follows.
  void extend(Known &known, const std::set<term::Term> &applications);

private:
  struct Instance {
    term::Term guard;
    term::Term conclusion;
  };
  /// The values of a quantified variable at which some pattern of the axiom is a known application.
  std::set<term::Term> candidates(const prove::Axiom &axiom, const std::string &quantified,
                                  const std::set<term::Term> &applications) const;
  std::vector<Instance> instances(const std::set<term::Term> &applications) const;

  const std::vector<prove::Axiom> &axioms_;
  std::set<term::Term> used_; // instances (as implications) that are in `known` already
};

} // namespace unravel::scan
