#pragma once

#include "combine/space.h"
#include "parse/tree.h"
#include "schedule/order.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Transformations of iteration spaces: a tile, a skewed coordinate is one more variable of the relation, a
/// function of the others, which scanning and find synthesis then treat like any other. So a tile over a
/// coordinate that is read from a sorted index array is an interval to be found in it: the monotonicity guard
/// of Zhao et al., section 5, with its proofs.
namespace unravel::schedule {

/// Applies the transformations of a schedule, in the order in which they were written, to every leaf that has
/// the variables. All are changes of the space alone: which points it has and what they are called; their
/// order is given by `order`, or place_added. Throws mistakes: an unknown variable, a name that is taken, a
/// factor that makes no sense.
void transform(combine::Combination &combination, const parse::ScheduleTree &schedule);

/// The schedule without what it asks of loops of which the layouts leave nothing, and of the variables that
/// its transformations would make of these: loops over those of the computation's indices that no leaf has.
/// To ask something of them is no mistake. But for wavefronts: these are refused for every loop that carries
/// nothing.
parse::ScheduleTree without_empty_loops(parse::ScheduleTree schedule, const std::vector<std::string> &indices,
                                        const combine::Combination &combination);

/// Does the space have the variable, be it a coordinate, a position or an added one?
bool has(const combine::IterationSpace &space, const std::string &variable);

/// The names of an order without those that only other leaves know: the pieces of a layout may have different
/// positions.
std::vector<parse::Name> without_others(std::vector<parse::Name> order, const combine::IterationSpace &space,
                                        const combine::Combination &combination);

/// An order with the added variables that it doesn't mention: tiles outermost, but for the first `fixed`
/// names, in the order in which they were written; the others directly outside the loop that gives their
/// variable its value.
std::vector<parse::Name> place_added(const combine::IterationSpace &space, std::vector<parse::Name> order,
                                     std::size_t fixed = 0);

/// The schedule as it is for the space without its tiles: the transformations are left out, and tiles in the
/// order. Nothing where there are other transformations than tiles, or where the user wants a loop over tiles
/// to run in parallel.
std::optional<parse::ScheduleTree> untiled(const parse::ScheduleTree &schedule,
                                           const combine::IterationSpace &space);

/// When no coordinate has more than one tile, over sizes: its extent is a tile's at most. Nothing where the
/// space has no tiles, or others were added to it than by `tile`, of coordinates and of their tiles.
std::optional<term::Term> is_one_tile(const combine::IterationSpace &space,
                                      const std::map<std::string, term::Term> &extents);

/// Adds what the space says of the variable and sizes alone, so that its loop may be outermost.
void bound_by_sizes(combine::IterationSpace &space, const std::string &variable);

using Transformation = parse::ScheduleTree::Transformation;

} // namespace unravel::schedule
