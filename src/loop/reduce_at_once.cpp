#include "loop/arrays.h"
#include "loop/passes.h"
#include "loop/types.h"
#include "loop/walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

/// What each iteration of the loop reduces into one place, where that is all it does, and always the same:
/// behind Lets, which nothing needs then.
const Accumulate *repeated(const For &loop) {
  if (!is_serial(loop) || !behind_lets(loop.body)) return nullptr;
  const auto *reduced = loop.body.back().as<Accumulate>();
  if (!reduced) return nullptr;
  Effects inside = effects_of(loop.body);
  inside.declared.insert(loop.variable);
  bool is_same = true;
  each_own_term(loop.body.back(),
                [&](const Term &term) { is_same = is_same && !inside.mentions_declared(term); });
  each_element(reduced->value,
               [&](const Element &read) { is_same = is_same && !inside.touches(read.array); });
  each_local(reduced->value, [&](const Local &read) { is_same = is_same && !inside.touches(read.name); });
  return is_same ? reduced : nullptr;
}

class AtOnce {
public:
  explicit AtOnce(const Program &program) : types_(program) {}

  void block(Block &statements) const {
    Block made;
    for (Statement &statement : statements) {
      for (Block *inner : blocks_of(statement))
        block(*inner);
      const auto *loop = statement.as<For>();
      const Accumulate *reduced = loop ? repeated(*loop) : nullptr;
      if (std::optional<Statement> once = reduced ? at_once(*loop, *reduced) : std::nullopt) {
        once->origins = joined(statement.origins, loop->body.back().origins);
        statement = std::move(*once);
        if (!made.empty() && declare(made.back(), statement)) continue;
      }
      made.push_back(std::move(statement));
    }
    statements = std::move(made);
  }

private:
  std::optional<Statement> at_once(const For &loop, const Accumulate &reduced) const {
    Accumulate once = reduced;
    const Term some = term::less(loop.lower, loop.upper);
    if (value::laws_of(reduced.by).is_idempotent) return guarded(some, std::move(once));
    if (reduced.by != Operator::Add) return {};
    const ElementType type = types_.of(reduced.target);
    if (type == ElementType::Bool) return {}; // 1 + 1 is 1
    const double *number = value::number_of(reduced.value);
    const bool is_local = std::holds_alternative<Local>(reduced.target);
    const bool may_be_zero = is_local && number && std::isfinite(*number);
    const Term length = loop.upper - loop.lower;
    std::vector<Value> factors{
        value::apply(value::conversion_to(type),
                     std::vector<Value>{{may_be_zero ? term::maximum({Term(0), length}) : length}})};
    if (!number || *number != 1) factors.push_back(reduced.value);
    once.value = factors.size() == 1 ? factors.front() : value::apply(Operator::Multiply, factors);
    return may_be_zero ? Statement{std::move(once)} : guarded(some, std::move(once));
  }

  static Statement guarded(const Term &condition, Accumulate once) {
    return {If{condition, {{std::move(once)}}, "", {}}};
  }

  /// Gives the local what is reduced from the beginning, where it is declared with the identity.
  static bool declare(Statement &before, const Statement &statement) {
    auto *declared = before.as<DeclareValue>();
    const auto *reduced = statement.as<Accumulate>();
    const Local *local = reduced_local(statement);
    const double *number = declared ? value::number_of(declared->initial) : nullptr;
    if (!local || !number || declared->name != local->name || *number != value::identity_of(reduced->by))
      return false;
    declared->initial = reduced->value;
    before.origins = joined(before.origins, statement.origins);
    return true;
  }

  const Types types_;
};

} // namespace

Program reduce_at_once(Program program, const Known &) {
  const AtOnce pass(program);
  pass.block(program.body);
  return program;
}

} // namespace unravel::loop
