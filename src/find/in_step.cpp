#include "find/in_step.h"

#include "find/counterexample.h"
#include "find/map.h"

namespace unravel::find {

using scan::Level;
using term::Term;

namespace {

/// The array, if the term is its element at the variable's value.
std::string array_at(const Term &term, const std::string &variable) {
  const auto *load = term.as<term::Apply>();
  bool plain = load && load->arguments.size() == 1 && load->arguments[0] == term::variable(variable);
  return plain ? load->function : "";
}

} // namespace

std::optional<InStep> in_step(const scan::Nest &nest, const LevelPlan &plan) {
  const std::vector<Level> &levels = nest.levels;
  const Level &found = levels[plan.level];
  const plan::Walk *walk = plan.walk();
  if (nest.instances) return std::nullopt; // the loop takes values without a match, too
  if (!walk || walk->gallops || walk->direction != Direction::Up || !plan.unique ||
      !walk->state_index.empty() || found.components.size() != 1 || !found.components[0].is_equality())
    return std::nullopt;
  Term target = found.components[0].target;
  std::size_t loop = plan.level;
  do {
    if (loop-- == 0) return std::nullopt;
    const Level &level = levels[loop];
    if (level.is_find() || !level.guards.empty() || term::mentions(found.lower, level.variable) ||
        term::mentions(found.upper, level.variable))
      return std::nullopt;
    if (level.is_let()) target = term::substitute(target, {{level.variable, level.value}});
  } while (!levels[loop].is_loop());
  InStep form{loop, array_at(target, levels[loop].variable),
              array_at(found.components[0].key, found.variable)};
  // A loop over a coordinate may do something in each iteration, such as clearing an element.
  if (form.loop_keys.empty() || form.keys.empty() || levels[loop].tensor.empty()) return std::nullopt;
  if (walk->state_level > loop || behind_assignments(levels, walk->state_level) != loop) return std::nullopt;
  return form;
}

bool plan_in_step(const scan::Nest &nest, const InStep &form, const std::vector<LevelPlan> &finds,
                  prove::Prover &prover, LevelPlan &plan) {
  Obligations obligations(nest, plan.level, finds, prover, plan);
  if (!obligations.keys_rise() || !obligations.targets_rise(form.loop)) return false;
  plan.as<plan::Walk>()->in_step = form;
  return true;
}

Rising rising(const scan::Nest &nest, std::size_t level, const term::Term &key, const FindPlan &finds,
              prove::Prover &prover) {
  scan::Nest around = nest;
  around.levels.resize(level + 1);
  const bool is_find = around.levels.back().is_find();
  if (!is_find) around.levels.back().components = {{key, term::Term(0)}}; // as a segment with these keys
  std::vector<LevelPlan> outer = finds.levels;
  std::erase_if(outer, [&](const LevelPlan &plan) { return plan.level >= level; });
  LevelPlan plan;
  plan.level = level;
  Obligations obligations(around, level, outer, prover, plan);
  Rising result{obligations.rises(key, is_find), plan.obligations.back().name, ""};
  if (!result.is_proved) result.example = counterexample(around, level, plan.obligations.back(), prover);
  return result;
}

} // namespace unravel::find
