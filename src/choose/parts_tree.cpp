#include "choose/parts_tree.h"

#include "compute/build_tree.h"
#include "compute/taken_names.h"
#include "text/contains.h"

#include <fmt/format.h>

namespace unravel::choose {

using parse::Expression;
using parse::StatementTree;
using plan::Part;
using plan::PartNode;

namespace {

class Builder {
public:
  Builder(const plan::Parts &parts, const compute::Statement &statement, compute::TakenNames taken)
      : parts_(parts), statement_(statement) {
    for (std::size_t part = 0; part + 1 < parts.all.size(); ++part)
      locals_.push_back(taken.fresh("w"));
  }

  /// What stands in loops over these levels.
  std::vector<StatementTree> in_levels(const std::vector<scan::Level> &levels,
                                       std::vector<StatementTree> body) const {
    return compute::in_loops(names_of(levels), std::move(body));
  }

  std::vector<StatementTree> trees_of(const std::vector<PartNode> &nodes) const {
    std::vector<StatementTree> trees;
    for (const PartNode &node : nodes) {
      for (std::size_t part : node.begins)
        trees.push_back(
            compute::assign(StatementTree::Kind::Local, parse::AssignmentTree::Operator::Set, sum(part),
                            compute::number_expression(compute::identity_of(statement_), statement_.span)));
      compute::append(
          trees, in_levels(node.levels, node.part ? std::vector{tree_of(*node.part)} : trees_of(node.body)));
    }
    return trees;
  }

private:
  bool is_index(const std::string &variable) const {
    return contains(statement_.indices, variable) ||
           contains(statement_.loops, variable, &compute::Loop::variable);
  }

  /// Of the levels' variables those that the line has.
  std::vector<parse::Name> names_of(const std::vector<scan::Level> &levels) const {
    std::vector<parse::Name> names;
    for (const scan::Level &level : levels)
      if (is_index(level.variable)) names.push_back({level.variable, statement_.span});
    return names;
  }

  Expression sum(std::size_t part) const {
    return compute::access_expression({locals_[part], statement_.span}, names_of(parts_.all[part].modes));
  }

  StatementTree tree_of(std::size_t number) const {
    const Part &part = parts_.all[number];
    const bool is_last = number == locals_.size();
    std::vector<Expression> factors;
    const double constant = value::quotient_of(statement_.value).constant;
    if (is_last && constant != 1) factors.push_back(compute::number_expression(constant, statement_.span));
    for (std::size_t read : part.parts)
      factors.push_back(sum(read));
    compute::each_read(statement_, [&](const compute::Access &access) {
      if (part.factors.contains(access.name())) factors.push_back(compute::expression_of(access));
    });
    return compute::assigned(statement_, is_last ? compute::expression_of(statement_.target) : sum(number),
                             compute::product_expression(std::move(factors)), true);
  }

  const plan::Parts &parts_;
  const compute::Statement &statement_;
  std::vector<std::string> locals_; // of all parts but the last
};

} // namespace

std::vector<StatementTree> trees_of_parts(const plan::LeafPlan &plan, const compute::Statement &statement,
                                          const parse::ProgramTree &program) {
  const plan::Parts &parts = *plan.parts;
  const Builder builder(parts, statement, compute::TakenNames(program));
  const auto levels = plan.nest.levels.begin();
  return builder.in_levels({levels, levels + static_cast<std::ptrdiff_t>(parts.begin)},
                           builder.trees_of(parts.body));
}

} // namespace unravel::choose
