#pragma once

#include "term/term.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

/// What is known, as it was said: answers at once most of what isl would be asked.
namespace unravel::scan {

/// Comparisons that hold.
class Stated {
public:
  /// A formula that holds. Of a conjunction every part; what isn't a comparison is left out.
  void add(const term::Term &formula);
  /// Whether the formula follows from at most two of the comparisons. False says nothing.
  bool implies(const term::Term &formula) const;

private:
  struct Hash {
    std::size_t operator()(const term::Term &term) const { return term.hash(); }
  };

  void add_at_least_zero(const term::Term &sum);
  /// sum + constant >= 0 by a single comparison; `sum` has no constant.
  bool follows(const term::Term &sum, std::int64_t constant) const;
  bool at_least_zero(const term::Term &sum) const;

  std::unordered_map<term::Term, std::int64_t, Hash> least_;              // sum + value >= 0
  std::unordered_map<term::Term, std::vector<term::Term>, Hash> by_atom_; // the sums that an atom occurs in
};

} // namespace unravel::scan
