#pragma once

#include "loop/loop.h"

#include <string>

/// C text for kernels, clean under C99 and C++, with and without OpenMP.
///
/// One struct type per layout: 64-bit sizes, then counts, then pointers to the arrays, in the order in which
/// the program lists them; every member has 8 bytes, so a host may fill it as an array of slots. A kernel is
///
///     int name(result_type *y, const csr *A, const sv *x);
///
/// with one parameter per tensor in the program's order. It returns 0, or 1 (and does nothing) where a
/// precondition fails. Pointers of arrays must not be null where a kernel clears the array, even if empty.
namespace unravel::emit {

struct EmitOptions {
  /// Puts `#pragma omp parallel for` at parallel loops (under #ifdef _OPENMP).
  bool openmp_pragmas = true;
  /// For the compiler in process: the text includes nothing, declares what it needs, and has an entry
  /// `int unravel_entry(void **arguments)` that calls the kernel with pointers to the structs.
  bool in_process = false;
  /// The text includes "<kernel>.h" (emit_header) and doesn't declare the structs itself.
  bool with_header = false;
};

/// The program as a C file. Precondition: loop::verify accepts it. Declarations that are never used are
/// dropped.
std::string emit_c(const loop::Program &program, const EmitOptions &options = {});

/// The header that goes with it: structs and prototype.
std::string emit_header(const loop::Program &program);

/// The C identifier of the kernel: the program's name, changed where it isn't one or collides.
std::string kernel_name(const loop::Program &program);

} // namespace unravel::emit
