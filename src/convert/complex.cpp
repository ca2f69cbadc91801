#include "convert/complex.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <map>

namespace unravel::convert {

using data::Coordinates;
using data::DType;
using data::Elements;
using layout::Layout;
using tensor::Tensor;

namespace {

using Number = std::complex<double>;

Layout of_reals(Layout layout) {
  for (layout::Array &array : layout.arrays)
    if (array.is_value) array.element = value::facts_of(DType::Float64).word;
  return layout;
}

/// A number for each value: equal ones for equal values, opposite ones for opposite values, 0 for the fill.
/// So a layout that stores one value for several coordinates, or its negative, says so of the numbers, too.
class Numbers {
public:
  explicit Numbers(double fill) : fill_(fill) {}

  double of(const Number &value) {
    if (value == Number(fill_)) return 0;
    const bool is_negative = value.real() < 0 || (value.real() == 0 && value.imag() < 0);
    const Number size = is_negative ? -value : value;
    const auto bits = [](double part) { return std::bit_cast<std::uint64_t>(part + 0.0); };
    const auto [known, fresh] = known_.emplace(std::pair(bits(size.real()), bits(size.imag())),
                                               static_cast<double>(values_.size() + 1));
    if (fresh) values_.push_back(size);
    return is_negative ? -known->second : known->second;
  }

  Number value_of(double number, bool is_negative_there) const {
    if (number == 0) return is_negative_there ? -fill_ : fill_;
    const Number &size = values_.at(static_cast<std::size_t>(std::fabs(number)) - 1);
    return number < 0 ? -size : size;
  }

private:
  double fill_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> known_;
  std::vector<Number> values_;
};

void add_up(Coordinates &entries) {
  Coordinates sorted = entries;
  data::sort(sorted, data::natural_modes(sorted.order()));
  if (data::is_sorted(sorted, data::natural_modes(sorted.order()), true)) return;
  data::combine_duplicates(sorted);
  entries = std::move(sorted);
}

Elements numbers_as_values(const Elements &from, DType type, const Numbers &numbers, bool is_negative,
                           const std::string &array) {
  Elements values(type, from.size());
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Number value = numbers.value_of(from.real(k), is_negative);
    if (value.imag() != 0 && !value::is_complex(type))
      report::fail(report::Kind::value_width,
                   fmt::format("a complex value can't be stored in array `{}` of {} elements", array,
                               value::facts_of(type).word),
                   "declare the array with elements complex128");
    values.set_number(k, {DType::Complex128, value.real(), 0, value.imag()});
  }
  return values;
}

/// The tensor with one of the parts of its values, or 0.
template <class Part> Tensor with_part(const Tensor &tensor, Part part) {
  Tensor made;
  made.layout = of_reals(tensor.layout);
  made.sizes = tensor.sizes;
  made.counts = tensor.counts;
  for (const auto &[name, array] : tensor.arrays) {
    if (!tensor.layout.array(name)->is_value) {
      made.arrays.emplace(name, array.shared());
      continue;
    }
    Elements values(DType::Float64, array.size());
    for (std::size_t k = 0; k < array.size(); ++k)
      values.set_real(k, part(array, k));
    made.arrays.emplace(name, std::move(values));
  }
  return made;
}

} // namespace

bool has_complex_values(const Layout &layout, tensor::ValueType open) {
  const std::optional<DType> type = layout::type_of_values(layout, open);
  return type && value::is_complex(*type);
}

bool has_complex_values(const Tensor &tensor) {
  return std::ranges::any_of(tensor.arrays, [](const auto &array) { return array.second.is_complex(); });
}

Tensor pack_complex(const Layout &layout, const packing::PackPlan &plan, Coordinates coordinates,
                    const PackOptions &options) {
  add_up(coordinates);
  Numbers numbers(options.fill);
  for (std::size_t e = 0; e < coordinates.size(); ++e)
    coordinates.value[e] = numbers.of({coordinates.value[e], coordinates.imaginary_of(e)});
  coordinates.imaginary.clear();
  PackOptions of_numbers = options;
  of_numbers.value = tensor::ValueType::Float64;
  of_numbers.fill = 0;
  Tensor made = pack(of_reals(layout), plan, std::move(coordinates), of_numbers);
  made.layout = layout;
  for (const layout::Array &array : layout.arrays) {
    if (!array.is_value) continue;
    const bool is_negative = std::ranges::any_of(plan.pieces, [&](const packing::PiecePlan &piece) {
      return piece.value == array.name && piece.negative;
    });
    Elements &values = made.array(array.name);
    values = numbers_as_values(values, element_type(array, options.index, options.value), numbers,
                               is_negative, array.name);
  }
  return made;
}

Coordinates unpack_complex(const Tensor &tensor, std::int64_t max_memory) {
  Coordinates made = unpack(with_part(tensor, [](auto &array, auto k) { return array.real(k); }), max_memory);
  made.imaginary =
      unpack(with_part(tensor, [](auto &array, auto k) { return array.imaginary(k); }), max_memory).value;
  // Values that the layout states are real.
  const bool states_values = std::ranges::any_of(
      tensor.layout.pieces, [](const layout::Piece &piece) { return piece.value.array.empty(); });
  if (!states_values) return made;
  const Coordinates stated = unpack(with_part(tensor, [](auto &, auto) { return 0.0; }), max_memory);
  for (std::size_t e = 0; e < made.size(); ++e)
    made.imaginary[e] -= stated.value[e];
  return made;
}

} // namespace unravel::convert
