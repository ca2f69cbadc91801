#pragma once

#include "lower/append.h"
#include "lower/lower.h"
#include "lower/workspace.h"

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
  /// Of a part of the value that is computed in that type.
  loop::Value value_in(const combine::Value &tree, value::Type type) const;
  /// Converted from its own type to what is computed in, where C's promotions don't.
  static loop::Value converted(loop::Value part, value::Type own, value::Type type);
  loop::Value read(const combine::Read &read) const;
  value::Type type_of(const combine::Read &read) const;
  /// In its array, or where a map of values had it.
  loop::Value value_of(const combine::Operand &operand) const;

  const combine::IterationSpace &space_;
  const LeafPlan &plan_;
};

/// The value of a statement, converted to what its target holds.
loop::Value as_target(loop::Value value, const combine::IterationSpace &space);
/// As locals are declared, of which most hold what most values are.
std::optional<loop::ElementType> declared(value::Type type);

/// What becomes of a value that is computed at a point of a leaf's space.
struct Writes {
  const combine::IterationSpace &space;
  const LeafPlan &plan;
  Workspace &workspace;
  const EntryCode *entries = nullptr;    // where the result is assembled
  const std::optional<loop::Local> &sum; // what it is added to in place of the result
  std::optional<bool> listed;            // members of what is inserted into, where it is known
  bool atomic = false;                   // threads may add to the element at the same time

  loop::Target target() const;
  loop::Accumulate add(loop::Value value) const;
  /// Sets the target, which is made stored first, or adds to it; nothing where the value is dropped.
  loop::Block written(loop::Value value, bool sets) const;

private:
  loop::Block stored(loop::Value value, bool sets) const;
};

} // namespace unravel::lower
