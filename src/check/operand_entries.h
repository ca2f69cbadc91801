#pragma once

#include "check/typed_value.h"
#include "data/coordinates.h"
#include "value/exact.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace unravel::check {

using Coordinate = std::vector<std::int64_t>;

struct HashCoordinate {
  std::size_t operator()(const std::vector<std::int64_t> &coordinate) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::int64_t each : coordinate)
      hash = (hash ^ static_cast<std::uint64_t>(each)) * 0xbf58476d1ce4e5b9, hash ^= hash >> 31;
    return hash;
  }
};

/// Modulo 2^64.
inline std::int64_t added(std::int64_t one, std::int64_t other) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
}

/// An entry of a tensor with values of that type: its value, or the two halves of an integer.
inline Value entry_of(double real, double imaginary, bool in_halves, value::Type type) {
  if (!value::is_integer(type)) return {real, 0, imaginary};
  value::Scalar number = value::Scalar::of(real, value::widest(type));
  if (in_halves) {
    const std::int64_t high = value::Scalar::of(imaginary, value::Type::Int64).integer;
    number.integer = added(number.integer, static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32));
  }
  return of_integer(number);
}
inline Value entry_of(const data::Coordinates &tensor, std::size_t e, value::Type type) {
  return entry_of(tensor.value[e], tensor.imaginary_of(e), tensor.in_halves, type);
}

/// The entries of an operand, duplicates added up, by coordinate and by all modes but one.
class Entries {
public:
  /// `type`: of its values. Sums of integers are those modulo 2^64 and, in `value`, the whole ones.
  Entries(const data::Coordinates &tensor, value::Type type) : sparse_(tensor.size() < volume(tensor.shape)) {
    for (std::size_t e = 0; e < tensor.size(); ++e) {
      const auto [known, is_fresh] = values_.try_emplace(tensor.coordinate(e));
      const Value entry = entry_of(tensor, e, type);
      if (is_fresh) { // added to 0, a zero would lose its sign
        known->second = entry;
        continue;
      }
      has_sums_ = true;
      Value &sum = known->second;
      sum.value += entry.value, sum.imaginary += entry.imaginary;
      sum.integer = added(sum.integer, entry.integer);
    }
  }

  /// Fewer entries than elements.
  bool is_sparse() const { return sparse_; }

  /// Has a coordinate several entries?
  bool has_sums() const { return has_sums_; }

  const Value *find(const Coordinate &at) const {
    auto found = values_.find(at);
    return found == values_.end() ? nullptr : &found->second;
  }

  /// The indices of that mode among the entries at `others`, which leaves the mode out; increasing.
  const std::vector<std::int64_t> &along(std::size_t mode, const Coordinate &others) {
    static const std::vector<std::int64_t> none;
    auto [known, fresh] = fibres_.try_emplace(mode);
    if (fresh) {
      for (const auto &[coordinate, value] : values_) {
        Coordinate rest = coordinate;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(mode));
        known->second[std::move(rest)].push_back(coordinate[mode]);
      }
      for (auto &[rest, indices] : known->second)
        std::ranges::sort(indices);
    }
    auto found = known->second.find(others);
    return found == known->second.end() ? none : found->second;
  }

private:
  static std::size_t volume(const std::vector<std::int64_t> &shape) {
    std::int64_t count = data::element_count(shape);
    return count < 0 ? SIZE_MAX : static_cast<std::size_t>(count);
  }

  template <class Kept> using Map = std::unordered_map<Coordinate, Kept, HashCoordinate>;
  Map<Value> values_; // their magnitude isn't known
  std::map<std::size_t, Map<std::vector<std::int64_t>>> fibres_;
  bool sparse_;
  bool has_sums_ = false;
};

} // namespace unravel::check
