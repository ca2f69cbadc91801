// Leaves that compute their products in parts, as a plan of contractions says.
#include "choose/parts.h"
#include "choose/parts_text.h"
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
  const std::string &text = front.program.empty() ? front.computation.text : front.program;
  return parse::parse_program(std::make_shared<const text::Source>("program", text));
}

std::size_t statements_in(const StatementTree &tree) {
  std::size_t count = tree.body.empty() ? 1 : 0;
  for (const StatementTree &inner : tree.body)
    count += statements_in(inner);
  return count;
}

/// Puts others in the place of the statement of that number and the loops that are around it alone, whose
/// ranges remain. False where there are conditions or rounds around it alone.
bool replace(std::vector<StatementTree> &body, std::size_t number, std::vector<StatementTree> &others) {
  auto tree = body.begin();
  for (; number >= statements_in(*tree); ++tree)
    number -= statements_in(*tree);
  if (statements_in(*tree) > 1) return replace(tree->body, number, others);
  std::vector<const StatementTree *> loops;
  const StatementTree *inside = &*tree;
  for (; !inside->body.empty(); inside = &inside->body.front()) {
    if (inside->kind != StatementTree::Kind::For) return false;
    loops.push_back(inside);
  }
  const auto keep_ranges = [&](const auto &self, std::vector<StatementTree> &some) -> void {
    for (StatementTree &each : some) {
      for (const StatementTree *loop : loops)
        if (each.kind == StatementTree::Kind::For && each.variable.text == loop->variable.text)
          each.low = loop->low, each.high = loop->high;
      self(self, each.body);
    }
  };
  keep_ranges(keep_ranges, others);
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
  std::vector<StatementTree> parts = choose::trees_of_parts(plan, *statement, *program);
  return replace(program->body, number, parts) ? parse::to_text(*program) : "";
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
    return (leaf.plan.parts ? "" : "# not in these loops, in which all is one product\n") +
           parse::to_text(nested->program);
  });
  return leaf.plan.parts.has_value();
}

} // namespace unravel::pipeline
