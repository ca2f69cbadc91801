#include "emit/main_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unravel::emit {

std::string checked_values(const loop::TensorParameter &tensor, const std::string &values,
                           const std::string &count, const std::string &name) {
  const auto array = std::ranges::find_if(tensor.arrays, &loop::ArrayParameter::is_value);
  if (array == tensor.arrays.end() || !value::is_integer(array->element)) return values;
  const double end = std::ldexp(1.0, value::bits_of(array->element));
  const double least = value::facts_of(array->element).is_signed ? -end : 0;
  return fmt::format("unravel_integers({}, {}, {:.1f}, {:.1f}, {})", values, count, least, end, name);
}

WrittenAs written_as(const std::vector<value::Type> &types) {
  const auto all_are = [&](auto is) { return !types.empty() && std::ranges::all_of(types, is); };
  const auto is_natural = [](value::Type type) { return type == value::Type::UInt64; };
  if (std::ranges::any_of(types, value::is_complex)) return {type_of_values(true), "complex", "complex"};
  if (all_are(is_natural)) return {"uint64_t", "natural", "integer"};
  if (all_are([&](value::Type type) { return value::is_integer(type) && !is_natural(type); }))
    return {"uint64_t", "integer", "integer"};
  return {type_of_values(false), "real", "real"};
}

std::string with_types(std::string text, bool has_complex, const WrittenAs &written) {
  const auto replace = [&](const std::string &word, const std::string &by) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
      text.replace(at, word.size(), by);
  };
  replace("_OF_VALUE", has_complex ? "_complex" : "_real");
  replace("_OF_RESULT", std::string("_") + written.name);
  replace("VALUE", type_of_values(has_complex));
  replace("RESULT", written.type);
  replace("FIELD", std::string("\"") + written.field + "\"");
  return text;
}

} // namespace unravel::emit
