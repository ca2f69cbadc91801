#pragma once

#include "loop/walk.h"

#include <functional>
#include <vector>

/// What is known to hold at a place of a program, from the conditions and declarations around it.
namespace unravel::loop {

class Facts {
public:
  /// A condition that holds, part by part.
  void learn(const term::Term &condition);
  /// A condition that doesn't.
  void learn_not(const term::Term &condition);
  /// Drops what may no longer hold after statements with these effects.
  void forget(const Effects &effects);
  /// What is known at the beginning of a loop's body, or of a branch, of a statement at whose place this is
  /// known: `index` is that of the block in blocks_of.
  Facts inside(const Statement &statement, std::size_t index) const;
  /// What the statement leaves, after it.
  void pass(const Statement &statement);

  /// Whether the condition follows, by what one or two facts add up to; false means not known. Short:
  /// nothing is searched that doesn't cancel a term.
  bool imply(const term::Term &condition) const;
  bool refute(const term::Term &condition) const;
  /// Whether term >= 0 follows from `base`, which decides it for a term without facts, and at most `depth`
  /// facts added up.
  using Base = std::function<bool(const term::Term &)>;
  bool at_least_zero(const term::Term &term, const Base &base, int depth = 2) const;

private:
  std::vector<term::Term> facts_; // conjuncts
};

/// Calls `visit` for every statement, from the outside and in order, with what is known right before it.
void each_statement_with_facts(const Block &block, const Facts &before,
                               const std::function<void(const Statement &, const Facts &)> &visit);

} // namespace unravel::loop
