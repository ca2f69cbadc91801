#include "choose/increasing.h"

#include "depend/dependence.h"

namespace unravel::choose {

using plan::LeafPlan;
using scan::Level;
using term::Term;

namespace {

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
