#pragma once

#include "loop/loop.h"

#include <optional>
#include <vector>

namespace unravel::loop {

/// A loop over positions that does nothing but add products to a local: of elements that lie one after the
/// other, as a matrix's values do, and of elements at places that an index array names. The innermost loop of
/// y(i) = A(i,j) x(j). A processor with masked vectors takes many positions at a time, the last time fewer.
struct GatheredSum {
  struct Factor {
    enum class Kind {
      Fixed,    // the same in all iterations: a number, a local, an element
      Stretch,  // an element at the loop's variable plus something
      Gathered, // an element at scale * keys + base
    };
    Kind kind = Kind::Fixed;
    Value value;
    term::Term keys; // an index array of one extent, at the loop's variable plus something
    term::Term scale, base;
  };
  Local sum;
  bool subtracts = false;
  std::vector<Factor> factors; // one of them Gathered, at least
  ElementType element{};       // of all arrays of values in the product
};

/// Whether the loop is such a one. Definitions in its body are put in the place of their names.
std::optional<GatheredSum> gathered_sum(const For &loop, const Program &program);

} // namespace unravel::loop
