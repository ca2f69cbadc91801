#pragma once

#include "depend/dependence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Directions and distances of dependences, and their relations in isl's notation: for people.
namespace unravel::depend {

/// How far a loop's variable goes from the earlier of two conflicting instances to the later one. What isn't
/// said to be possible was refuted.
struct Distance {
  bool less = true;                     // v < v' is possible: direction "<"
  bool equal = true;                    // v = v'
  bool greater = true;                  // v > v'
  std::optional<std::int64_t> constant; // v' - v, where it is proved to be always the same

  friend bool operator==(const Distance &, const Distance &) = default;
};

/// "<", "=", "<=", "!=", ..., and "*" where nothing is known.
std::string direction_name(const Distance &distance);

/// One pair of references that conflict across iterations of a loop.
struct Dependence {
  std::string tensor;
  /// "flow" (what was written is read), "anti" (what was read is written), "output" (both write), "update"
  /// (both update), "insertion" (both may insert into a local tensor).
  std::string kind;
  std::vector<Distance> distances; // one per loop, outermost first
};

/// The dependences that the loop carries. `loops`: all loops of the nest, outermost first. Each bound and
/// each constant is proved, by isl or else by the prover. Precondition: the verdict was made with details.
std::vector<Dependence> dependences_of(const LoopVerdict &verdict, const std::vector<std::string> &loops,
                                       prove::Prover &prover);

/// "update of y: direction (=, <)", with ", distance (0, 2)" where some distance other than 0 is constant.
std::string to_text(const Dependence &dependence);

/// The pairs of instances that conflict, "{ [i, A.p] -> [i, A.p'] : ... }" over all variables in their order;
/// index arrays are uninterpreted functions. A variable outside of the loop is the same in both. Of a loop
/// that statements share, the pairs are those of its iterations, and the statements' own variables exist.
std::string relation_text(const LoopVerdict &verdict, const std::vector<std::string> &order);

/// The example as a relation of one pair: "{ [0, 0] -> [0, 1] : A.rowptr(0) = 0 and ... }", sizes and
/// elements of index arrays behind the colon; empty where there is none.
std::string witness_text(const LoopVerdict &verdict, const std::vector<std::string> &order);

/// All of it, loop by loop: for `unravel deps`. The verdicts were made with details; `order`: all variables,
/// `loops`: those that are loops, outermost first.
std::string to_text(const std::vector<LoopVerdict> &verdicts, const std::vector<std::string> &order,
                    const std::vector<std::string> &loops, prove::Prover &prover);

} // namespace unravel::depend
