#include "choose/statements.h"

#include "find/plan.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::choose {

using combine::Combination;
using combine::IterationSpace;
using report::Kind;

namespace {

/// When a statement is executed: its place and the loops that it shares, then its own order.
depend::Schedule chosen_schedule(const IterationSpace &space, const lower::LeafPlan &plan) {
  depend::Schedule schedule;
  for (std::size_t k = 0; k < plan.shared; ++k) {
    schedule.push_back(term::Term(space.place[k]));
    schedule.push_back(term::variable(space.loops[k]));
  }
  schedule.push_back(term::Term(space.place[plan.shared]));
  const auto own = space.loops.begin() + static_cast<std::ptrdiff_t>(plan.shared);
  for (const scan::Level &level : plan.nest.levels)
    if (level.kind != scan::Level::Kind::Let && std::find(space.loops.begin(), own, level.variable) == own)
      schedule.push_back(term::variable(level.variable));
  return schedule;
}

} // namespace

void require_single_value(const IterationSpace &space, prove::Prover &prover) {
  bool divides = std::any_of(space.operands.begin(), space.operands.end(),
                             [](const combine::Operand &operand) { return operand.divides; });
  std::string witness;
  if ((!space.sets && !divides) || depend::is_single_valued(space, prover, &witness)) return;
  report::fail(
      Kind::not_supported, space.span,
      fmt::format("`{}` sets or divides, but its entries may be stored several times", space.span.text()),
      witness.empty() ? "choose layouts that store each coordinate at most once"
                      : "two entries of one coordinate: " + witness);
}

std::optional<depend::Violation> violation(const Combination &program,
                                           const std::vector<const lower::LeafPlan *> &plans,
                                           prove::Prover &prover) {
  std::vector<depend::Ordered> statements;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const IterationSpace &space = program.leaves[k];
    statements.push_back({&space, depend::source_schedule(space), chosen_schedule(space, *plans[k])});
  }
  return depend::find_violation(statements, prover);
}

void fail_order(const Combination &program, const depend::Violation &found,
                const parse::ScheduleTree &schedule) {
  const IterationSpace &first = program.leaves[found.first];
  const IterationSpace &second = program.leaves[found.second];
  report::fail(
      Kind::illegal_order, schedule.order.empty() ? first.span : schedule.order.front().span,
      fmt::format("the order isn't proved to keep a dependence: `{}` must come before `{}` where both "
                  "touch the same element of {}",
                  first.span.text(), second.span.text(), found.tensor),
      found.witness.empty() ? fmt::format("the pairs are {{ {} }}", term::to_text(found.relation))
                            : "two instances that would change places: " + found.witness);
}

std::vector<SharedLoop> shared_loops(const Combination &program,
                                     const std::vector<const lower::LeafPlan *> &plans,
                                     prove::Prover &prover) {
  std::vector<SharedLoop> result;
  for (std::size_t first = 0; first < plans.size(); ++first) {
    if (plans[first]->shared == 0) continue;
    SharedLoop loop{first, first, {}, true};
    std::vector<const IterationSpace *> statements;
    for (; loop.last < plans.size() && plans[loop.last]->shared > 0 &&
           program.leaves[loop.last].place[0] == program.leaves[first].place[0];
         ++loop.last) {
      statements.push_back(&program.leaves[loop.last]);
      loop.is_parallel = loop.is_parallel && statements.back()->divisors.empty();
      for (const find::LevelPlan &find : plans[loop.last]->finds.levels) // a state for all iterations
        loop.is_parallel = loop.is_parallel && !(find::keeps_state(find.method) && find.state_level == 0);
    }
    loop.verdict = depend::classify_shared(statements, 0, prover);
    loop.is_parallel = loop.is_parallel && loop.verdict.verdict == depend::Verdict::Parallel;
    first = loop.last - 1;
    result.push_back(std::move(loop));
  }
  return result;
}

} // namespace unravel::choose
