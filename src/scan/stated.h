#pragma once

#include "prove/differences.h"
#include "term/term.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

/// What is known, as it was said: answers at once most of what isl would be asked.
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

} // namespace unravel::scan
