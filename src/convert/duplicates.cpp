#include "convert/duplicates.h"

#include "convert/exact.h"
#include "report/diagnostic.h"
#include "value/exact.h"

namespace unravel::convert {

namespace {

/// The value of an entry in the type; an integer that entries hold in halves is put together.
value::Scalar scalar_of(const data::Coordinates &entries, std::size_t e, value::Type type) {
  const std::complex<double> parts{entries.value[e], entries.imaginary_of(e)};
  if (value::is_complex(type))
    return value::converted({value::Type::Complex128, parts.real(), 0, parts.imag()}, type);
  if (!entries.in_halves) return value::Scalar::of(parts.real(), type);
  const std::optional<value::Scalar> whole = value::whole_of(parts, type);
  return *whole;
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
    const std::complex<double> halves = value::is_complex(type) ? std::complex(made.real, made.imaginary)
                                        : entries.in_halves     ? value::halves_of(made)
                                                                : std::complex(made.number());
    entries.value[first] = halves.real();
    if (entries.is_complex()) entries.imaginary[first] = halves.imag();
  });
}

} // namespace unravel::convert
