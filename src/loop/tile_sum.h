#pragma once

#include "loop/loop.h"

#include <optional>
#include <vector>

namespace unravel::loop {

/// A loop that adds in each iteration the product of a column and a row to a dense matrix, the same in all
/// iterations: y(r,s) += u(r) * v(s). The matrix may be kept in registers, a tile at a time, while the loop
/// runs once for each tile.
struct TileSum {
  const For *rows = nullptr;       // from 0 to a size or constant; all there is in the loop, behind names and
                                   // perhaps a condition
  const For *columns = nullptr;    // likewise, in that, behind names; neighbouring elements
  const Accumulate *sum = nullptr; // its only statement
  /// Factors of the product, with the values of names in the rows' loop put in: those that run along the
  /// columns, and those that are the same for all of them.
  std::vector<Element> along;
  std::vector<Value> of_row;
  bool negative = false;
};

/// Whether the loop is such a nest, all values float64: it changes nothing else that is declared outside, and
/// reads nothing of the matrix.
std::optional<TileSum> tile_sum(const For &loop, const Program &program);

} // namespace unravel::loop
