#pragma once

#include "emit/expression.h"
#include "emit/names.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// A call of CBLAS as C text.
struct BlasText {
  std::string
      test; // that there is something to do: leading dimensions are then as CBLAS wants them; or empty
  std::vector<std::string> calls;
};
BlasText blas_text(const loop::Blas &blas, const loop::Program &program, const Names &names,
                   const Expressions &expressions);

} // namespace unravel::emit
