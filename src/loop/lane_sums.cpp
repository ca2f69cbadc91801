#include "loop/lane_sums.h"

#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

bool is_plain(const For &loop) {
  return loop.step == 1 && !loop.parallel && loop.together == 1 && !loop.masked && !loop.team;
}

/// The only addition to an element, if all else is Lets, ifs and what happens to locals of the block.
const Accumulate *only_sum(const Block &body) {
  const Accumulate *found = nullptr;
  Effects effects = effects_of(body);
  bool good = !effects.breaks && !effects.misses && effects.assigned.empty();
  each_statement(body, [&](const Statement &statement) {
    if (const auto *sum = std::get_if<Accumulate>(&statement.kind);
        sum && std::holds_alternative<Element>(sum->target)) {
      good = good && !found && !sum->atomic && sum->by == Operator::Add;
      found = sum;
      return;
    }
    const Target *target = nullptr;
    if (const auto *sum = std::get_if<Accumulate>(&statement.kind)) target = &sum->target;
    if (const auto *store = std::get_if<Store>(&statement.kind)) target = &store->target;
    const auto *local = target ? std::get_if<Local>(target) : nullptr;
    bool inside = local && effects.declared.contains(local->name);
    good = good && (inside || std::holds_alternative<Let>(statement.kind) ||
                    std::holds_alternative<If>(statement.kind) ||
                    std::holds_alternative<DeclareValue>(statement.kind));
  });
  return good ? found : nullptr;
}

bool reads(const For &loop, const std::string &array) {
  bool found = false;
  each_statement(loop.body, [&](const Statement &statement) {
    each_own_value(statement, [&](const Value &value) {
      each_element(value, [&](const Element &element) { found = found || element.array == array; });
    });
  });
  return found;
}

} // namespace

std::optional<LaneSums> lane_sums(const For &loop) {
  if (!is_plain(loop) || loop.simd || loop.body.empty()) return {};
  LaneSums result;
  result.lanes = std::get_if<For>(&loop.body.back().kind);
  bool lets = std::all_of(loop.body.begin(), loop.body.end() - 1,
                          [](const Statement &each) { return std::holds_alternative<Let>(each.kind); });
  if (!lets || !result.lanes || !is_plain(*result.lanes) ||
      !constant_difference(result.lanes->lower, result.lanes->upper, result.length) || result.length < 2 ||
      result.length > most_lanes)
    return {};
  result.sum = only_sum(result.lanes->body);
  if (!result.sum) return {};
  const auto &target = std::get<Element>(result.sum->target);
  // What a Let at the top of the lane stands for.
  term::Substitution known;
  for (const Statement &statement : result.lanes->body)
    if (const auto *let = std::get_if<Let>(&statement.kind))
      known.insert_or_assign(let->variable, substitute(let->value, known));
  result.slot = substitute(target.slot, known);
  Effects inside = effects_of(loop.body);
  inside.declared.insert(loop.variable);
  bool fixed = !inside.changes(result.lanes->lower) && !inside.mentions_declared(result.lanes->lower);
  inside.declared.erase(result.lanes->variable);
  fixed = fixed && mentions(result.slot, result.lanes->variable) && !inside.changes(result.slot) &&
          !inside.mentions_declared(result.slot);
  if (!fixed || reads(loop, target.array)) return {};
  return result;
}

} // namespace unravel::loop
