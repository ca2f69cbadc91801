#pragma once

#include "loop/passes.h"
#include "loop/walk.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Rows with the same columns, one behind the other, that are done at once (group_rows.cpp,
/// group_appended.cpp): how they are found, and what is done for each of them.
namespace unravel::loop {

/// So many rows at most are done at once: a vector of doubles that every processor of these years adds at
/// once or twice. Each has a lane.
constexpr std::int64_t rows_at_once = 4;

/// The positions that a row has in one array of pointers, and the arrays of integers that are read there.
struct RowSegment {
  std::string pointers;
  std::set<std::string> keys;
};

/// The array of pointers between which the loop goes through that row's positions, or empty.
std::string pointers_of(const For &loop, const term::Term &row);
term::Term length_of(const RowSegment &segment, const For &rows);

/// Are rows known to be so long that it pays to compare each with the next one?
bool may_be_alike(const std::string &pointers, const Known &known);

/// The arrays of integers that the block reads at the position. Nothing where it does something else with it,
/// but for elements of values of that slot.
std::optional<std::set<std::string>> keys_at(const Block &block, const std::string &position);

/// Of the rows that are done at once: how many they are, and which of them it is in for_rows.
term::Term number_of_rows(const For &rows);
term::Term one_of_rows(const For &rows);
/// A loop over them.
Statement for_rows(const For &rows, std::int64_t first, term::Term count, Block body, bool simd);

/// An array of the workspace for all lanes, and what the rows have at one position in an array of values.
WorkspaceArray of_rows(WorkspaceArray one);
WorkspaceArray factors_of_rows(WorkspaceArray sums, const std::string &values);
/// The lane's element of the former.
Element in_lane(const Element &element, const For &rows);
/// Fills the latter: 0 where there are fewer rows than lanes.
Block factors_of(const For &rows, const RowSegment &segment, const term::Term &position,
                 const std::string &values);
/// What is stored or added in the block is so in all lanes at once; `of_row` gives their elements.
void in_lanes(Block &block, const For &rows, const std::function<Element(const Element &)> &of_row);

/// The loop over strips of rows, in which each is compared with those behind it. `together`: what is done for
/// the number_of_rows rows from `rows.variable` on, if they are several; for one it is the loop's own body.
For in_strips(const For &rows, const std::vector<RowSegment> &segments, Block together);

} // namespace unravel::loop
