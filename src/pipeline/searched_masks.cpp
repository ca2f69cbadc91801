// Masks that may be stored several times.
#include "choose/statements.h"
#include "compute/mask.h"
#include "depend/statements.h"
#include "pipeline.h"

#include <algorithm>

namespace unravel::pipeline {

using combine::IterationSpace;

namespace {

bool is_read_by_value(const compute::Statement &statement, const std::string &name) {
  bool is_read = false;
  value::each_leaf<compute::Access>(
      statement.value, [&](const compute::Access &access) { is_read = is_read || access.name() == name; });
  return is_read;
}

} // namespace

std::optional<Front> with_searched_masks(const Front &front, const std::vector<IterationSpace> &spaces,
                                         prove::Prover &prover) {
  report::Diagnostic why;
  const auto check = [&] { return choose::require_single_values(spaces, prover), 0; };
  if (report::unless_refused(check, &why)) return std::nullopt;
  const auto may_repeat = [&](const compute::Statement &statement, const compute::Mask &asked) {
    const compute::Access *read = compute::read_like(statement, asked);
    const compute::Access &mask = read ? *read : asked.access;
    if (front.layouts.contains(mask.tensor) && front.layouts.at(mask.tensor).pieces.size() > 1) return true;
    return std::ranges::any_of(spaces, [&](const IterationSpace &space) {
      const auto operand = std::ranges::find(space.operands, mask.name(), &combine::Operand::name);
      return operand != space.operands.end() && !depend::is_stored_once(space, *operand, prover);
    });
  };
  Front other = front;
  bool is_other = false;
  for (compute::Statement &statement : other.computation.program.statements)
    for (compute::Mask &mask : statement.masks) {
      if (mask.is_absent || mask.is_searched || mask.access.name() == front.structure ||
          is_read_by_value(statement, mask.access.name()) || !may_repeat(statement, mask))
        continue;
      mask.is_searched = is_other = true;
    }
  if (!is_other) throw report::Error(why);
  return other;
}

} // namespace unravel::pipeline
