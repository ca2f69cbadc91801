#pragma once

#include "loop/loop.h"

#include <optional>
#include <string>
#include <vector>

/// Dense nests as calls of BLAS (Blas in loop.h).
namespace unravel::loop {

/// A call in the terms of the C function. Matrices lie in rows, of which each begins a leading dimension
/// behind the one before; a transposed one in columns.
struct BlasForm {
  enum class Call { Dot, Axpy, Ger, Gemv, Gemm };
  Call call = Call::Dot;
  const Blas::Axis *m = nullptr; // of the target and left
  const Blas::Axis *n = nullptr; // of the target and right
  const Blas::Axis *k = nullptr; // of left and right: summed over
  bool left_transposed = false, right_transposed = false;
  term::Term target_leading, left_leading, right_leading; // of matrices
};

/// How it is called, or nothing, and then `why`, for people. The form points into `blas`.
std::optional<BlasForm> form_of(const Blas &blas, std::string &why);

/// "dot", "axpy", "ger", "gemv" or "gemm".
const char *name_of(BlasForm::Call call);

/// The loops that the call stands for.
Statement as_loops(const Blas &blas);

struct BlasCalls {
  Program program;
  int calls = 0;
  /// Of each nest that adds products up and is left as it is: the loop's variable and why.
  struct Left {
    std::string variable, why;
    Origins origins;
  };
  std::vector<Left> left;
};

/// The largest dense nests that BLAS has a call for, by what is known of the slots: their strides along the
/// loops' variables. In front of a call stands what cleared its elements in the loops that it takes. The
/// program's preconditions say that extents and leading dimensions fit in an int. `keep_parallel`: parallel
/// loops stay; else a call that takes one has as many threads as that.
BlasCalls call_blas(Program program, bool keep_parallel);

} // namespace unravel::loop
