
#include "loop/arrays.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

namespace {

bool is_short_and_even(const For &loop) {
  std::int64_t length = 0;
  return is_plain(loop) && constant_difference(loop.lower, loop.upper, length) && length % 2 == 0 &&
         length >= least_paired && length <= most_paired;
}

} // namespace

std::optional<std::vector<std::string>> pair_sums(const For &loop) {
  if (!is_short_and_even(loop)) return {};
  std::vector<std::string> sums;
  bool good = true, along = false; // of the value that is looked at
  auto look_at = [&](const Value &value) {
    each_element(value, [&](const Element &element) {
      const bool runs = runs_along(element.slot, loop.variable);
      along = along || runs;
      good = good && (runs || !mentions(element.slot, loop.variable));
    });
    value::each_leaf<term::Term>(
        value, [&](const term::Term &term) { good = good && !mentions(term, loop.variable); });
    each_local(value, [&](const Local &local) {
      good = good && std::find(sums.begin(), sums.end(), local.name) == sums.end();
    });
  };
  for (const Statement &statement : loop.body) { // first the sums: no value may read them
    const Accumulate *add = addition_of(statement);
    const Local *local = add ? written_local(statement) : nullptr;
    if (local) sums.push_back(local->name);
    good = good && (local ? !add->atomic : statement.is<DeclareValue>());
  }
  const Effects effects = effects_of(loop.body);
  for (const std::string &sum : sums)
    good = good && !effects.declared.contains(sum) && std::count(sums.begin(), sums.end(), sum) == 1;
  bool any_along = false;
  for (const Statement &statement : loop.body) {
    along = false;
    each_own_value(statement, look_at);
    if (!good || (!along && statement.is<DeclareValue>())) return {};
    any_along = any_along || along;
  }
  if (!any_along || sums.empty()) return {};
  return sums;
}

} // namespace unravel::loop
