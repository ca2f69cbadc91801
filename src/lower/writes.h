#pragma once

#include "lower/append.h"
#include "lower/workspace.h"

#include <optional>

namespace unravel::lower {

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
