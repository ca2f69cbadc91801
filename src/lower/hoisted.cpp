#include "lower/hoisted.h"

#include "lower/values.h"
#include "term/children.h"
#include "text/contains.h"

#include <algorithm>
#include <functional>

namespace unravel::lower {

using scan::Level;
using term::Term;

namespace {

loop::Block in_loops(const std::vector<Level> &levels, loop::Statement what) {
  for (std::size_t k = levels.size(); k-- > 0;)
    what = {loop::For{
        levels[k].variable, levels[k].lower, levels[k].upper, 1, std::nullopt, {std::move(what)}, ""}};
  return {std::move(what)};
}

} // namespace

loop::Block Hoisted::begun(loop::Target local) const {
  if (const auto *one = std::get_if<loop::Local>(&local))
    return {{loop::DeclareValue{one->name, {loop::Number{0}}, declared(inside.type)}}};
  return in_loops(modes, {loop::Store{std::move(local), {loop::Number{0}}}});
}

loop::Block Hoisted::over_all(loop::Statement what) const {
  return in_loops(all, std::move(what));
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
  std::vector<Term> extents;
  for (const Level &mode : parts.modes)
    extents.push_back(mode.upper);
  combine::Operand sum; // of one element a local value
  if (extents.empty())
    sum.name = sum.tensor = sum.local = space.target.tensor + ".part";
  else
    sum.name = sum.tensor = sum.local = sum.array =
        workspace.add_sum(space.target.tensor, extents, per_thread);
  parts.inside.types[sum.tensor] = parts.outside.types[sum.tensor] = space.type;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    sum.slots.push_back(term::variable(parts.modes[k].variable));
    sum.slot = term::multiply(sum.slot, extents[k]) + sum.slots.back();
  }
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
