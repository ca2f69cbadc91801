#include "convert/duplicates.h"

#include "convert/exact.h"
#include "convert/halves.h"
#include "report/diagnostic.h"
#include "value/type.h"

namespace unravel::convert {

namespace {

/// The value of an entry in the type; an integer that entries hold in halves is put together.
value::Scalar scalar_of(const data::Coordinates &entries, std::size_t e, value::Type type) {
  const std::complex<double> parts{entries.value[e], entries.imaginary_of(e)};
  if (value::is_complex(type))
    return value::converted({value::Type::Complex128, parts.real(), 0, parts.imag()}, type);
  if (!entries.is_complex()) return value::Scalar::of(parts.real(), type);
  const std::optional<value::Scalar> whole = whole_of(parts, type);
  return *whole;
}

/// Integers in halves, which the type is to hold.
void require_whole(const data::Coordinates &entries, value::Type type) {
  for (std::size_t e = 0; e < entries.size(); ++e)
    if (!whole_of({entries.value[e], entries.imaginary[e]}, type))
      report::fail(report::Kind::value_width,
                   std::string("entries of one coordinate are combined as ") +
                       std::string(value::facts_of(type).word) + " values, which doesn't hold one of them",
                   "give the tensor a type that holds them");
}

} // namespace

void combine_duplicates(data::Coordinates &entries, const value::Operator &op, value::Type type) {
  if (entries.is_complex() && is_wide_integer(type))
    require_whole(entries, type);
  else
    require_held(entries, type, "entries of one coordinate are combined as");
  data::sort(entries, data::natural_modes(entries.order()));
  data::combine_duplicates(entries, [&](std::size_t first, std::size_t other) {
    const value::Scalar made = value::converted(
        value::evaluate_exactly(op, value::promoted(type),
                                {scalar_of(entries, first, type), scalar_of(entries, other, type)}),
        type);
    const std::complex<double> halves = value::is_complex(type) ? std::complex(made.real, made.imaginary)
                                        : entries.is_complex()  ? halves_of(made)
                                                                : std::complex(made.number());
    entries.value[first] = halves.real();
    if (entries.is_complex()) entries.imaginary[first] = halves.imag();
  });
}

} // namespace unravel::convert
