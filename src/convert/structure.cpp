#include "convert/structure.h"

#include "convert/pack_levels.h"
#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::convert {

Tensor with_structure_of(const Tensor &lender, const layout::Layout &layout,
                         const std::vector<std::int64_t> &shape, const PackOptions &options) {
  Tensor made;
  made.layout = layout;
  for (std::size_t mode = 0; mode < shape.size(); ++mode)
    made.sizes[layout.sizes[mode]] = shape[mode];
  for (const layout::Count &count : layout.counts) {
    std::optional<std::int64_t> number = number_of(lender, count.name);
    if (!number)
      report::fail(report::Kind::extent_mismatch,
                   fmt::format("the count `{}` of layout `{}` has no value", count.name, lender.layout.name));
    made.counts[count.name] = *number;
  }
  check_memory(made, options, 0);
  for (const layout::Array &array : layout.arrays) {
    if (!array.is_value) {
      made.arrays[array.name] = lender.array(array.name).shared();
      continue;
    }
    DType type = element_type(array, options.index, options.value);
    made.arrays[array.name] = Elements(type, static_cast<std::size_t>(element_count(array, made).value()));
    made.arrays.at(array.name).fill(options.fill);
  }
  return made;
}

Tensor with_own_values(const Tensor &tensor) {
  Tensor made;
  made.layout = tensor.layout;
  made.sizes = tensor.sizes;
  made.counts = tensor.counts;
  for (const layout::Array &array : tensor.layout.arrays)
    made.arrays[array.name] = array.is_value ? tensor.array(array.name) : tensor.array(array.name).shared();
  return made;
}

} // namespace unravel::convert
