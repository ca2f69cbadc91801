#pragma once

#include "loop/loop.h"

#include <optional>
#include <string>
#include <vector>

namespace unravel::loop {

/// Fewer iterations are written out; more are no block.
constexpr std::int64_t least_paired = 4, most_paired = 16;

/// Whether the loop has a constant, even number of iterations, and does nothing but add to locals values that
/// are made of neighbouring elements and of what is the same in all iterations: the rows of a block times a
/// stretch of a vector. Then two iterations may be done at once. Returns the locals.
std::optional<std::vector<std::string>> pair_sums(const For &loop);

} // namespace unravel::loop
