#include "emit/main_values.h"

#include "emit/prelude.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace unravel::emit {

namespace {

void replace_all(std::string &text, std::string_view word, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

} // namespace

value::Type value_type(const loop::TensorParameter &tensor) {
  std::optional<value::Type> all;
  for (const loop::ArrayParameter &array : tensor.arrays)
    if (array.is_value)
      all = !all || *all == array.element ? array.element : value::common(*all, array.element);
  return all.value_or(value::Type::Float64);
}

bool has_packed_integers(const loop::TensorParameter &tensor) {
  return tensor.has_given_arrays() && value::is_integer(value_type(tensor));
}

std::string tables_of_integers(const std::vector<loop::TensorParameter> &tensors,
                               const std::set<std::string> &adding) {
  if (std::ranges::none_of(tensors, has_packed_integers)) return "";
  std::vector<std::string> least, greatest;
  std::vector<int> adds;
  for (const loop::TensorParameter &tensor : tensors) {
    const bool is_integer = has_packed_integers(tensor);
    least.push_back(is_integer ? value::least_text(value_type(tensor)) : "0");
    greatest.push_back(is_integer ? value::greatest_text(value_type(tensor)) : "0");
    adds.push_back(is_integer && adding.contains(tensor.name));
  }
  return fmt::format("// The integers that tensors hold; 0 where they hold other numbers.\n"
                     "static const int64_t unravel_least[UNRAVEL_TENSORS] = {{{}}};\n"
                     "static const uint64_t unravel_greatest[UNRAVEL_TENSORS] = {{{}}};\n"
                     "// Whether entries of one coordinate are added up as they are packed.\n"
                     "static const int unravel_adds[UNRAVEL_TENSORS] = {{{}}};\n",
                     fmt::join(least, ", "), fmt::join(greatest, ", "), fmt::join(adds, ", "));
}

std::string table_of_fills(const std::vector<loop::TensorParameter> &tensors,
                           const std::map<std::string, double> &fills) {
  std::vector<std::string> texts;
  for (const loop::TensorParameter &tensor : tensors) {
    const auto fill = fills.find(tensor.name);
    texts.push_back(fmt::format("\"{}\"", fill == fills.end() ? 0 : fill->second));
  }
  return fmt::format("// What elements are that aren't stored.\n"
                     "static const char *const unravel_fills[UNRAVEL_TENSORS] = {{{}}};\n",
                     fmt::join(texts, ", "));
}

WrittenAs written_as(value::Type type) {
  if (value::is_complex(type)) return {type_of_values(true), "complex", "complex"};
  if (type == value::Type::UInt64) return {"uint64_t", "natural", "integer"};
  if (value::is_integer(type)) return {"uint64_t", "integer", "integer"};
  return {type_of_values(false), "real", "real"};
}

std::string writers(const std::vector<WrittenResult> &results) {
  std::map<std::string, std::set<std::string>> parts; // by the name of how they are written
  std::map<std::string, WrittenAs> ways;
  for (const auto &[type, is_sparse] : results) {
    const WrittenAs as = written_as(type);
    ways.emplace(as.name, as);
    parts[as.name].insert({std::string(as.name) + "_result", is_sparse ? "stored_values" : "all_values"});
  }
  std::string text = parts.empty() ? "" : parts_of_c("results", {"files"});
  for (const auto &[name, as] : ways) {
    std::string own = parts_of_c("results", parts.at(name));
    replace_all(own, "_OF_RESULT", "_" + name);
    replace_all(own, "RESULT", as.type);
    replace_all(own, "FIELD", fmt::format("\"{}\"", as.field));
    text += own;
  }
  return text;
}

std::string with_types_of_values(std::string text, bool has_complex) {
  replace_all(text, "_OF_VALUE", has_complex ? "_complex" : "_real");
  replace_all(text, "VALUE", type_of_values(has_complex));
  return text;
}

} // namespace unravel::emit
