#pragma once

#include "loop/loop.h"

#include <optional>
#include <vector>

namespace unravel::loop {

/// A loop over positions that does nothing but add products to a local: of elements that lie one after the
/// other, as a matrix's values do, and of elements at places that an index array names, perhaps. The innermost
/// loop of y(i) = A(i,j) x(j). Many positions can be taken at a time, the last time fewer.
struct GatheredSum {
  struct Factor {
    enum class Kind {
      Fixed,    // the same in all iterations: a number, a local, an element, a coordinate
      Stretch,  // an element at the loop's variable plus something
      Gathered, // an element at scale * keys + base
    };
    Kind kind = Kind::Fixed;
    Value value;
    term::Term keys; // of an index array, whose last argument is the loop's variable plus something
    term::Term scale, base;
  };
  Local sum;
  bool subtracts = false;
  std::vector<Factor> factors; // one of them isn't Fixed, at least
  ElementType element{};       // of all arrays of values in the product

  bool gathers() const; // is a factor Gathered?
};

/// The array that has it, of index arrays and value arrays of parameters; null where there is none.
const ArrayParameter *find_array(const std::string &name, const Program &program);

/// How many elements an array of a parameter or of the workspace has; none where there is no such array.
std::optional<term::Term> slots_of(const std::string &array, const Program &program);

/// Of an array of a parameter or of the workspace.
std::optional<ElementType> element_type(const std::string &array, const Program &program);

/// Is the term over sizes and counts of the parameters, and given sizes, alone?
bool is_over_sizes(const term::Term &term, const Program &program);

/// Whether the loop is such a one. Definitions in its body are put in the place of their names.
std::optional<GatheredSum> gathered_sum(const For &loop, const Program &program);

/// A loop over lanes, each of which adds such a product to an element of its own: a slot of the rows of a
/// slice, or of a strip of ELLPACK's. A slot that isn't used may have a negative key.
struct GatheredLanes {
  const Accumulate *sum = nullptr;
  std::vector<GatheredSum::Factor> factors; // one of them Gathered, with scale 1 and base 0
  bool subtracts = false;
  bool guarded = false; // a lane whose key is negative adds nothing, and reads no element
  ElementType element{};
};

/// Whether the loop is such a one. The slot of the sum isn't looked at.
std::optional<GatheredLanes> gathered_lanes(const For &loop, const Program &program);

} // namespace unravel::loop
