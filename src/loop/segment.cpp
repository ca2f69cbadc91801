#include "loop/segment.h"

namespace unravel::loop {

using term::Term;

namespace {

/// The pointer that the bound is, or that is one of several bounds.
template <class Extreme> const term::Apply *pointer_in(const Term &bound) {
  if (const auto *several = bound.as<Extreme>())
    for (const Term &part : several->of)
      if (const auto *pointer = part.template as<term::Apply>()) return pointer;
  return bound.as<term::Apply>();
}

} // namespace

std::optional<Segment> segment_between(const Term &lower, const Term &upper) {
  const auto *begin = pointer_in<term::Maximum>(lower), *end = pointer_in<term::Minimum>(upper);
  if (!begin || !end || begin->function != end->function || begin->arguments.size() != 1 ||
      end->arguments.size() != 1 || end->arguments[0] != begin->arguments[0] + Term(1))
    return {};
  return Segment{begin->function, begin->arguments[0], lower.as<term::Apply>() && upper.as<term::Apply>()};
}

std::optional<double> mean_length(const For &loop, const std::map<std::string, double> &counts) {
  for (const Term &load : applications_of(loop.upper))
    if (const auto found = counts.find(load.as<term::Apply>()->function); found != counts.end())
      return found->second;
  return {};
}

} // namespace unravel::loop
