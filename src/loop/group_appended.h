#pragma once

#include "loop/alike_rows.h"

/// Rows that are appended to an assembled result: those that are alike have entries of the same columns.
namespace unravel::loop {

struct AppendedRows {
  RowSegment segment;                 // what makes rows alike
  Block together;                     // what is done for several of them
  std::vector<WorkspaceArray> arrays; // that this needs
};

/// Of a parallel loop over rows, each of which goes through a segment, adds products up in an array of the
/// workspace, and appends the sums in the end: for alike rows all that is about integers is done once, and
/// what the first one has appended is repeated for the others. Nothing of other loops.
std::optional<AppendedRows> appended_rows(const For &loop, const Program &program, const Known &known);

} // namespace unravel::loop
