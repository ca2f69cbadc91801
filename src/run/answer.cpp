#include "run/answer.h"

#include "convert/halves.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cmath>

namespace unravel::run {

namespace {

/// Of the values that have a place in it; of several arrays the common one.
value::Type type_of(const tensor::Tensor &tensor) {
  std::optional<value::Type> type;
  for (const layout::Array &array : tensor.layout.arrays) {
    if (!array.is_value) continue;
    const value::Type own = tensor.array(array.name).type();
    type = type ? value::common(*type, own) : own;
  }
  return type.value_or(value::Type::Float64);
}

value::Scalar value_of(const data::Coordinates &entries, std::size_t e, value::Type type) {
  const double real = entries.value[e], imaginary = entries.imaginary_of(e);
  if (entries.in_halves) return value::whole_of({real, imaginary}, type).value();
  return value::converted({value::Type::Complex128, real, 0, imaginary}, type);
}

} // namespace

std::optional<Answer> answer_of(const tensor::Tensor &result) {
  constexpr std::size_t most_entries = std::size_t{1} << 22;
  if (result.entries() > most_entries) return std::nullopt;
  std::optional<data::Coordinates> entries =
      report::unless_refused([&] { return convert::unpack_exactly(result); });
  if (!entries) return std::nullopt;
  Answer answer{entries->shape, entries->size()};
  data::sort(*entries, data::natural_modes(entries->order()));
  data::combine_duplicates(*entries);
  const value::Type type = type_of(result);
  if (value::is_integer(type)) convert::wrap_around(*entries, type);
  for (std::size_t e = 0; e < std::min(entries->size(), Answer::most_shown); ++e)
    answer.first.push_back({entries->coordinate(e), value_of(*entries, e, type)});
  data::join_halves(*entries);
  double squares = 0;
  for (double value : entries->value)
    squares += value * value;
  for (double value : entries->imaginary)
    squares += value * value;
  answer.norm = std::sqrt(squares);
  return answer;
}

} // namespace unravel::run
