#include "term/limits.h"

#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::term {

Term with_small_numbers(Term term, const text::Span &span) {
  const auto check = [&](std::int64_t number, std::int64_t most, const char *what) {
    if (number >= -most && number <= most) return;
    report::fail(report::Kind::number_too_large, span,
                 fmt::format("`{}` is too large for a {} of coordinates and sizes", number, what),
                 fmt::format("the largest one is {}", most));
  };
  if (const auto *constant = term.as<Constant>())
    check(constant->value, largest_constant, "constant in a sum");
  if (const auto *linear = term.as<Linear>()) {
    check(linear->constant, largest_constant, "constant in a sum");
    for (const auto &[atom, factor] : linear->parts)
      check(factor, largest_factor, "factor");
  }
  return term;
}

} // namespace unravel::term
