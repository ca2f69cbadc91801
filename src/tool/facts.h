#pragma once

#include "pipeline.h"
#include "run/session.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

/// What is known of a kernel after it was made, for people and for programs.
namespace unravel::tool {

/// "loops" and "finds" as in docs/command-line.md.
nlohmann::json loops_json(const pipeline::Compilation &compilation);
nlohmann::json finds_json(const pipeline::Compilation &compilation);
nlohmann::json run_json(const run::Report &report);
nlohmann::json dependences_json(const pipeline::Compilation &compilation);

/// A few lines: one per loop and find.
std::string loops_text(const pipeline::Compilation &compilation);
std::string run_text(const run::Report &report);

// ---- for these and for proofs.h

/// The plan of the find at a level. Precondition: it is a find.
const find::LevelPlan &plan_of(const pipeline::Leaf &leaf, std::size_t index);
/// "up" or "down"
const char *direction_name(const find::LevelPlan &plan);

/// Calls visit(leaf, index, level) for all levels of all nests.
template <class F> void each_level(const pipeline::Compilation &compilation, F visit) {
  for (const pipeline::Leaf &leaf : compilation.leaves)
    for (std::size_t index = 0; index < leaf.plan.nest.levels.size(); ++index)
      visit(leaf, index, leaf.plan.nest.levels[index]);
}

} // namespace unravel::tool
