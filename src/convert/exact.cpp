#include "convert/exact.h"

#include "report/diagnostic.h"
#include "value/exact.h"

#include <fmt/format.h>

namespace unravel::convert {

namespace {

void require_exact(const data::Elements &values, const std::string &name, const std::string &what,
                   const std::string &hint) {
  if (!values.is_integer() || data::item_size(values.type()) < 8) return;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (const value::Scalar number = values.number(k); !value::is_exact_as_double(number))
      report::fail(report::Kind::value_width,
                   fmt::format("{}, but {}[{}] is {}, which no double holds exactly", what, name, k,
                               value::integer_text(number)),
                   hint);
}

} // namespace

void require_exact(const tensor::Tensor &tensor, const std::string &what, const std::string &hint) {
  for (const layout::Array &array : tensor.layout.arrays)
    if (array.is_value) require_exact(tensor.array(array.name), array.name, what, hint);
}

void require_held(const data::Coordinates &entries, value::Type type, const std::string &what) {
  const std::string_view word = value::facts_of(type).word;
  const auto fail_at = [&](double number) {
    report::fail(report::Kind::value_width,
                 fmt::format("{} {} values, but {} is not one", what, word, number),
                 "give the tensor a type that holds it");
  };
  if (entries.in_halves) {
    for (std::size_t e = 0; e < entries.size(); ++e)
      if (!value::whole_of({entries.value[e], entries.imaginary[e]}, type))
        fail_at(entries.value[e] + 0x1p32 * entries.imaginary[e]);
    return;
  }
  if (entries.is_complex() && !value::is_complex(type))
    report::fail(report::Kind::value_width,
                 fmt::format("{} {} values, but the entries are complex", what, word),
                 "give the tensor a complex type: complex128");
  for (const double number : entries.value)
    if (!value::holds(type, number) && value::Scalar::of(number, type).number() != number) fail_at(number);
}

} // namespace unravel::convert
