// Leaves that compute their products in parts, as a plan of contractions says.
#include "choose/parts.h"
#include "choose/parts_tree.h"
#include "compute/build_tree.h"
#include "compute/result_local.h"
#include "parse/parse.h"
#include "pipeline/leaf.h"

#include <algorithm>

namespace unravel::pipeline {

namespace {

using parse::StatementTree;

/// The program whose statements the computation has: of a line one that clears its result first, and then has
/// loops for each term. Nothing where a program would say something else.
std::optional<parse::ProgramTree> program_of(const Front &front) {
  const compute::Program &program = front.computation.program;
  if (compute::may_have_result_local(program)) return compute::with_planned_terms(program, {});
  if (std::ranges::any_of(program.statements, &compute::Statement::is_free)) return std::nullopt;
  return front.tree;
}

std::size_t statements_in(const StatementTree &tree) {
  std::size_t count = tree.body.empty() ? 1 : 0;
  for (const StatementTree &inner : tree.body)
    count += statements_in(inner);
  return count;
}

/// Without the loops over these variables, and with the ranges of those loops.
std::vector<StatementTree> inside_of(const std::set<std::string> &opened,
                                     const std::vector<const StatementTree *> &loops,
                                     std::vector<StatementTree> trees) {
  std::vector<StatementTree> made;
  for (StatementTree &tree : trees) {
    tree.body = inside_of(opened, loops, std::move(tree.body));
    if (tree.kind == StatementTree::Kind::For && opened.contains(tree.variable.text)) {
      compute::append(made, std::move(tree.body));
      continue;
    }
    for (const StatementTree *loop : loops)
      if (tree.kind == StatementTree::Kind::For && tree.variable.text == loop->variable.text)
        tree.low = loop->low, tree.high = loop->high;
    made.push_back(std::move(tree));
  }
  return made;
}

/// Puts others, with all their loops, in the place of the statement of that number and the loops that it has
/// alone. False where there are conditions or rounds around it alone. `opened`: the variables of loops around
/// the body.
bool replace(std::vector<StatementTree> &body, std::size_t number, std::vector<StatementTree> others,
             std::set<std::string> opened = {}) {
  auto tree = body.begin();
  for (; number >= statements_in(*tree); ++tree)
    number -= statements_in(*tree);
  if (statements_in(*tree) > 1) {
    opened.insert(tree->variable.text);
    return replace(tree->body, number, std::move(others), std::move(opened));
  }
  std::vector<const StatementTree *> loops;
  const StatementTree *inside = &*tree;
  for (; !inside->body.empty(); inside = &inside->body.front()) {
    if (inside->kind != StatementTree::Kind::For) return false;
    loops.push_back(inside);
  }
  others = inside_of(opened, loops, std::move(others));
  const auto at = body.erase(tree);
  body.insert(at, others.begin(), others.end());
  return true;
}

} // namespace

std::string LeafPlanner::program_in_parts(const plan::LeafPlan &plan,
                                          const combine::IterationSpace &space) const {
  std::set<std::string> operands;
  for (const combine::Operand &operand : space.operands)
    operands.insert(operand.name);
  const std::vector<compute::Statement> &statements = in_.front.computation.program.statements;
  const auto statement = std::ranges::find_if(statements, [&](const compute::Statement &each) {
    std::set<std::string> read;
    compute::each_read(each, [&](const compute::Access &access) { read.insert(access.name()); });
    return each.target.tensor == space.target.tensor && read == operands;
  });
  std::optional<parse::ProgramTree> program = program_of(in_.front);
  if (!program || statement == statements.end() || !statement->masks.empty() ||
      statement->condition != term::truth())
    return "";
  auto number = static_cast<std::size_t>(statement - statements.begin());
  if (statement->is_free && !statements.front().accumulate) ++number; // its result is cleared
  const bool is_replaced = replace(program->body, number, choose::trees_of_parts(plan, *statement, *program));
  return is_replaced ? parse::to_text(*program) : "";
}

bool LeafPlanner::nest_terms(Leaf &leaf, std::size_t number, const std::function<void()> &scan,
                             Steps &steps) const {
  const combine::IterationSpace &space = in_.combination.leaves[number];
  const auto nested = std::ranges::find_if(in_.front.nested, [&](const compute::NestedTerms &each) {
    return choose::may_have_parts(space, each);
  });
  if (nested == in_.front.nested.end() || as_written_.contains(number)) return false;
  std::vector<parse::Name> first;
  for (std::size_t k = 0; k < leaf.plan.shared; ++k)
    first.push_back({space.loops[k], {}});
  const auto in_order = [&](const std::vector<std::string> &names) {
    std::vector<parse::Name> order = first;
    for (const std::string &name : names)
      if (std::ranges::find(order, name, &parse::Name::text) == order.end()) order.push_back({name, {}});
    leaf.order = schedule::complete_order(space, order);
    scan();
  };
  leaf.order = schedule::plan_order(space, {}, {}, {}, first); // segments in segments
  scan();
  in_order(leaf.plan.finds.levels.empty() ? choose::order_of_parts(leaf.plan.nest, *nested)
                                          : choose::positions_first(space, in_.combination, *nested));
  leaf.plan.parts = choose::parts_of(leaf.plan, space, in_.combination, *nested);
  steps.add("parts" + of_product(number), 0, [&] {
    if (leaf.plan.parts) return program_in_parts(leaf.plan, space);
    const std::optional<parse::ProgramTree> program = program_of(in_.front);
    return "# not in these loops, in which all is one product\n" + (program ? parse::to_text(*program) : "");
  });
  return leaf.plan.parts.has_value();
}

} // namespace unravel::pipeline
