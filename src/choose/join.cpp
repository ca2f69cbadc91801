#include "choose/join.h"

#include <algorithm>

namespace unravel::choose {

using plan::LeafPlan;
using scan::Level;
using term::Term;

namespace {

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

void set_shared(LeafPlan &plan, bool parallel) {
  plan.shared = 1;
  plan.parallel.reset();
  if (parallel) plan.shared_parallel = 0;
  for (plan::Alternative &other : plan.alternatives)
    set_shared(other.plan, parallel);
}

} // namespace

void join_loops(const std::vector<Statement> &statements, const combine::Combination &combination,
                bool chunk_is_given, const std::map<std::string, double> &counts,
                const cost::Thresholds &thresholds) {
  for (auto first = statements.begin(); first != statements.end();) {
    const std::optional<std::size_t> mode = mode_of_loop(*first);
    auto last = first + 1;
    while (mode && last != statements.end() && mode_of_loop(*last) == mode && may_be_one(*first, *last))
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
