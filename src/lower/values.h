#pragma once

#include "lower/lower.h"

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
  /// In its array, or where a map of values had it.
  loop::Value value_of(const combine::Operand &operand) const;

  const combine::IterationSpace &space_;
  const LeafPlan &plan_;
};

} // namespace unravel::lower
