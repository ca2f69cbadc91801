#include "lower/clearing.h"

#include "scan/reasons.h"
#include "space/set.h"
#include "text/contains.h"

#include <algorithm>
#include <set>
#include <string>

namespace unravel::lower {

using scan::Level;
using term::Term;

namespace {

/// A dense mode of a result with an operand's structure: a variable, and its place in the slots.
struct DenseMode {
  std::string variable;
  std::size_t slot;
};

/// They are the last slots, one for each position of the result's own.
std::vector<DenseMode> dense_modes(const combine::Operand &target) {
  std::vector<DenseMode> modes;
  if (target.structure.empty()) return modes;
  auto own =
      static_cast<std::size_t>(std::ranges::count_if(target.positions, [&](const std::string &position) {
        return position.compare(0, target.name.size() + 1, target.name + ".") == 0;
      }));
  for (std::size_t k = target.slots.size() - own; k < target.slots.size(); ++k)
    if (const auto *coordinate = target.slots[k].as<term::Variable>()) modes.push_back({coordinate->name, k});
  return modes;
}

/// The same as below for a result with an operand's structure: the levels before run over its places, and
/// over nothing else, so they enforce the places' relation, and the relation implies their bounds. Dense
/// modes that come further inside make a row of slots.
std::optional<std::size_t> covering_places(const combine::IterationSpace &space, const scan::Nest &nest) {
  const combine::Operand &target = space.target;
  std::set<std::string> open(target.positions.begin(), target.positions.end());
  for (const Term &coordinate : target.coordinates) { // D(i, r, r) and D(i + 1, r) leave slots without terms
    const auto *plain = coordinate.as<term::Variable>();
    if (!plain || !open.insert(plain->name).second) return std::nullopt;
  }
  std::set<std::string> dense;
  for (const DenseMode &mode : dense_modes(target))
    dense.insert(mode.variable);
  auto is_dense = [&](const std::string &name) {
    return dense.count(name) > 0 || name.compare(0, target.name.size() + 1, target.name + ".") == 0;
  };
  std::optional<std::size_t> found;
  const std::size_t visits = nest.instances.value_or(nest.levels.size());
  for (std::size_t index = 0; index <= visits; ++index) {
    if (std::ranges::all_of(open, is_dense)) found = index;
    if (open.empty() || index == visits) break;
    const Level &level = nest.levels[index];
    bool is_place = open.erase(level.variable) > 0;
    if (level.is_find() || !level.guards.empty()) break;
    if (!is_place && !level.is_let()) break; // another operand's position follows from ours
    if (!is_place) continue;
    std::vector<Term> limits;
    for (scan::Part &part : scan::parts_of(level))
      limits.push_back(std::move(part.condition));
    if (!space::Set(space.places).is_subset(space::Set(term::conjunction(std::move(limits))))) break;
  }
  return found;
}

/// The coordinates whose slots these are, in their order, each once and each as it is; of others: none.
std::vector<std::string> plain_slots(const combine::Operand &target) {
  std::vector<std::string> names;
  for (const Term &slot : target.slots) {
    const auto *plain = slot.as<term::Variable>();
    if (!plain || contains(names, plain->name)) return {};
    names.push_back(plain->name);
  }
  return names;
}

/// The last level at which the target's slots are known, but perhaps for the last modes, which make a row of
/// neighbouring slots, if the levels before it visit all that is known exactly once: then the slot or the row
/// is set there, and the result needs no clearing.
std::optional<std::size_t> covering_prefix(const combine::IterationSpace &space, const scan::Nest &nest,
                                           const std::map<std::string, Term> &extents) {
  std::set<std::string> looped;
  std::set<std::string> coordinates;
  for (const Term &coordinate : space.target.coordinates) {
    const auto *plain = coordinate.as<term::Variable>();
    if (!plain || !coordinates.insert(plain->name).second) return std::nullopt;
  }
  std::vector<std::string> slots = plain_slots(space.target);
  auto are_rows = [&] {
    return !looped.empty() && slots.size() == coordinates.size() &&
           std::all_of(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(looped.size()),
                       [&](const std::string &name) { return looped.count(name) > 0; });
  };
  std::optional<std::size_t> found;
  for (std::size_t index = 0;; ++index) {
    if (looped == coordinates || are_rows()) found = index;
    if (index == nest.instances.value_or(nest.levels.size())) break;
    const Level &level = nest.levels[index];
    if (level.is_find() || !level.guards.empty()) break;
    // Assignments to positions hold everywhere.
    if (level.is_let() && !coordinates.count(level.variable)) continue;
    // The whole range of the coordinate.
    auto extent = extents.find(level.variable);
    if (level.is_let() || !coordinates.count(level.variable) || level.lower != Term(0) ||
        extent == extents.end() || level.upper != extent->second)
      break;
    looped.insert(level.variable);
  }
  return found;
}

} // namespace

std::optional<std::size_t> Clearing::where(const LeafPlan &plan) const {
  if (plan.is_owned()) return owns_slots(plan) ? plan.parallel : std::nullopt;
  if (has_increasing_rows(plan)) {
    std::size_t level = *plan.increasing + 1;
    bool behind_choice = !plan.alternatives.empty() && plan.split > 0 && level > plan.split;
    return behind_choice ? std::nullopt : std::optional(level);
  }
  std::optional<std::size_t> level = space_.target.structure.empty()
                                         ? covering_prefix(space_, plan.nest, combination_.extents)
                                         : covering_places(space_, plan.nest);
  bool behind_choice = !plan.alternatives.empty() && plan.split > 0 && level > plan.split;
  return behind_choice ? std::nullopt : level;
}

loop::Block Clearing::slots_before(const LeafPlan &plan, std::size_t level) const {
  const combine::Operand &target = space_.target;
  auto is_known = [&](const std::string &variable) {
    auto end = plan.nest.levels.begin() + static_cast<std::ptrdiff_t>(level);
    return std::any_of(plan.nest.levels.begin(), end,
                       [&](const Level &outer) { return outer.variable == variable; });
  };
  std::vector<DenseMode> row = dense_modes(target);
  if (target.structure.empty())
    for (const std::string &coordinate : plain_slots(target))
      row.push_back({coordinate, row.size()});
  std::erase_if(row, [&](const DenseMode &mode) { return is_known(mode.variable); });
  term::Substitution by;
  for (const DenseMode &mode : row)
    by.emplace(mode.variable, term::variable(mode.variable + ".clear"));
  loop::Block block{
      {loop::Store{loop::Element{target.array, term::substitute(target.slot, by)}, identity()}}};
  for (std::size_t k = row.size(); k-- > 0;) {
    loop::For loop{row[k].variable + ".clear", Term(0), combination_.arrays.at(target.array)[row[k].slot]};
    loop.body = std::move(block);
    block = {{std::move(loop)}};
  }
  return block;
}

loop::Block Clearing::rows_between(const LeafPlan &plan) const {
  if (!has_increasing_rows(plan)) return {};
  const std::string &row = plan.nest.levels[*plan.increasing].variable;
  return rows_from(plan, row + ".next", term::variable(plan.nest.levels[0].variable), term::variable(row));
}

loop::Block Clearing::rows_behind(const LeafPlan &plan, std::optional<std::size_t> level) const {
  if (!level || !has_increasing_rows(plan)) return {};
  return rows_from(plan, plan.nest.levels[*plan.increasing].variable + ".rest", plan.nest.levels[0].upper,
                   combination_.arrays.at(space_.target.array)[0]);
}

/// Is each row of the result set by one iteration of the outermost loop at most, those before by earlier
/// ones?
bool Clearing::has_increasing_rows(const LeafPlan &plan) const {
  if (!plan.increasing || !space_.target.structure.empty()) return false;
  std::vector<std::string> slots = plain_slots(space_.target);
  bool in_step = std::ranges::any_of(plan.finds.levels,
                                     [](const plan::LevelPlan &find) { return find.is_in_step_with(0); });
  return !slots.empty() && slots[0] == plan.nest.levels[*plan.increasing].variable && !in_step;
}

/// Sets to zero the rows from the one behind that of the iteration before `iteration` up to `end`.
loop::Block Clearing::rows_from(const LeafPlan &plan, const std::string &name, const Term &iteration,
                                const Term &end) const {
  const Level &outer = plan.nest.levels[0];
  Term last =
      term::substitute(plan.nest.levels[*plan.increasing].value, {{outer.variable, iteration - Term(1)}});
  Term length(1);
  const std::vector<Term> &extents = combination_.arrays.at(space_.target.array);
  for (std::size_t k = 1; k < extents.size(); ++k)
    length = term::multiply(length, extents[k]);
  loop::For clear{name + ".clear", term::multiply(term::variable(name), length), term::multiply(end, length)};
  clear.body.push_back(
      {loop::Store{loop::Element{space_.target.array, term::variable(clear.variable)}, identity()}});
  return {{loop::Declare{name, Term(0)}},
          {loop::If{term::less(outer.lower, iteration), {{loop::Assign{name, last + Term(1)}}}, ""}},
          {std::move(clear)}};
}

/// Are chunks of the found variable chunks of the slots?
bool Clearing::owns_slots(const LeafPlan &plan) const {
  const Level &found = plan.nest.levels[*plan.parallel];
  auto extent = combination_.extents.find(found.variable);
  return space_.target.slot == term::variable(found.variable) && found.lower == Term(0) &&
         extent != combination_.extents.end() && extent->second == found.upper;
}

loop::Value Clearing::identity() const {
  return {loop::Number{value::identity_of(space_.by)}};
}

loop::Statement Clearing::everything() const {
  return clear(space_.target.array, value::identity_of(space_.by), combination_);
}

loop::Statement clear(const std::string &array, double number, const combine::Combination &combination) {
  Term count(1);
  for (const Term &extent : combination.arrays.at(array))
    count = term::multiply(count, extent);
  if (number == 0) return {loop::Zero{array, count}};
  loop::For loop{array + ".slot", Term(0), count};
  loop.body = {{loop::Store{loop::Element{array, term::variable(loop.variable)}, {loop::Number{number}}}}};
  return {std::move(loop)};
}

} // namespace unravel::lower
