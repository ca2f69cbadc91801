#pragma once

#include "lower/lower.h"

#include <optional>

/// How a result gets its first values where it is set, not added to: the identity of what is done to it then,
/// zero for sums.
namespace unravel::lower {

class Clearing {
public:
  /// Of the leaf of that number.
  Clearing(const combine::Combination &combination, std::size_t leaf)
      : combination_(combination), space_(combination.leaves[leaf]) {}

  /// The level at which each slot of the result is set just before its first use, if there is one.
  std::optional<std::size_t> where(const LeafPlan &plan) const;
  /// What sets the slots that are used first behind that level: one, or a row of them.
  loop::Block slots_before(const LeafPlan &plan, std::size_t level) const;
  /// Where rows are set one by one, each iteration of the outermost loop being at a later one: what sets
  /// those between the iteration's row and the one before, in front of the former.
  loop::Block rows_between(const LeafPlan &plan) const;
  /// And those behind the last iteration's, behind the loop.
  loop::Block rows_behind(const LeafPlan &plan, std::optional<std::size_t> level) const;
  /// All slots.
  loop::Statement everything() const;

private:
  bool owns_slots(const LeafPlan &plan) const;
  bool has_increasing_rows(const LeafPlan &plan) const;
  loop::Block rows_from(const LeafPlan &plan, const std::string &name, const term::Term &row,
                        const term::Term &end) const;

  loop::Value identity() const;

  const combine::Combination &combination_;
  const combine::IterationSpace &space_;
};

/// Sets all elements of the array to the number.
loop::Statement clear(const std::string &array, double number, const combine::Combination &combination);

} // namespace unravel::lower
