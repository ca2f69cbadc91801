#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "plan/leaf.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// From a scanned nest with its finds to loops: what is executed, statement by statement.
namespace unravel::lower {

using plan::Alternative;
using plan::EqualWork;
using plan::LeafPlan;
using plan::LevelPlan;
using plan::PackedSegment;
using plan::Wavefronts;

struct LowerOptions {
  std::string name = "kernel"; // of the C function
  std::string expression;
  loop::ElementType index = loop::ElementType::Int32;
  loop::ElementType value = loop::ElementType::Float64;
  /// By assembled result: entries of that value are dropped.
  std::map<std::string, double> dropped = {};
  std::optional<Wavefronts> wavefronts = std::nullopt;
};

/// In origins of statements, the level of the test by which an alternative is chosen.
inline constexpr int choice_of_plan = -1;

/// One plan per leaf of the combination. Statements of the program have the levels that they were made for as
/// their origins: the number of the leaf; of its plan, 0 for the main one and k for the k-th alternative; and
/// of the plan's level. A find's code, its state and its map belong to its level; the number of levels stands
/// for what is done at each point, and what sets the result to zero before.
///
/// A find state that iterations of the parallel loop would share is kept per chunk: the loop is strip-mined,
/// chunks run in parallel and each starts from a state of its own, found by binary search where the prover
/// allows it.
///
/// `in_wavefronts` gets the loop that is executed in wavefronts, without its body, where there is one.
loop::Program lower(const combine::Combination &combination, const std::vector<const LeafPlan *> &plans,
                    const LowerOptions &options, loop::For *in_wavefronts = nullptr);

/// A kernel that finds out about the levels of wavefronts (wavefront.h): it is called with the levels as its
/// result, then those of the program's tensors that it reads.
struct Inspector {
  loop::Program program;
  /// The levels' size M and their counts, over sizes and counts of the program's tensors.
  std::vector<term::Term> numbers;
};

/// Of the wavefronts that the options name; `inspected`: the loop, as `lower` says.
Inspector lower_inspector(const combine::Combination &combination, const std::vector<const LeafPlan *> &plans,
                          const LowerOptions &options, const loop::For &inspected);

} // namespace unravel::lower
