#include "lower/parameter.h"

#include "loop/arrays.h"
#include "loop/walk.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace unravel::lower {

using term::Term;

namespace {

/// The names of the layout's sizes and counts, and those that a kernel gives them: "M" and "A.M".
std::map<std::string, std::string> qualified_names(const combine::Binding &binding) {
  std::map<std::string, std::string> qualified;
  for (const std::string &size : binding.layout.sizes)
    qualified[size] = binding.tensor + "." + size;
  for (const layout::Count &count : binding.layout.counts)
    qualified[count.name] = binding.tensor + "." + count.name;
  return qualified;
}

loop::ElementType element_type(const layout::Array &array, const LowerOptions &options) {
  if (!array.element.empty()) return value::type_called(array.element).value();
  return array.is_value ? options.value : options.index;
}

/// Of sizes and counts that aren't: a tensor without rows has no element -1.
bool is_never_negative(const Term &slot) {
  const term::Linear linear = term::linear_form(slot);
  return linear.constant >= 0 && std::ranges::all_of(linear.parts, [](const auto &part) {
           const auto *divided = part.first.template as<term::FloorDivide>();
           return part.second >= 0 && (part.first.template as<term::Variable>() ||
                                       (divided && is_never_negative(divided->numerator)));
         });
}

/// The least and the most that a term over an entry's coordinates may be.
struct Bounds {
  Term least, most;
};

Bounds bounds_of(const Term &value, const std::map<std::string, Bounds> &coordinates) {
  const term::Linear linear = term::linear_form(value);
  Bounds result{Term(linear.constant), Term(linear.constant)};
  for (const auto &[part, factor] : linear.parts) {
    Bounds inner{part, part}; // a size
    const auto *variable = part.as<term::Variable>();
    if (const auto known = coordinates.find(variable ? variable->name : ""); known != coordinates.end())
      inner = known->second;
    if (const auto *quotient = part.as<term::FloorDivide>()) {
      inner = bounds_of(quotient->numerator, coordinates);
      for (Term *bound : {&inner.least, &inner.most})
        *bound = term::floor_divide(*bound, quotient->divisor);
    }
    if (const auto *rest = part.as<term::Modulo>()) inner = {Term(0), Term(rest->divisor - 1)};
    if (factor < 0) std::swap(inner.least, inner.most);
    result.least = result.least + term::scale(factor, inner.least);
    result.most = result.most + term::scale(factor, inner.most);
  }
  return result;
}

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

loop::TensorParameter parameter(const combine::Binding &binding, const LowerOptions &options) {
  const layout::Layout &layout = binding.layout;
  loop::TensorParameter result;
  result.name = binding.tensor;
  result.layout = layout.name;
  result.type_name = type_name(layout, options.index, options.value);
  result.about = layout.comment;
  result.is_result = binding.is_result;
  result.structure = binding.structure;
  result.assembled = binding.is_assembled();
  for (const std::string &size : layout.sizes)
    if (!contains(result.sizes, size)) result.sizes.push_back(size);
  for (const layout::Count &count : layout.counts)
    result.counts.push_back(count.name);
  const std::map<std::string, std::string> qualified = qualified_names(binding);
  for (const layout::Array &array : layout.arrays) {
    loop::ArrayParameter made;
    made.name = array.name;
    made.is_value = array.is_value;
    made.element = element_type(array, options);
    for (const Term &extent : array.extents)
      made.extents.push_back(term::rename(extent, qualified, {}));
    result.arrays.push_back(std::move(made));
  }
  return result;
}

void require_counts(const combine::Combination &combination, loop::Program &program) {
  const std::set<std::string> read = loop::names_read(program.body);
  for (const combine::Binding &binding : combination.bindings) {
    if (binding.is_result) continue;
    const layout::Layout &layout = binding.layout;
    const std::map<std::string, std::string> qualified = qualified_names(binding);
    std::map<std::string, std::string> arrays;
    for (const layout::Array &array : layout.arrays)
      arrays[array.name] = binding.tensor + "." + array.name;
    for (const layout::Count &count : layout.counts) {
      if (!count.definition) continue;
      const Term element = term::rename(*count.definition, qualified, arrays);
      const auto *load = element.as<term::Apply>();
      if (!load || !read.contains(load->function) || !std::ranges::all_of(load->arguments, is_never_negative))
        continue;
      program.preconditions.push_back(
          {term::equal(term::variable(qualified.at(count.name)), element),
           fmt::format("layout {} says {} = {}", layout.name, count.name, term::to_text(*count.definition))});
    }
  }
}

void require_widths(const combine::Combination &combination, loop::Program &program) {
  std::set<Term> required;
  for (const combine::AssembledResult &result : combination.assembled) {
    const layout::Layout &layout =
        std::ranges::find(combination.bindings, result.tensor, &combine::Binding::tensor)->layout;
    std::map<std::string, Bounds> coordinates;
    for (std::size_t mode = 0; mode < result.modes.size(); ++mode)
      coordinates[result.modes[mode]] = {Term(0),
                                         term::variable(result.tensor + "." + layout.sizes[mode]) - Term(1)};
    for (const packing::AppendLevel &level : result.append.levels)
      for (const layout::IndexElement &key : level.keys) {
        if (loop::find_array(key.array, program)->element != loop::ElementType::Int32) continue;
        const Bounds bounds = bounds_of(key.value, coordinates);
        const Term most(std::numeric_limits<std::int32_t>::max());
        for (const Term &fits : {term::at_most(bounds.most, most), term::at_most(-bounds.least, most)})
          if (!term::is_true(fits) && required.insert(fits).second)
            program.preconditions.push_back({fits, fmt::format("{} has int32 elements", key.array)});
      }
  }
}

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
