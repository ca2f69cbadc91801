#include "lower/values.h"

#include "lower/map_code.h"

namespace unravel::lower {

using find::LevelPlan;
using scan::Level;

std::string Values::found_divisor() const {
  for (const combine::Operand &operand : space_.operands)
    if (operand.divides) return operand.name + ".found";
  return {};
}

loop::Element Values::at(const std::string &position) const {
  for (const combine::Operand &operand : space_.operands)
    if (!operand.array.empty() && operand.slot == term::variable(position))
      return {operand.array, operand.slot};
  return {};
}

loop::Value Values::value_of(const combine::Operand &operand) const {
  for (const LevelPlan &plan : plan_.finds.levels) {
    const Level &found = plan_.nest.levels[plan.level];
    if (holds_values(plan) && operand.slot == term::variable(found.variable))
      return {loop::Local{found_value(found)}};
  }
  return {loop::Element{operand.array, operand.slot}};
}

loop::Value Values::value() const {
  std::vector<loop::Value> summands, divisors;
  for (std::size_t k = 0; k < space_.constants.size(); ++k)
    summands.push_back(product(k));
  for (const combine::Operand &operand : space_.operands)
    if (operand.divides) divisors.push_back(read(operand));
  if (summands.empty()) return {loop::Number{0}};
  loop::Value value = summands.size() == 1 ? summands[0] : loop::Value{loop::Plus{summands}};
  if (divisors.empty()) return value;
  return {loop::Over{{value, divisors.size() == 1 ? divisors[0] : loop::Value{loop::Times{divisors}}}}};
}

loop::Value Values::read(const combine::Operand &operand) const {
  loop::Value value = operand.is_scalar()     ? loop::Value{loop::Local{operand.local}}
                      : operand.array.empty() ? loop::Value{loop::Number{operand.literal}}
                                              : value_of(operand);
  return operand.negative ? loop::Value{loop::Minus{{value}}} : value;
}

loop::Value Values::product(std::size_t summand) const {
  double constant = space_.constants.at(summand);
  std::vector<loop::Value> factors;
  for (const combine::Operand &operand : space_.operands) {
    if (operand.summand != summand || operand.divides) continue;
    if (operand.negative) constant = -constant;
    if (operand.is_scalar())
      factors.push_back({loop::Local{operand.local}});
    else if (operand.array.empty())
      constant *= operand.literal;
    else
      factors.push_back(value_of(operand));
  }
  if (constant == -1 && !factors.empty()) {
    loop::Value value = factors.size() == 1 ? factors[0] : loop::Value{loop::Times{factors}};
    return {loop::Minus{{value}}};
  }
  if (constant != 1 || factors.empty()) factors.insert(factors.begin(), {loop::Number{constant}});
  return factors.size() == 1 ? factors[0] : loop::Value{loop::Times{factors}};
}

} // namespace unravel::lower
