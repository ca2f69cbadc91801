#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/copies.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// The C text around a parallel loop whose threads add to copies of the result (loop/copies.h):
///
///     before  test { region { own  schedule  the loop, which adds to `copy`  over_blocks { add_up } } } else
///     the loop as it is
///
/// What comes before makes room for the copies, where they are worth it; the test is whether there is.
struct CopiesText {
  std::vector<std::string> before, own, add_up;
  std::string test, schedule, over_blocks;
  std::string copy, marks; // of this thread
};

/// `clears`: the array is set, not added to.
CopiesText copies_text(const loop::For &loop, const loop::Program &program, bool clears, Names &names,
                       Expressions &expressions);

/// What marks the block of an element, or the blocks of the elements that a loop runs along.
std::string mark_text(const std::string &marks, const term::Term &slot, const Expressions &expressions);
std::string stretch_text(const std::string &marks, const term::Term &slot, const loop::For &along,
                         Names &names, const Expressions &expressions);

/// Whether it sets all elements to zero that threads have copies of in the loop.
bool clears_copied(const loop::Zero &zero, const loop::For &loop, const loop::Program &program);

} // namespace unravel::emit
