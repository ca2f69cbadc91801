#pragma once

#include "lower/lower.h"

#include <optional>
#include <string>

/// Elements that are looked for at each point of a space: combine::Lookup.
namespace unravel::lower {

/// The local that a lookup's element is read from; the variable that says whether anything was found.
std::string value_of_lookup(const combine::Lookup &lookup);

/// What stands before the search: nothing is found yet.
loop::Block before_search(const combine::Lookup &lookup, value::Type type);

/// What is done at each match in the place of that number.
loop::Block at_match(const combine::Lookup &lookup, std::size_t place);

/// What stands behind the search, `inside` being all that the element is looked for.
loop::Block behind_search(const combine::Lookup &lookup, loop::Block inside);

/// The level before which the lookup's element is looked for: inside the parallel loop. What is never stored
/// is missed by each instance, as there may be none.
std::size_t looked_up_before(const LeafPlan &plan, std::size_t lookup, std::optional<std::size_t> parallel);

/// Does the level begin with the state of that walk? `search`: whose levels are being made, or null. What is
/// looked for has a state outside of the search where several searches share it, else one inside.
bool begins_state_at(const LeafPlan &plan, const plan::LevelPlan &find, const plan::Search *search,
                     std::size_t level);

/// The plan, where walks stay at the matches of what is looked for again in each iteration of a parallel
/// loop, though it would be once outside of it: the next iteration needs the match, too.
LeafPlan with_repeated_lookups(LeafPlan plan);

/// Is there a mask outside of the level, so that what stands before the level may not be reached?
bool stands_behind_mask(const combine::IterationSpace &space, const LeafPlan &plan,
                        std::optional<std::size_t> parallel, std::size_t level);

} // namespace unravel::lower
