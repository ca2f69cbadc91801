#include "lower/parameter.h"

#include "lower/type_name.h"
#include "text/contains.h"

#include <algorithm>

namespace unravel::lower {

using term::Term;

namespace {

loop::ElementType element_type(const layout::Array &array, const LowerOptions &options) {
  if (!array.element.empty()) return value::type_called(array.element).value();
  return array.is_value ? options.value : options.index;
}

} // namespace

std::map<std::string, std::string> qualified_names(const combine::Binding &binding) {
  std::map<std::string, std::string> qualified;
  for (const std::string &size : binding.layout.sizes)
    qualified[size] = binding.tensor + "." + size;
  for (const layout::Count &count : binding.layout.counts)
    qualified[count.name] = binding.tensor + "." + count.name;
  return qualified;
}

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

} // namespace unravel::lower
