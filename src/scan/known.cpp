// What is known at a level of a nest.
#include "scan/known.h"

namespace unravel::scan {

void Known::add(const term::Term &formula) {
  if (term::is_true(formula)) return;
  added_.push_back(formula);
  stated_.add(formula);
  points_.keep_where(formula);
}

bool Known::implies(const term::Term &formula) {
  if (std::optional<bool> answer = stated_.implies(formula)) return *answer;
  if (points_.refute(formula)) return false;
  const std::optional<Points::Point> point = set().subtract(space::Set(formula)).sample();
  if (point && !point->empty()) points_.add(*point);
  return !point;
}

term::Term Known::left_of(const space::Set &set) {
  std::optional<std::vector<term::Term>> parts = set.plain_constraints();
  if (parts)
    if (std::optional<std::vector<term::Term>> left = left_of(*parts))
      return term::conjunction(std::move(*left));
  return set.gist(this->set()).coalesce().formula();
}

const space::Set &Known::set() {
  if (!added_.empty()) set_ = set_.intersect(space::Set(term::conjunction(added_)));
  added_.clear();
  return set_;
}

} // namespace unravel::scan
