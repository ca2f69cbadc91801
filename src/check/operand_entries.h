#pragma once

#include "check/typed_value.h"
#include "data/coordinates.h"

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

/// The entries of an operand, duplicates added up, by coordinate and by all modes but one.
class Entries {
public:
  explicit Entries(const data::Coordinates &tensor) : sparse_(tensor.size() < volume(tensor.shape)) {
    for (std::size_t e = 0; e < tensor.size(); ++e) {
      const auto [known, is_fresh] =
          values_.try_emplace(tensor.coordinate(e), Value{tensor.value[e], 0, tensor.imaginary_of(e)});
      if (is_fresh) continue; // added to 0, a zero would lose its sign
      known->second.value += tensor.value[e];
      known->second.imaginary += tensor.imaginary_of(e);
    }
  }

  /// Fewer entries than elements.
  bool is_sparse() const { return sparse_; }

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
};

} // namespace unravel::check
