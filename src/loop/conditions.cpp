#include "loop/facts.h"
#include "loop/passes.h"

#include "value/chosen.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

/// The condition with `not` at comparisons only; parts keep their order.
Term push_not_inwards(const Term &condition) {
  const auto *negated = condition.as<term::Not>();
  const Term &inner = negated ? negated->of : condition;
  const auto *both = inner.as<term::And>();
  const auto *either = inner.as<term::Or>();
  if (!both && !either) return condition;
  std::vector<Term> parts;
  for (const Term &part : both ? both->parts : either->parts)
    parts.push_back(push_not_inwards(negated ? negation(part) : part));
  bool conjunction = (both != nullptr) != (negated != nullptr);
  return conjunction ? term::conjunction(std::move(parts)) : term::disjunction(std::move(parts));
}

Term simplify(const Term &condition, Facts facts);

/// Each choice is evaluated where those before it don't hold.
Term simplify_choices(const std::vector<Term> &choices, Facts facts) {
  std::vector<Term> kept;
  for (const Term &choice : choices) {
    kept.push_back(simplify(choice, facts));
    facts.learn_not(kept.back());
  }
  return term::disjunction(std::move(kept));
}

/// The condition where the facts hold.
Term simplify(const Term &condition, Facts facts) {
  std::vector<Term> kept;
  for (const Term &part : conjuncts(push_not_inwards(condition))) {
    Term simple = part;
    if (const auto *either = part.as<term::Or>()) simple = simplify_choices(either->parts, facts);
    if (facts.imply(simple)) continue;
    if (facts.refute(simple)) return term::falsity();
    kept.push_back(simple);
    facts.learn(simple);
  }
  return term::conjunction(std::move(kept));
}

std::string join_comments(const std::string &first, const std::string &second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

/// `merge`: an if directly in the block may be merged with the one in it.
void simplify_block(Block &block, Facts facts, bool merge = true);

void simplify_while(While &loop, const Facts &facts) {
  Facts each_round = facts;
  each_round.forget(effects_of(loop.body));
  loop.condition = simplify(loop.condition, std::move(each_round));
}

/// What never runs is dropped, and what always runs is the then branch.
void simplify_if(If &guard, const Facts &facts) {
  guard.condition = simplify(guard.condition, facts);
  if (is_false(guard.condition)) {
    guard.condition = term::truth();
    guard.then = std::move(guard.otherwise);
    guard.otherwise.clear();
  }
  if (is_true(guard.condition)) guard.otherwise.clear();
}

void merge_nested(Statement &statement) {
  auto &guard = std::get<If>(statement.kind);
  if (guard.then.size() != 1 || !guard.otherwise.empty()) return;
  const auto *inner = guard.then[0].as<If>();
  if (!inner || !inner->otherwise.empty()) return;
  If merged{term::conjunction({guard.condition, inner->condition}),
            inner->then,
            join_comments(guard.comment, inner->comment),
            {}};
  Origins origins = joined(statement.origins, guard.then[0].origins);
  statement = {std::move(merged), std::move(origins)};
}

/// A loop whose only iteration is known, as an if that is always true. (Additions are atomic in parallel
/// loops alone.)
void unroll_single(Statement &statement) {
  auto *loop = statement.as<For>();
  std::int64_t trips = 0;
  if (!loop || !constant_difference(loop->lower, loop->upper, trips)) return;
  if (trips <= 0) {
    statement.kind = If{term::falsity(), {}, {}, {}};
  } else if (trips <= loop->step && !(loop->parallel && adds_atomically(loop->body)) &&
             !effects_of(loop->body).breaks && !effects_of(loop->body).changes(loop->lower)) {
    If once{
        term::truth(), {Statement{Let{loop->variable, loop->lower}, statement.origins}}, loop->comment, {}};
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
    if (!blocks_of(statement).empty()) return false;
    Effects own = effects_of(statement);
    return std::any_of(own.declared.begin(), own.declared.end(),
                       [&](const std::string &name) { return after.declared.contains(name); });
  });
}

void simplify_statement(Statement &statement, const Facts &facts, bool merge) {
  unroll_single(statement);
  if (auto *loop = statement.as<While>()) simplify_while(*loop, facts);
  if (auto *guard = statement.as<If>()) simplify_if(*guard, facts);
  auto *counted = statement.as<For>();
  // a test for many iterations at once stays the short one that it is
  bool together = counted && counted->together > 1;
  std::vector<Block *> blocks = blocks_of(statement);
  for (std::size_t k = 0; k < blocks.size(); ++k)
    simplify_block(*blocks[k], facts.inside(statement, k), !together);
  if (together && !may_test_together(*counted)) counted->together = 1;
  if (statement.is<If>() && merge) merge_nested(statement);
}

bool never_runs(const Statement &statement, const Facts &facts) {
  if (const auto *loop = statement.as<While>()) return is_false(loop->condition);
  if (const auto *loop = statement.as<For>()) return facts.refute(less(loop->lower, loop->upper));
  return is_hollow(statement);
}

void simplify_block(Block &block, Facts facts, bool merge) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    simplify_statement(block[k], facts, merge);
    if (never_runs(block[k], facts)) {
      block.erase(place(block, k--));
      continue;
    }
    const auto *guard = block[k].as<If>();
    if (guard && is_true(guard->condition) && may_splice(guard->then, block, k + 1)) {
      replace(block, k--, Block(guard->then));
      continue;
    }
    if (block[k].is<Break>()) {
      block.resize(k + 1);
      return;
    }
    facts.pass(block[k]);
  }
}

} // namespace

Block simplify_conditions(Block block) {
  simplify_block(block, {});
  return block;
}

Program fold(Program program, const Known & /*known*/) {
  rewrite(program.body, {}, [](const Value &value) { return value::chosen(value); });
  // Texts tell whether anything changed: programs are small and a handful of rounds is enough.
  std::string before;
  for (std::string now = to_text(program.body); now != before; now = to_text(program.body)) {
    before = std::move(now);
    program.body = simplify_conditions(inline_names(drop_unused(std::move(program.body))));
  }
  return program;
}

} // namespace unravel::loop
