#pragma once

#include "compute/value.h"

#include <functional>
#include <set>
#include <string>

/// Coordinates as values: index variables, variables of loops and sizes.
namespace unravel::compute {

/// Calls visit(name) for each variable in a value's coordinates.
template <class Visit> void each_coordinate(const Value &value, const Visit &visit) {
  value::each_leaf<term::Term>(value, [&](const term::Term &coordinate) {
    for (const std::string &name : term::variables_of(coordinate))
      visit(name);
  });
}

/// Index variables, those of its coordinates too.
std::set<std::string> indices_in(const Value &value);

/// Where the term's comparisons `i = j` of coordinates hold, those that are factors of it.
term::Term equalities_in(const Value &term);

/// Terms that differ in their coordinates and whole numbers alone are one: of `A(i,j) * i` and `2 * A(i,j) *
/// j` there is `A(i,j) * (i + 2*j)`. Where terms are summed over different indices, which `summed` says of a
/// term, they are left as they are.
Sum with_affine_factors(Sum sum, const std::function<std::set<std::string>(const Value &)> &summed);

} // namespace unravel::compute
