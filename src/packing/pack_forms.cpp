#include "packing/pack_forms.h"
#include "term/solve.h"

#include <algorithm>

namespace unravel::packing {

std::optional<ModeUse> mode_of(const Term &term, const std::vector<Mode> &modes) {
  std::optional<ModeUse> result;
  for (std::size_t mode = 0; mode < modes.size(); ++mode) {
    if (!term::mentions(term, modes[mode].name)) continue;
    std::int64_t coefficient = term::coefficient_of(term, modes[mode].name);
    if (result || (coefficient != 1 && coefficient != -1)) return std::nullopt;
    result = ModeUse{mode, coefficient};
  }
  return result;
}

std::optional<Slot> slot_of(const Term &term, const std::vector<Level> &levels) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    std::int64_t constant = 0;
    if (term::constant_difference(term::variable(levels[l].position), term, constant))
      return Slot{l, constant};
  }
  return std::nullopt;
}

std::optional<std::vector<Slot>> slots_of(const std::vector<Term> &subscripts,
                                          const std::vector<Level> &levels, const std::string &position) {
  std::vector<Slot> slots;
  for (const Term &subscript : subscripts) {
    std::int64_t constant = 0;
    std::optional<Slot> slot = slot_of(subscript, levels);
    if (const auto *number = subscript.as<term::Constant>())
      slot = Slot{Slot::no_level, number->value};
    else if (!slot && term::constant_difference(term::variable(position), subscript, constant))
      slot = Slot{levels.size(), constant};
    if (!slot) return std::nullopt;
    slots.push_back(*slot);
  }
  return slots;
}

std::vector<std::size_t> numbering_levels(std::span<const Level> levels) {
  if (levels.empty()) return {};
  const Level &level = levels.back();
  std::vector<std::size_t> numbering;
  if (level.is_dense() || level.kind == Level::Kind::Padded)
    numbering = numbering_levels(levels.first(levels.size() - 1));
  if (level.kind == Level::Kind::Padded)
    for (const Slot &parent : level.parents)
      std::erase(numbering, parent.level);
  numbering.push_back(levels.size() - 1);
  return numbering;
}

std::vector<Bounds> bounds_of(const std::string &position, const std::vector<Term> &conjuncts) {
  std::vector<std::pair<std::size_t, Term>> lows, highs;
  Term p = term::variable(position);
  for (std::size_t k = 0; k < conjuncts.size(); ++k) {
    const Term *left = term::inequality(conjuncts[k]);
    if (!left) continue;
    std::int64_t coefficient = term::coefficient_of(*left, position);
    if (coefficient == 1) lows.emplace_back(k, p - *left);
    if (coefficient == -1) highs.emplace_back(k, *left + p + Term(1));
  }
  std::vector<Bounds> result;
  for (const auto &[low_part, low] : lows)
    for (const auto &[high_part, high] : highs)
      result.push_back({low_part, high_part, low, high});
  return result;
}

bool set_pointer(Level &level, const Bounds &bounds, const std::vector<Level> &levels,
                 const std::vector<std::size_t> &numbering) {
  const auto *low = bounds.low.as<term::Apply>();
  const auto *high = bounds.high.as<term::Apply>();
  if (!low || !high || low->function != high->function || low->arguments.size() != numbering.size() ||
      high->arguments.size() != numbering.size())
    return false;
  level.parents.clear();
  for (std::size_t k = 0; k < numbering.size(); ++k) {
    std::int64_t step = 0, constant = 0;
    Term position = term::variable(levels[numbering[k]].position);
    if (!term::constant_difference(position, low->arguments[k], constant) ||
        !term::constant_difference(low->arguments[k], high->arguments[k], step) ||
        step != (k + 1 == numbering.size() ? 1 : 0))
      return false;
    level.parents.push_back({numbering[k], constant});
  }
  level.pointer = low->function;
  return true;
}

bool set_run(Level &level, const Term &equation, const Term &pointer, const PiecePlan &plan) {
  const Term *zero = term::equation(equation);
  if (!zero) return false;
  std::int64_t factor = term::coefficient_of(*zero, level.position);
  if (factor != 1 && factor != -1) return false;
  // mode + pointer(parent) + offset - first(parent) - position = 0
  Term left = term::scale(-factor, *zero) + term::variable(level.position) - pointer;
  std::optional<ModeUse> use = mode_of(left, plan.modes);
  if (!use || use->coefficient != 1) return false;
  left = left - term::variable(plan.modes[use->mode].name);
  level.first.clear();
  for (const Term &call : term::applications_of(left)) {
    const auto *apply = call.as<term::Apply>();
    const Slot &parent = level.parents[0];
    Term at = term::variable(plan.levels[parent.level].position) + Term(parent.constant);
    if (!level.first.empty() || apply->arguments != std::vector<Term>{at}) return false;
    level.first = apply->function;
    left = left + call;
  }
  level.mode = use->mode;
  level.offset = left;
  return true;
}

namespace {

/// Whether a term applies a function, or another function than `but` at r.
bool calls(const Term &term, const std::string &function) {
  for (const Term &call : term::applications_of(term))
    if (call.as<term::Apply>()->function == function) return true;
  return false;
}
bool calls(const Term &term, const std::string &but, const Term &r) {
  for (const Term &call : term::applications_of(term))
    if (but.empty() || call != term::apply(but, {r})) return true;
  return false;
}

/// Numbers next to those that a condition compares with.
void add_compared(const Term &condition, std::vector<std::int64_t> &numbers) {
  const auto add_all = [&](const std::vector<Term> &parts) {
    for (const Term &part : parts)
      add_compared(part, numbers);
  };
  if (const auto *both = condition.as<term::And>()) add_all(both->parts);
  if (const auto *either = condition.as<term::Or>()) add_all(either->parts);
  if (const auto *negation = condition.as<term::Not>()) add_compared(negation->of, numbers);
  const auto *compare = condition.as<term::Compare>();
  if (!compare) return;
  const term::Linear form = term::linear_form(compare->left);
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (form.parts.size() != 1 || form.constant > most || form.constant < -most) return;
  const std::int64_t number = -form.constant / form.parts.front().second;
  numbers.insert(numbers.end(), {number, number + 1, number - 1});
}

} // namespace

void set_length(Level &level, const layout::Layout &layout, const std::vector<Level> &levels) {
  const Slot &parent = level.parents[0];
  Term at = term::variable(levels[parent.level].position) + Term(parent.constant);
  for (const layout::Property &property : layout.properties) {
    const prove::Axiom &axiom = property.axiom;
    if (axiom.variables.size() != 1) continue;
    Term r = term::variable(axiom.variables[0]);
    for (const Term &part : term::conjuncts(axiom.conclusion)) {
      Term step = term::apply(level.pointer, {r + Term(1)}) - term::apply(level.pointer, {r});
      if (const Term *left = term::equation(part)) {
        for (const Term &rest : {step - *left, step + *left})
          if (!calls(rest, level.pointer) && !calls(rest, level.first, r))
            level.length = term::substitute(rest, {{axiom.variables[0], at}});
      } else if (left = term::inequality(part); left && !level.first.empty()) {
        Term most = *left + term::apply(level.first, {r});
        if (term::applications_of(most).empty())
          level.first_most = term::substitute(most, {{axiom.variables[0], at}});
      }
    }
  }
}

namespace {

bool states_home(const Term &part) {
  const Term *left = term::inequality(part);
  if (!left) return false;
  for (const Term &call : term::applications_of(part))
    for (const std::string &name : term::variables_of(call))
      if (term::coefficient_of(*left, name) == 1) return true;
  return false;
}

} // namespace

bool states_homes(const layout::Layout &layout) {
  return std::ranges::any_of(layout.properties, [](const auto &property) {
    std::vector<Term> parts = term::conjuncts(property.axiom.conclusion);
    return std::ranges::any_of(parts, states_home);
  });
}

std::optional<std::int64_t> number_for(const Term &element, const Term &condition, bool holds) {
  std::vector<std::int64_t> numbers =
      holds ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0, 1};
  add_compared(condition, numbers);
  for (std::int64_t number : numbers) {
    const Term said = term::replace(condition, {{element, Term(number)}});
    if (holds ? term::is_true(said) : term::is_false(said)) return number;
  }
  return std::nullopt;
}

} // namespace unravel::packing
