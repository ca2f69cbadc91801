#pragma once

#include "loop/loop.h"
#include "lower/lower.h"
#include "lower/workspace.h"

#include <functional>

/// The code skeletons of the find templates.
namespace unravel::lower {

/// Statements to run at a match; the level's variable holds the position.
using Body = std::function<loop::Block()>;

/// The variable that keeps the state of a sequential find between visits.
std::string state_variable(const scan::Level &level, const plan::LevelPlan &plan);

/// What a find's code is in: of a walk the innermost loop around it.
struct Around {
  bool ends_loop = false; // where the walk has reached its segment's end, it leaves the loop (state.h)
  /// The loop is an intersection: how far it is to the next target can't be foreseen, so that branches cost.
  bool intersection = false;
  /// A divisor is looked for: mostly a diagonal, which a triangular matrix has at the end of each row.
  bool divides = false;
  /// The walk stands at a match (jump.h).
  bool at_match = false;
  /// Then all that is left of its segment matches.
  term::Term takes_all = term::falsity();
  /// What sets the elements that visits of one segment add to: before the first of these.
  loop::Block clear = {};
  /// Of a find by a map, filled outside.
  MapArrays arrays = {};
};

/// The end of the segment that a walk is in, where its code is.
term::Term segment_end(const scan::Level &level);

/// One visit of a find. Precondition: its state, if it has one, is declared outside.
loop::Block find_code(const scan::Level &level, const plan::LevelPlan &plan, const Around &around,
                      const Body &body);

/// Declares the variable `position` with the first position of [lower, upper) where `skip` (over the level's
/// variable) is false.
loop::Block lower_bound(const std::string &position, const scan::Level &level, const term::Term &skip);

} // namespace unravel::lower
