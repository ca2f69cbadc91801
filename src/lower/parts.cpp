#include "lower/parts.h"

#include "loop/walk.h"
#include "lower/origins.h"
#include "term/children.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
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

  loop::Block block_of(const std::vector<PartNode> &nodes, Names known = {}) const {
    loop::Block block;
    for (const PartNode &node : nodes) {
      for (std::size_t part : node.begins)
        loop::append(block, begun(part, node));
      Names inside = known;
      for (const Level &level : node.levels)
        if (level.is_let()) inside.insert(level.variable);
      loop::Block body = node.part ? executed(*node.part, node) : block_of(node.body, inside);
      loop::append(block, in_levels(node.levels, std::move(body), known));
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

  loop::Target target_of(std::size_t part) const {
    const Operand &sum = parts_[part].target;
    return sum.is_scalar() ? loop::Target(loop::Local{sum.local}) : loop::Element{sum.array, sum.slot};
  }

  const IterationSpace &space_;
  const LeafPlan &plan_;
  const Writes &writes_;
  std::vector<IterationSpace> parts_; // their operands and values; but for the last one their targets
};

} // namespace

loop::Block in_parts(const IterationSpace &space, const LeafPlan &plan, Workspace &workspace, bool per_thread,
                     const Writes &writes) {
  return PartSums(space, plan, workspace, per_thread, writes).block_of(plan.parts->body);
}

std::size_t begin_of_sums(const LeafPlan &plan) {
  if (plan.parts) return plan.parts->begin;
  return plan.hoists.empty() ? plan.nest.levels.size() : plan.hoists.front().level;
}

loop::Block Hoisted::begun(loop::Target local) const {
  if (const auto *one = std::get_if<loop::Local>(&local))
    return {{loop::DeclareValue{one->name, {loop::Number{0}}, declared(inside.type)}}};
  return in_levels(modes, {{loop::Store{std::move(local), {loop::Number{0}}}}});
}

loop::Block Hoisted::over_all(loop::Statement what) const {
  return in_levels(all, {std::move(what)});
}

Hoisted hoisted_parts(const combine::IterationSpace &space, const LeafPlan &plan, Workspace &workspace,
                      bool per_thread) {
  const Hoist &hoist = plan.hoists.front();
  Hoisted parts{space, plan, space, {}, {}};
  std::set<std::string> dropped; // modes that only factors outside have
  for (std::size_t k = plan.hoists.back().level + 1; k < plan.nest.levels.size(); ++k) {
    const Level &level = plan.nest.levels[k];
    if (!level.is_loop() || !level.tensor.empty()) continue;
    parts.all.push_back(level);
    if (contains(hoist.modes, level.variable))
      parts.modes.push_back(level);
    else
      dropped.insert(level.variable);
  }
  const std::string &tensor = space.target.tensor;
  combine::Operand sum =
      sum_of(parts.modes, tensor, tensor + ".part",
             fmt::format("partial sums for {}, before they are multiplied by common factors", tensor),
             workspace, per_thread);
  parts.inside.types[sum.tensor] = parts.outside.types[sum.tensor] = space.type;
  auto is_outside = [&](const combine::Operand &factor) { return hoist.outside.contains(factor.name); };
  std::erase_if(parts.inside.operands, is_outside);
  std::erase_if(parts.outside.operands, [&](auto &factor) { return !is_outside(factor); });
  parts.inside.target = sum;
  auto outside = value::quotient_of(space.value), inside = outside;
  auto reads_outside = [&](const combine::Value &factor) {
    return hoist.outside.contains(std::get<combine::Read>(factor.kind).operand);
  };
  std::erase_if(inside.factors, reads_outside);
  inside.constant = 1;
  std::erase_if(outside.factors, std::not_fn(reads_outside));
  outside.factors.insert(outside.factors.begin(), {combine::Read{sum.name}});
  parts.inside.value = inside.tree();
  parts.outside.value = outside.tree();
  parts.outside.operands.insert(parts.outside.operands.begin(), std::move(sum));
  parts.plan.hoists.erase(parts.plan.hoists.begin());
  std::erase_if(parts.plan.nest.levels, [&](const Level &level) {
    return dropped.contains(level.variable) || (level.is_let() && term::mentions_any(level.value, dropped));
  });
  return parts;
}

} // namespace unravel::lower
