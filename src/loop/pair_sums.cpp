
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

/// What vectors have operators for.
bool is_of_vectors(value::Operator op) {
  using value::Operator;
  return op == Operator::Add || op == Operator::Multiply || op == Operator::Negate || op == Operator::Divide;
}

/// Are two iterations' values a vector that C's operators make of vectors? `own`: locals of an iteration.
bool is_vector(const Value &value, const std::string &variable, const std::set<std::string> &own,
               bool &along) {
  if (const auto *element = std::get_if<Element>(&value.kind)) {
    along = runs_along(element->slot, variable);
    return along || !mentions(element->slot, variable);
  }
  if (const auto *term = std::get_if<term::Term>(&value.kind)) return !mentions(*term, variable);
  if (const auto *local = std::get_if<Local>(&value.kind)) along = own.contains(local->name);
  const auto *made = std::get_if<Value::Apply>(&value.kind);
  if (!made) return true;
  for (const Value &argument : made->arguments) {
    bool inside = false;
    if (!is_vector(argument, variable, own, inside)) return false;
    along = along || inside;
  }
  return !along || is_of_vectors(made->op);
}

} // namespace

std::optional<std::vector<std::string>> pair_sums(const For &loop) {
  if (!is_short_and_even(loop)) return {};
  const Effects effects = effects_of(loop.body);
  std::vector<std::string> sums;
  bool good = true, along = false; // of the value that is looked at
  auto look_at = [&](const Value &value) {
    bool has_element = false;
    good = good && is_vector(value, loop.variable, effects.declared, has_element);
    along = along || has_element;
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
