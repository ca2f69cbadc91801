#pragma once

#include "operands.h"

#include <functional>
#include <string>
#include <vector>

/// y(i) = A(i,j) x(j) in other operators, by hand: a loop over the rows of CSR, one thread, in a file of its
/// own, compiled with -O3 for this processor.
namespace unravel::bench {

struct HandWritten {
  std::string semiring;
  std::function<void(const Compressed &, const double *x, double *y)> run;
};

const std::vector<HandWritten> &semirings_by_hand();

} // namespace unravel::bench
