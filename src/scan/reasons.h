#pragma once

#include "combine/space.h"
#include "scan/nest.h"

#include <cstddef>
#include <vector>

/// Why a nest says what it says: the constraints of the iteration space behind each bound, value, match and
/// guard. For people.
namespace unravel::scan {

/// One thing that a level enforces.
struct Part {
  enum class Role { Lower, Upper, Value, Match, Guard };
  Role role = Role::Lower;
  term::Term condition; // lower <= v, v < upper, v = value, key = target, ...
};
/// All that it enforces: its own part of the iteration space.
std::vector<Part> parts_of(const Level &level);

struct Reason {
  Part part;
  /// Of the conjuncts of the space's relation, those from which the part follows: none of them can be left
  /// out. What the levels outside enforce is given (of a guard, also its own level), and where `with_facts`
  /// is set, the properties of index arrays too. None at all: that alone implies it.
  std::vector<std::size_t> constraints;
  bool with_facts = false;
  /// False: no proof was found; `constraints` are all that mention the level's variable.
  bool proved = true;
};

/// One list per level. The nest is one that was scanned from the space.
std::vector<std::vector<Reason>> reasons_of(const combine::IterationSpace &space, const Nest &nest,
                                            const std::vector<prove::Axiom> &axioms);

} // namespace unravel::scan
