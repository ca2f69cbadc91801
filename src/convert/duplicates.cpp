#include "convert/duplicates.h"

#include "convert/exact.h"
#include "value/type.h"

namespace unravel::convert {

namespace {

value::Scalar scalar_of(const data::Coordinates &entries, std::size_t e, value::Type type) {
  if (value::is_complex(type))
    return value::converted({value::Type::Complex128, entries.value[e], 0, entries.imaginary_of(e)}, type);
  return value::Scalar::of(entries.value[e], type);
}

} // namespace

void combine_duplicates(data::Coordinates &entries, const value::Operator &op, value::Type type) {
  require_held(entries, type, "entries of one coordinate are combined as");
  data::sort(entries, data::natural_modes(entries.order()));
  data::combine_duplicates(entries, [&](std::size_t first, std::size_t other) {
    const value::Scalar made = value::converted(
        value::evaluate_exactly(op, value::promoted(type),
                                {scalar_of(entries, first, type), scalar_of(entries, other, type)}),
        type);
    entries.value[first] = made.number();
    if (entries.is_complex()) entries.imaginary[first] = made.imaginary;
  });
}

} // namespace unravel::convert
