#include "convert/halves.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::convert {

namespace {

/// |number|, of an integer of 64 bits.
std::uint64_t magnitude_of(value::Type type, std::int64_t integer) {
  const auto bits = static_cast<std::uint64_t>(integer);
  return type == value::Type::UInt64 || integer >= 0 ? bits : 0 - bits;
}

/// The sum of magnitudes, which no sum of the numbers exceeds; it stops growing where doubles round.
class Magnitude {
public:
  void add(std::uint64_t more) { sum_ = more > most || sum_ > most ? most + 1 : sum_ + more; }
  bool is_rounded() const { return sum_ > most; }

private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 53;
  std::uint64_t sum_ = 0;
};

/// The layout with halves where it has integers of 64 bits.
layout::Layout layout_of_halves(layout::Layout layout, tensor::ValueType open) {
  for (layout::Array &array : layout.arrays)
    if (array.is_value && value::is_wide_integer(element_type(array, tensor::IndexType::Int32, open)))
      array.element = value::facts_of(value::Type::Complex128).word;
  return layout;
}

data::Elements in_halves(const data::Elements &numbers) {
  data::Elements halves(value::Type::Complex128, numbers.size());
  const std::span<std::complex<double>> to = halves.as<std::complex<double>>();
  for (std::size_t k = 0; k < to.size(); ++k)
    to[k] = value::halves_of(numbers.number(k));
  return halves;
}

data::Elements in_wholes(const data::Elements &halves, const layout::Array &array, value::Type type) {
  data::Elements numbers(type, halves.size());
  const std::span<const std::complex<double>> from = halves.as<std::complex<double>>();
  for (std::size_t k = 0; k < from.size(); ++k) {
    const std::optional<value::Scalar> whole = value::whole_of(from[k], type);
    if (!whole)
      report::fail(report::Kind::value_width,
                   fmt::format("value {} can't be stored in array `{}` of {} elements",
                               from[k].real() + 0x1p32 * from[k].imag(), array.name,
                               value::facts_of(type).word),
                   "give the tensor a type that holds it");
    numbers.set_number(k, *whole);
  }
  return numbers;
}

} // namespace

bool need_halves(value::Type type, std::span<const std::int64_t> numbers) {
  if (!value::is_wide_integer(type)) return false;
  Magnitude sum;
  for (const std::int64_t number : numbers)
    sum.add(magnitude_of(type, number));
  return sum.is_rounded();
}

bool need_halves(const tensor::Tensor &tensor) {
  Magnitude sum;
  for (const layout::Array &array : tensor.layout.arrays) {
    const data::Elements &numbers = tensor.array(array.name);
    if (!array.is_value || !value::is_wide_integer(numbers.type())) continue;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      sum.add(magnitude_of(numbers.type(), numbers.integer(k)));
  }
  return sum.is_rounded();
}

bool has_wide_integers(const layout::Layout &layout, tensor::ValueType open) {
  return std::ranges::any_of(layout.arrays, [&](const layout::Array &array) {
    return array.is_value && value::is_wide_integer(element_type(array, tensor::IndexType::Int32, open));
  });
}

data::Coordinates unpack_halves(const tensor::Tensor &tensor, std::int64_t max_memory) {
  tensor::Tensor halved;
  halved.layout = layout_of_halves(tensor.layout, tensor::ValueType::Float64);
  halved.sizes = tensor.sizes;
  halved.counts = tensor.counts;
  for (const layout::Array &array : tensor.layout.arrays) {
    const data::Elements &elements = tensor.array(array.name);
    const bool is_wide = array.is_value && value::is_wide_integer(elements.type());
    halved.arrays.emplace(array.name, is_wide ? in_halves(elements) : elements.shared());
  }
  data::Coordinates entries = unpack(halved, max_memory);
  entries.in_halves = true;
  return entries;
}

data::Coordinates unpack_exactly(const tensor::Tensor &tensor, std::int64_t max_memory) {
  return need_halves(tensor) ? unpack_halves(tensor, max_memory) : unpack(tensor, max_memory);
}

void wrap_around(data::Coordinates &entries, value::Type type) {
  for (std::size_t e = 0; e < entries.size(); ++e) {
    // Sums of halves are exact, and modulo 2^64 so is what is made of them.
    const auto half = [](double sum) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(sum)); };
    const std::uint64_t bits =
        half(entries.value[e]) + (entries.in_halves ? half(entries.imaginary[e]) << 32 : 0);
    const value::Scalar made =
        value::converted({value::Type::Int64, 0, static_cast<std::int64_t>(bits)}, type);
    const bool is_halved = entries.in_halves && value::is_wide_integer(type);
    entries.value[e] = is_halved ? value::halves_of(made).real() : made.number();
    if (is_halved) entries.imaginary[e] = value::halves_of(made).imag();
  }
  if (value::is_wide_integer(type)) return;
  entries.in_halves = false;
  entries.imaginary.clear();
}

tensor::Tensor pack_halves(const layout::Layout &layout, data::Coordinates entries,
                           const PackOptions &options) {
  entries.imaginary.resize(entries.size()); // of numbers that are their own low halves there may be none
  tensor::Tensor made = pack(layout_of_halves(layout, options.value), std::move(entries), options);
  made.layout = layout;
  for (const layout::Array &array : layout.arrays) {
    const value::Type type = element_type(array, options.index, options.value);
    if (!array.is_value || !value::is_wide_integer(type)) continue;
    data::Elements &elements = made.array(array.name);
    elements = in_wholes(elements, array, type);
  }
  return made;
}

tensor::Tensor pack_exactly(const layout::Layout &layout, data::Coordinates entries,
                            const PackOptions &options) {
  if (!entries.in_halves) return pack(layout, std::move(entries), options);
  if (!has_wide_integers(layout, options.value))
    report::fail(report::Kind::value_width,
                 fmt::format("the values are integers beyond 2^53, which layout `{}` doesn't hold exactly",
                             layout.name),
                 "give the tensor values of int64");
  return pack_halves(layout, std::move(entries), options);
}

} // namespace unravel::convert
