#include "lower/find_code.h"

#include "lower/map_code.h"

#include "loop/walk.h"
#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::lower {

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

/// To the next position.
Statement step_from(const std::string &variable, const Term &position, bool down) {
  return assign(variable, down ? position - Term(1) : position + Term(1));
}

/// Whether the positions are those of a row, say, and not all that there are.
bool is_segment(const Level &level) {
  return !term::applications_of(level.lower).empty() || !term::applications_of(level.upper).empty();
}

/// The upper bound under a name, so that a while loop doesn't read arrays for it in every round.
Term named_bound(const std::string &suffix, const Level &level, const Term &bound, Block &block) {
  if (term::applications_of(bound).empty()) return bound;
  std::string name = level.variable + suffix;
  block.push_back({loop::Let{name, bound}});
  return term::variable(name);
}

/// The match condition at a position where `skip` is known to be false.
Term match_beyond(const Level &level, const Term &skip) {
  std::vector<Term> parts = term::conjuncts(plan::match_condition(level));
  std::erase(parts, term::negation(skip));
  return term::conjunction(std::move(parts));
}

/// How many positions a long walk may pass at once.
constexpr std::int64_t stride = 8;

/// What matches is a range of sorted positions, a tile say, and mostly longer than one: a loop with bounds of
/// its own, which later passes know, is worth looking for the end first.
bool is_range(const Level &level, const LevelPlan &plan, bool sorted) {
  if (plan.unique || !sorted) return false;
  const auto *width = level.components.size() == 1 ? level.components[0].width.as<term::Constant>() : nullptr;
  return width && width->value > 1;
}

/// Walks from a match of a range, or the position behind one, to the end, `stride` at once where they match.
Block end_of_range(const Level &level, const std::string &last, const Term &end, const Term &match) {
  Term position = term::variable(last), ahead = position + Term(stride - 1);
  Block step{{assign(last, position + Term(1))}}, leap{{assign(last, position + Term(stride))}};
  return {{loop::While{term::conjunction({term::less(ahead, end), at(match, level, ahead)}), std::move(leap),
                       "all matches are adjacent"}},
          {loop::While{term::conjunction({term::less(position, end), at(match, level, position)}),
                       std::move(step), ""}}};
}

/// Where a visit has its whole segment, what it adds to is set just before, as in the loops without tiles:
/// sums needn't be read again.
Statement set_or_add(const Term &first, const Term &last, const Block &clear, Statement all) {
  loop::If whole{term::conjunction({first, last}), clear, "all of the segment"};
  whole.then.push_back(all);
  whole.otherwise = {{loop::If{first, clear, "the first visit"}}, std::move(all)};
  return {std::move(whole)};
}

/// Where what is skipped ends.
struct Stop {
  Term skip;
  bool sorted = false; // a range of positions, upwards, of which skip holds on a prefix
  bool down = false;
  bool advance = false; // the state may go past matches
};

Stop stop_of(const plan::Walk &walk) {
  const bool down = walk.direction == plan::Direction::Down;
  return {walk.skip, walk.partitioned && !down, down, walk.advance};
}

/// At a proved stopping point: the match, if it is there, or the chain of matches from there on. `stop` is
/// not the level's variable where a range is looped over.
void visit_matches(const Level &level, const LevelPlan &plan, const Stop &where, const std::string &stop,
                   const Term &inside, const Term &end, const Body &body, Block &block,
                   const Around &around = {}) {
  Term match = plan.unique || where.sorted ? match_beyond(level, where.skip) : plan::match_condition(level);
  Term position = term::variable(stop);
  const bool range = is_range(level, plan, where.sorted);
  if (!around.clear.empty() && !range)
    block.push_back({loop::If{term::equal(position, level.lower), around.clear, "the first visit"}});
  if (plan.unique) {
    Block then = body();
    if (where.advance) then.push_back(step_from(stop, position, where.down));
    if (around.at_match)
      loop::append(block, std::move(then));
    else
      block.push_back(
          {loop::If{term::conjunction({inside, at(match, level, position)}), std::move(then), ""}});
    return;
  }
  if (range) {
    std::string last = level.variable + ".last";
    Term second = around.at_match ? position + Term(1) : position;
    Block search = end_of_range(level, last, end, match);
    if (!term::is_false(around.takes_all)) {
      loop::If all{around.takes_all, {assign(last, end)}, ""};
      all.otherwise = std::move(search);
      search = {{std::move(all)}};
    }
    block.push_back({loop::Declare{last, second}});
    loop::append(block, std::move(search));
    Statement all{loop::For{level.variable, position, term::variable(last), 1, std::nullopt, body(), ""}};
    if (around.clear.empty())
      block.push_back(std::move(all));
    else
      block.push_back(set_or_add(term::equal(position, level.lower), term::equal(term::variable(last), end),
                                 around.clear, std::move(all)));
    if (where.advance) block.push_back(assign(stop, term::variable(last)));
    return;
  }
  Term walker = term::variable(level.variable);
  if (stop != level.variable) block.push_back({loop::Declare{level.variable, position}});
  Block round = body();
  round.push_back(assign(level.variable, walker + Term(1)));
  block.push_back({loop::While{term::conjunction({term::less(walker, end), match}), std::move(round),
                               "all matches are adjacent"}});
  if (where.advance && stop != level.variable) block.push_back(assign(stop, walker));
}

Block direct(const Level &level, const plan::Direct &plan, const Body &body) {
  Block block{{loop::Let{level.variable, plan.position}}};
  std::vector<Term> tests;
  Term position = term::variable(level.variable);
  if (plan.check_bounds) tests.push_back(term::between(level.lower, position, level.upper));
  if (plan.check_match) tests.push_back(plan::match_condition(level));
  Term test = term::conjunction(tests);
  if (term::is_true(test))
    loop::append(block, body());
  else
    block.push_back({loop::If{test, body(), ""}});
  return block;
}

Block probe(const Level &level, const plan::Probe &plan, bool unique, const Body &body) {
  Block then = body();
  if (unique) then.push_back({loop::Break{}});
  Block round{{loop::If{plan::match_condition(level), std::move(then), ""}},
              {loop::If{term::negation(plan.skip), {{loop::Break{}}}, ""}}};
  return {{loop::For{level.variable, plan.start, level.upper, 1, std::nullopt, std::move(round),
                     fmt::format("find {}: from its hash to the first empty slot", level.variable)}}};
}

Block scan_all(const Level &level, bool unique, const Body &body) {
  Block then = body();
  if (unique) then.push_back({loop::Break{}});
  Block round{{loop::If{plan::match_condition(level), std::move(then), ""}}};
  return {{loop::For{level.variable, level.lower, level.upper, 1, std::nullopt, std::move(round),
                     fmt::format("find {}: test every position", level.variable)}}};
}

/// Walks on to the stopping point. Where a skipped position means that all before it are skipped too, one
/// test passes `stride` of them, but only after a first step: most walks are short.
Block walk(const Level &level, const plan::Walk &plan, const Around &around, const std::string &stop,
           const Term &inside, const Term &upper) {
  Term position = term::variable(stop);
  bool down = plan.direction == plan::Direction::Down;
  Term here = term::conjunction({inside, at(plan.skip, level, position)});
  Statement step = step_from(stop, position, down);
  std::string comment = fmt::format("find {}: continue where the last search stopped", level.variable);
  if (down || !plan.partitioned || plan.few_positions) return {{loop::While{here, {step}, comment}}};
  Term last = position + Term(stride - 1);
  Term far = term::conjunction({term::less(last, upper), at(plan.skip, level, last)});
  loop::While strides{far, {assign(stop, position + Term(stride))}, fmt::format("{} at once", stride)};
  loop::While steps{here, {step}, ""};
  if (around.intersection) {
    // Of the next positions those that are skipped come first: they are counted.
    strides.comment = comment;
    std::string count = stop + ".count", offset = stop + ".offset";
    Term skipped = at(plan.skip, level, position + term::variable(offset));
    loop::For all{offset, Term(0), Term(stride)};
    all.body = {{loop::If{skipped, {assign(count, term::variable(count) + Term(1))}, ""}}};
    loop::If ahead{
        term::less(last, upper),
        {{loop::Declare{count, Term(0)}}, {std::move(all)}, assign(stop, position + term::variable(count))},
        "count the skipped positions, without a branch"};
    ahead.otherwise = {{std::move(steps)}};
    return {{std::move(strides)}, {std::move(ahead)}};
  }
  Block far_on{step, {std::move(strides)}, {std::move(steps)}};
  if (!around.ends_loop || !is_segment(level)) return {{loop::If{here, std::move(far_on), comment}}};
  // Many rows of real matrices are narrow: one look at the last key spares the walk to it.
  loop::If behind{at(plan.skip, level, upper - Term(1)), {assign(stop, upper)}, "after all keys"};
  behind.otherwise = std::move(far_on);
  return {{loop::If{here, {{std::move(behind)}}, comment}}};
}

/// Narrows the way from the position to the limit down to the first position at which skip is false, if there
/// is one; the limit is behind it, but is one of them on the way down.
Statement bisect(const Level &level, const Term &skip, const std::string &position, const std::string &limit,
                 bool down, const std::string &comment) {
  Term first = term::variable(down ? limit : position), last = term::variable(down ? position : limit);
  std::string name = position + ".middle";
  Term middle = term::variable(name), half = term::floor_divide(last - first, 2);
  loop::If step{at(skip, level, middle), {step_from(position, middle, down)}, ""};
  step.otherwise = {assign(limit, middle)};
  Block round{{loop::Let{name, down ? last - half : first + half}}, {std::move(step)}};
  return {loop::While{term::less(first, last), std::move(round), comment}};
}

/// Walks on to the stopping point by steps that double while what lies that far ahead is skipped; the last
/// step is bisected.
Statement gallop(const Level &level, const plan::Walk &plan, const std::string &stop, const Term &inside,
                 const Term &lower, const Term &upper) {
  bool down = plan.direction == plan::Direction::Down;
  Term position = term::variable(stop);
  std::string step_name = level.variable + ".step";
  Term step = term::variable(step_name);
  Term far = down ? position - step : position + step;
  Term far_inside = down ? term::at_most(lower, far) : term::less(far, upper);
  Block further{assign(stop, far), assign(step_name, step + step)};
  Block then{{loop::Declare{step_name, Term(1)}},
             {loop::While{term::conjunction({far_inside, at(plan.skip, level, far)}), std::move(further),
                          "steps double"}}};
  std::string limit = level.variable + ".limit";
  then.push_back(
      {loop::Declare{limit, down ? term::maximum({far, lower - Term(1)}) : term::minimum({far, upper})}});
  then.push_back(step_from(stop, position, down));
  then.push_back(bisect(level, plan.skip, stop, limit, down, ""));
  return {loop::If{term::conjunction({inside, at(plan.skip, level, position)}), std::move(then),
                   fmt::format("find {}: gallop on from where the last search stopped", level.variable)}};
}

/// Sequential iteration and galloping.
Block walking(const Level &level, const LevelPlan &plan, const plan::Walk &own, const Around &around,
              const Body &body) {
  Block block;
  bool down = own.direction == plan::Direction::Down;
  std::string stop = state_variable(level, plan);
  Term position = term::variable(stop);
  Term upper = named_bound(".end", level, level.upper, block);
  Term lower = down ? named_bound(".begin", level, level.lower, block) : level.lower;
  Term inside = down ? term::at_most(lower, position) : term::less(position, upper);
  if (own.clamp && !around.at_match) {
    Term outside = down ? term::at_most(upper, position) : term::less(position, level.lower);
    block.push_back({loop::If{outside, {assign(stop, down ? upper - Term(1) : level.lower)}, ""}});
  }
  if (around.at_match)
    ; // it has got there in the visit before
  else if (own.gallops)
    block.push_back(gallop(level, own, stop, inside, lower, upper));
  else
    loop::append(block, walk(level, own, around, stop, inside, upper));
  if (around.ends_loop) {
    Block leave{{loop::Break{}}};
    block.push_back({loop::If{term::negation(inside), std::move(leave), "nothing is left to find"}});
    inside = term::truth();
  }
  visit_matches(level, plan, stop_of(own), stop, inside, upper, body, block, around);
  return block;
}

/// Many targets lie before or behind a segment's keys, as rows of real matrices are narrow: then the search
/// has nothing left to do. Nor has it where it stops at the last one, as `at_last` lets it see.
Statement outside_range(const Level &level, const Term &skip, const std::string &position, bool at_last) {
  Term first = term::variable(position);
  std::string high_name = position + ".high";
  Term high = term::variable(high_name);
  loop::If behind{at(skip, level, high - Term(1)), {assign(position, high)}, ""};
  loop::If before{term::negation(at(skip, level, first)), {assign(high_name, first)}, ""};
  if (!at_last) {
    behind.otherwise = {{std::move(before)}};
    return {loop::If{term::less(first, high), {{std::move(behind)}}, "after all keys, or before"}};
  }
  loop::If last{term::conjunction({term::less(first, high - Term(1)), at(skip, level, high - Term(2))}),
                {assign(high_name, high - Term(1)), assign(position, high)},
                ""};
  last.otherwise = {{std::move(before)}};
  behind.otherwise = {{std::move(last)}};
  return {
      loop::If{term::less(first, high), {{std::move(behind)}}, "after all keys, at the last one, or before"}};
}

Block binary(const Level &level, const LevelPlan &plan, const Term &skip, const Around &around,
             const Body &body) {
  Block block;
  Level named = level;
  named.upper = named_bound(".end", level, level.upper, block);
  const std::string position = is_range(level, plan, true) ? level.variable + ".first" : level.variable;
  Block search = lower_bound(position, named, skip);
  if (is_segment(level))
    search.insert(search.end() - 1, outside_range(level, skip, position, around.divides));
  loop::append(block, std::move(search));
  Term inside = term::less(term::variable(position), named.upper);
  visit_matches(level, plan, {skip, true}, position, inside, named.upper, body, block);
  return block;
}

} // namespace

Term segment_end(const Level &level) {
  Block unused;
  return named_bound(".end", level, level.upper, unused);
}

std::string state_variable(const Level &level, const LevelPlan &plan) {
  // A chain walks with a variable of its own: the state stays at the first match.
  return plan.unique ? level.variable : level.variable + ".first";
}

Block lower_bound(const std::string &position, const Level &level, const Term &skip) {
  return {{loop::Declare{position, level.lower}},
          {loop::Declare{position + ".high", level.upper}},
          bisect(level, skip, position, position + ".high", false,
                 fmt::format("find {}: binary search", level.variable))};
}

Block find_code(const Level &level, const LevelPlan &plan, const Around &around, const Body &body) {
  return std::visit(
      term::overloaded{
          [&](const plan::Scan &) { return scan_all(level, plan.unique, body); },
          [&](const plan::Direct &direct) { return lower::direct(level, direct, body); },
          [&](const plan::Probe &probe) { return lower::probe(level, probe, plan.unique, body); },
          [&](const plan::Walk &walk) { return walking(level, plan, walk, around, body); },
          [&](const plan::Binary &search) { return binary(level, plan, search.skip, around, body); },
          [&](const plan::HashMap &map) {
            return look_in_hash(level, map, plan.unique, around.arrays, body);
          },
          [&](const plan::DenseMap &map) { return look_in_map(level, map, around.arrays, body); },
      },
      plan.how);
}

} // namespace unravel::lower
