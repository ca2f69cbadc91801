// State indices: which, and where.
#include "find/state.h"

#include "term/children.h"
#include "text/contains.h"

#include <algorithm>

namespace unravel::find {

using scan::Level;
using term::Term;

namespace {

Variables without(const Variables &variables, const std::string &name) {
  Variables rest;
  for (const std::string &each : variables)
    if (each != name) rest.push_back(each);
  return rest;
}

bool is_determined(const Level &level) {
  return level.is_let();
}

/// The level after the last variable of the state.
std::size_t end_of(const Obligations &obligations, const Variables &state) {
  std::size_t end = 0;
  for (std::size_t k = 0; k < obligations.outer().size(); ++k)
    if (contains(state, obligations.outer()[k])) end = k + 1;
  return end;
}

/// The sizes of which the axioms say that they limit an array that the term reads, or equal one of its
/// elements.
std::vector<Term> limits_of(const Obligations &obligations, const Term &term) {
  std::set<std::string> arrays;
  for (const Term &application : term::applications_of(term))
    arrays.insert(application.as<term::Apply>()->function);
  std::vector<Term> found;
  for (const prove::Axiom &axiom : obligations.axioms()) {
    std::vector<Term> loads = term::applications_of(axiom.conclusion);
    if (axiom.variables.size() > 1 || loads.size() != 1) continue;
    if (!arrays.count(loads[0].as<term::Apply>()->function)) continue;
    for (const std::string &name : term::variables_of(axiom.conclusion))
      if (axiom.variables.empty() || name != axiom.variables[0]) found.push_back(term::variable(name));
  }
  return found;
}

/// Where a clamped state may start for all segments: no segment begins (downwards: ends) before it.
std::optional<Term> start_of_all(Obligations &obligations, Direction direction) {
  if (direction == Direction::Up) return obligations.starts_at_zero() ? std::optional<Term>(0) : std::nullopt;
  for (const Term &limit : limits_of(obligations, obligations.level().upper))
    if (obligations.ends_by(limit)) return limit - Term(1);
  return std::nullopt;
}

Term start_of(const Level &level, Direction direction) {
  return direction == Direction::Up ? level.lower : level.upper - Term(1);
}

/// The sizes that may limit the values of an outer level's variable, or how many there are: those that
/// bounds of levels mention, and those that limit the arrays that are read.
std::vector<Term> sizes_near(const Obligations &obligations, std::size_t k) {
  const std::vector<Level> &levels = obligations.nest().levels;
  const Level &level = levels[k];
  bool is_let = level.is_let();
  std::vector<Term> sizes = limits_of(obligations, is_let ? level.value : level.upper);
  if (is_let) return sizes;
  for (std::size_t outer = k + 1; outer-- > 0;)
    for (const std::string &name : term::variables_of(levels[outer].upper))
      if (std::ranges::none_of(levels, [&](const Level &each) { return each.variable == name; }))
        sizes.push_back(term::variable(name));
  return sizes;
}

struct Range {
  Term index, extent, room;
};

/// The range of an outer level's variable as it is known at the place.
std::optional<Range> range_of(Obligations &obligations, std::size_t k, std::size_t place) {
  const Level &level = obligations.nest().levels[k];
  Term own = term::variable(level.variable);
  std::vector<Term> sizes = sizes_near(obligations, k);
  if (!level.is_let()) {
    std::optional<Term> lower = computed_before(obligations, level.lower, place);
    std::optional<Term> upper = computed_before(obligations, level.upper, place);
    if (lower && upper) {
      Term extent = *upper - *lower;
      std::set<std::string> outer(obligations.outer().begin(), obligations.outer().end());
      if (term::applications_of(extent).empty() && !term::mentions_any(extent, outer))
        return Range{own - *lower, extent, extent};
      for (const Term &size : sizes)
        if (obligations.extent_within(extent, place, size)) return Range{own - *lower, extent, size};
    }
  }
  for (const Term &size : sizes)
    if (obligations.ranges_below(level.variable, size)) return Range{own, size, size};
  return std::nullopt;
}

} // namespace

bool is_tested(const Obligations &obligations, std::size_t end) {
  const std::vector<Level> &levels = obligations.nest().levels;
  for (std::size_t k = end; k < obligations.outer().size(); ++k) {
    if (!levels[k].guards.empty()) return true;
    if (levels[k].is_find() && !obligations.definition(k, true)) return true;
  }
  return false;
}

Variables drop_variables(Obligations &obligations, Direction direction, const Skip &skip, Variables state,
                         const Variables &order, bool clamp) {
  for (const std::string &name : order) {
    if (!contains(state, name)) continue;
    Variables fewer = without(state, name);
    bool start =
        clamp ? obligations.start_moves_on(direction, fewer) : obligations.start_fixed(direction, fewer);
    if (start && obligations.persist(skip, fewer)) state = std::move(fewer);
  }
  return state;
}

std::vector<Variables> drop_orders(const Obligations &obligations) {
  const std::vector<Level> &levels = obligations.nest().levels;
  const std::size_t count = obligations.outer().size();
  std::vector<Variables> groups; // an iterating variable and what it determines
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_determined(levels[k]) || groups.empty()) groups.emplace_back();
    groups.back().push_back(levels[k].variable);
  }
  Variables first;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    first.push_back(group->front());
    first.insert(first.end(), group->rbegin(), group->rend() - 1);
  }
  Variables second;
  for (Level::Kind kind : {Level::Kind::Let, Level::Kind::Find, Level::Kind::Loop})
    for (std::size_t k = count; k-- > 0;)
      if (levels[k].kind == kind) second.push_back(levels[k].variable);
  if (first == second) return {first};
  return {first, second};
}

Variables state_variables(const Obligations &obligations) {
  Variables all;
  for (std::size_t k = 0; k < obligations.outer().size(); ++k) {
    std::optional<Term> definition = obligations.definition(k, false);
    if (!definition || !definition->as<term::Variable>()) all.push_back(obligations.outer()[k]);
  }
  return all;
}

std::vector<Variables> likely_states(const Obligations &obligations, Direction direction) {
  Variables start = obligations.start_variables(direction);
  std::vector<Variables> states{start};
  Variables prefix;
  for (std::size_t k = 0; k < obligations.outer().size(); ++k) {
    if (!obligations.iterates(k)) continue;
    // Before the last iterating variable is added: with it, nothing would be shared.
    bool fixes_start = std::ranges::all_of(start, [&](const auto &name) { return contains(prefix, name); });
    if (fixes_start && prefix != start) states.push_back(prefix);
    prefix.push_back(obligations.outer()[k]);
  }
  return states;
}

namespace {

/// So many first levels have iterations between which the term may change, though their variables don't tell.
std::size_t changed_by(const Obligations &obligations, const Term &term) {
  const std::map<std::string, std::size_t> &changed = obligations.nest().changed;
  std::size_t levels = 0;
  const auto look_up = [&](const std::string &name) {
    if (const auto found = changed.find(name); found != changed.end())
      levels = std::max(levels, found->second);
  };
  for (const Term &application : term::applications_of(term))
    look_up(application.as<term::Apply>()->function);
  for (const std::string &name : term::variables_of(term))
    look_up(name);
  return levels;
}

} // namespace

std::optional<Term> computed_before(const Obligations &obligations, Term term, std::size_t before) {
  const std::vector<Level> &levels = obligations.nest().levels;
  for (std::size_t k = obligations.outer().size(); k-- > before;) {
    if (!term::mentions(term, levels[k].variable)) continue;
    std::optional<Term> definition = obligations.definition(k, true);
    if (!definition) return std::nullopt;
    term = term::substitute(term, {{levels[k].variable, *definition}});
  }
  if (before < std::min(changed_by(obligations, term), obligations.outer().size())) return std::nullopt;
  std::vector<Term> loads = term::applications_of(term);
  const std::set<Term> &safe = obligations.nest().safe_loads;
  bool all_safe = std::ranges::all_of(loads, [&](const Term &load) { return safe.count(load) != 0; });
  if (!all_safe && is_tested(obligations, before)) return std::nullopt;
  return term;
}

std::optional<Place> place_state(Obligations &obligations, Direction direction, const Variables &state) {
  Term start = start_of(obligations.level(), direction);
  for (std::size_t end = end_of(obligations, state); end < obligations.outer().size(); ++end) {
    if (std::optional<Term> at_end = computed_before(obligations, start, end)) {
      if (!obligations.placed(state, end)) return std::nullopt;
      return Place{end, *at_end};
    }
    // Further in is the same place as long as nothing iterates.
    if (obligations.iterates(end)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Place> place_clamped(Obligations &obligations, Direction direction, const Variables &state) {
  std::size_t end = end_of(obligations, state);
  if (end == obligations.outer().size() || !obligations.placed(state, end)) return std::nullopt;
  std::optional<Term> start = start_of_all(obligations, direction);
  if (!start) return std::nullopt;
  return Place{end, *start};
}

std::optional<ArrayPlace> place_array(Obligations &obligations, Direction direction, const Variables &state) {
  ArrayPlace result;
  std::size_t &place = result.place.level;
  // Where the last variable of the state is outside too, a scalar would do.
  while (place + 1 < end_of(obligations, state) && obligations.placed(state, place + 1))
    ++place;
  for (std::size_t k = place; k < obligations.outer().size(); ++k) {
    if (!contains(state, obligations.outer()[k])) continue;
    std::optional<Range> range = range_of(obligations, k, place);
    if (!range) return std::nullopt;
    result.index.push_back(range->index);
    result.extent.push_back(range->extent);
    result.room.push_back(range->room);
  }
  std::optional<Term> start = computed_before(obligations, start_of(obligations.level(), direction), place);
  // O-clamp follows from O-init.
  result.clamp = !start;
  if (!start) start = start_of_all(obligations, direction);
  if (!start) return std::nullopt;
  result.place.start = *start;
  return result;
}

bool serves_few(const Obligations &obligations, const Place &place) {
  const std::vector<Level> &levels = obligations.nest().levels;
  for (std::size_t k = place.level; k < obligations.outer().size(); ++k) {
    std::int64_t count = 0;
    if (obligations.iterates(k) && !term::constant_difference(levels[k].lower, levels[k].upper, count))
      return false;
  }
  std::int64_t length = 0;
  return !term::constant_difference(obligations.level().lower, obligations.level().upper, length);
}

} // namespace unravel::find
