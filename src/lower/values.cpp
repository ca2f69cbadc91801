#include "lower/values.h"

#include "loop/walk.h"
#include "lower/local.h"
#include "lower/lookups.h"
#include "lower/map_code.h"
#include "value/chosen.h"
#include "value/typed.h"

#include <algorithm>
#include <utility>

namespace unravel::lower {

using plan::LevelPlan;
using scan::Level;

loop::Element Values::at(const std::string &position) const {
  for (const combine::Operand &operand : space_.operands)
    if (!operand.array.empty() && operand.slot == term::variable(position))
      return {operand.array, operand.slot};
  return {};
}

loop::Value Values::value_of(const combine::Operand &operand) const {
  if (operand.is_scalar()) return {loop::Local{operand.local}};
  for (const LevelPlan &plan : plan_.finds.levels) {
    const Level &found = plan_.nest.levels[plan.level];
    if (const auto *map = plan.as<plan::DenseMap>();
        map && map->holds_values() && operand.slot == term::variable(found.variable))
      return {loop::Local{found_value(found, *map)}};
  }
  return {loop::Element{operand.array, operand.slot}};
}

namespace {

/// Is a position found that nothing is read at?
bool finds_presence(const LeafPlan &leaf) {
  return std::ranges::any_of(leaf.finds.levels, [](const LevelPlan &plan) {
    const auto *map = plan.as<plan::DenseMap>();
    return map && map->tells_absence() && !map->holds_values();
  });
}

} // namespace

loop::Value Values::value() const {
  return value_in(finds_presence(plan_) ? value::chosen(space_.value) : space_.value, space_.type);
}

loop::Value Values::value_in(const combine::Value &tree, value::Type type) const {
  if (const auto *leaf = std::get_if<combine::Read>(&tree.kind))
    return converted(read(*leaf), type_of(*leaf), type);
  if (const auto *coordinate = std::get_if<term::Term>(&tree.kind))
    return converted({*coordinate}, value::Type::Int64, type);
  if (const double *number = value::number_of(tree)) return {loop::Number{*number}};
  const auto &made = std::get<combine::Value::Apply>(tree.kind);
  std::vector<loop::Value> arguments;
  const auto of_leaf = [&](const combine::Value &leaf) {
    const auto *of = std::get_if<combine::Read>(&leaf.kind);
    return std::optional(of ? type_of(*of) : value::Type::Int64);
  };
  if (made.op == value::Operator::Conjugate || made.op == value::Operator::RealPart ||
      made.op == value::Operator::ImaginaryPart) {
    const auto own = value::computed_in(made.arguments.front(), of_leaf);
    // In a complex line the root of a real number is a complex one: what is read is real there, no more, and
    // its conjugate has -0 as its imaginary part.
    const bool is_kept =
        made.op == value::Operator::Conjugate || made.arguments.front().is<combine::Value::Apply>();
    const bool is_real = own && !value::is_complex(*own) && (!value::is_complex(type) || !is_kept);
    if (is_real && made.op == value::Operator::ImaginaryPart) return {loop::Number{0}};
    if (is_real) return value_in(made.arguments.front(), type);
  }
  const auto below = value::type_below(made, of_leaf, type);
  for (const combine::Value &argument : made.arguments)
    arguments.push_back(value_in(argument, below.value_or(type)));
  if (below) return converted(apply(made.op, std::move(arguments)), value::type_above(made.op, *below), type);
  return value::made_by(made.op, std::move(arguments));
}

loop::Value Values::converted(loop::Value part, value::Type own, value::Type type) {
  if (own == type || value::promoted(own) == type) return part;
  return apply(value::conversion_to(type), std::vector{std::move(part)});
}

loop::Value Values::read(const combine::Read &read) const {
  if (const combine::Lookup *lookup = space_.lookup(read)) return {loop::Local{value_of_lookup(*lookup)}};
  return value_of(space_.operand(read));
}

value::Type Values::type_of(const combine::Read &read) const {
  const combine::Lookup *lookup = space_.lookup(read);
  return compute::type_of(space_.types, lookup ? lookup->tensor : space_.operand(read).tensor);
}

std::optional<loop::ElementType> declared(value::Type type) {
  return type == value::Type::Float64 ? std::nullopt : std::optional(type);
}

namespace {

/// May the store in the result's array cut a value to what its target holds?
bool is_cut_by_store(const combine::IterationSpace &space) {
  const value::Type wanted = space.target_type();
  // Sums that wrap around may be cut to fewer bits at last.
  const bool is_sum = space.by == value::Operator::Add || space.by == value::Operator::Multiply;
  return value::promoted(wanted) == space.type && wanted != space.type && wanted != value::Type::Bool &&
         (is_sum || space.sets);
}

loop::Value converted_to_target(loop::Value value, const combine::IterationSpace &space) {
  return apply(value::conversion_to(space.target_type()), std::vector{std::move(value)});
}

} // namespace

loop::Value as_target(loop::Value value, const combine::IterationSpace &space) {
  if (const double *number = value::number_of(value)) { // the store may be into a list, whose type is wider
    const value::Type target = space.target_type();
    const bool is_narrow = value::is_integer(target) && value::facts_of(target).bytes < 8;
    return is_narrow ? loop::Value{loop::Number{value::Scalar::written(*number, target).number()}} : value;
  }
  if (space.target_type() == space.type || is_cut_by_store(space)) return value;
  return converted_to_target(std::move(value), space);
}

loop::Target Writes::target() const {
  if (space.target.is_scalar() || plan.adds_to_scalar()) return loop::Local{space.target.local};
  if (entries) return entries->element();
  if (space.target.inserts) return element_of(space.target, workspace.combination());
  return loop::Element{space.target.array, space.target.slot};
}

loop::Accumulate Writes::add(loop::Value value) const {
  return {sum ? loop::Target(*sum) : target(), std::move(value), atomic && !sum && space.target.local.empty(),
          space.by};
}

loop::Block Writes::written(loop::Value value, bool sets) const {
  const combine::Combination &combination = workspace.combination();
  if (const loop::Target to = target(); const auto *element = std::get_if<loop::Element>(&to))
    if (const auto store = written_to_masked(space, *element, value, combination)) return {{*store}};
  const std::optional<double> dropped = entries && !sum ? entries->dropped() : std::nullopt;
  return where_it_has_a_value(space, value, combination, [&](loop::Value read) {
    if (dropped && is_cut_by_store(space)) read = converted_to_target(std::move(read), space);
    return unless_dropped(dropped, space.target.tensor, std::move(read),
                          [&](loop::Value kept) { return stored(std::move(kept), sets); });
  });
}

loop::Block Writes::stored(loop::Value value, bool sets) const {
  loop::Block block;
  const bool is_inserted = space.target.inserts && !sum && !plan.adds_to_scalar();
  if (is_inserted) {
    block = insert(space.target, workspace, listed);
    sets = sets || inserts_another(space.target, workspace.combination());
  }
  if (entries && !sum) block = entries->entry(), sets = sets || entries->is_new();
  if (is_inserted && !sets && sets_what_is_new(space.target, workspace, listed, space.by))
    return set_where_new(std::move(block), add(std::move(value)));
  block.push_back(sets ? loop::Statement{loop::Store{target(), std::move(value)}}
                       : loop::Statement{add(std::move(value))});
  return block;
}

} // namespace unravel::lower
