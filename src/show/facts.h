#pragma once

#include "pipeline.h"
#include "run/session.h"

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

/// What is known of a kernel after it was made, for people and for programs.
namespace unravel::show {

/// "loops" as in docs/command-line.md.
nlohmann::json loops_json(const pipeline::Compilation &compilation);
/// "loops", "finds" and "alternatives" of `run` and `compile`.
nlohmann::json plans_json(const pipeline::Compilation &compilation);
/// "not_tried" of all commands that make a kernel, where there is something.
void add_not_tried(nlohmann::json &out, const std::vector<std::string> &not_tried);
/// Null for an empty text.
nlohmann::json or_null(const std::string &text);

nlohmann::json run_json(const run::Report &report);
nlohmann::json dependences_json(const pipeline::Compilation &compilation);

/// A few lines: one per loop and find.
std::string loops_text(const pipeline::Compilation &compilation);
std::string run_text(const run::Report &report);
/// Parts of it: sizes and operands; notes, times, the result and the check.
std::string operands_text(const run::Report &report);
std::string answers_text(const run::Report &report);

// ---- for these and for proofs.h

/// What is done with the sums of the plan's loop at that level, where they are kept in a local tensor; else
/// empty.
std::string sum_text(const plan::LeafPlan &plan, std::size_t level);

/// Calls visit(find, level) for the finds of a plan, outermost first.
template <class F> void each_find(const plan::LeafPlan &plan, F visit) {
  for (const plan::LevelPlan &find : plan.finds.levels)
    visit(find, plan.nest.levels[find.level]);
}

/// What `finds_of` says of a leaf's plan, for all leaves: the main plans' in a row, as "finds", and those of
/// the alternatives with their conditions, as "alternatives" (docs/command-line.md).
using FindsOf = std::function<nlohmann::json(const plan::LeafPlan &)>;
nlohmann::json main_finds_json(const pipeline::Compilation &compilation, const FindsOf &finds_of);
nlohmann::json alternatives_json(const pipeline::Compilation &compilation, const FindsOf &finds_of);

/// The variables that a leaf's nest loops over, outermost first.
std::vector<std::string> loops_of(const pipeline::Leaf &leaf);
/// The variables of a plan's nest, outermost first.
std::vector<std::string> order_of(const plan::LeafPlan &plan);
/// Where an alternative of the leaf is chosen: inside of this variable; none: before all loops.
std::optional<std::string> place_of_choice(const plan::LeafPlan &plan);

/// Is this a loop that the leaf shares with the one before?
bool is_shared_with_earlier(const pipeline::Compilation &compilation, const pipeline::Leaf &leaf,
                            const std::string &variable);

/// Calls visit(leaf, index, level) for all levels of all nests, once for a loop that several share.
template <class F> void each_level(const pipeline::Compilation &compilation, F visit) {
  for (const pipeline::Leaf &leaf : compilation.leaves)
    for (std::size_t index = 0; index < leaf.plan.nest.levels.size(); ++index)
      if (!is_shared_with_earlier(compilation, leaf, leaf.plan.nest.levels[index].variable))
        visit(leaf, index, leaf.plan.nest.levels[index]);
}

} // namespace unravel::show
