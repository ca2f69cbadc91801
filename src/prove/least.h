#pragma once

#include "term/term.h"

#include <cstdint>
#include <utility>
#include <vector>

/// The least of several models, so that an example doesn't depend on the solver's choice.
namespace unravel::prove {

/// A formula that says: the atoms have smaller values than these. Atoms are compared one after the other, the
/// first that differs decides; a value is smaller if its absolute value is, or if it is positive instead of
/// negative. Refuted: these values are the least.
inline term::Term smaller_than(const std::vector<std::pair<term::Term, std::int64_t>> &values) {
  using term::Term;
  Term result = term::falsity();
  for (std::size_t k = values.size(); k-- > 0;) {
    const auto &[atom, value] = values[k];
    std::int64_t size = value < 0 ? -value : value;
    Term same =
        term::conjunction({term::at_most(Term(value), atom), term::at_most(atom, Term(value)), result});
    Term nearer = term::conjunction({term::less(Term(-size), atom), term::less(atom, Term(size))});
    Term positive = value < 0 ? term::equal(atom, Term(size)) : term::falsity();
    result = term::disjunction({nearer, positive, same});
  }
  return result;
}

} // namespace unravel::prove
