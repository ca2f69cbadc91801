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

bool keeps_state(Method method) {
  return method == Method::Sequential || method == Method::Galloping;
}

bool fills_map(Method method) {
  return method == Method::Map || method == Method::Hash;
}

const LevelPlan *FindPlan::at(std::size_t level) const {
  for (const LevelPlan &plan : levels)
    if (plan.level == level) return &plan;
  return nullptr;
}

bool ends_with_loop(const LevelPlan &plan) {
  return plan.jump && std::any_of(plan.obligations.begin(), plan.obligations.end(),
                                  [](const auto &each) { return each.name == "O-last" && each.holds; });
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
  }
  return "";
}

std::string print_method(const LevelPlan &plan, const scan::Nest &nest) {
  std::string text;
  switch (plan.method) {
  case Method::Direct:
    text = fmt::format("  at {}", term::to_text(plan.position));
    if (plan.check_bounds) text += ", if in range";
    if (plan.check_match) text += ", if it matches";
    return text + "\n";
  case Method::Probe:
    return fmt::format("  from {} while {}\n", term::to_text(plan.start), term::to_text(plan.skip));
  case Method::Sequential:
  case Method::Galloping:
    if (plan.in_step)
      return fmt::format("  in step with {}, by {} and {}\n", nest.levels[plan.in_step->loop].variable,
                         plan.in_step->loop_keys, plan.in_step->keys);
    text = fmt::format("  {} while {}\n", name_of(plan.direction), term::to_text(plan.skip));
    text +=
        fmt::format("  state per {}: from {}, declared {}{}\n", braces(plan.state), term::to_text(plan.start),
                    place_of(plan.state_level, nest), plan.clamp ? ", clamped to the range" : "");
    if (!plan.state_index.empty()) {
      text += fmt::format("  in an array at [{}] of [{}]", term::to_text(plan.state_index),
                          term::to_text(plan.state_extent));
      if (plan.state_room != plan.state_extent)
        text += fmt::format(", with room for [{}]", term::to_text(plan.state_room));
      text += "\n";
    }
    text += plan.advance ? "  steps past a match\n" : "  stays at a match\n";
    if (plan.jump)
      text += fmt::format("  {} may go on at the least {} of all walks: no match lies in between\n",
                          nest.levels[plan.jump->loop].variable, term::to_text(plan.jump->next));
    if (!plan.no_jump.empty()) text += fmt::format("  {}\n", plan.no_jump);
    return text;
  case Method::Binary: return fmt::format("  up while {}\n", term::to_text(plan.skip));
  case Method::Hash:
    return fmt::format("  positions [{}, {}) by {}, asked for {}\n  filled {}\n",
                       term::to_text(plan.map_lower), term::to_text(plan.map_upper),
                       term::to_text(plan.map_keys), term::to_text(plan.map_targets),
                       place_of(plan.map_level, nest));
  case Method::Map:
    text = fmt::format("  positions [{}, {}) by {} in [0, {}), asked for {}{}\n  holds {}, filled {}\n",
                       term::to_text(plan.map_lower), term::to_text(plan.map_upper),
                       term::to_text(plan.map_keys), term::to_text(plan.map_extent),
                       term::to_text(plan.map_targets), plan.check_target ? " if it lies there" : "",
                       content_of(plan.map_form), place_of(plan.map_level, nest));
    if (plan.map_limit) text += fmt::format("  for at most {} keys\n", plan.map_limit);
    return text;
  case Method::Scan: return text;
  }
  return text;
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
    text += fmt::format("find {} by {} ({})\n", nest.levels[level.level].variable, name_of(level.method),
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
