#pragma once

#include "emit/expression.h"
#include "emit/names.h"

#include <set>
#include <string>
#include <vector>

/// What a kernel function begins with.
namespace unravel::emit {

/// `int spmv(dense *y, const csr *A)`.
std::string signature(const loop::Program &program, const Names &names);

/// What its body needs locals for: sizes, counts, arrays, by qualified names.
std::set<std::string> used_by(const loop::Program &program);

/// Preconditions, and locals for what is used of the parameters: a statement a line.
std::vector<std::string> opening_lines(const loop::Program &program, const std::set<std::string> &used,
                                       const Names &names, Expressions &expressions);

} // namespace unravel::emit
