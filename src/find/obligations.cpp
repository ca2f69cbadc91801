// The proof obligations of find methods.
#include "find/obligations.h"

#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace unravel::find {

using term::at_most;
using term::conjunction;
using term::disjunction;
using term::equal;
using term::less;
using term::negation;
using term::Term;
using term::variable;

namespace {

std::string primed(const std::string &name) {
  return name + "'";
}

Term start_bound(const scan::Level &level, Direction direction) {
  return direction == Direction::Up ? level.lower : level.upper;
}

} // namespace

Obligations::Obligations(const scan::Nest &nest, std::size_t level, const std::vector<LevelPlan> &outer,
                         prove::Prover &prover, LevelPlan &plan)
    : nest_(nest), level_(level), outer_(outer), prover_(prover), plan_(plan),
      match_(match_condition(nest.levels[level])) {
  for (std::size_t k = 0; k < level; ++k) {
    const std::string &name = nest.levels[k].variable;
    outer_variables_.push_back(name);
    primed_[name] = variable(primed(name));
  }
  auto plan_of = outer.begin();
  for (std::size_t k = 0; k < level; ++k) {
    const scan::Level &item = nest.levels[k];
    Term own = variable(item.variable);
    Terms parts;
    if (item.is_let()) {
      parts.push_back(equal(own, item.value));
    } else {
      parts.push_back(term::between(item.lower, own, item.upper));
    }
    if (item.is_find()) {
      // The position of a direct find is an equality that the prover can use up.
      if (plan_of != outer.end() && plan_of->as<plan::Direct>())
        parts.push_back(equal(own, plan_of->as<plan::Direct>()->position));
      parts.push_back(match_condition(item));
      if (plan_of != outer.end()) ++plan_of;
    }
    parts.insert(parts.end(), item.guards.begin(), item.guards.end());
    Terms again;
    for (const Term &part : parts)
      again.push_back(term::substitute(part, primed_));
    contexts_[0].push_back(std::move(parts));
    contexts_[1].push_back(std::move(again));
  }
}

bool Obligations::iterates(std::size_t level) const {
  if (!nest_.levels[level].is_find()) return nest_.levels[level].is_loop();
  auto plan = std::ranges::find_if(outer_, [&](const LevelPlan &each) { return each.level == level; });
  return plan == outer_.end() || !plan->unique;
}

std::optional<Term> Obligations::definition(std::size_t level, bool early) const {
  const scan::Level &item = nest_.levels[level];
  if (item.is_let()) return item.value;
  for (const LevelPlan &plan : outer_) {
    const auto *direct = plan.level == level ? plan.as<plan::Direct>() : nullptr;
    if (direct && (!early || (!direct->check_bounds && !direct->check_match))) return direct->position;
  }
  return std::nullopt;
}

Variables Obligations::start_variables(Direction direction) const {
  Term bound = start_bound(level(), direction);
  for (std::size_t k = level_; k-- > 0;) {
    std::optional<Term> value = definition(k, false);
    // Not through arrays: several values of a loop may give one start.
    if (value && term::applications_of(*value).empty())
      bound = term::substitute(bound, {{nest_.levels[k].variable, *value}});
  }
  std::set<std::string> needed = term::variables_of(bound);
  Variables found;
  for (const std::string &name : outer_variables_)
    if (needed.count(name)) found.push_back(name);
  return found;
}

// ---- asking

prove::Answer Obligations::put(const std::string &name, bool wanted_possible, Terms hypotheses) {
  prove::Answer answer = prover_.refute(name, level().variable, hypotheses);
  bool holds = wanted_possible ? answer == prove::Answer::Possible : answer == prove::Answer::Refuted;
  plan_.obligations.push_back({name, wanted_possible, holds, prover_.last()});
  asked_[name] = holds;
  return answer;
}

bool Obligations::ask(const std::string &name, Terms hypotheses, bool wanted_possible) {
  put(name, wanted_possible, std::move(hypotheses));
  return asked_.at(name);
}

bool Obligations::once(const std::string &name, const std::function<Terms()> &hypotheses,
                       bool wanted_possible) {
  const auto known = asked_.find(name);
  return known != asked_.end() ? known->second : ask(name, hypotheses(), wanted_possible);
}

// ---- parts of formulas

Obligations::Terms Obligations::context(int visit, std::size_t end) const {
  Terms all;
  for (std::size_t k = 0; k < end; ++k)
    all.insert(all.end(), contexts_[visit][k].begin(), contexts_[visit][k].end());
  return all;
}

Obligations::Terms Obligations::visit_with(Terms more) const {
  Terms all = context(0, level_);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Term Obligations::earlier() const {
  Terms ways;
  Terms same_so_far;
  for (std::size_t k = 0; k < level_; ++k) {
    if (!iterates(k)) continue;
    const std::string &name = nest_.levels[k].variable;
    Terms way = same_so_far;
    way.push_back(less(variable(name), variable(primed(name))));
    ways.push_back(conjunction(std::move(way)));
    same_so_far.push_back(equal(variable(name), variable(primed(name))));
  }
  return disjunction(std::move(ways));
}

Term Obligations::same(const Variables &state) const {
  Terms parts;
  for (const std::string &name : state)
    parts.push_back(equal(variable(name), variable(primed(name))));
  return conjunction(std::move(parts));
}

Obligations::Terms Obligations::two_visits(const Variables &state) const {
  // The equalities first: the prover then uses them up.
  Terms all{same(state)};
  for (int visit : {0, 1}) {
    Terms part = context(visit, level_);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Obligations::Terms Obligations::two_visits_in_order(const Variables &state, Terms more) const {
  Terms all = two_visits(state);
  all.push_back(earlier());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Term Obligations::position(int primes) const {
  return variable(level().variable + std::string(static_cast<std::size_t>(primes), '\''));
}

Term Obligations::at(const Term &term, int visit, const Term &position) const {
  term::Substitution by;
  if (visit == 1) by = primed_;
  by[level().variable] = position;
  return term::substitute(term, by);
}

Term Obligations::in_segment(int visit, const Term &position) const {
  auto bound = [&](const Term &term) { return visit == 1 ? term::substitute(term, primed_) : term; };
  return term::between(bound(level().lower), position, bound(level().upper));
}

Term Obligations::match(int visit, const Term &position) const {
  return conjunction({in_segment(visit, position), at(match_, visit, position)});
}

Term Obligations::passed_before(Direction direction) const {
  return direction == Direction::Up ? less(position(), position(1)) : less(position(1), position());
}

// ---- the obligations

prove::Answer Obligations::vacuity() {
  Terms hypotheses = visit_with({match(0, position())});
  hypotheses.insert(hypotheses.end(), level().guards.begin(), level().guards.end());
  return put("vacuity", true, std::move(hypotheses));
}

bool Obligations::unique() {
  return once("O-uniq", [&] {
    return visit_with({match(0, position()), match(0, position(1)), less(position(), position(1))});
  });
}

bool Obligations::contiguous() {
  return once("O-contig", [&] {
    return visit_with({match(0, position()), match(0, position(1)), less(position(), position(2)),
                       less(position(2), position(1)), negation(at(match_, 0, position(2)))});
  });
}

bool Obligations::stop(Direction direction, const Skip &skip) {
  return once("O-stop(" + name_of(direction) + ", " + skip.name + ")", [&] {
    return visit_with({in_segment(0, position()), match(0, position(1)), passed_before(direction),
                       negation(skip.condition), negation(match_)});
  });
}

bool Obligations::partition(Direction direction, const Skip &skip) {
  return once("O-part(" + name_of(direction) + ", " + skip.name + ")", [&] {
    return visit_with({in_segment(0, position()), in_segment(0, position(1)), passed_before(direction),
                       at(skip.condition, 0, position(1)), negation(skip.condition)});
  });
}

bool Obligations::persist(const Skip &skip, const Variables &state) {
  return once("O-persist(" + skip.name + ")" + braces(state), [&] {
    return two_visits_in_order(state, {in_segment(0, position()), skip.condition, match(1, position())});
  });
}

bool Obligations::start_fixed(Direction direction, const Variables &state) {
  Variables needed = start_variables(direction);
  if (std::ranges::all_of(needed, [&](const auto &name) { return contains(state, name); })) return true;
  return once("O-init(" + name_of(direction) + ")" + braces(state), [&] {
    Terms hypotheses = two_visits(state);
    Term bound = start_bound(level(), direction);
    hypotheses.push_back(negation(equal(bound, term::substitute(bound, primed_))));
    return hypotheses;
  });
}

bool Obligations::start_moves_on(Direction direction, const Variables &state) {
  Term bound = start_bound(level(), direction);
  Term later = term::substitute(bound, primed_);
  if (bound == later) return true;
  return once("O-clamp(" + name_of(direction) + ")" + braces(state), [&] {
    return two_visits_in_order(state, {direction == Direction::Up ? less(later, bound) : less(bound, later)});
  });
}

bool Obligations::advance(const Variables &state) {
  return once("O-inc" + braces(state), [&] {
    return two_visits_in_order(state, {match(0, position()), match(1, position())});
  });
}

bool Obligations::profit(const Variables &state) {
  auto hypotheses = [&] {
    Terms differ;
    for (const scan::Component &component : level().components)
      differ.push_back(negation(equal(component.target, term::substitute(component.target, primed_))));
    return two_visits_in_order(
        state, {in_segment(0, position()), in_segment(1, position()), disjunction(std::move(differ))});
  };
  return once("profit" + braces(state), hypotheses, true);
}

bool Obligations::placed(const Variables &state, std::size_t end) {
  Terms differ;
  for (std::size_t k = 0; k < end; ++k) {
    const std::string &name = nest_.levels[k].variable;
    if (iterates(k) && !contains(state, name))
      differ.push_back(negation(equal(variable(name), variable(primed(name)))));
  }
  if (differ.empty()) return true;
  return once("O-place" + braces(state) + " before " + nest_.levels[end].variable, [&] {
    // Fewer hypotheses make a stronger claim: what lies further in than the state isn't needed.
    std::size_t known_to = end;
    for (std::size_t k = end; k < level_; ++k)
      if (contains(state, nest_.levels[k].variable)) known_to = k + 1;
    Terms hypotheses{same(state)};
    for (int visit : {0, 1}) {
      Terms part = context(visit, known_to);
      hypotheses.insert(hypotheses.end(), part.begin(), part.end());
    }
    hypotheses.push_back(disjunction(std::move(differ)));
    return hypotheses;
  });
}

Obligations::Terms Obligations::filling(const plan::FilledMap &map) const {
  Terms all = context(0, map.level);
  all.push_back(term::between(map.lower, position(), map.upper));
  return all;
}

bool Obligations::reads_in(const std::vector<Term> &keys, const plan::FilledMap &map) {
  Terms outside;
  for (const Term &key : keys)
    for (const Term &read : term::applications_of(key)) {
      const auto *call = read.as<term::Apply>();
      const auto extents = nest_.arrays.find(call->function);
      for (std::size_t k = 0; extents != nest_.arrays.end() && k < call->arguments.size(); ++k)
        outside.push_back(negation(term::between(0, call->arguments[k], extents->second[k])));
    }
  if (outside.empty()) return true;
  return once("O-read before " + nest_.levels[map.level].variable, [&] {
    Terms hypotheses = filling(map);
    hypotheses.push_back(disjunction(std::move(outside)));
    return hypotheses;
  });
}

bool Obligations::keys_in(const Term &extent, const plan::FilledMap &map) {
  return once("O-range(" + term::to_text(extent) + ")", [&] {
    Terms outside;
    for (const Term &key : map.keys)
      outside.push_back(negation(term::between(0, key, extent)));
    Terms hypotheses = filling(map);
    hypotheses.push_back(disjunction(std::move(outside)));
    return hypotheses;
  });
}

bool Obligations::targets_in(const Term &extent) {
  return once("O-target(" + term::to_text(extent) + ")", [&] {
    Terms outside;
    for (const scan::Component &component : level().components)
      outside.push_back(negation(term::between(0, component.target, extent)));
    return visit_with({disjunction(std::move(outside))});
  });
}

bool Obligations::keys_rise() {
  return rises(level().components[0].key, false);
}

bool Obligations::rises(const Term &key, bool at_matches) {
  const auto there = [&](const Term &at) { return at_matches ? match(0, at) : in_segment(0, at); };
  return ask("O-rise(" + level().variable + ")",
             visit_with({there(position()), there(position(1)), less(position(), position(1)),
                         at_most(at(key, 0, position(1)), at(key, 0, position()))}));
}

bool Obligations::targets_rise(std::size_t loop) {
  const Term &target = level().components[0].target;
  const std::string &name = nest_.levels[loop].variable;
  Terms hypotheses =
      two_visits({outer_variables_.begin(), outer_variables_.begin() + static_cast<long>(loop)});
  hypotheses.push_back(less(variable(name), variable(primed(name))));
  hypotheses.push_back(at_most(term::substitute(target, primed_), target));
  return ask("O-rise(" + name + ")", std::move(hypotheses));
}

bool Obligations::stays_behind() {
  const scan::Component &component = level().components[0];
  return ask("O-jump", visit_with({in_segment(0, position()), match(0, position(1)),
                                   less(position(), position(1)), less(component.target, component.key)}));
}

bool Obligations::stops_behind(const Skip &skip) {
  const scan::Component &component = level().components[0];
  return ask("O-past(" + skip.name + ")",
             visit_with({in_segment(0, position()), negation(skip.condition), negation(match_),
                         at_most(component.key, component.target)}));
}

bool Obligations::all_behind(const Term &target) {
  return ask("O-first(" + term::to_text(target) + ")",
             visit_with({in_segment(0, position()), at_most(level().components[0].key, target)}));
}

bool Obligations::none_behind(const Term &target) {
  return ask("O-last", visit_with({in_segment(0, position()), less(target, level().components[0].key)}));
}

bool Obligations::starts_at_zero() {
  return once("O-zero", [&] { return visit_with({less(level().lower, 0)}); });
}

bool Obligations::ends_by(const Term &limit) {
  return once("O-high(" + term::to_text(limit) + ")",
              [&] { return visit_with({less(limit, level().upper)}); });
}

bool Obligations::bounds_in_order(const plan::FilledMap &map) {
  return once("O-bounds", [&] {
    Terms hypotheses = context(0, map.level);
    hypotheses.push_back(less(map.upper, map.lower));
    return hypotheses;
  });
}

bool Obligations::ranges_below(const std::string &name, const Term &limit) {
  return once("O-range(" + name + ", " + term::to_text(limit) + ")",
              [&] { return visit_with({negation(term::between(0, variable(name), limit))}); });
}

bool Obligations::extent_within(const Term &extent, std::size_t end, const Term &limit) {
  return once("O-room(" + term::to_text(extent) + ", " + term::to_text(limit) + ")", [&] {
    Terms hypotheses = context(0, end);
    hypotheses.push_back(less(limit, extent));
    return hypotheses;
  });
}

bool Obligations::aligned(const Term &key, std::int64_t width) {
  return once("O-block(" + term::to_text(key) + ", " + std::to_string(width) + ")", [&] {
    return visit_with({in_segment(0, position()), negation(equal(term::modulo(key, width), 0))});
  });
}

bool Obligations::starts_at(const Term &start) {
  return ask("O-start(" + term::to_text(start) + ")",
             visit_with({match(0, position()), less(position(), start)}));
}

bool Obligations::in_front(const Term &start) {
  return ask("O-front", visit_with({less(start, level().lower)}));
}

bool Obligations::ends_where_not(const Term &used, const Term &start) {
  return ask("O-empty(" + term::to_text(used) + ")",
             visit_with({in_segment(0, position()), match(0, position(1)), at_most(start, position()),
                         less(position(), position(1)), negation(used)}));
}

bool Obligations::direct(const Term &position_term) {
  return ask("O-direct(" + term::to_text(position_term) + ")",
             visit_with({match(0, position()), negation(equal(position(), position_term))}));
}

bool Obligations::direct_in_bounds(const Term &position_term) {
  return ask("O-in-bounds", visit_with({negation(in_segment(0, position_term))}));
}

bool Obligations::direct_matches(const Term &position_term) {
  return ask("O-match", visit_with({in_segment(0, position_term), negation(at(match_, 0, position_term))}));
}

// ---- The conditions under which a walk or a bisection goes on: lexicographic orders of the keys.

namespace {

Term inside(const scan::Component &component) {
  scan::Level alone;
  alone.components = {component};
  return match_condition(alone);
}

/// The target lies beyond the key's interval (`>`), or before it.
Term beyond(const scan::Component &component) {
  return at_most(component.key + component.width, component.target);
}

Term before(const scan::Component &component) {
  return less(component.target, component.key);
}

std::string name_of_key(const scan::Component &component) {
  if (const auto *call = component.key.as<term::Apply>()) return call->function;
  return term::to_text(component.key);
}

} // namespace

Skip Obligations::skip_by(const std::vector<Rising> &order) const {
  Terms ways, equal_so_far;
  std::string name;
  for (const Rising &step : order) {
    const scan::Component &component = level().components[step.component];
    Terms way = equal_so_far;
    way.push_back(step.rises ? beyond(component) : before(component));
    ways.push_back(conjunction(std::move(way)));
    equal_so_far.push_back(inside(component));
    name += (name.empty() ? "" : ", ") + std::string(step.rises ? ">" : "<");
    if (order.size() > 1) name += " " + name_of_key(component);
  }
  return {disjunction(std::move(ways)), name};
}

std::vector<Skip> Obligations::skips() {
  const std::size_t count = level().components.size();
  std::vector<Skip> all;
  if (count > most_components_in_all_orders) {
    if (std::optional<std::vector<Rising>> order = order_of_keys()) all.push_back(skip_by(*order));
    return all;
  }
  std::vector<Rising> order(count);
  std::vector<std::size_t> components(count);
  std::iota(components.begin(), components.end(), 0);
  do {
    for (std::size_t signs = 0; signs < (std::size_t{1} << count); ++signs) {
      for (std::size_t k = 0; k < count; ++k)
        order[k] = {components[k], (signs >> k & 1) == 0};
      all.push_back(skip_by(order));
    }
  } while (std::next_permutation(components.begin(), components.end()));
  return all;
}

std::optional<std::vector<Obligations::Rising>> Obligations::order_of_keys() {
  std::vector<Rising> order;
  std::vector<std::size_t> left(level().components.size());
  std::iota(left.begin(), left.end(), 0);
  Terms hypotheses =
      visit_with({in_segment(0, position()), in_segment(0, position(1)), less(position(), position(1))});
  auto is_next = [&](const Rising &step) {
    const Term &key = level().components[step.component].key;
    const Term later = at(key, 0, position(1));
    Terms against = hypotheses;
    against.push_back(step.rises ? less(later, key) : less(key, later));
    return ask(
        fmt::format("O-next({}{})", step.rises ? ">" : "<", name_of_key(level().components[step.component])),
        std::move(against));
  };
  while (!left.empty()) {
    std::optional<Rising> next;
    for (bool rises : {true, false})
      for (std::size_t component : left)
        if (!next && is_next({component, rises})) next = {component, rises};
    if (!next) return std::nullopt;
    const Term &key = level().components[next->component].key;
    hypotheses.push_back(equal(key, at(key, 0, position(1))));
    std::erase(left, next->component);
    order.push_back(*next);
  }
  return order;
}

} // namespace unravel::find
