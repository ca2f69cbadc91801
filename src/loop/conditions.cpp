#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Relation;
using term::Term;

/// What holds at a place, as conjuncts.
using Facts = std::vector<Term>;

/// Whether left >= 0 follows from one fact, up to a constant.
bool is_at_least_zero(const Term &left, const Facts &facts) {
  return std::any_of(facts.begin(), facts.end(), [&](const Term &fact) {
    const auto *known = fact.as<term::Compare>();
    std::int64_t difference = 0;
    if (!known) return false;
    if (constant_difference(known->left, left, difference) && difference >= 0) return true;
    return known->relation == Relation::Equal && constant_difference(-known->left, left, difference) &&
           difference >= 0;
  });
}

bool is_implied(const Term &part, const Facts &facts) {
  if (std::find(facts.begin(), facts.end(), part) != facts.end()) return true;
  if (const auto *compare = part.as<term::Compare>(); compare && compare->relation == Relation::AtLeast)
    return is_at_least_zero(compare->left, facts);
  if (const auto *negated = part.as<term::Not>())
    if (const auto *compare = negated->of.as<term::Compare>())
      return is_at_least_zero(compare->left - Term(1), facts) ||
             is_at_least_zero(-compare->left - Term(1), facts);
  return false;
}

bool is_refuted(const Term &part, const Facts &facts) {
  return is_implied(negation(part), facts);
}

/// The condition where the facts hold.
Term simplify(const Term &condition, Facts facts) {
  std::vector<Term> kept;
  for (const Term &part : conjuncts(condition)) {
    Term simple = part;
    if (const auto *either = part.as<term::Or>()) {
      std::vector<Term> choices;
      for (const Term &choice : either->parts)
        choices.push_back(simplify(choice, facts));
      simple = term::disjunction(std::move(choices));
    }
    if (is_implied(simple, facts)) continue;
    if (is_refuted(simple, facts)) return term::falsity();
    kept.push_back(simple);
    for (const Term &fact : conjuncts(simple))
      facts.push_back(fact);
  }
  return term::conjunction(std::move(kept));
}

void forget(Facts &facts, const Effects &effects) {
  facts.erase(
      std::remove_if(facts.begin(), facts.end(), [&](const Term &fact) { return effects.changes(fact); }),
      facts.end());
}

void learn(Facts &facts, const Term &condition) {
  for (const Term &part : conjuncts(condition))
    facts.push_back(part);
}

std::string join_comments(const std::string &first, const std::string &second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

void simplify_block(Block &block, Facts facts);

void simplify_for(For &loop, Facts facts) {
  forget(facts, effects_of(loop.body));
  Facts bounds{at_most(loop.lower, term::variable(loop.variable)),
               less(term::variable(loop.variable), loop.upper)};
  forget(bounds, effects_of(loop.body));
  facts.insert(facts.end(), bounds.begin(), bounds.end());
  simplify_block(loop.body, std::move(facts));
}

void simplify_while(While &loop, Facts facts) {
  forget(facts, effects_of(loop.body));
  loop.condition = simplify(loop.condition, facts);
  learn(facts, loop.condition);
  simplify_block(loop.body, std::move(facts));
}

void simplify_if(If &guard, Facts facts) {
  guard.condition = simplify(guard.condition, facts);
  learn(facts, guard.condition);
  simplify_block(guard.then, std::move(facts));
  if (guard.then.size() != 1) return;
  if (const auto *inner = std::get_if<If>(&guard.then[0].kind)) {
    If merged{term::conjunction({guard.condition, inner->condition}), inner->then,
              join_comments(guard.comment, inner->comment)};
    guard = std::move(merged);
  }
}

/// A loop whose only iteration is known, as an if that is always true.
void unroll_single(Statement &statement) {
  auto *loop = std::get_if<For>(&statement.kind);
  std::int64_t trips = 0;
  if (!loop || !constant_difference(loop->lower, loop->upper, trips)) return;
  if (trips <= 0) {
    statement.kind = If{term::falsity(), {}, {}};
  } else if (trips <= loop->step && !effects_of(loop->body).breaks &&
             !effects_of(loop->body).changes(loop->lower)) {
    If once{term::truth(), {Statement{Let{loop->variable, loop->lower}}}, loop->comment};
    once.then.insert(once.then.end(), loop->body.begin(), loop->body.end());
    statement.kind = std::move(once);
  }
}

/// Whether statements may stand in the block around their if: none of their names is declared further on.
bool may_splice(const Block &then, const Block &block, std::size_t next) {
  Effects after;
  for (std::size_t k = next; k < block.size(); ++k)
    after.add(block[k]);
  return std::none_of(then.begin(), then.end(), [&](const Statement &statement) {
    if (body_of(statement)) return false;
    Effects own = effects_of(statement);
    return std::any_of(own.declared.begin(), own.declared.end(),
                       [&](const std::string &name) { return after.declared.contains(name); });
  });
}

void simplify_statement(Statement &statement, const Facts &facts) {
  unroll_single(statement);
  if (auto *loop = std::get_if<For>(&statement.kind)) simplify_for(*loop, facts);
  if (auto *loop = std::get_if<While>(&statement.kind)) simplify_while(*loop, facts);
  if (auto *guard = std::get_if<If>(&statement.kind)) simplify_if(*guard, facts);
}

void simplify_block(Block &block, Facts facts) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    simplify_statement(block[k], facts);
    auto here = block.begin() + static_cast<std::ptrdiff_t>(k);
    const auto *guard = std::get_if<If>(&block[k].kind);
    const auto *loop = std::get_if<While>(&block[k].kind);
    if ((guard && is_false(guard->condition)) || (loop && is_false(loop->condition))) {
      block.erase(here);
      --k;
      continue;
    }
    if (guard && is_true(guard->condition) && may_splice(guard->then, block, k + 1)) {
      Block then = guard->then;
      here = block.erase(here);
      block.insert(here, then.begin(), then.end());
      --k;
      continue;
    }
    if (std::holds_alternative<Break>(block[k].kind)) {
      block.erase(here + 1, block.end());
      return;
    }
    forget(facts, effects_of(block[k]));
    if (const auto *let = std::get_if<Let>(&block[k].kind))
      facts.push_back(equal(term::variable(let->variable), let->value));
  }
}

} // namespace

Block simplify_conditions(Block block) {
  simplify_block(block, {});
  return block;
}

Program fold(Program program) {
  // Texts tell whether anything changed: programs are small and a handful of rounds is enough.
  std::string before;
  for (std::string now = to_text(program.body); now != before; now = to_text(program.body)) {
    before = std::move(now);
    program.body = simplify_conditions(inline_names(drop_unused(std::move(program.body))));
  }
  return program;
}

} // namespace unravel::loop
