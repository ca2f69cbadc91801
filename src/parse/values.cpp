#include "parse/values.h"

#include "value/type.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unravel::parse {

bool is_value_type(std::string_view word) {
  return value::type_called(word).has_value();
}

std::optional<double> fill_of(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || std::isnan(value)) return std::nullopt;
  return value;
}

ValuesTree parse_values(TokenStream &tokens) {
  ValuesTree result;
  if (tokens.at_name() && !tokens.at("fill")) result.type = tokens.expect_name("a type of values");
  if (!tokens.at("fill")) return result;
  const std::size_t begin = tokens.next().begin;
  const bool is_negative = tokens.accept("-");
  const std::optional<double> number = tokens.at_end() ? std::nullopt : fill_of(tokens.peek().text);
  if (!number) tokens.fail_expected("a number after `fill`", "write `fill inf`");
  tokens.next();
  result.fill = is_negative ? -*number : *number;
  result.fill_span = tokens.span_from(begin);
  return result;
}

std::string to_text(const ValuesTree &values) {
  return (values.type ? " " + values.type->text : "") +
         (values.fill ? fmt::format(" fill {}", *values.fill) : "");
}

} // namespace unravel::parse
