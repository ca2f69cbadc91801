#include "lower/find_code.h"

#include <fmt/format.h>

namespace unravel::lower {

using find::LevelPlan;
using loop::Block;
using loop::Statement;
using scan::Level;
using term::Term;

namespace {

Term at(const Term &formula, const Level &level, const Term &position) {
  return term::substitute(formula, {{level.variable, position}});
}

Statement assign(const std::string &variable, const Term &value) {
  return {loop::Assign{variable, value}};
}

/// The upper bound under a name, so that a while loop doesn't read arrays for it in every round.
Term named_bound(const std::string &suffix, const Level &level, const Term &bound, Block &block) {
  if (term::applications_of(bound).empty()) return bound;
  std::string name = level.variable + suffix;
  block.push_back({loop::Let{name, bound}});
  return term::variable(name);
}

/// At a proved stopping point: the match, if it is there, or the chain of matches from there on.
void visit_matches(const Level &level, const LevelPlan &plan, const std::string &stop, const Term &inside,
                   const Term &end, const Body &body, Block &block) {
  Term match = find::match_condition(level);
  Term position = term::variable(stop);
  bool down = plan.direction == find::Direction::Down;
  if (plan.unique) {
    Block then = body();
    if (plan.advance) then.push_back(assign(stop, down ? position - Term(1) : position + Term(1)));
    block.push_back({loop::If{term::conjunction({inside, at(match, level, position)}), std::move(then), ""}});
    return;
  }
  Term walker = term::variable(level.variable);
  if (stop != level.variable) block.push_back({loop::Declare{level.variable, position}});
  Block round = body();
  round.push_back(assign(level.variable, walker + Term(1)));
  block.push_back({loop::While{term::conjunction({term::less(walker, end), match}), std::move(round),
                               "all matches are adjacent"}});
  if (plan.advance && stop != level.variable) block.push_back(assign(stop, walker));
}

Block direct(const Level &level, const LevelPlan &plan, const Body &body) {
  Block block{{loop::Let{level.variable, plan.position}}};
  std::vector<Term> tests;
  Term position = term::variable(level.variable);
  if (plan.check_bounds) tests.push_back(term::between(level.lower, position, level.upper));
  if (plan.check_match) tests.push_back(find::match_condition(level));
  Term test = term::conjunction(tests);
  if (term::is_true(test)) {
    for (Statement &statement : body())
      block.push_back(std::move(statement));
  } else {
    block.push_back({loop::If{test, body(), ""}});
  }
  return block;
}

Block scan_all(const Level &level, const LevelPlan &plan, const Body &body) {
  Block then = body();
  if (plan.unique) then.push_back({loop::Break{}});
  Block round{{loop::If{find::match_condition(level), std::move(then), ""}}};
  return {{loop::For{level.variable, level.lower, level.upper, 1, std::nullopt, std::move(round),
                     fmt::format("find {}: every position is tried", level.variable)}}};
}

/// How many positions a long walk may pass at once.
constexpr std::int64_t stride = 8;

/// Walks on to the stopping point. Where a skipped position means that all before it are skipped too, one
/// test passes `stride` of them, but only after a first step: most walks are short.
Statement walk(const Level &level, const LevelPlan &plan, const std::string &stop, const Term &inside,
               const Term &upper) {
  Term position = term::variable(stop);
  bool down = plan.direction == find::Direction::Down;
  Term here = term::conjunction({inside, at(plan.skip, level, position)});
  Statement step = assign(stop, down ? position - Term(1) : position + Term(1));
  std::string comment =
      fmt::format("find {}: walks on; what is skipped is never needed again", level.variable);
  if (down || !plan.partitioned) return {loop::While{here, {step}, comment}};
  Term last = position + Term(stride - 1);
  Term far = term::conjunction({term::less(last, upper), at(plan.skip, level, last)});
  return {loop::If{
      here,
      {step,
       {loop::While{far, {assign(stop, position + Term(stride))}, fmt::format("{} at once", stride)}},
       {loop::While{here, {step}, ""}}},
      comment}};
}

Block sequential(const Level &level, const LevelPlan &plan, const Body &body) {
  Block block;
  bool down = plan.direction == find::Direction::Down;
  std::string stop = state_variable(level, plan);
  Term position = term::variable(stop);
  Term upper = named_bound("_end", level, level.upper, block);
  Term lower = down ? named_bound("_begin", level, level.lower, block) : level.lower;
  Term inside = down ? term::at_most(lower, position) : term::less(position, upper);
  if (plan.clamp) {
    Term outside = down ? term::at_most(upper, position) : term::less(position, level.lower);
    block.push_back({loop::If{outside, {assign(stop, down ? upper - Term(1) : level.lower)}, ""}});
  }
  block.push_back(walk(level, plan, stop, inside, upper));
  visit_matches(level, plan, stop, inside, upper, body, block);
  return block;
}

Block binary(const Level &level, const LevelPlan &plan, const Body &body) {
  Block block;
  Level named = level;
  named.upper = named_bound("_end", level, level.upper, block);
  for (Statement &statement : lower_bound(level.variable, named, plan.skip))
    block.push_back(std::move(statement));
  Term inside = term::less(term::variable(level.variable), named.upper);
  visit_matches(level, plan, level.variable, inside, named.upper, body, block);
  return block;
}

/// `body` behind the test that the target is a key of the map at all.
Block if_in_map(const Level &level, const LevelPlan &plan, Block body) {
  if (!plan.check_target) return body;
  Term test = term::between(0, level.components.front().target, plan.map_extent);
  return {{loop::If{test, std::move(body), ""}}};
}

Block map(const Level &level, const LevelPlan &plan, const Body &body) {
  const Term &target = level.components.front().target;
  if (plan.map_form == find::MapForm::Positions) {
    Term position = term::variable(level.variable);
    Term test =
        term::conjunction({term::between(level.lower, position, level.upper), find::match_condition(level)});
    return if_in_map(level, plan,
                     {{loop::Let{level.variable, term::apply(map_array(level, plan), {target})}},
                      {loop::If{test, body(), fmt::format("find {}: by the map", level.variable)}}});
  }
  std::string value = found_value(level);
  Block inner{{loop::DeclareValue{value, {loop::Element{map_array(level, plan), target}}}}};
  if (plan.map_form == find::MapForm::Values) {
    inner.push_back(
        {loop::IfStored{value, body(), fmt::format("find {}: by the map of values", level.variable)}});
    return if_in_map(level, plan, std::move(inner));
  }
  for (Statement &statement : body())
    inner.push_back(std::move(statement));
  Term marked = term::equal(term::apply(marks_array(level), {target}), Term(1));
  if (plan.check_target) marked = term::conjunction({term::between(0, target, plan.map_extent), marked});
  return {{loop::If{marked, std::move(inner), fmt::format("find {}: by the marks", level.variable)}}};
}

} // namespace

std::string map_array(const Level &level, const LevelPlan &plan) {
  return level.variable + (holds_values(plan) ? "_values" : "_positions");
}

std::string marks_array(const Level &level) {
  return level.variable + "_marks";
}

std::string found_value(const Level &level) {
  return level.variable + "_value";
}

bool holds_values(const LevelPlan &plan) {
  return plan.method == find::Method::Map && plan.map_form != find::MapForm::Positions;
}

Block fill_map(const Level &level, const LevelPlan &plan, const loop::Value &value) {
  Term position = term::variable(level.variable);
  Block round;
  if (holds_values(plan)) {
    loop::Element element{map_array(level, plan), plan.map_key};
    round.push_back({loop::Store{element, {loop::Stored{{value}}}}});
    if (plan.map_form == find::MapForm::Marked)
      round.push_back({loop::SetElement{marks_array(level), plan.map_key, Term(1)}});
  } else {
    round.push_back({loop::SetElement{map_array(level, plan), plan.map_key, position}});
  }
  loop::For fill{level.variable, plan.map_lower, plan.map_upper};
  fill.body = std::move(round);
  fill.comment = fmt::format("the map of {}: by key, {}", level.variable,
                             holds_values(plan) ? "the values" : "the positions");
  return {{std::move(fill)}};
}

Block clear_map(const Level &level, const LevelPlan &plan) {
  if (!holds_values(plan)) return {};
  loop::Element element{map_array(level, plan), plan.map_key};
  Block round{{loop::Store{element, {loop::Number{0}}}}};
  if (plan.map_form == find::MapForm::Marked)
    round.push_back({loop::SetElement{marks_array(level), plan.map_key, Term(0)}});
  loop::For clear{level.variable, plan.map_lower, plan.map_upper};
  clear.body = std::move(round);
  clear.comment = fmt::format("the map of {} is emptied", level.variable);
  return {{std::move(clear)}};
}

std::string state_variable(const Level &level, const LevelPlan &plan) {
  // A chain walks with a variable of its own: the state stays at the first match.
  return plan.unique ? level.variable : level.variable + "_first";
}

Block lower_bound(const std::string &position, const Level &level, const Term &skip) {
  Term first = term::variable(position);
  Term last = term::variable(position + "_high");
  Term middle = term::variable(position + "_middle");
  loop::If step{at(skip, level, middle), {assign(position, middle + Term(1))}, ""};
  step.otherwise = {assign(position + "_high", middle)};
  Block round{{loop::Let{position + "_middle", first + term::floor_divide(last - first, 2)}},
              {std::move(step)}};
  return {{loop::Declare{position, level.lower}},
          {loop::Declare{position + "_high", level.upper}},
          {loop::While{term::less(first, last), std::move(round),
                       fmt::format("find {}: binary search", level.variable)}}};
}

Block find_code(const Level &level, const LevelPlan &plan, const Body &body) {
  switch (plan.method) {
  case find::Method::Direct: return direct(level, plan, body);
  case find::Method::Sequential: return sequential(level, plan, body);
  case find::Method::Binary: return binary(level, plan, body);
  case find::Method::Map: return map(level, plan, body);
  case find::Method::Scan:
  case find::Method::Galloping:
  case find::Method::Hash: break; // planned by no template yet: the scan is always right
  }
  return scan_all(level, plan, body);
}

} // namespace unravel::lower
