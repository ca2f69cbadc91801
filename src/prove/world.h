#pragma once

#include "prove/prover.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Small arrays that really are as some formulas say: examples that people can check by hand.
namespace unravel::prove {

/// Numbers and arrays, complete: what isn't in them is an error.
struct World : term::Environment {
  struct Array {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> values; // row-major
  };
  std::map<std::string, std::int64_t> variables;
  std::map<std::string, Array> arrays;

  /// Both throw Outside for an unknown name and for an argument outside the array.
  std::int64_t variable(const std::string &name) const override;
  std::int64_t apply(const std::string &function, const std::vector<std::int64_t> &arguments) const override;
};

/// Thrown by a World where something is read that it doesn't have.
struct Outside {};

/// Per array its extents, over sizes and counts.
using Extents = std::map<std::string, std::vector<term::Term>>;

/// Does the world satisfy the axiom for all values of its variables near the world's numbers? (Beyond them
/// the domain guards of the applications fail.)
bool satisfies(const World &world, const Axiom &axiom);

/// A world that satisfies all axioms and all hypotheses, with sizes up to 4 and all numbers small; checked by
/// evaluation before it is returned. The sizes are as small as possible, one after the other; then the
/// elements of the arrays in `first`, then the variables of the hypotheses: the world doesn't depend on what
/// was asked before. Nullopt where there is none, or none was found within a deterministic budget.
std::optional<World> small_world(const std::vector<Axiom> &axioms, const std::vector<term::Term> &hypotheses,
                                 const Extents &extents, const std::vector<std::string> &first);

} // namespace unravel::prove
