#include "loop/facts.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Linear;
using term::Relation;
using term::Term;

/// Whether the fact has an atom with the same sign as the term, so that the difference may be simpler.
bool may_cancel(const Linear &term, const Linear &fact, std::int64_t sign) {
  return std::any_of(fact.parts.begin(), fact.parts.end(), [&](const auto &part) {
    return std::any_of(term.parts.begin(), term.parts.end(), [&](const auto &own) {
      return own.first == part.first && (own.second > 0) == (sign * part.second > 0);
    });
  });
}

bool is_constant_at_least_zero(const Term &term) {
  const auto *constant = term.as<term::Constant>();
  return constant && constant->value >= 0;
}

} // namespace

void Facts::learn(const Term &condition) {
  for (const Term &part : conjuncts(condition))
    facts_.push_back(part);
}

void Facts::learn_not(const Term &condition) {
  if (const auto *either = condition.as<term::Or>()) {
    for (const Term &part : either->parts)
      learn(negation(part));
  } else {
    learn(negation(condition));
  }
}

void Facts::forget(const Effects &effects) {
  std::erase_if(facts_, [&](const Term &fact) { return effects.changes(fact); });
}

Facts Facts::inside(const Statement &statement, std::size_t index) const {
  Facts result = *this;
  if (const auto *guard = statement.as<If>()) {
    if (index == 0)
      result.learn(guard->condition);
    else
      result.learn_not(guard->condition);
    return result;
  }
  if (!is_loop(statement)) return result;
  Effects effects = effects_of(statement);
  result.forget(effects);
  if (const auto *loop = statement.as<While>()) result.learn(loop->condition);
  Facts bounds; // evaluated once: they may not hold for what they mention later
  auto learn_range = [&](const auto &range) {
    Term variable = term::variable(range.variable);
    bounds.learn(at_most(range.lower, variable));
    bounds.learn(less(variable, range.upper));
  };
  if (const auto *loop = statement.as<For>()) learn_range(*loop);
  if (const auto *loop = statement.as<Intersect>()) {
    learn_range(loop->first);
    learn_range(loop->second);
  }
  if (const auto *loop = statement.as<Merge>(); loop && index < loop->ranges.size())
    learn_range(loop->ranges[index].range);
  bounds.forget(effects);
  result.facts_.insert(result.facts_.end(), bounds.facts_.begin(), bounds.facts_.end());
  return result;
}

void Facts::pass(const Statement &statement) {
  forget(effects_of(statement));
  if (const auto *let = statement.as<Let>()) learn(equal(term::variable(let->variable), let->value));
}

bool Facts::at_least_zero(const Term &term, const Base &base, int depth) const {
  if (base(term)) return true;
  if (depth == 0) return false;
  Linear own = linear_form(term);
  return std::any_of(facts_.begin(), facts_.end(), [&](const Term &fact) {
    const auto *known = fact.as<term::Compare>();
    if (!known) return false;
    Linear linear = linear_form(known->left);
    if (may_cancel(own, linear, 1) && at_least_zero(term - known->left, base, depth - 1)) return true;
    return known->relation == Relation::Equal && may_cancel(own, linear, -1) &&
           at_least_zero(term + known->left, base, depth - 1);
  });
}

bool Facts::imply(const Term &condition) const {
  if (std::find(facts_.begin(), facts_.end(), condition) != facts_.end()) return true;
  auto holds = [&](const Term &term) { return at_least_zero(term, is_constant_at_least_zero); };
  if (const auto *compare = condition.as<term::Compare>())
    return holds(compare->left) && (compare->relation == Relation::AtLeast || holds(-compare->left));
  if (const auto *negated = condition.as<term::Not>())
    if (const auto *compare = negated->of.as<term::Compare>())
      return holds(compare->left - Term(1)) || holds(-compare->left - Term(1));
  return false;
}

bool Facts::refute(const Term &condition) const {
  return imply(negation(condition));
}

void each_statement_with_facts(const Block &block, const Facts &before,
                               const std::function<void(const Statement &, const Facts &)> &visit) {
  Facts facts = before;
  for (const Statement &statement : block) {
    visit(statement, facts);
    std::vector<const Block *> blocks = blocks_of(statement);
    for (std::size_t k = 0; k < blocks.size(); ++k)
      each_statement_with_facts(*blocks[k], facts.inside(statement, k), visit);
    facts.pass(statement);
  }
}

} // namespace unravel::loop
