#include "compute/summed_brackets.h"

#include "compute/build_tree.h"
#include "compute/own_operators.h"
#include "compute/subscripts.h"
#include "compute/taken_names.h"
#include "compute/written_sums.h"
#include "text/contains.h"

#include <algorithm>
#include <set>
#include <utility>

namespace unravel::compute {

using parse::AssignmentTree;
using parse::Expression;
using parse::Name;
using parse::StatementTree;
using ExpressionKind = Expression::Kind;
using AssignOp = AssignmentTree::Operator;

namespace {

const std::string name_of_sums = "sum over"; // which is no name

bool is_summed(const Expression &written) {
  return written.kind == ExpressionKind::Call && written.name.text == name_of_sums;
}

bool has_sums(const Expression &written) {
  return is_summed(written) || std::ranges::any_of(written.children, has_sums);
}

class Lowering {
public:
  explicit Lowering(const AssignmentTree &line)
      : line_(line), taken_(line), indices_(subscripts_of(line, Operators(line.operators))) {}

  parse::ProgramTree program(Expression value) {
    std::vector<StatementTree> last;
    if (line_.op == AssignOp::Set)
      append(last, in_loops(names_in(line_.target),
                            {statement(AssignOp::Set, line_.target, number_expression(0, line_.span))}));
    const bool is_negative = line_.op == AssignOp::Subtract;
    add_terms(line_.target, std::move(value), is_negative, line_.mask, last);
    append(body_, std::move(last));
    parse::ProgramTree made;
    made.operators = line_.operators;
    made.span = line_.span;
    made.body = std::move(body_);
    return made;
  }

private:
  static StatementTree statement(AssignOp op, Expression target, Expression value) {
    return assign(StatementTree::Kind::Assign, op, std::move(target), std::move(value));
  }

  /// Index names in the order in which they stand there.
  std::vector<Name> names_in(const Expression &written) const {
    std::vector<Name> found;
    add_names(written, found);
    std::erase_if(found, [&](const Name &name) { return !contains(indices_, name.text, &Name::text); });
    return found;
  }

  /// Adds what the terms of the value make to the target, each in loops of its own.
  void add_terms(const Expression &target, Expression value, bool is_negative,
                 const std::optional<Expression> &mask, std::vector<StatementTree> &made) {
    if (value.kind == ExpressionKind::Add || value.kind == ExpressionKind::Subtract ||
        value.kind == ExpressionKind::Negate) {
      for (std::size_t k = 0; k < value.children.size(); ++k) {
        const bool is_taken =
            value.kind == ExpressionKind::Negate || (value.kind == ExpressionKind::Subtract && k > 0);
        add_terms(target, std::move(value.children[k]), is_negative != is_taken, mask, made);
      }
      return;
    }
    std::vector<Name> loops = names_in(target);
    if (is_summed(value)) {
      Expression of = std::move(value.children.back());
      value.children.pop_back();
      for (const Expression &index : value.children)
        loops.push_back(index.name);
      value = std::move(of);
    }
    put_locals(value);
    StatementTree adding =
        statement(is_negative ? AssignOp::Subtract : AssignOp::Add, target, std::move(value));
    adding.assignment.mask = mask;
    append(made, in_loops(loops, {std::move(adding)}));
  }

  /// A local in place of each bracket that has sums.
  void put_locals(Expression &written) {
    if (!has_sums(written)) return;
    if (written.kind == ExpressionKind::Multiply || written.kind == ExpressionKind::Divide) {
      for (Expression &factor : written.children)
        put_locals(factor);
      return;
    }
    std::vector<Name> modes = names_of_bracket(written);
    const Expression local = access_expression({taken_.fresh("sum"), written.span}, modes);
    body_.push_back(
        assign(StatementTree::Kind::Local, AssignOp::Set, local, number_expression(0, written.span)));
    body_.back().extents.resize(modes.size());
    std::vector<StatementTree> terms;
    add_terms(local, std::move(written), false, std::nullopt, terms);
    append(body_, std::move(terms));
    written = local;
  }

  /// The indices that no sum inside the bracket is over.
  std::vector<Name> names_of_bracket(const Expression &bracket) const {
    std::set<std::string> inside;
    const auto visit = [&](const auto &self, const Expression &each) -> void {
      if (is_summed(each))
        for (std::size_t k = 0; k + 1 < each.children.size(); ++k)
          inside.insert(each.children[k].name.text);
      for (const Expression &child : each.children)
        self(self, child);
    };
    visit(visit, bracket);
    std::vector<Name> modes = names_in(bracket);
    std::erase_if(modes, [&](const Name &name) { return inside.contains(name.text); });
    return modes;
  }

  const AssignmentTree &line_;
  TakenNames taken_;
  std::vector<Name> indices_;
  std::vector<StatementTree> body_;
};

} // namespace

std::optional<parse::ProgramTree> with_summed_brackets(const AssignmentTree &line) {
  if (line.semiring) return std::nullopt;
  WrittenSums sums = written_sums(line, name_of_sums);
  if (!sums.has_several) return std::nullopt;
  return Lowering(line).program(std::move(sums.value));
}

} // namespace unravel::compute
