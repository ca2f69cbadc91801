// The proof obligations of find methods.
#include "find/obligations.h"

#include <algorithm>
#include <fmt/ranges.h>

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

Term inside(const scan::Component &component) {
  if (component.is_equality()) return equal(component.target, component.key);
  return term::between(0, component.target - component.key, component.width);
}

Term start_bound(const scan::Level &level, Direction direction) {
  return direction == Direction::Up ? level.lower : level.upper;
}

} // namespace

std::string braces(const Variables &variables) {
  return fmt::format("{{{}}}", fmt::join(variables, ", "));
}

bool contains(const Variables &variables, const std::string &name) {
  return std::ranges::find(variables, name) != variables.end();
}

std::string name_of(Direction direction) {
  return direction == Direction::Up ? "up" : "down";
}

Term match_condition(const scan::Level &level) {
  std::vector<Term> parts;
  for (const scan::Component &component : level.components)
    parts.push_back(inside(component));
  return conjunction(std::move(parts));
}

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
    if (item.kind == scan::Level::Kind::Let) {
      parts.push_back(equal(own, item.value));
    } else {
      parts.push_back(term::between(item.lower, own, item.upper));
    }
    if (item.kind == scan::Level::Kind::Find) {
      // The position of a direct find is an equality that the prover can use up.
      if (plan_of != outer.end() && plan_of->method == Method::Direct)
        parts.push_back(equal(own, plan_of->position));
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
  if (nest_.levels[level].kind != scan::Level::Kind::Find)
    return nest_.levels[level].kind == scan::Level::Kind::Loop;
  auto plan = std::ranges::find(outer_, level, &LevelPlan::level);
  return plan == outer_.end() || !plan->unique;
}

std::optional<Term> Obligations::definition(std::size_t level, bool early) const {
  const scan::Level &item = nest_.levels[level];
  if (item.kind == scan::Level::Kind::Let) return item.value;
  for (const LevelPlan &plan : outer_) {
    if (plan.level != level || plan.method != Method::Direct) continue;
    if (!early || (!plan.check_bounds && !plan.check_match)) return plan.position;
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

bool Obligations::ask(const std::string &name, Terms hypotheses) {
  return put(name, false, std::move(hypotheses)) == prove::Answer::Refuted;
}

bool Obligations::ask_once(const std::string &name, Terms hypotheses) {
  auto known = asked_.find(name);
  return known != asked_.end() ? known->second : ask(name, std::move(hypotheses));
}

bool Obligations::possible(const std::string &name, Terms hypotheses) {
  return put(name, true, std::move(hypotheses)) == prove::Answer::Possible;
}

// ---- parts of formulas

Obligations::Terms Obligations::with(Terms terms, std::initializer_list<Term> more) {
  terms.insert(terms.end(), more);
  return terms;
}

Obligations::Terms Obligations::context(int visit, std::size_t end) const {
  Terms all;
  for (std::size_t k = 0; k < end; ++k)
    all.insert(all.end(), contexts_[visit][k].begin(), contexts_[visit][k].end());
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

Obligations::Terms Obligations::two_visits(const Variables &state, std::size_t end) const {
  // The equalities first: the prover then uses them up.
  Terms all{same(state)};
  for (int visit : {0, 1}) {
    Terms part = context(visit, end);
    all.insert(all.end(), part.begin(), part.end());
  }
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

// ---- the obligations

prove::Answer Obligations::vacuity() {
  Terms hypotheses = context(0, level_);
  hypotheses.push_back(match(0, position()));
  hypotheses.insert(hypotheses.end(), level().guards.begin(), level().guards.end());
  return put("vacuity", true, std::move(hypotheses));
}

bool Obligations::unique() {
  return ask_once("O-uniq",
                  here({match(0, position()), match(0, position(1)), less(position(), position(1))}));
}

bool Obligations::contiguous() {
  return ask_once("O-contig",
                  here({match(0, position()), match(0, position(1)), less(position(), position(2)),
                        less(position(2), position(1)), negation(at(match_, 0, position(2)))}));
}

bool Obligations::stop(Direction direction, const Skip &skip) {
  std::string name = "O-stop(" + name_of(direction) + ", " + skip.name + ")";
  return ask_once(
      name, here({in_segment(0, position()), match(0, position(1)),
                  direction == Direction::Up ? less(position(), position(1)) : less(position(1), position()),
                  negation(skip.condition), negation(match_)}));
}

bool Obligations::partition(Direction direction, const Skip &skip) {
  std::string name = "O-part(" + name_of(direction) + ", " + skip.name + ")";
  return ask_once(
      name, here({in_segment(0, position()), in_segment(0, position(1)),
                  direction == Direction::Up ? less(position(), position(1)) : less(position(1), position()),
                  at(skip.condition, 0, position(1)), negation(skip.condition)}));
}

bool Obligations::persist(const Skip &skip, const Variables &state) {
  std::string name = "O-persist(" + skip.name + ")" + braces(state);
  return ask_once(name, with(two_visits_in_order(state),
                             {in_segment(0, position()), skip.condition, match(1, position())}));
}

bool Obligations::start_fixed(Direction direction, const Variables &state) {
  Variables needed = start_variables(direction);
  if (std::ranges::all_of(needed, [&](const auto &name) { return contains(state, name); })) return true;
  std::string name = "O-init(" + name_of(direction) + ")" + braces(state);
  Term bound = start_bound(level(), direction);
  return ask_once(name, with(two_visits(state), {negation(equal(bound, term::substitute(bound, primed_)))}));
}

bool Obligations::start_moves_on(Direction direction, const Variables &state) {
  Term bound = start_bound(level(), direction);
  Term later = term::substitute(bound, primed_);
  if (bound == later) return true;
  std::string name = "O-clamp(" + name_of(direction) + ")" + braces(state);
  return ask_once(name, with(two_visits_in_order(state),
                             {direction == Direction::Up ? less(later, bound) : less(bound, later)}));
}

bool Obligations::advance(const Variables &state) {
  std::string name = "O-inc" + braces(state);
  return ask_once(name, with(two_visits_in_order(state), {match(0, position()), match(1, position())}));
}

bool Obligations::profit(const Variables &state) {
  std::string name = "profit" + braces(state);
  if (auto known = asked_.find(name); known != asked_.end()) return known->second;
  Terms differ;
  for (const scan::Component &component : level().components)
    differ.push_back(negation(equal(component.target, term::substitute(component.target, primed_))));
  return possible(
      name, with(two_visits_in_order(state),
                 {in_segment(0, position()), in_segment(1, position()), disjunction(std::move(differ))}));
}

bool Obligations::placed(const Variables &state, std::size_t end) {
  Terms differ;
  for (std::size_t k = 0; k < end; ++k) {
    const std::string &name = nest_.levels[k].variable;
    if (iterates(k) && !contains(state, name))
      differ.push_back(negation(equal(variable(name), variable(primed(name)))));
  }
  if (differ.empty()) return true;
  std::string name = "O-place" + braces(state) + " before " + nest_.levels[end].variable;
  // Fewer hypotheses make a stronger claim: what lies further in than the state isn't needed.
  std::size_t known_to = end;
  for (std::size_t k = end; k < level_; ++k)
    if (contains(state, nest_.levels[k].variable)) known_to = k + 1;
  return ask_once(name, with(two_visits(state, known_to), {disjunction(std::move(differ))}));
}

bool Obligations::keys_in(const Term &extent) {
  std::string name = "O-range(" + term::to_text(extent) + ")";
  Terms outside;
  for (const scan::Component &component : level().components)
    outside.push_back(negation(term::between(0, component.key, extent)));
  return ask_once(name, here({in_segment(0, position()), disjunction(std::move(outside))}));
}

bool Obligations::targets_in(const Term &extent) {
  std::string name = "O-target(" + term::to_text(extent) + ")";
  Terms outside;
  for (const scan::Component &component : level().components)
    outside.push_back(negation(term::between(0, component.target, extent)));
  return ask_once(name, here({disjunction(std::move(outside))}));
}

bool Obligations::keys_rise() {
  const Term &key = level().components[0].key;
  return ask("O-rise(" + level().variable + ")",
             here({in_segment(0, position()), in_segment(0, position(1)), less(position(), position(1)),
                   at_most(at(key, 0, position(1)), key)}));
}

bool Obligations::targets_rise(std::size_t loop) {
  const Term &target = level().components[0].target;
  const std::string &name = nest_.levels[loop].variable;
  return ask("O-rise(" + name + ")",
             with(two_visits({outer_variables_.begin(), outer_variables_.begin() + static_cast<long>(loop)}),
                  {less(variable(name), variable(primed(name))),
                   at_most(term::substitute(target, primed_), target)}));
}

bool Obligations::stays_behind() {
  const scan::Component &component = level().components[0];
  return ask("O-jump", here({in_segment(0, position()), match(0, position(1)), less(position(), position(1)),
                             less(component.target, component.key)}));
}

bool Obligations::stops_behind(const Skip &skip) {
  const scan::Component &component = level().components[0];
  return ask("O-past(" + skip.name + ")", here({in_segment(0, position()), negation(skip.condition),
                                                negation(match_), at_most(component.key, component.target)}));
}

bool Obligations::all_behind(const Term &target) {
  return ask("O-first(" + term::to_text(target) + ")",
             here({in_segment(0, position()), at_most(level().components[0].key, target)}));
}

bool Obligations::none_behind(const Term &target) {
  return ask("O-last", here({in_segment(0, position()), less(target, level().components[0].key)}));
}

bool Obligations::starts_at_zero() {
  return ask_once("O-zero", here({less(level().lower, 0)}));
}

bool Obligations::ends_by(const Term &limit) {
  std::string name = "O-high(" + term::to_text(limit) + ")";
  return ask_once(name, here({less(limit, level().upper)}));
}

bool Obligations::ranges_below(const std::string &name_of_variable, const Term &limit) {
  std::string name = "O-range(" + name_of_variable + ", " + term::to_text(limit) + ")";
  return ask_once(name, here({negation(term::between(0, variable(name_of_variable), limit))}));
}

bool Obligations::extent_within(const Term &extent, std::size_t end, const Term &limit) {
  std::string name = "O-room(" + term::to_text(extent) + ", " + term::to_text(limit) + ")";
  return ask_once(name, with(context(0, end), {less(limit, extent)}));
}

bool Obligations::aligned(const Term &key, std::int64_t width) {
  std::string name = "O-block(" + term::to_text(key) + ", " + std::to_string(width) + ")";
  return ask_once(name, here({in_segment(0, position()), negation(equal(term::modulo(key, width), 0))}));
}

bool Obligations::starts_at(const Term &start) {
  return ask("O-start(" + term::to_text(start) + ")", here({match(0, position()), less(position(), start)}));
}

bool Obligations::in_front(const Term &start) {
  return ask("O-front", here({less(start, level().lower)}));
}

bool Obligations::ends_where_not(const Term &used, const Term &start) {
  return ask("O-empty(" + term::to_text(used) + ")",
             here({in_segment(0, position()), match(0, position(1)), at_most(start, position()),
                   less(position(), position(1)), negation(used)}));
}

bool Obligations::direct(const Term &position_term) {
  std::string name = "O-direct(" + term::to_text(position_term) + ")";
  return ask(name, here({match(0, position()), negation(equal(position(), position_term))}));
}

bool Obligations::direct_in_bounds(const Term &position_term) {
  return ask("O-in-bounds", here({negation(in_segment(0, position_term))}));
}

bool Obligations::direct_matches(const Term &position_term) {
  return ask("O-match", here({in_segment(0, position_term), negation(at(match_, 0, position_term))}));
}

} // namespace unravel::find
