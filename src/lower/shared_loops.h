#pragma once

#include "lower/leaf.h"
#include "lower/local.h"
#include "lower/lower.h"
#include "scan/tree.h"

#include <functional>

/// The nest tree as loops: those that statements share, and in them what each does.
namespace unravel::lower {

/// A statement of the tree, lowered.
struct LoweredStatement {
  std::size_t number = 0;
  const combine::IterationSpace *space = nullptr;
  const LeafPlan *plan = nullptr;
  SharedLoops shared;
  LoweredLeaf code;
  loop::Block clears; // what is set to zero before it, outside of all loops
  std::optional<loop::Appended> appended = std::nullopt; // where threads may append apart
};
using LoweredStatements = std::vector<LoweredStatement>;

/// The loops of the tree around the statement of that number.
SharedLoops loops_around(const std::vector<scan::Node> &tree, std::size_t number, const LeafPlan &plan);

/// What is executed in wavefronts in place of a loop, with the loop's origins.
using Replace = std::function<loop::Block(loop::For, const loop::Origins &)>;

/// The statements of the tree, by their numbers, in the loops that they share, scalar variables declared
/// where all who use them see them, and the code of locals around what is about them. `in_wavefronts` makes
/// of the outermost loop of those that are to be executed so, if it is there, whatever stands in its place.
/// `rounds`: as in combine::Combination.
/// What a statement does in front of a loop is done where its conditions hold.
loop::Block in_shared_loops(const std::vector<scan::Node> &tree, LoweredStatements statements,
                            std::map<std::string, LocalCode> locals,
                            const std::map<std::string, std::string> &rounds = {},
                            const std::function<bool(std::size_t)> &is_in_wavefronts = {},
                            const Replace &in_wavefronts = {});

} // namespace unravel::lower
