#pragma once

#include "lower/lower.h"

#include <optional>

/// How a result gets its first values where it is set, not added to.
namespace unravel::lower {

class Clearing {
public:
  /// Of the computation's only leaf, or the one numbered so.
  Clearing(const combine::Combination &combination, std::size_t leaf)
      : combination_(combination), space_(combination.leaves[leaf]) {}

  /// The level at which each slot of the result is set to zero just before its first use, if there is one.
  std::optional<std::size_t> where(const LeafPlan &plan) const;
  /// What sets to zero the slots that are used first behind that level: one, or a row of them.
  loop::Block slots_before(const LeafPlan &plan, std::size_t level) const;
  /// All slots.
  loop::Zero everything() const;

private:
  bool owns_slots(const LeafPlan &plan) const;

  const combine::Combination &combination_;
  const combine::IterationSpace &space_;
};

/// All slots of the result.
loop::Zero clear(const combine::Combination &combination);

} // namespace unravel::lower
