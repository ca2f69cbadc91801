#pragma once

#include "plan/leaf.h"

/// How the states of walks get along with the parallel loop of their plan.
namespace unravel::plan {

/// How iterations of a parallel loop get along with the state of a find.
enum class Sharing {
  Apart,    // they have states of their own anyway: declared inside, or in slots that no other one uses
  PerChunk, // chunks of iterations get states of their own
  Serial,   // copies for each chunk would cost more than threads gain: the loop runs in one thread
};

/// An array is copied per chunk only where each iteration runs over all its slots, so that filling it costs
/// less than using it.
Sharing sharing_of(const scan::Nest &nest, const LevelPlan &plan, std::size_t parallel);

/// The first find with a state that chunks of the loop, if it is parallel, have of their own, made where they
/// begin; null: there is none.
const LevelPlan *with_state_of_chunks(const LeafPlan &plan, std::size_t parallel);

/// The find whose state keeps threads from sharing the loop, or null. Where iterations append to a result, no
/// chunk may have a state of its own: that has to be found again, and what is appended is joined by
/// iterations.
const LevelPlan *hindrance(const LeafPlan &plan, std::size_t parallel, bool appends);

} // namespace unravel::plan
