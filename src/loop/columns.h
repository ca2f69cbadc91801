#pragma once

#include "loop/loop.h"

#include <optional>
#include <string>
#include <vector>

namespace unravel::loop {

/// A nest whose innermost loops all run over the same columns, and do for each column nothing that another
/// column has to do with: it may be run for a part of the columns at a time. MTTKRP in any mode.
struct Columns {
  std::vector<const For *> inner; // each with one Store or Accumulate to an element
  term::Term count;               // of columns
  /// Rows that lie in the same place throughout, which may be kept elsewhere: arrays of the workspace of
  /// which nothing else is read outside of the nest, and such that are only added to.
  std::vector<std::string> kept, sums;
};

/// Whether the loop is such a nest, with a row that is kept and two loops or more over columns. All values
/// are float64; what is added to is read nowhere.
std::optional<Columns> columns(const For &loop, const Program &program);

} // namespace unravel::loop
