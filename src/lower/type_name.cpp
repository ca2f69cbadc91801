#include "lower/type_name.h"

#include <algorithm>

namespace unravel::lower {

namespace {

std::string order_word(std::size_t order) {
  switch (order) {
  case 0: return "_scalar";
  case 1: return "_vector";
  case 2: return "_matrix";
  default: return "_tensor" + std::to_string(order);
  }
}

/// A parameter in an identifier: a minus is an m.
std::string parameter_text(std::int64_t parameter) {
  std::string digits = std::to_string(parameter);
  if (parameter < 0) digits[0] = 'm';
  return "_" + digits;
}

} // namespace

std::string type_name(const layout::Layout &layout, loop::ElementType index, loop::ElementType value) {
  auto has = [&](auto holds) { return std::ranges::any_of(layout.arrays, holds); };
  std::string result = layout.base_name.empty() ? layout.name : layout.base_name;
  bool has_index = has([](const layout::Array &array) { return !array.is_value; });
  if (!has_index || layout.order() > 2) result += order_word(layout.order());
  for (std::int64_t parameter : layout.parameters)
    result += parameter_text(parameter);
  bool open_index = has([](const layout::Array &array) { return !array.is_value && array.element.empty(); });
  bool open_value = has([](const layout::Array &array) { return array.is_value && array.element.empty(); });
  if (open_index && index == loop::ElementType::Int64) result += "_int64";
  if (layout.values || open_value)
    if (const loop::ElementType type = layout.values.value_or(value); type != loop::ElementType::Float64)
      result += "_" + std::string(value::facts_of(type).word);
  return result;
}

} // namespace unravel::lower
