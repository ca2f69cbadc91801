#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/gathered_sum.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// The C text of a sum of products with gathered elements (loop/gathered_sum.h) for processors that have
/// masked vectors, 8 elements at a time:
///
///     begin  over_steps { inside }  finish
struct MaskedText {
  std::string begin, over_steps, finish;
  std::vector<std::string> inside;
};

MaskedText masked_text(const loop::For &loop, const loop::GatheredSum &sum, Names &names,
                       Expressions &expressions);

} // namespace unravel::emit
