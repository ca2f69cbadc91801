// Plans as text, and what can be read off them.
#include "plan/find.h"
#include "plan/leaf.h"
#include "term/list.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::plan {

std::string name_of(Method method) {
  switch (method) {
  case Method::Direct: return "direct";
  case Method::Probe: return "probe";
  case Method::Sequential: return "sequential";
  case Method::Galloping: return "galloping";
  case Method::Binary: return "binary";
  case Method::Hash: return "hash";
  case Method::Map: return "map";
  case Method::Scan: return "scan";
  }
  return {};
}

std::string name_of(Direction direction) {
  return direction == Direction::Up ? "up" : "down";
}

Method LevelPlan::method() const {
  return std::visit(
      term::overloaded{
          [](const Scan &) { return Method::Scan; },
          [](const Direct &) { return Method::Direct; },
          [](const Probe &) { return Method::Probe; },
          [](const Walk &walk) { return walk.gallops ? Method::Galloping : Method::Sequential; },
          [](const Binary &) { return Method::Binary; },
          [](const HashMap &) { return Method::Hash; },
          [](const DenseMap &) { return Method::Map; },
      },
      how);
}

const FilledMap *LevelPlan::filled_map() const {
  if (const auto *map = as<HashMap>()) return map;
  return as<DenseMap>();
}

FilledMap *LevelPlan::filled_map() {
  if (auto *map = as<HashMap>()) return map;
  return as<DenseMap>();
}

std::optional<std::size_t> LevelPlan::made_at() const {
  if (walk()) return walk()->state_level;
  return filled_map() ? std::optional(filled_map()->level) : std::nullopt;
}

bool LevelPlan::is_in_step_with(std::size_t loop) const {
  return walk() && walk()->in_step && walk()->in_step->loop == loop;
}

bool LevelPlan::lets_jump(std::size_t loop) const {
  return walk() && walk()->jump && walk()->jump->loop == loop;
}

const LevelPlan *FindPlan::at(std::size_t level) const {
  for (const LevelPlan &plan : levels)
    if (plan.level == level) return &plan;
  return nullptr;
}

bool ends_with_loop(const LevelPlan &plan) {
  return plan.walk() && plan.walk()->jump && std::ranges::any_of(plan.obligations, [](const auto &each) {
           return each.name == "O-last" && each.holds;
         });
}

term::Term match_condition(const scan::Level &level) {
  std::vector<term::Term> parts;
  for (const scan::Component &component : level.components)
    parts.push_back(component.is_equality()
                        ? term::equal(component.target, component.key)
                        : term::between(0, component.target - component.key, component.width));
  return term::conjunction(std::move(parts));
}

std::string braces(const std::vector<std::string> &variables) {
  std::string text;
  for (const std::string &name : variables)
    text += (text.empty() ? "" : ", ") + name;
  return "{" + text + "}";
}

namespace {

/// Just before a level of the nest.
std::string place_of(std::size_t level, const scan::Nest &nest) {
  if (level == 0) return "once, before all loops";
  return "inside " + nest.levels[level - 1].variable;
}

const char *content_of(MapForm form) {
  switch (form) {
  case MapForm::Positions: return "positions";
  case MapForm::Values: return "values";
  case MapForm::Marked: return "values and marks";
  case MapForm::Presence: return "presence";
  case MapForm::Marks: return "marks";
  }
  return "";
}

std::string print_walk(const Walk &walk, const scan::Nest &nest) {
  if (walk.in_step)
    return fmt::format("  in step with {}, by {} and {}\n", nest.levels[walk.in_step->loop].variable,
                       walk.in_step->loop_keys, walk.in_step->keys);
  std::string text = fmt::format("  {} while {}\n", name_of(walk.direction), term::to_text(walk.skip));
  text +=
      fmt::format("  state per {}: from {}, declared {}{}\n", braces(walk.state), term::to_text(walk.start),
                  place_of(walk.state_level, nest), walk.clamp ? ", clamped to the range" : "");
  if (!walk.state_index.empty()) {
    text += fmt::format("  in an array at [{}] of [{}]", term::to_text(walk.state_index),
                        term::to_text(walk.state_extent));
    if (walk.state_room != walk.state_extent)
      text += fmt::format(", with room for [{}]", term::to_text(walk.state_room));
    text += "\n";
  }
  text += walk.advance ? "  steps past a match\n" : "  stays at a match\n";
  if (walk.jump)
    text += fmt::format("  {} may go on at the least {} of all walks: no match lies in between\n",
                        nest.levels[walk.jump->loop].variable, term::to_text(walk.jump->next));
  if (!walk.no_jump.empty()) text += fmt::format("  {}\n", walk.no_jump);
  return text;
}

/// Its positions, and what they are asked for by.
std::string print_map(const FilledMap &map) {
  return fmt::format("  positions [{}, {}) by {}", term::to_text(map.lower), term::to_text(map.upper),
                     term::to_text(map.keys));
}

std::string print_method(const LevelPlan &plan, const scan::Nest &nest) {
  return std::visit(
      term::overloaded{
          [](const Scan &) { return std::string(); },
          [](const Direct &direct) {
            return fmt::format("  at {}{}{}\n", term::to_text(direct.position),
                               direct.check_bounds ? ", if in range" : "",
                               direct.check_match ? ", if it matches" : "");
          },
          [](const Probe &probe) {
            return fmt::format("  from {} while {}\n", term::to_text(probe.start), term::to_text(probe.skip));
          },
          [&](const Walk &walk) { return print_walk(walk, nest); },
          [](const Binary &binary) { return fmt::format("  up while {}\n", term::to_text(binary.skip)); },
          [&](const HashMap &map) {
            return print_map(map) + fmt::format(", asked for {}\n  filled {}\n", term::to_text(map.targets),
                                                place_of(map.level, nest));
          },
          [&](const DenseMap &map) {
            std::string text =
                print_map(map) + fmt::format(" in [0, {}), asked for {}{}\n  holds {}, filled {}\n",
                                             term::to_text(map.extent), term::to_text(map.targets),
                                             map.check_target ? " if it lies there" : "",
                                             content_of(map.form), place_of(map.level, nest));
            if (map.limit) text += fmt::format("  for at most {} keys\n", map.limit);
            return text;
          },
      },
      plan.how);
}

std::string verdict_of(const Obligation &obligation) {
  if (obligation.wanted_possible) return obligation.holds ? "possible" : "not possible";
  return obligation.holds ? "proved" : "not proved";
}

} // namespace

std::string to_text(const FindPlan &plan, const scan::Nest &nest) {
  std::string text;
  if (plan.vacuous)
    text += "the properties contradict each other here, or nothing can match: every find is a scan\n";
  for (const LevelPlan &level : plan.levels) {
    const char *matches = level.unique ? "one match" : level.contiguous ? "adjacent matches" : "any matches";
    text += fmt::format("find {} by {} ({})\n", nest.levels[level.level].variable, name_of(level.method()),
                        matches);
    text += print_method(level, nest);
    if (!level.obligations.empty()) text += "  obligations\n";
    for (const Obligation &obligation : level.obligations)
      text += fmt::format("    {}: {}\n", obligation.name, verdict_of(obligation));
    text += "  candidates\n";
    for (const Candidate &candidate : level.candidates) {
      const char *state = !candidate.tried ? " (not tried)" : candidate.proved ? "" : " (not proved)";
      text += fmt::format("    {}{}: {}\n", name_of(candidate.method), state, candidate.reason);
    }
  }
  return text;
}

std::string to_text(const LeafPlan &plan) {
  std::string text;
  if (plan.sorted)
    text += fmt::format("{} sorted by {}\n", plan.nest.levels[plan.sorted->level].variable,
                        term::to_text(plan.sorted->keys));
  if (plan.is_dealt) text += "dealt: entries are counted in one visit, and placed in another one\n";
  if (plan.dealt_by_threads)
    text += fmt::format("each thread does a part of {} in both, by the work {}\n",
                        plan.nest.levels[0].variable, term::to_text(plan.dealt_by_threads->work.before));
  for (const Alternative &other : plan.alternatives) {
    std::string place =
        plan.split == 0 ? "first of all" : "inside " + plan.nest.levels[plan.split - 1].variable;
    text += fmt::format("{}, if {}: {}\n", place, term::to_text(other.condition), other.reason);
    text += scan::to_text(other.plan.nest);
    text += to_text(other.plan.finds, other.plan.nest);
  }
  return text;
}

} // namespace unravel::plan
