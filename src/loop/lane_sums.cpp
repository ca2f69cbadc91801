
#include "loop/arrays.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

/// The only addition to an element, if all else is Lets, ifs and what happens to locals of the block.
const Accumulate *only_sum(const Block &body) {
  const Accumulate *found = nullptr;
  const Effects effects = effects_of(body);
  bool good = !effects.breaks && !effects.misses && effects.assigned.empty();
  each_statement(body, [&](const Statement &statement) {
    if (reduced_element(statement)) {
      const auto *sum = statement.as<Accumulate>();
      good = good && !found && !sum->atomic && sum->by == Operator::Add;
      found = sum;
      return;
    }
    const Local *local = statement.is<Blas>() ? nullptr : written_local(statement);
    good = good && ((local && effects.declared.contains(local->name)) || statement.is<Let>() ||
                    statement.is<If>() || statement.is<DeclareValue>());
  });
  return good ? found : nullptr;
}

} // namespace

std::optional<LaneSums> lane_sums(const For &loop) {
  if (!is_serial(loop) || loop.masked || loop.simd) return {};
  LaneSums result;
  const Statement *last = behind_lets(loop.body);
  result.lanes = last ? last->as<For>() : nullptr;
  if (!result.lanes || !is_serial(*result.lanes) || result.lanes->masked ||
      !constant_difference(result.lanes->lower, result.lanes->upper, result.length) || result.length < 2 ||
      result.length > most_lanes)
    return {};
  result.sum = only_sum(result.lanes->body);
  if (!result.sum) return {};
  const auto &target = std::get<Element>(result.sum->target);
  result.slot = substitute(target.slot, lets_of(result.lanes->body));
  Effects inside = effects_of(loop.body);
  inside.declared.insert(loop.variable);
  bool fixed = !inside.changes(result.lanes->lower) && !inside.mentions_declared(result.lanes->lower);
  inside.declared.erase(result.lanes->variable);
  fixed = fixed && mentions(result.slot, result.lanes->variable) && !inside.changes(result.slot) &&
          !inside.mentions_declared(result.slot);
  if (!fixed || reads(loop.body, target.array)) return {};
  return result;
}

} // namespace unravel::loop
