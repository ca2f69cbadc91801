#include "choose/parallel.h"

#include "choose/asked.h"
#include "plan/states.h"
#include "report/diagnostic.h"
#include "scan/reasons.h"
#include "term/children.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::choose {

using plan::LeafPlan;
using report::Kind;
using scan::Level;
using term::Term;

bool has_elements_of_its_own(const LeafPlan &plan, std::size_t level, const combine::IterationSpace &space) {
  std::set<std::string> inside; // variables whose values come from this loop or from one inside
  auto comes_from_inside = [&](const term::Term &term) { return term::mentions_any(term, inside); };
  const std::vector<Level> &levels = plan.nest.levels;
  for (std::size_t k = level; k < levels.size(); ++k) {
    const Level &each = levels[k];
    std::int64_t values = 0; // a loop over one is an assignment
    const bool has_one =
        each.is_loop() && term::constant_difference(each.lower, each.upper, values) && values == 1;
    bool own = k == level || (each.is_loop() && !has_one);
    if (has_one) own = own || comes_from_inside(each.lower);
    if (each.is_let()) own = own || comes_from_inside(each.value);
    for (const scan::Component &component : each.components) // 2*i = target has its value from the target
      own = own || !term::applications_of(component.key).empty() || comes_from_inside(component.target);
    if (own) inside.insert(each.variable);
  }
  return comes_from_inside(space.target.slot);
}

bool keeps_to_its_elements(const LeafPlan &plan, std::size_t parallel, const combine::IterationSpace &space,
                           prove::Prover &prover) {
  const std::vector<Level> &levels = plan.nest.levels;
  const depend::Reference target = depend::references(space).front();
  const std::string &own = levels[parallel].variable;
  std::set<std::string> variables; // of the nest, the others
  for (const Level &level : levels)
    variables.insert(level.variable);
  variables.erase(own);
  std::size_t inside = 0; // the levels that don't say which element it is begin there
  for (const term::Term &coordinate : target.coordinates) {
    const term::Term value = scan::through_lets(coordinate, levels);
    if (term::coefficient_of(value, own) != 0 && term::applications_of(value).empty() &&
        !term::mentions_any(value, variables))
      return true; // another one in each iteration
    for (std::size_t k = 0; k < levels.size(); ++k)
      if (term::mentions(coordinate, levels[k].variable)) inside = std::max(inside, k + 1);
  }
  bool loops_inside =
      std::any_of(levels.begin() + static_cast<std::ptrdiff_t>(inside), levels.end(),
                  [](const Level &level) { return !level.is_let() || !level.guards.empty(); });
  if (!loops_inside) return true;
  std::vector<term::Term> conditions;
  std::vector<std::string> order;
  for (std::size_t k = 0; k < std::max(inside, parallel + 1); ++k) {
    for (scan::Part &part : scan::parts_of(levels[k]))
      conditions.push_back(std::move(part.condition));
    order.push_back(levels[k].variable);
  }
  const std::vector<depend::LoopVerdict> verdicts =
      depend::classify(term::conjunction(std::move(conditions)), order, {own}, {target}, prover, false);
  return verdicts.front().verdict == depend::Verdict::Parallel;
}

bool shares_elements(const LeafPlan &plan, const combine::IterationSpace &space, prove::Prover &prover) {
  const bool adds_apart = plan.reduction != plan::Reduction::None || plan.is_owned();
  return plan.parallel && !adds_apart && !keeps_to_its_elements(plan, *plan.parallel, space, prover);
}

std::vector<std::string> loops_of(const scan::Nest &nest) {
  std::vector<std::string> loops;
  for (const Level &level : nest.levels)
    if (level.is_loop()) loops.push_back(level.variable);
  return loops;
}

void fail_no_loop(const parse::Name &wanted, const std::vector<std::string> &loops) {
  report::fail(Kind::unknown_variable, wanted.span, fmt::format("there is no loop over `{}`", wanted.text),
               loops.empty() ? "the kernel has no loops"
                             : fmt::format("the loops are {}", fmt::join(loops, ", ")));
}

void fail_one_inside(const std::string &other, const parse::Name &wanted) {
  report::fail(Kind::not_parallel, wanted.span,
               fmt::format("of the loops over `{}` and `{}` one stands inside the other: only one runs in "
                           "parallel",
                           other, wanted.text),
               "keep one of them");
}

bool is_inner_loop(const LeafPlan &plan, std::size_t level) {
  const std::vector<Level> &levels = plan.nest.levels;
  return std::any_of(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(level),
                     [](const Level &outer) { return !outer.is_let(); });
}

namespace {

/// Do the loops around it repeat the same work? (Rounds of a program: nothing is subscripted or bounded by
/// their variables.) Then a loop inside may be long enough for threads each time.
bool is_repeated(const LeafPlan &plan, std::size_t level, const combine::IterationSpace &space) {
  std::set<std::string> around;
  for (std::size_t k = 0; k < level; ++k)
    if (plan.nest.levels[k].is_loop()) around.insert(plan.nest.levels[k].variable);
  const auto is_free = [&](const Term &term) { return !term::mentions_any(term, around); };
  const auto is_free_operand = [&](const combine::Operand &operand) {
    const auto own = static_cast<std::ptrdiff_t>(operand.around); // of a local each round has one of its own
    return std::all_of(operand.coordinates.begin() + own, operand.coordinates.end(), is_free);
  };
  const std::vector<Term> conditions = term::conjuncts(space.relation);
  return space.lookups.empty() && !space.has_coordinates() && is_free_operand(space.target) &&
         std::ranges::all_of(space.operands, is_free_operand) &&
         std::ranges::all_of(conditions, [&](const Term &condition) {
           const std::set<std::string> of = term::variables_of(condition);
           return is_free(condition) || std::ranges::none_of(space.variables(), [&](const std::string &each) {
                    return of.contains(each) && !around.contains(each);
                  });
         });
}

} // namespace

bool adds_to_one(const LeafPlan &plan, std::size_t from, const combine::IterationSpace &space) {
  const std::vector<Level> &levels = plan.nest.levels;
  return std::none_of(levels.begin() + static_cast<std::ptrdiff_t>(from), levels.end(),
                      [&](const Level &level) { return term::mentions(space.target.slot, level.variable); });
}

bool adds_up(const LeafPlan &plan, const depend::LoopVerdict &verdict, std::size_t level,
             const combine::IterationSpace &space) {
  return verdict.verdict == depend::Verdict::Reduction && adds_to_one(plan, 0, space) &&
         (!is_inner_loop(plan, level) || is_repeated(plan, level, space));
}

const depend::LoopVerdict &verdict_of(const std::vector<depend::LoopVerdict> &verdicts, const LeafPlan &plan,
                                      std::size_t level) {
  return *std::ranges::find_if(verdicts, [&](const depend::LoopVerdict &verdict) {
    return verdict.variable == plan.nest.levels[level].variable;
  });
}

namespace {

/// Does a walk inside say where the loop goes on?
bool has_jump(const LeafPlan &plan, std::size_t loop) {
  return std::ranges::any_of(plan.finds.levels,
                             [&](const plan::LevelPlan &find) { return find.lets_jump(loop); });
}

/// Between that loop and the walk?
bool stands_between(const LeafPlan &plan, std::size_t loop, std::size_t level) {
  return std::ranges::any_of(plan.finds.levels, [&](const plan::LevelPlan &find) {
    return find.lets_jump(loop) && level < find.level;
  });
}

/// Whether the value lies in [0, end) in all iterations of the loop. (What is outside may be left to guards.)
bool lies_inside(const Term &value, const Term &end, const Level &loop, prove::Prover &prover) {
  const Term iteration = term::between(loop.lower, term::variable(loop.variable), loop.upper);
  auto never = [&](const Term &outside) {
    std::vector<Term> hypotheses = term::conjuncts(iteration);
    hypotheses.push_back(outside);
    return prover.refute("row outside", loop.variable, hypotheses) == prove::Answer::Refuted;
  };
  return never(term::less(value, Term(0))) && never(term::at_most(end, value));
}

} // namespace

bool appends_apart(const LeafPlan &plan, std::size_t level, const combine::IterationSpace &space,
                   prove::Prover &prover) {
  const std::optional<combine::FirstNode> &first = space.target.first_node;
  if (!first || plan.is_dealt || is_inner_loop(plan, level) || (plan.sorted && plan.sorted->level == level))
    return false;
  if (!first->extent) return true;
  const Level &loop = plan.nest.levels[level];
  const Term node = term::variable(loop.variable);
  if (scan::through_lets(first->value, plan.nest.levels) != node) return false;
  return (loop.lower == Term(0) && loop.upper == *first->extent) ||
         lies_inside(node, *first->extent, loop, prover);
}

void fail_carried(const parse::Name &wanted, const depend::LoopVerdict &verdict) {
  report::fail(Kind::not_parallel, wanted.span,
               fmt::format("the loop over `{}` can't run in parallel: it carries a {}", wanted.text,
                           verdict.verdict == depend::Verdict::Reduction ? "reduction" : "dependence"),
               verdict.witness.empty() ? "`unravel deps` shows the dependence"
                                       : "two iterations that conflict: " + verdict.witness);
}

void fail_appending(const combine::IterationSpace &space, const parse::ScheduleTree &schedule) {
  const parse::Name &wanted = schedule.parallel.front();
  report::fail(
      Kind::not_parallel, wanted.span,
      fmt::format("the loop over `{}` can't run in parallel: its iterations append to `{}` one after "
                  "the other",
                  wanted.text, space.target.tensor),
      "leave out `parallel`");
}

void check_states(const LeafPlan &plan, std::size_t parallel, const combine::IterationSpace &space,
                  const parse::ScheduleTree &schedule) {
  const plan::LevelPlan *find = plan::hindrance(plan, parallel, space.target.appends);
  if (!find) return;
  const parse::Name &wanted = schedule.parallel.front();
  const std::string &found = plan.nest.levels[find->level].variable;
  const std::string why =
      space.target.appends
          ? fmt::format("its iterations append to `{}`, and one walk over all of them finds `{}`",
                        space.target.tensor, found)
          : fmt::format("each thread's part of it would need all states of the walks that find `{}`", found);
  report::fail(Kind::not_parallel, wanted.span,
               fmt::format("the loop over `{}` can't run in parallel: {}", wanted.text, why),
               fmt::format("search in each iteration by itself, as by `find {} by binary`, or leave out "
                           "`parallel`",
                           found));
}

bool may_have_copies(const LeafPlan &plan, const depend::LoopVerdict &verdict, std::size_t level,
                     const combine::IterationSpace &space) {
  return reduces(space) && !space.reads(space.target.tensor) && space.target.local.empty() &&
         verdict.verdict == depend::Verdict::Reduction && !is_inner_loop(plan, level) &&
         plan.finds.levels.empty();
}

std::optional<std::size_t> choose_parallel(const LeafPlan &plan,
                                           const std::vector<depend::LoopVerdict> &verdicts,
                                           const parse::ScheduleTree &schedule, const find::Lengths &lengths,
                                           const combine::IterationSpace &space, prove::Prover &prover,
                                           const cost::Thresholds &thresholds) {
  auto level_of = [&](const std::string &variable) {
    std::size_t index = 0;
    while (plan.nest.levels[index].variable != variable)
      ++index;
    return index;
  };
  if (!schedule.parallel.empty()) {
    const parse::Name &wanted = schedule.parallel.front();
    for (const parse::Name &name : schedule.parallel) {
      if (std::ranges::find(verdicts, name.text, &depend::LoopVerdict::variable) == verdicts.end())
        fail_no_loop(name, loops_of(plan.nest));
      if (name.text != wanted.text) fail_one_inside(wanted.text, name);
    }
    for (const depend::LoopVerdict &verdict : verdicts) {
      if (verdict.variable != wanted.text) continue;
      std::size_t level = level_of(verdict.variable);
      if (adds_up(plan, verdict, level, space) || may_have_copies(plan, verdict, level, space)) return level;
      if (asks_for_reduction(schedule, space.target.tensor) && may_be_atomic(verdict, space)) return level;
      if (verdict.verdict == depend::Verdict::Parallel) {
        if (!has_elements_of_its_own(plan, level, space))
          report::fail(Kind::not_parallel, wanted.span,
                       fmt::format("at most one iteration of the loop over `{}` does anything", wanted.text),
                       "choose another loop");
        if (space.target.appends && !appends_apart(plan, level, space, prover))
          fail_appending(space, schedule);
        if (keeps_to_its_elements(plan, level, space, prover)) return level;
        report::fail(Kind::not_parallel, wanted.span,
                     fmt::format("the loop over `{}` can't run in parallel: in this order iterations add, if "
                                 "only zeros, to elements of other iterations",
                                 wanted.text),
                     "choose an `order` with the entries before the loops over their coordinates");
      }
      if (space.target.appends && !is_inner_loop(plan, level)) return std::nullopt; // they may be dealt
      fail_carried(wanted, verdict);
    }
  }
  if (schedule.serial) return std::nullopt;
  std::optional<std::size_t> tiles; // a loop that needn't take every value, if it isn't parallel
  for (const depend::LoopVerdict &verdict : verdicts) {
    std::size_t level = level_of(verdict.variable);
    if (adds_up(plan, verdict, level, space)) return level;
    if (verdict.verdict != depend::Verdict::Parallel || !has_elements_of_its_own(plan, level, space) ||
        !keeps_to_its_elements(plan, level, space, prover) ||
        (space.target.appends && !appends_apart(plan, level, space, prover)))
      continue;
    auto length = lengths.find(verdict.variable);
    bool is_short = length != lengths.end() &&
                    length->second < static_cast<double>(thresholds.least_iterations_inside_tiles);
    if (tiles) return is_short || !stands_between(plan, *tiles, level) ? *tiles : level;
    if (!has_jump(plan, level)) return level;
    tiles = level;
  }
  return tiles;
}

std::optional<std::size_t> increasing_level(const LeafPlan &plan, const combine::IterationSpace &space,
                                            const Term &end, prove::Prover &prover) {
  const std::vector<Level> &levels = plan.nest.levels;
  if (space.target.slots.empty() || levels.empty() || !levels[0].is_loop() || !levels[0].guards.empty())
    return std::nullopt;
  for (std::size_t k = 1; k < levels.size(); ++k) {
    const Level &level = levels[k];
    if (!level.is_let() || !level.guards.empty()) break;
    if (term::variable(level.variable) != space.target.slots[0]) continue;
    for (std::size_t between = 1; between < k; ++between)
      if (term::mentions(level.value, levels[between].variable)) return std::nullopt;
    // The iteration sets its whole row: it is at no fixed place in it.
    for (std::size_t outer = 0; outer < k; ++outer)
      for (std::size_t slot = 1; slot < space.target.slots.size(); ++slot)
        if (term::mentions(space.target.slots[slot], levels[outer].variable)) return std::nullopt;
    // Of single elements nothing would be gained.
    std::size_t inside = k + 1;
    while (inside < levels.size() && levels[inside].is_let())
      ++inside;
    bool has_rows = inside < levels.size() && levels[inside].is_loop();
    if (!has_rows || term::applications_of(level.value).empty() ||
        !depend::strictly_increases(level.value, levels[0].variable, levels[0].lower, levels[0].upper,
                                    prover) ||
        !lies_inside(level.value, end, levels[0], prover))
      return std::nullopt;
    return k;
  }
  return std::nullopt;
}

} // namespace unravel::choose
