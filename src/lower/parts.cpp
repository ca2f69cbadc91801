#include "lower/parts.h"

#include "loop/walk.h"
#include "lower/origins.h"
#include "term/children.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace unravel::lower {

using combine::IterationSpace;
using combine::Operand;
using plan::Part;
using plan::PartNode;
using scan::Level;
using term::Term;

namespace {

using Names = std::set<std::string>;

/// The levels around it. `known`: what has its value before.
loop::Block in_levels(const std::vector<Level> &levels, loop::Block block, const Names &known = {}) {
  for (std::size_t k = levels.size(); k-- > 0;) {
    const Level &level = levels[k];
    block = where(level.guards, std::move(block));
    if (level.is_let()) {
      if (!known.contains(level.variable))
        block.insert(block.begin(), {loop::Let{level.variable, level.value}});
      continue;
    }
    loop::For loop{level.variable, level.lower, level.upper};
    if (!level.tensor.empty()) loop.comment = fmt::format("positions of {}", level.tensor);
    loop.body = std::move(block);
    block = {{std::move(loop)}};
  }
  return block;
}

/// Whose element, or value, a sum over the loops of these modes is: an element of an array of that name.
Operand sum_of(const std::vector<Level> &modes, const std::string &of, const std::string &name,
               const std::string &about, Workspace &workspace, bool per_thread) {
  Operand sum;
  std::vector<Term> extents;
  for (const Level &mode : modes) {
    extents.push_back(mode.upper);
    sum.slots.push_back(term::variable(mode.variable));
    sum.slot = term::multiply(sum.slot, mode.upper) + sum.slots.back();
  }
  const value::Type type = compute::type_of(workspace.combination().types, of);
  if (!extents.empty()) sum.array = workspace.add_values(name, extents, per_thread, about, type);
  sum.name = sum.tensor = sum.local = extents.empty() ? name : sum.array;
  return sum;
}

/// Writes the parts.
class PartSums {
public:
  PartSums(const IterationSpace &space, const LeafPlan &plan, Workspace &workspace, bool per_thread,
           const Writes &writes)
      : space_(space), plan_(plan), writes_(writes) {
    const plan::Parts &parts = *plan.parts;
    const bool is_product = parts.product == value::Operator::Multiply;
    const auto all = value::quotient_of(space.value);
    const std::vector<combine::Value> factors =
        is_product ? all.factors : value::parts_by(parts.product, space.value);
    for (std::size_t number = 0; number < parts.all.size(); ++number) {
      const Part &part = parts.all[number];
      const bool is_last = number + 1 == parts.all.size();
      IterationSpace own = space;
      std::erase_if(own.operands, [&](const Operand &each) { return !part.factors.contains(each.name); });
      std::vector<combine::Value> read;
      if (is_last && is_product && all.constant != 1) read.push_back({value::Number{all.constant}});
      for (std::size_t sum : part.parts) {
        own.operands.push_back(parts_[sum].target);
        own.types[parts_[sum].target.tensor] = space.type;
        read.push_back({combine::Read{parts_[sum].target.name}});
      }
      for (const combine::Value &factor : factors)
        if (part.factors.contains(std::get<combine::Read>(factor.kind).operand)) read.push_back(factor);
      own.value = read.size() == 1 ? read.front() : value::made_by(parts.product, std::move(read));
      if (!is_last) {
        own.target =
            sum_of(part.modes, space.target.tensor, fmt::format("{}.part{}", space.target.tensor, number + 1),
                   fmt::format("part {} of the product that is added to {}", number + 1, space.target.tensor),
                   workspace, per_thread);
        own.types[own.target.tensor] = space.type;
      }
      parts_.push_back(std::move(own));
    }
  }

  loop::Block block_of(const std::vector<PartNode> &nodes, Names known = {}) {
    loop::Block block;
    for (const PartNode &node : nodes) {
      for (std::size_t part : node.begins)
        loop::append(block, begun(part, node));
      Names inside = known;
      for (const Level &level : node.levels)
        if (level.is_let()) inside.insert(level.variable);
      loop::Block body = node.part ? executed(*node.part, node) : block_of(node.body, inside);
      body = in_levels(node.levels, std::move(body), known);
      loop::append(block, node.part ? where_terms(*node.part, node, std::move(body)) : std::move(body));
      for (const Level &level : node.levels) { // values that are there for what follows, too
        if (!level.is_let()) break;
        known.insert(level.variable);
        if (!level.guards.empty()) break;
      }
    }
    return block;
  }

private:
  /// What is there before anything is added.
  loop::Block begun(std::size_t number, const PartNode &node) const {
    loop::Block block = zero(number, node);
    if (has_flag(number)) block.push_back({loop::Declare{flag_of(number), Term(0)}});
    return block;
  }

  loop::Block zero(std::size_t number, const PartNode &node) const {
    const Part &part = plan_.parts->all[number];
    if (part.sets && (!part.modes.empty() || node.part == number)) return {};
    const loop::Value nothing{loop::Number{value::identity_of(space_.by)}};
    if (part.modes.empty())
      return {{loop::DeclareValue{parts_[number].target.local, nothing, declared(space_.type)}}};
    return in_levels(part.modes, {{loop::Store{target_of(number), nothing}}});
  }

  loop::Block executed(std::size_t number, const PartNode &node) const {
    const IterationSpace &own = parts_[number];
    loop::Value value = Values(own, plan_).value();
    if (number + 1 == parts_.size()) return writes_.written(as_target(std::move(value), space_), false);
    const Part &part = plan_.parts->all[number];
    if (!part.sets) return {{loop::Accumulate{target_of(number), std::move(value), false, space_.by}}};
    if (part.modes.empty() && contains(node.begins, number))
      return {{loop::DeclareValue{own.target.local, std::move(value), declared(space_.type)}}};
    return {{loop::Store{target_of(number), std::move(value)}}};
  }

  /// A sum of nothing isn't one that is zero: what it is multiplied with may be infinite. The part is
  /// executed where those that it reads have terms.
  loop::Block where_terms(std::size_t number, const PartNode &node, loop::Block block) {
    const Part &part = plan_.parts->all[number];
    if (part.may_be_empty)
      has_terms_.emplace(number, has_flag(number)
                                     ? term::equal(term::variable(flag_of(number)), Term(1))
                                     : term::less(node.levels.front().lower, node.levels.front().upper));
    if (has_flag(number)) block.push_back({loop::Assign{flag_of(number), Term(1)}});
    for (std::size_t read : part.parts)
      if (plan_.parts->all[read].may_be_empty)
        block = {{loop::If{has_terms_.at(read), std::move(block), ""}}};
    return block;
  }

  /// Its loop alone doesn't say whether it has terms: what it reads may have none.
  bool has_flag(std::size_t number) const {
    const Part &part = plan_.parts->all[number];
    return part.may_be_empty && !part.parts.empty();
  }

  std::string flag_of(std::size_t number) const { return parts_[number].target.name + "_has_terms"; }

  loop::Target target_of(std::size_t part) const {
    const Operand &sum = parts_[part].target;
    return sum.is_scalar() ? loop::Target(loop::Local{sum.local}) : loop::Element{sum.array, sum.slot};
  }

  const IterationSpace &space_;
  const LeafPlan &plan_;
  const Writes &writes_;
  std::vector<IterationSpace> parts_;     // their operands and values; but for the last one their targets
  std::map<std::size_t, Term> has_terms_; // of parts that may be empty
};

} // namespace

loop::Block in_parts(const IterationSpace &space, const LeafPlan &plan, Workspace &workspace, bool per_thread,
                     const Writes &writes) {
  return PartSums(space, plan, workspace, per_thread, writes).block_of(plan.parts->body);
}

std::size_t begin_of_sums(const LeafPlan &plan) {
  return plan.parts ? plan.parts->begin : plan.nest.levels.size();
}

} // namespace unravel::lower
