#include "lower/values.h"

#include "lower/lookups.h"
#include "lower/map_code.h"

namespace unravel::lower {

using plan::LevelPlan;
using scan::Level;

loop::Element Values::at(const std::string &position) const {
  for (const combine::Operand &operand : space_.operands)
    if (!operand.array.empty() && operand.slot == term::variable(position))
      return {operand.array, operand.slot};
  return {};
}

loop::Value Values::value_of(const combine::Operand &operand) const {
  if (operand.is_scalar()) return {loop::Local{operand.local}};
  for (const LevelPlan &plan : plan_.finds.levels) {
    const Level &found = plan_.nest.levels[plan.level];
    if (const auto *map = plan.as<plan::DenseMap>();
        map && map->holds_values() && operand.slot == term::variable(found.variable))
      return {loop::Local{found_value(found)}};
  }
  return {loop::Element{operand.array, operand.slot}};
}

loop::Value Values::value() const {
  return value::map_leaves<loop::Value>(space_.value, [&](const combine::Read &read) -> loop::Value {
    if (const combine::Lookup *lookup = space_.lookup(read)) return {loop::Local{value_of_lookup(*lookup)}};
    return value_of(space_.operand(read));
  });
}

} // namespace unravel::lower
