#include "compute/reduced_in_local.h"

#include "compute/build_tree.h"
#include "compute/taken_names.h"
#include "text/contains.h"

#include <algorithm>
#include <utility>

namespace unravel::compute {

using parse::StatementTree;

std::optional<ReducedInLocal> reduced_in_local(const Program &line) {
  const std::optional<parse::AssignmentTree> tree = assignment_of(line);
  if (!tree || !std::ranges::all_of(line.statements, has_plain_subscripts)) return std::nullopt;
  const Statement &first = line.statements.front();
  std::vector<std::string> modes;
  for (const std::string &index : indices_of(first.target))
    if (!contains(modes, index)) modes.push_back(index);
  const std::string name = TakenNames(*tree).fresh("sum");
  const parse::Expression element = access_expression({name, first.span}, names(modes, first.span));

  std::vector<StatementTree> body;
  body.push_back(assign(StatementTree::Kind::Local, parse::AssignmentTree::Operator::Set, element,
                        number_expression(identity_of(first), first.span)));
  body.back().extents.resize(modes.size());
  for (const Statement &term : line.statements)
    append(body, in_loops(names(term.indices, term.span),
                          {assigned(term, element, expression_of_term(term.value, term), true)}));
  Statement whole = first; // the masks and the product are those of its parts
  whole.masks.clear();
  whole.product.reset();
  append(body, in_loops(names(modes, first.span),
                        {assigned(whole, expression_of(first.target), element, first.accumulate)}));
  return ReducedInLocal{program_with(line, std::move(body)), name, modes.size()};
}

} // namespace unravel::compute
