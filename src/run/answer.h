#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <vector>

/// What a result is, in a few numbers, for who reads or scripts `unravel run`.
namespace unravel::run {

struct Answer {
  std::vector<std::int64_t> shape;
  std::size_t entries = 0; // that are stored; of equal coordinates each
  /// The square root of the sum of the squares of its elements' absolute values.
  double norm = 0;
  /// The entries that come first, by coordinates, at most `most_shown`.
  struct Entry {
    std::vector<std::int64_t> coordinate;
    value::Scalar value;
  };
  std::vector<Entry> first;

  static constexpr std::size_t most_shown = 5;
};

/// Nothing where there are more entries than can be looked at in passing (2^22), or they can't be enumerated.
std::optional<Answer> answer_of(const tensor::Tensor &result);

} // namespace unravel::run
