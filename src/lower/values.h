#pragma once

#include "lower/lower.h"

#include <optional>
#include <string>

namespace unravel::lower {

/// What is computed at a point of a leaf's space: its operands, where the plan has them.
class Values {
public:
  Values(const combine::IterationSpace &space, const LeafPlan &plan) : space_(space), plan_(plan) {}

  /// With the elements and locals that are read.
  loop::Value value() const;
  /// The element that is read at a position that is found for nothing else; of no operand: none.
  loop::Element at(const std::string &position) const;

private:
  /// Converted to what the statement is computed in, where C's promotions don't.
  loop::Value as_part(loop::Value part, const std::string &tensor) const;
  /// In its array, or where a map of values had it.
  loop::Value value_of(const combine::Operand &operand) const;

  const combine::IterationSpace &space_;
  const LeafPlan &plan_;
};

/// The value of a statement, converted to what its target holds.
loop::Value as_target(loop::Value value, const combine::IterationSpace &space);
/// As locals are declared, of which most hold what most values are.
std::optional<loop::ElementType> declared(value::Type type);

} // namespace unravel::lower
