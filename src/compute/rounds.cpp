#include "compute/rounds.h"

#include "compute/build_tree.h"
#include "compute/taken_names.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::compute {

using parse::Expression;
using parse::StatementTree;
using report::Kind;

namespace {

/// Where nothing bounds their number: so many take longer than anybody waits, and sums with it stay far below
/// what 64 bits hold.
constexpr double most_rounds = 5e14;

/// A formula as a value: `and`, `or` and `not` as the operators that have these names.
Expression as_value(Expression formula) {
  auto call = [&](const char *name, std::vector<Expression> arguments) {
    Expression made;
    made.kind = Expression::Kind::Call;
    made.span = formula.span;
    made.name = {name, formula.span};
    for (Expression &each : arguments)
      made.children.push_back(as_value(std::move(each)));
    return made;
  };
  switch (formula.kind) {
  case Expression::Kind::And: return call("and", std::move(formula.children));
  case Expression::Kind::Or: return call("or", std::move(formula.children));
  case Expression::Kind::Not: return call("not", std::move(formula.children));
  case Expression::Kind::Implies:
    return call("or", {call("not", {std::move(formula.children[0])}), std::move(formula.children[1])});
  default: return formula;
  }
}

class RoundsRewriter {
public:
  explicit RoundsRewriter(const parse::ProgramTree &tree) : taken_(tree) {}

  void rewrite(std::vector<StatementTree> &body) {
    for (StatementTree &statement : body) {
      if (statement.kind == StatementTree::Kind::Repeat) rewrite(statement);
      rewrite(statement.body);
    }
  }

private:
  void rewrite(StatementTree &rounds) {
    rounds.kind = StatementTree::Kind::For;
    rounds.variable = {taken_.fresh("round"), rounds.span};
    rounds.low = number_expression(0, rounds.span);
    if (!rounds.high) rounds.high = number_expression(most_rounds, rounds.span);
    if (!rounds.until) return;
    const text::Span span = rounds.until->span;
    Expression ends = access_expression({taken_.fresh("done"), span}, {});
    ends.span = span;
    StatementTree test = assign(StatementTree::Kind::Local, parse::AssignmentTree::Operator::Set, ends,
                                as_value(*std::exchange(rounds.until, ends)));
    test.span = test.assignment.span = span;
    rounds.body.push_back(std::move(test));
  }

  TakenNames taken_;
};

} // namespace

parse::ProgramTree with_rounds_as_loops(parse::ProgramTree tree) {
  RoundsRewriter(tree).rewrite(tree.body);
  return tree;
}

void check_rounds(const Computation &computation) {
  const std::vector<Statement> &statements = computation.program.statements;
  for (const Statement &test : statements) {
    if (test.loops.empty() || test.loops.back().until != test.target.tensor) continue;
    bool changes = false;
    each_read(test, [&](const Access &read) {
      if (!read.is_local && !read.subscripts.empty())
        report::fail(
            Kind::bad_condition, read.span,
            fmt::format("`{}` is an element of a tensor: the condition of rounds may read only scalars",
                        to_text(read)),
            "compute a scalar from it in the round: `let e = 0; for i { e max= abs(x(i)); }`");
      for (const Statement &other : statements)
        changes = changes || (&other != &test && other.target.tensor == read.tensor &&
                              shared_loops(other.place, test.place) == test.loops.size());
    });
    if (!changes)
      report::fail(
          Kind::bad_condition, test.span,
          fmt::format("no round changes what `{}` reads, so it never becomes true", test.span.text()),
          "compare a scalar that the body assigns to; `repeat 10 { ... }` is ten rounds");
  }
}

} // namespace unravel::compute
