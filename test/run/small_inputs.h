#pragma once

#include "data/coordinates.h"
#include "layout/layout.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// All small tensors of a layout: every choice of its arrays that satisfies its properties, found by trying
/// all numbers, and everything that packing makes of small patterns. What they mean is read off the relation
/// by trying all positions, with nothing of the compiler but the evaluation of terms.
namespace unravel::run::test {

/// A tensor without values. Element k of a value array gets a value later.
struct Instance {
  /// values[array][slot] * factor is added at the coordinate; array empty: factor alone.
  struct Entry {
    std::vector<std::int64_t> coordinate;
    std::string array;
    std::size_t slot = 0;
    double factor = 1;
  };

  std::vector<std::int64_t> shape;
  std::map<std::string, std::vector<std::int64_t>> indices;
  std::map<std::string, std::int64_t> numbers; // sizes and counts
  std::map<std::string, std::size_t> value_counts;
  std::vector<Entry> entries;
};

/// All choices of arrays with counts of at most `largest`; none where the shape doesn't fit the layout.
std::vector<Instance> all_arrays(const layout::Layout &layout, const std::vector<std::int64_t> &shape,
                                 std::int64_t largest = 3);

/// What packing makes of every pattern of entries (in falling order, with a repeated entry in every other
/// one); patterns that the layout can't store are left out. Nothing where it can't be packed. Fails the
/// current test where the packed tensor means something else than the pattern.
std::vector<Instance> all_packed(const layout::Layout &layout, const std::vector<std::int64_t> &shape);

/// Both, made once for each layout and shape.
const std::vector<Instance> &small_inputs(const layout::Layout &layout,
                                          const std::vector<std::int64_t> &shape);

/// A result with the structure of that instance: arrays and numbers by the same names, entries by `layout`'s
/// relation.
Instance with_structure(const layout::Layout &layout, const std::vector<std::int64_t> &shape,
                        const Instance &lender);

/// Whether all properties that the layout states hold, and only such that `names` suffice for are asked.
bool satisfies(const layout::Layout &layout, const Instance &instance);

} // namespace unravel::run::test
