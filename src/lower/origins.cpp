#include "lower/origins.h"

#include "loop/walk.h"

#include <set>

namespace unravel::lower {

using loop::Block;
using loop::Statement;
using scan::Level;

namespace {

/// The innermost level of each of these leaves that the statement is about, where it is about one.
void set_levels(Statement &statement, const std::set<int> &leaves, const std::vector<LeafPlan> &plans) {
  const auto *shared = std::get_if<loop::For>(&statement.kind);
  const auto *guard = std::get_if<loop::If>(&statement.kind);
  const auto *let = std::get_if<loop::Let>(&statement.kind);
  if (!statement.origins.empty() || (!shared && !guard && !let)) return;
  auto is_about = [&](const std::string &variable) {
    if (guard) return term::mentions(guard->condition, variable);
    return variable == (shared ? shared->variable : let->variable);
  };
  for (int leaf : leaves) {
    const std::vector<Level> &levels = plans[static_cast<std::size_t>(leaf)].nest.levels;
    for (std::size_t level = levels.size(); level-- > 0;) {
      if (!is_about(levels[level].variable)) continue;
      statement.origins.push_back({leaf, 0, static_cast<int>(level)});
      break;
    }
  }
}

/// Returns the numbers of the leaves of which something is in the block.
std::set<int> set_shared(Block &block, const std::vector<LeafPlan> &plans) {
  std::set<int> all;
  for (Statement &statement : block) {
    std::set<int> leaves;
    for (const loop::Origin &origin : statement.origins)
      leaves.insert(origin.leaf);
    for (Block *inner : loop::blocks_of(statement))
      leaves.merge(set_shared(*inner, plans));
    set_levels(statement, leaves, plans);
    all.merge(leaves);
  }
  for (Statement &statement : block) // the iteration of a wavefront
    if (std::holds_alternative<loop::Let>(statement.kind)) set_levels(statement, all, plans);
  return all;
}

void set_declared(Statement &statement, const std::vector<LeafPlan> &plans,
                  const std::vector<combine::IterationSpace> &statements) {
  const auto *declared = std::get_if<loop::DeclareValue>(&statement.kind);
  for (std::size_t k = 0; declared && statement.origins.empty() && k < statements.size(); ++k)
    if (statements[k].sets && statements[k].target.local == declared->name)
      statement.origins.push_back({static_cast<int>(k), 0, static_cast<int>(plans[k].nest.levels.size())});
  for (Block *inner : loop::blocks_of(statement))
    for (Statement &each : *inner)
      set_declared(each, plans, statements);
}

} // namespace

loop::Origin main_plan(std::size_t leaf) {
  return {static_cast<int>(leaf), 0, 0};
}

Block with_origin(Block block, const loop::Origin &origin) {
  for (Statement &statement : block) {
    if (statement.origins.empty()) statement.origins = {origin};
    for (Block *inner : loop::blocks_of(statement))
      *inner = with_origin(std::move(*inner), origin);
  }
  return block;
}

void set_shared_origins(Block &block, const std::vector<LeafPlan> &plans,
                        const std::vector<combine::IterationSpace> &statements) {
  set_shared(block, plans);
  for (Statement &statement : block)
    set_declared(statement, plans, statements);
}

} // namespace unravel::lower
