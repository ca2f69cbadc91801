#pragma once

#include "loop/loop.h"

#include <optional>

namespace unravel::loop {

/// A nest of loops that adds to a stretch of neighbouring elements, the same in all iterations but those of
/// the innermost loop, which runs along it: MTTKRP, or a sparse matrix times a dense one. The sums may be
/// kept elsewhere, a part of the stretch at a time, with the nest once per part.
struct DenseSum {
  const For *inner = nullptr;      // from 0 to a size or constant, step 1
  const Accumulate *sum = nullptr; // its only statement: a product of elements, locals and numbers
};

/// Whether the statement is such a nest, and may be run once for each part of the stretch: it changes nothing
/// else that is declared outside, reads nothing of the result's array, and all value arrays hold float64.
/// A loop that is a simd loop is left as it is.
/// Each element in the product lies at the inner variable plus something without it, or doesn't depend on it.
std::optional<DenseSum> dense_sum(const Statement &loop, const Program &program);

/// Whether the loop does nothing but set all elements of the stretch to zero.
bool clears_stretch(const Statement &loop, const DenseSum &sum);

/// Whether the iterations are done one by one, in order, and nothing says yet how.
bool is_plain(const For &loop);

/// How often the statements read or write elements of a value array, or all of it.
int mentions_of(const Block &block, const std::string &array);

/// Whether a slot is the variable plus something that doesn't mention it.
bool runs_along(const term::Term &slot, const std::string &variable);

/// How far a slot moves with each step of the variable: a term without it. Nothing where that isn't the same
/// everywhere.
std::optional<term::Term> stride_of(const term::Term &slot, const std::string &variable);

} // namespace unravel::loop
