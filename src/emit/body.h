#pragma once

#include "emit/emit.h"
#include "emit/expression.h"
#include "emit/names.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// A part of the C text, whole lines of it, and what the statement that it was written for was made for.
struct Span {
  std::size_t begin = 0, end = 0;
  loop::Origins origins;
};

/// Spans that lie in others come before these.
struct SpannedText {
  std::string text;
  std::vector<Span> spans;
  std::size_t kernel = 0; // where its comment begins, behind what it needs
};

/// `int spmv(dense *y, const csr *A)`.
std::string signature(const loop::Program &program, const Names &names);

/// The kernel function without its comment: signature, preconditions, locals, statements. Tells `expressions`
/// what the prelude must define.
SpannedText function_text(const loop::Program &program, const EmitOptions &options, Names &names,
                          Expressions &expressions);

/// Gives each of the program's own operators a name, that of the kernel in front.
void name_own_operators(const loop::Program &program, Names &names, Expressions &expressions);

/// The functions of those that are needed so far, and what they need themselves; how OpenMP reduces by them.
std::string own_operators_text(const loop::Program &program, Expressions &expressions);

} // namespace unravel::emit
