#include "data/coordinates.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace unravel::data {

Coordinates::Coordinates(std::vector<std::int64_t> shape_of_tensor)
    : shape(std::move(shape_of_tensor)), index(shape.size()) {}

void Coordinates::reserve(std::size_t entries) {
  for (auto &column : index)
    column.reserve(entries);
  value.reserve(entries);
}

void Coordinates::resize(std::size_t entries) {
  for (auto &column : index)
    column.resize(entries);
  value.resize(entries);
  if (is_complex()) imaginary.resize(entries);
}

void Coordinates::append(const std::vector<std::int64_t> &coordinate_of_entry, double entry_value,
                         double imaginary_part) {
  for (std::size_t mode = 0; mode < index.size(); ++mode)
    index[mode].push_back(coordinate_of_entry[mode]);
  value.push_back(entry_value);
  if (!is_complex() && imaginary_part == 0 && !std::signbit(imaginary_part)) return;
  imaginary.resize(value.size()); // those before are real
  imaginary.back() = imaginary_part;
}

std::vector<std::int64_t> Coordinates::coordinate(std::size_t entry) const {
  std::vector<std::int64_t> result(order());
  for (std::size_t mode = 0; mode < order(); ++mode)
    result[mode] = index[mode][entry];
  return result;
}

bool Coordinates::agree(std::size_t a, std::size_t b, const std::vector<std::size_t> &modes) const {
  return std::ranges::all_of(modes, [&](std::size_t mode) { return index[mode][a] == index[mode][b]; });
}

void Coordinates::move(std::size_t from, std::size_t to) {
  for (std::vector<std::int64_t> &column : index)
    column[to] = column[from];
  value[to] = value[from];
  if (is_complex()) imaginary[to] = imaginary[from];
}

std::vector<std::size_t> natural_modes(std::size_t order) {
  std::vector<std::size_t> modes(order);
  std::iota(modes.begin(), modes.end(), std::size_t{0});
  return modes;
}

void combine_duplicates(Coordinates &tensor) {
  combine_duplicates(tensor, [&](std::size_t first, std::size_t other) {
    tensor.value[first] += tensor.value[other];
    if (tensor.is_complex()) tensor.imaginary[first] += tensor.imaginary[other];
  });
}

void drop_zeros(Coordinates &tensor) {
  std::size_t count = 0;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    if (!tensor.is_zero(e)) tensor.move(e, count++);
  tensor.resize(count);
}

Coordinates transpose(Coordinates tensor, const std::vector<std::size_t> &modes) {
  std::vector<std::size_t> sorted = modes;
  std::ranges::sort(sorted);
  report::require(std::ranges::adjacent_find(sorted) == sorted.end(), "transpose is given a mode once");
  Coordinates result;
  for (std::size_t mode : modes) {
    result.shape.push_back(tensor.shape[mode]);
    result.index.push_back(std::move(tensor.index[mode]));
  }
  result.value = std::move(tensor.value);
  result.imaginary = std::move(tensor.imaginary);
  result.in_halves = tensor.in_halves;
  return result;
}

Coordinates with_order(Coordinates tensor, std::size_t order) {
  auto units = static_cast<std::size_t>(std::ranges::count(tensor.shape, 1));
  if (tensor.order() <= order || tensor.order() - order > units) return tensor;
  std::size_t surplus = tensor.order() - order;
  std::vector<std::size_t> kept;
  for (std::size_t mode = tensor.order(); mode-- > 0;)
    if (surplus > 0 && tensor.shape[mode] == 1)
      --surplus;
    else
      kept.insert(kept.begin(), mode);
  return transpose(std::move(tensor), kept);
}

void join_halves(Coordinates &tensor) {
  if (!tensor.in_halves) return;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    tensor.value[e] += 0x1p32 * tensor.imaginary[e];
  tensor.imaginary.clear();
  tensor.in_halves = false;
}

void take_halves(Coordinates &tensor, std::vector<double> low, std::vector<double> high) {
  const auto whole = [&](std::size_t e) { return low[e] + 0x1p32 * high[e]; };
  double sum = 0; // rounded only from 2^53 on
  for (std::size_t e = 0; e < low.size(); ++e)
    sum += std::fabs(whole(e));
  tensor.in_halves = sum >= 0x1p53;
  if (!tensor.in_halves)
    for (std::size_t e = 0; e < low.size(); ++e)
      low[e] = whole(e);
  tensor.value = std::move(low);
  tensor.imaginary = tensor.in_halves ? std::move(high) : std::vector<double>();
}

Coordinates imaginary_part(Coordinates tensor) {
  if (tensor.is_complex())
    tensor.value = std::move(tensor.imaginary);
  else
    std::ranges::fill(tensor.value, 0.0);
  tensor.imaginary.clear();
  tensor.in_halves = false;
  return tensor;
}

Coordinates from_dense(std::vector<std::int64_t> shape, const std::vector<double> &values,
                       std::vector<double> imaginary) {
  Coordinates result(std::move(shape));
  result.resize(values.size());
  result.value = values;
  result.imaginary = std::move(imaginary);
  std::size_t inner = 1; // how many elements share one index of the mode
  for (std::size_t mode = result.order(); mode-- > 0;) {
    auto extent = static_cast<std::size_t>(result.shape[mode]);
    for (std::size_t e = 0; e < values.size(); ++e)
      result.index[mode][e] = static_cast<std::int64_t>(e / inner % extent);
    inner *= extent;
  }
  return result;
}

std::vector<double> to_dense(const Coordinates &tensor, double fill) {
  std::int64_t elements = element_count(tensor.shape);
  report::require(elements >= 0, "a dense array has fewer than 2^63 elements");
  std::vector<double> values(static_cast<std::size_t>(elements));
  std::vector<bool> is_stored(values.size());
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    std::int64_t offset = 0;
    for (std::size_t mode = 0; mode < tensor.order(); ++mode)
      offset = offset * tensor.shape[mode] + tensor.index[mode][e];
    const auto at = static_cast<std::size_t>(offset);
    values[at] = is_stored[at] ? values[at] + tensor.value[e] : tensor.value[e]; // keeps the sign of a zero
    is_stored[at] = true;
  }
  if (fill != 0)
    for (std::size_t k = 0; k < is_stored.size(); ++k)
      if (!is_stored[k]) values[k] = fill;
  return values;
}

std::int64_t element_count(const std::vector<std::int64_t> &shape) {
  std::int64_t count = 1;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  for (std::int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count)) return -1;
  return count;
}

} // namespace unravel::data
