#include "convert/exact.h"

#include "report/diagnostic.h"
#include "value/exact.h"

#include <fmt/format.h>

namespace unravel::convert {

namespace {

void require_exact(data::DType type, const void *elements, std::size_t size, const std::string &name,
                   const std::string &what, const std::string &hint) {
  if (!value::is_integer(type) || data::item_size(type) < 8) return;
  for (std::size_t k = 0; k < size; ++k)
    if (const value::Scalar number = data::number_at(type, elements, k); !value::is_exact_as_double(number))
      report::fail(report::Kind::value_width,
                   fmt::format("{}, but {}[{}] is {}, which no double holds exactly", what, name, k,
                               value::integer_text(number)),
                   hint);
}

} // namespace

void require_exact(const tensor::Tensor &tensor, const std::string &what, const std::string &hint) {
  for (const layout::Array &array : tensor.layout.arrays)
    if (array.is_value) {
      const data::Elements &values = tensor.array(array.name);
      require_exact(values.type(), values.data(), values.size(), array.name, what, hint);
    }
}

void require_exact(const data::ArrayFolder &folder, const layout::Layout &layout, const std::string &what,
                   const std::string &hint) {
  for (const layout::Array &array : layout.arrays)
    if (const auto given = folder.arrays.find(array.name); array.is_value && given != folder.arrays.end()) {
      const data::Array &values = given->second;
      require_exact(values.dtype, values.bytes.data(), values.size(), array.name, what, hint);
    }
}

} // namespace unravel::convert
