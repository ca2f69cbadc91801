#include "choose/statements.h"

#include "choose/parallel.h"
#include "find/planner.h"
#include "report/diagnostic.h"
#include "report/suggest.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace unravel::choose {

using combine::Combination;
using combine::IterationSpace;
using plan::LeafPlan;
using report::Kind;
using scan::Level;
using term::Term;

namespace {

/// A find's state for all iterations of the loop.
bool keeps_state_over(const plan::LeafPlan &plan, std::size_t depth) {
  return std::ranges::any_of(plan.finds.levels, [&](const plan::LevelPlan &find) {
    return find.walk() && find.walk()->state_level <= depth;
  });
}

/// Do iterations of the loop have elements of their own in the statement, or a local that it writes?
bool keeps_elements_apart(const IterationSpace &space, const plan::LeafPlan &plan, std::size_t depth,
                          prove::Prover &prover) {
  return space.target.around > depth || (has_elements_of_its_own(plan, depth, space) &&
                                         (space.sets || keeps_to_its_elements(plan, depth, space, prover)));
}

/// May there be no two entries of one coordinate, of some operand?
bool needs_single_values(const IterationSpace &space) {
  return space.sets || std::ranges::any_of(space.operands, std::not_fn(&combine::Operand::is_linear));
}

[[noreturn]] void fail_several_values(const IterationSpace &space, const std::string &witness) {
  const bool is_cut = value::is_integer(space.target_type()) && !value::is_integer(space.type);
  std::set<std::string> names;
  for (const combine::Operand &operand : space.operands)
    if (!operand.is_linear) names.insert(operand.tensor);
  const std::string which =
      names.empty() ? "an operand" : report::list_words(std::vector(names.begin(), names.end()));
  report::fail(Kind::not_supported, space.span,
               fmt::format("in `{}` {} may be stored several times, and {}", space.span.text(), which,
                           is_cut ? fmt::format("what is computed of each entry is cut to {}",
                                                value::facts_of(space.target_type()).word)
                                  : "the value isn't linear in it"),
               "choose layouts that store each coordinate at most once" +
                   (witness.empty() ? "" : "; two entries of one: " + witness));
}

[[noreturn]] void fail_several_places(const IterationSpace &space, const std::string &witness) {
  report::fail(
      Kind::bad_structure, space.span,
      fmt::format("the result of `{}` would have several entries of one coordinate, which add up when "
                  "they are read",
                  space.span.text()),
      witness.empty() ? "leave the result dense, or give it a layout of its own" : "two of them: " + witness);
}

/// The mode of the result along which the outermost loop runs; none where nothing else may be in that loop.
std::optional<std::size_t> mode_of_loop(const Statement &statement) {
  const LeafPlan &plan = *statement.plan;
  const bool is_plain = plan.is_plain() && !plan.increasing && plan.searches.empty() && plan.shared == 0 &&
                        (plan.alternatives.empty() || plan.split > 0);
  if (!is_plain || !statement.space.adds_in_any_order() || plan.nest.levels.empty()) return std::nullopt;
  const Level &outermost = plan.nest.levels.front();
  const bool keeps_state = std::ranges::any_of(plan.finds.levels, [](const plan::LevelPlan &find) {
    return find.walk() && find.walk()->state_level == 0;
  });
  if (!outermost.is_loop() || keeps_state) return std::nullopt;
  const std::vector<Term> &modes = statement.space.target.coordinates;
  const auto mode = std::ranges::find(modes, term::variable(outermost.variable));
  if (mode == modes.end()) return std::nullopt;
  return static_cast<std::size_t>(mode - modes.begin());
}

/// Both have such a mode.
bool may_be_one(const Statement &one, const Statement &other) {
  const Level &loop = one.plan->nest.levels.front(), &next = other.plan->nest.levels.front();
  return one.space.target.tensor == other.space.target.tensor && loop.variable == next.variable &&
         loop.lower == next.lower && loop.upper == next.upper && one.plan->parallel == other.plan->parallel &&
         one.space.place != other.space.place; // pieces of one term have loops of their own to share
}

bool is_never(const std::vector<Term> &hypotheses, const IterationSpace &space, prove::Prover &prover) {
  return prover.refute("entries without a place", space.target.tensor, hypotheses) == prove::Answer::Refuted;
}

/// Is the value zero where those elements are?
bool is_zero(const combine::Value &value, const std::set<std::string> &zeros) {
  if (const double *number = value::number_of(value)) return *number == 0;
  if (const auto *read = std::get_if<combine::Read>(&value.kind)) return zeros.contains(read->operand);
  const auto of_part = [&](const combine::Value &part) { return is_zero(part, zeros); };
  if (const auto *factors = value::arguments_of(value::Operator::Multiply, value))
    return std::ranges::any_of(*factors, of_part);
  if (const auto *parts = value::arguments_of(value::Operator::Divide, value)) return of_part(parts->front());
  const auto *parts = value::arguments_of(value::Operator::Add, value);
  return parts && std::ranges::all_of(*parts, of_part);
}

/// Where the target has no place, is the value zero, which is nothing there, as of what is looked for nothing
/// is stored?
bool makes_nothing_unplaced(const IterationSpace &space, prove::Prover &prover) {
  if (space.sets ? space.unplaced->nothing != 0 : !space.adds()) return false;
  std::set<std::string> zeros;
  for (const combine::Lookup &lookup : space.lookups) {
    const bool is_missing = std::ranges::all_of(lookup.places, [&](const combine::Place &place) {
      std::vector<Term> found = term::conjuncts(space.unplaced->points);
      found.push_back(place.relation);
      return is_never(found, space, prover);
    });
    if (lookup.fill == 0 && is_missing) zeros.insert(lookup.name);
  }
  return is_zero(space.value, zeros);
}

void set_shared(LeafPlan &plan, bool parallel) {
  plan.shared = 1;
  plan.parallel.reset();
  if (parallel) plan.shared_parallel = 0;
  for (plan::Alternative &other : plan.alternatives)
    set_shared(other.plan, parallel);
}

} // namespace

depend::Schedule executed_schedule(const IterationSpace &space, const plan::LeafPlan &plan) {
  depend::Schedule schedule;
  for (std::size_t k = 0; k < plan.shared; ++k) {
    schedule.push_back(term::Term(space.place[k]));
    schedule.push_back(term::variable(space.loops[k]));
  }
  schedule.push_back(term::Term(space.place[plan.shared]));
  const auto own = space.loops.begin() + static_cast<std::ptrdiff_t>(plan.shared);
  for (std::size_t k = 0; k < plan.visits(); ++k) {
    const scan::Level &level = plan.nest.levels[k];
    if (level.is_let() || std::find(space.loops.begin(), own, level.variable) != own) continue;
    if (plan.sorted && plan.sorted->level == k)
      schedule.insert(schedule.end(), plan.sorted->keys.begin(), plan.sorted->keys.end());
    schedule.push_back(term::variable(level.variable));
  }
  return schedule;
}

void fail_without_place(const IterationSpace &space) {
  report::fail(Kind::entries_out_of_order, space.span,
               fmt::format("`{}` may make entries that the layout of {} has no place for", space.span.text(),
                           space.target.tensor),
               "choose a layout that stores all coordinates, or loops that visit no others than it stores");
}

void require_places(const std::vector<IterationSpace> &spaces, prove::Prover &prover) {
  for (const IterationSpace &space : spaces)
    if (space.unplaced && !is_never(term::conjuncts(space.unplaced->points), space, prover) &&
        !makes_nothing_unplaced(space, prover))
      fail_without_place(space);
}

void require_single_values(const std::vector<IterationSpace> &spaces, prove::Prover &prover) {
  std::string witness;
  for (auto space = spaces.begin(); space != spaces.end(); ++space) {
    if (!depend::is_single_valued(*space, prover, &witness)) fail_several_values(*space, witness);
    if (!space->target.structure.empty() && !space->adds() &&
        !depend::has_single_places(*space, prover, &witness))
      fail_several_places(*space, witness);
    for (auto other = spaces.begin(); other != space; ++other)
      if (space->place == other->place && needs_single_values(*space) && // through different pieces
          depend::may_meet(*other, *space, prover, &witness))
        fail_several_values(*space, witness);
  }
}

std::optional<depend::Violation> violation(const Combination &program,
                                           const std::vector<IterationSpace> &source,
                                           const std::vector<const plan::LeafPlan *> &plans,
                                           prove::Prover &prover, bool details) {
  std::vector<depend::Ordered> statements;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const IterationSpace &space = program.leaves[k];
    statements.push_back({&space, depend::source_schedule(source[k]), executed_schedule(space, *plans[k])});
  }
  return depend::find_violation(statements, prover, details);
}

void fail_order(const Combination &program, const depend::Violation &found,
                const parse::ScheduleTree &schedule) {
  const IterationSpace &first = program.leaves[found.first];
  const IterationSpace &second = program.leaves[found.second];
  report::fail(
      Kind::illegal_order,
      !schedule.order.empty()             ? schedule.order.front().span
      : !schedule.transformations.empty() ? schedule.transformations.front().span
                                          : first.span,
      fmt::format("the order isn't proved to keep a dependence: `{}` must come before `{}` where both "
                  "touch the same element of {}",
                  first.span.text(), second.span.text(), found.tensor),
      found.witness.empty() ? fmt::format("the pairs are {{ {} }}", term::to_text(found.relation))
                            : "two instances that would change places: " + found.witness);
}

SharedVerdict verdict_of(const scan::Node &loop, const Combination &program,
                         const std::vector<const plan::LeafPlan *> &plans, prove::Prover &prover,
                         bool details) {
  std::vector<const IterationSpace *> statements;
  for (std::size_t number : loop.statements)
    statements.push_back(&program.leaves[number]);
  SharedVerdict result{depend::classify_shared(statements, loop.depth, prover, details), false};
  std::set<std::string> assembled; // threads append to one
  for (const IterationSpace *space : statements)
    if (space->target.appends) assembled.insert(space->target.tensor);
  result.is_parallel =
      result.verdict.verdict == depend::Verdict::Parallel && assembled.size() <= 1 &&
      std::ranges::all_of(loop.statements, [&](std::size_t number) {
        const IterationSpace &space = program.leaves[number];
        if (space.target.appends && !appends_apart(*plans[number], loop.depth, space, prover)) return false;
        return !space.may_miss() && !keeps_state_over(*plans[number], loop.depth) &&
               keeps_elements_apart(space, *plans[number], loop.depth, prover);
      });
  return result;
}

std::optional<std::size_t> level_of_sum(const IterationSpace &space, const plan::LeafPlan &plan,
                                        const std::vector<depend::LoopVerdict> &verdicts) {
  if (space.sets || !space.reads(space.target.tensor) || space.may_miss() || !space.target.local.empty())
    return std::nullopt;
  const auto own = space.loops.begin() + static_cast<std::ptrdiff_t>(plan.shared);
  std::optional<std::size_t> level;
  for (std::size_t k = plan.visits(); k-- > 0;) {
    const scan::Level &here = plan.nest.levels[k];
    if (std::find(space.loops.begin(), own, here.variable) != own ||
        term::mentions(space.target.slot, here.variable))
      break;
    // Several matches of a find are a loop, too, of which no verdict speaks.
    if (std::ranges::any_of(plan.finds.levels,
                            [&](const plan::LevelPlan &find) { return find.level == k && !find.unique; }))
      break;
    if (!here.is_loop()) continue;
    // A read of the element that is added to would be carried: by this loop or by one inside.
    bool carries = std::ranges::any_of(verdicts, [&](const depend::LoopVerdict &verdict) {
      return verdict.variable == here.variable && verdict.verdict == depend::Verdict::Carried;
    });
    if (carries) break;
    level = k;
  }
  return level;
}

bool runs_in_parallel(const SharedVerdict &loop, const parse::ScheduleTree &schedule) {
  if (schedule.parallel.empty()) return loop.is_parallel && !schedule.serial;
  const auto found = std::ranges::find(schedule.parallel, loop.verdict.variable, &parse::Name::text);
  if (found == schedule.parallel.end()) return false;
  const parse::Name &wanted = *found;
  if (loop.is_parallel) return true;
  bool carries = loop.verdict.verdict != depend::Verdict::Parallel;
  report::fail(
      Kind::not_parallel, wanted.span,
      fmt::format("the loop over `{}` can't run in parallel: {}", wanted.text,
                  carries
                      ? "its statements carry a dependence"
                      : "iterations share the state of a find or an element, append to several results, look "
                        "for a divisor, or have a statement that is for one of them"),
      !carries                       ? "leave out `parallel`"
      : loop.verdict.witness.empty() ? "`unravel deps` shows the dependence"
                                     : "two iterations that conflict: " + loop.verdict.witness);
}

parse::ScheduleTree asked_of(parse::ScheduleTree schedule, const scan::Nest &nest) {
  auto is_missing = [&](const parse::Name &wanted) {
    return std::ranges::none_of(nest.levels, [&](const scan::Level &level) {
      return level.is_loop() && level.variable == wanted.text;
    });
  };
  if (std::ranges::any_of(schedule.fused, is_missing)) schedule.fused.clear();
  if (std::erase_if(schedule.parallel, is_missing) > 0 && schedule.parallel.empty()) schedule.sharing.reset();
  return schedule;
}

void check_parallel(const std::vector<const plan::LeafPlan *> &plans, const parse::ScheduleTree &schedule) {
  const auto parallel_loop = [](const plan::LeafPlan &plan) {
    const std::optional<std::size_t> level =
        plan.shared_parallel ? plan.shared_parallel : plan.level_of_threads();
    return level ? plan.nest.levels[*level].variable : std::string();
  };
  for (const parse::Name &wanted : schedule.parallel) {
    std::vector<std::string> loops; // of all statements
    std::string other;              // that runs in parallel where the wanted one is
    bool runs = false;
    for (const plan::LeafPlan *plan : plans) {
      const std::vector<std::string> own = loops_of(plan->nest);
      const std::string chosen = parallel_loop(*plan);
      runs = runs || chosen == wanted.text;
      if (contains(own, wanted.text) && contains(schedule.parallel, chosen, &parse::Name::text))
        other = chosen;
      for (const std::string &loop : own)
        if (!contains(loops, loop)) loops.push_back(loop);
    }
    if (runs) continue;
    if (!contains(loops, wanted.text)) fail_no_loop(wanted, loops);
    if (!other.empty()) fail_one_inside(other, wanted);
    report::fail(Kind::not_parallel, wanted.span,
                 fmt::format("`{}` is not a loop of this program that can run in parallel", wanted.text),
                 "choose a loop of a statement that shares no loop, or the outermost of the shared loops");
  }
}

void join_loops(const std::vector<Statement> &statements, const combine::Combination &combination,
                bool chunk_is_given, const std::map<std::string, double> &counts,
                const cost::Thresholds &thresholds) {
  for (auto first = statements.begin(); first != statements.end();) {
    const std::optional<std::size_t> mode = mode_of_loop(*first);
    auto last = first + 1;
    const auto follows_a_clear = [&](std::size_t leaf) { // which stands in front of the leaf's loop
      return std::ranges::find(combination.clears, leaf, &combine::Clear::before) != combination.clears.end();
    };
    while (mode && last != statements.end() && mode_of_loop(*last) == mode && may_be_one(*first, *last) &&
           !follows_a_clear(static_cast<std::size_t>(last - statements.begin())))
      ++last;
    const std::vector<Statement> group(first, last);
    first = last;
    const std::optional<std::size_t> parallel = group.front().plan->parallel;
    if (group.size() == 1 || (parallel && *parallel > 0)) continue;
    if (parallel) share_out(group, combination, 0, chunk_is_given, thresholds);
    const bool pays =
        parallel && (counts.empty() || !is_too_short(group, combination, 0, counts, thresholds));
    for (const Statement &statement : group) {
      statement.plan->joins = statement.plan != group.front().plan;
      set_shared(*statement.plan, pays);
    }
  }
}

} // namespace unravel::choose
