#include "compute/result_local.h"

#include "compute/build_tree.h"
#include "compute/mask.h"
#include "parse/parse.h"

#include <algorithm>
#include <set>

namespace unravel::compute {

using parse::Expression;
using parse::StatementTree;
using AssignOp = parse::AssignmentTree::Operator;

bool may_have_result_local(const Program &line) {
  std::set<std::string> of_result;
  for (const Subscript &subscript : line.statements.front().target.subscripts)
    if (!of_result.insert(subscript.index).second) return false;
  const Statement &first = line.statements.front();
  return std::ranges::all_of(line.statements, [&](const Statement &statement) {
    bool is_plain = statement.is_free && statement.by == first.by && statement.product == first.product;
    each_access(statement, [&](const Access &access) {
      is_plain = is_plain && std::ranges::all_of(access.subscripts, [](const Subscript &subscript) {
                   return !subscript.index.empty() && subscript.shift == 0;
                 });
    });
    return is_plain;
  });
}

namespace {

bool are_equal(const Mask &one, const Mask &other) {
  return one.is_absent == other.is_absent && one.access.tensor == other.access.tensor &&
         std::ranges::equal(one.access.subscripts, other.access.subscripts, {}, &Subscript::index,
                            &Subscript::index);
}

/// Without masks and conditions.
Statement unmasked(Statement statement) {
  statement.masks.clear();
  statement.condition = term::truth();
  return statement;
}

} // namespace

bool may_mask_local(const Program &line, const ResultLocal &local) {
  const Statement &first = line.statements.front();
  const auto is_of = [](const std::vector<std::string> &names, const std::string &index) {
    return std::ranges::find(names, index) != names.end();
  };
  const auto is_of_result = [&](const std::string &index) {
    return is_of(local.around, index) || is_of(local.modes, index);
  };
  bool is_led = false; // by entries
  for (const Mask &mask : first.masks) {
    std::size_t modes = 0;
    for (const Subscript &subscript : mask.access.subscripts) {
      if (!is_of_result(subscript.index)) return false;
      modes += is_of(local.modes, subscript.index);
    }
    is_led = is_led || (!mask.is_absent && modes == local.modes.size());
  }
  return is_led && first.by == value::Operator::Add &&
         std::ranges::all_of(term::variables_of(first.condition), is_of_result) &&
         std::ranges::all_of(line.statements, [&](const Statement &statement) {
           return statement.condition == first.condition &&
                  std::ranges::equal(statement.masks, first.masks, are_equal);
         });
}

parse::ProgramTree with_planned_terms(const Program &line, PlannedTerms planned) {
  const Statement &first = line.statements.front();
  std::vector<StatementTree> body;
  if (!first.accumulate) body.push_back(clearing(first));
  for (std::size_t k = 0; k < line.statements.size(); ++k) {
    const Statement &term = line.statements[k];
    if (const auto made = planned.terms.find(k); made != planned.terms.end())
      append(body, std::move(made->second));
    else
      append(body, in_loops(names(term.indices, term.span),
                            {assigned(term, expression_of(term.target), expression_of_term(term.value, term),
                                      true)}));
  }
  return program_with(line, std::move(body));
}

std::string text_of_line(const Program &line) {
  if (const auto assignment = assignment_of(line)) return parse::to_text(*assignment) + "\n";
  return parse::to_text(with_planned_terms(line, {}));
}

parse::ProgramTree with_result_local(const Program &line, const ResultLocal &local, PlannedTerms planned) {
  const Statement &first = line.statements.front();
  const text::Span &span = first.target.span;
  const Expression element = access_expression({local.tensor, span}, names(local.modes, span));
  std::vector<StatementTree> body{assign(StatementTree::Kind::Local, AssignOp::Set, element,
                                         number_expression(identity_of(first), span))};
  const auto at_mask = [&](StatementTree statement) {
    if (local.is_masked) statement.assignment.mask = mask_expression(first);
    return in_loops(names(local.modes, span), {std::move(statement)});
  };
  if (local.is_masked)
    append(body, at_mask(assign(StatementTree::Kind::Assign, AssignOp::Set, element,
                                number_expression(identity_of(first), span))));
  for (std::size_t k = 0; k < line.statements.size(); ++k) {
    const Statement &term = line.statements[k];
    if (const auto made = planned.terms.find(k); made != planned.terms.end()) {
      append(body, std::move(made->second));
      continue;
    }
    std::vector<std::string> loops; // those that only the operands have outside, as the line writes them
    for (const std::string &index : term.indices)
      if (std::ranges::find(local.around, index) == local.around.end() &&
          std::ranges::find(local.modes, index) == local.modes.end())
        loops.push_back(index);
    loops.insert(loops.end(), local.modes.begin(), local.modes.end());
    append(body, in_loops(names(loops, term.span), {assigned(local.is_masked ? unmasked(term) : term, element,
                                                             expression_of_term(term.value, term), true)}));
  }
  append(body, at_mask(assigned(first, expression_of(first.target), element, false)));
  std::vector<StatementTree> all = std::move(planned.before);
  append(all, in_loops(names(local.around, span), std::move(body)));
  return program_with(line, std::move(all));
}

} // namespace unravel::compute
