// Coordinates that run along others, or from another start.
#include "report/diagnostic.h"
#include "schedule/transform.h"

#include <fmt/format.h>

namespace unravel::schedule {

void skew(combine::IterationSpace &space, const Transformation &how) {
  std::string of = how.variable.text;
  if (how.by.text == of)
    report::fail(report::Kind::bad_transformation, how.by.span,
                 fmt::format("`{}` can't be skewed by itself", of), "skew it by another coordinate");
  add_variable(
      space, {added_name(how), of, term::variable(of) + term::scale(how.number, term::variable(how.by.text))},
      how);
}

void shift(combine::IterationSpace &space, const Transformation &how) {
  std::string of = how.variable.text;
  add_variable(space, {added_name(how), of, term::variable(of) + term::Term(how.number)}, how);
}

} // namespace unravel::schedule
