#include "show/parts.h"

#include "show/facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::show {

using loop::Origin;
using scan::Level;

namespace {

std::size_t number(int value) {
  return static_cast<std::size_t>(value);
}

std::string prefix(const Origin &origin) {
  return fmt::format("n{}-p{}", origin.leaf + 1, origin.plan);
}

} // namespace

Parts::Parts(const pipeline::Compilation &compilation) : compilation_(compilation) {
  const combine::Combination &combination = compilation.combination;
  for (std::size_t leaf = 0; leaf < compilation.leaves.size(); ++leaf) {
    auto reasons_of = [&](const plan::LeafPlan &plan) {
      return scan::reasons_of(combination.leaves[leaf], plan.nest, combination.axioms);
    };
    const plan::LeafPlan &main = compilation.leaves[leaf].plan;
    reasons_.push_back({reasons_of(main)});
    for (const plan::Alternative &other : main.alternatives)
      reasons_.back().push_back(reasons_of(other.plan));
  }
}

const plan::LeafPlan &Parts::plan(std::size_t leaf, std::size_t number) const {
  const plan::LeafPlan &main = compilation_.leaves.at(leaf).plan;
  return number == 0 ? main : main.alternatives.at(number - 1).plan;
}

const std::vector<scan::Reason> &Parts::reasons(const Origin &level) const {
  return reasons_.at(number(level.leaf)).at(number(level.plan)).at(number(level.level));
}

bool Parts::is_level(const Origin &origin) const {
  return origin.level >= 0 &&
         number(origin.level) < reasons_[number(origin.leaf)][number(origin.plan)].size();
}

Origin Parts::shown(Origin level) const {
  const pipeline::Leaf &leaf = compilation_.leaves[number(level.leaf)];
  const std::string &variable = leaf.plan.nest.levels[number(level.level)].variable;
  if (level.plan != 0 || !is_shared_with_earlier(compilation_, leaf, variable)) return level;
  const std::vector<Level> &earlier = compilation_.leaves[number(level.leaf) - 1].plan.nest.levels;
  auto found = std::ranges::find(earlier, variable, &Level::variable);
  if (found == earlier.end()) return level;
  return shown({level.leaf - 1, 0, static_cast<int>(found - earlier.begin())});
}

std::string Parts::level_id(const Origin &level) const {
  const Origin there = shown(level);
  return fmt::format("{}-l{}", prefix(there), there.level);
}

std::string Parts::guard_id(const Origin &level, std::size_t guard) const {
  return fmt::format("{}-l{}-g{}", prefix(level), level.level, guard);
}

std::string Parts::find_id(const Origin &level) const {
  return fmt::format("{}-f{}", prefix(level), level.level);
}

std::string Parts::choice_id(std::size_t leaf, std::size_t plan) const {
  return fmt::format("n{}-p{}", leaf + 1, plan);
}

std::string Parts::statement_id(std::size_t leaf) const {
  return fmt::format("n{}-s", leaf + 1);
}

std::string Parts::access_id(std::size_t leaf, std::size_t reference) const {
  return fmt::format("n{}-a{}", leaf + 1, reference);
}

std::string Parts::constraint_id(std::size_t leaf, std::size_t constraint) const {
  return fmt::format("n{}-c{}", leaf + 1, constraint + 1);
}

std::string Parts::constraint_number(std::size_t leaf, std::size_t constraint) const {
  if (compilation_.leaves.size() == 1) return fmt::format("{}", constraint + 1);
  return fmt::format("{}.{}", leaf + 1, constraint + 1);
}

std::string Parts::id(const Origin &origin) const {
  if (is_level(origin)) return level_id(origin);
  return origin.level == lower::choice_of_plan ? choice_id(number(origin.leaf), number(origin.plan))
                                               : statement_id(number(origin.leaf));
}

std::vector<std::string> Parts::targets(const loop::Origins &origins) const {
  std::vector<std::string> ids;
  auto add = [&](const std::string &id) {
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  };
  for (const Origin &origin : origins)
    add(id(origin));
  for (const Origin &origin : origins) {
    if (!is_level(origin)) continue;
    for (const scan::Reason &reason : reasons(origin))
      for (std::size_t constraint : reason.constraints)
        add(constraint_id(number(origin.leaf), constraint));
  }
  for (const Origin &origin : origins)
    if (kind(origin) == "find") add(find_id(origin));
  return ids;
}

std::string Parts::kind(const Origin &origin) const {
  if (!is_level(origin)) return origin.level == lower::choice_of_plan ? "choice" : "statement";
  switch (plan(number(origin.leaf), number(origin.plan)).nest.levels[number(origin.level)].kind) {
  case Level::Kind::Let: return "let";
  case Level::Kind::Find: return "find";
  case Level::Kind::Loop: break;
  }
  const depend::LoopVerdict *found = verdict(origin);
  return found ? depend::name_of(found->verdict) : "loop";
}

const depend::LoopVerdict *Parts::verdict(const Origin &level) const {
  if (level.plan != 0) return nullptr;
  const Origin there = shown(level);
  const pipeline::Leaf &leaf = compilation_.leaves[number(there.leaf)];
  const Level &own = leaf.plan.nest.levels[number(there.level)];
  if (own.kind != Level::Kind::Loop) return nullptr;
  auto found = std::ranges::find(leaf.verdicts, own.variable, &depend::LoopVerdict::variable);
  return found == leaf.verdicts.end() ? nullptr : &*found;
}

std::string constraint_links(const Parts &parts, std::size_t leaf,
                             const std::vector<std::size_t> &constraints) {
  std::string text;
  for (std::size_t constraint : constraints)
    text += fmt::format("{}<a href=\"#{}\">({})</a>", text.empty() ? "" : " ",
                        parts.constraint_id(leaf, constraint), parts.constraint_number(leaf, constraint));
  return text;
}

std::string access_text(const std::string &tensor, const std::vector<term::Term> &coordinates) {
  if (coordinates.empty()) return tensor;
  std::vector<std::string> texts;
  for (const term::Term &coordinate : coordinates)
    texts.push_back(term::to_text(coordinate));
  return fmt::format("{}({})", tensor, fmt::join(texts, ","));
}

} // namespace unravel::show
