#include "lower/values.h"

#include "lower/lookups.h"
#include "lower/map_code.h"
#include "value/chosen.h"

#include <algorithm>

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

namespace {

/// Is a position found that nothing is read at?
bool finds_presence(const LeafPlan &leaf) {
  return std::ranges::any_of(leaf.finds.levels, [](const LevelPlan &plan) {
    const auto *map = plan.as<plan::DenseMap>();
    return map && map->tells_absence() && !map->holds_values();
  });
}

} // namespace

loop::Value Values::value() const {
  const combine::Value value = finds_presence(plan_) ? value::chosen(space_.value) : space_.value;
  return value::map_leaves<loop::Value>(value, [&](const combine::Read &read) -> loop::Value {
    if (const combine::Lookup *lookup = space_.lookup(read))
      return as_part(loop::Value{loop::Local{value_of_lookup(*lookup)}}, lookup->tensor);
    const combine::Operand &operand = space_.operand(read);
    return as_part(value_of(operand), operand.tensor);
  });
}

loop::Value Values::as_part(loop::Value part, const std::string &tensor) const {
  const value::Type own = compute::type_of(space_.types, tensor);
  if (own == space_.type || value::promoted(own) == space_.type) return part;
  return apply(value::conversion_to(space_.type), std::vector{std::move(part)});
}

std::optional<loop::ElementType> declared(value::Type type) {
  return value::is_integer(type) ? std::optional(type) : std::nullopt;
}

loop::Value as_target(loop::Value value, const combine::IterationSpace &space) {
  const value::Type wanted = space.target_type();
  if (wanted == space.type || value::number_of(value)) return value;
  // Sums that wrap around may be cut to fewer bits at last.
  const bool is_sum = space.by == value::Operator::Add || space.by == value::Operator::Multiply;
  if (value::promoted(wanted) == space.type && wanted != value::Type::Bool && (is_sum || space.sets))
    return value;
  return apply(value::conversion_to(wanted), std::vector{std::move(value)});
}

} // namespace unravel::lower
