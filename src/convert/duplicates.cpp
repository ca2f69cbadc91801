#include "convert/duplicates.h"

#include "value/type.h"

#include <algorithm>

namespace unravel::convert {

namespace {

value::Scalar scalar_of(const data::Coordinates &entries, std::size_t e, value::Type type) {
  if (value::is_complex(type))
    return value::converted({value::Type::Complex128, entries.value[e], 0, entries.imaginary_of(e)}, type);
  return value::Scalar::of(entries.value[e], type);
}

} // namespace

void combine_duplicates(data::Coordinates &entries, const value::Operator &op, value::Type type) {
  if (value::is_integer(type) &&
      !std::ranges::all_of(entries.value, [&](double number) { return value::holds(type, number); }))
    return;
  data::sort(entries, data::natural_modes(entries.order()));
  std::size_t count = 0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const bool is_same =
        count > 0 && std::ranges::all_of(entries.index, [&](const std::vector<std::int64_t> &index) {
          return index[count - 1] == index[e];
        });
    if (is_same) {
      const value::Scalar made = value::converted(
          value::evaluate_exactly(op, value::promoted(type),
                                  {scalar_of(entries, count - 1, type), scalar_of(entries, e, type)}),
          type);
      entries.value[count - 1] = made.number();
      if (entries.is_complex()) entries.imaginary[count - 1] = made.imaginary;
      continue;
    }
    for (std::vector<std::int64_t> &index : entries.index)
      index[count] = index[e];
    entries.value[count] = entries.value[e];
    if (entries.is_complex()) entries.imaginary[count] = entries.imaginary[e];
    ++count;
  }
  entries.resize(count);
}

} // namespace unravel::convert
