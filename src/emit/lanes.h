#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/arrays.h"
#include "loop/vector_sums.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// The C text of a nest that adds to a stretch of elements (loop/dense_sum.h). Compilers keep vectors in
/// registers, but not arrays: the stretch is taken in parts of some vectors, the nest being written once for
/// each length of part, and in the end as it is for the few elements that are left:
///
///     begin
///     over_parts { declare  nest with `inside` in the place of its innermost loop  finish }    for each
///     length rest { nest with the innermost loop from `first` on }
struct LanesText {
  struct Part {
    std::string over_parts;
    std::vector<std::string> declare, inside, finish;
  };
  std::string first, begin, rest;
  std::vector<Part> parts;
};

/// `sets`: the stretch is to be zero before the nest. Then `finish` stores the sums, and only what is left
/// has to be cleared; where `past_caches` isn't empty, the C variable of that name says whether they go past
/// the caches.
LanesText lanes_text(const loop::DenseSum &sum, bool sets, const std::string &past_caches, Names &names,
                     Expressions &expressions);

/// The condition that the result's array is longer than caches, over the members of its struct.
term::Term longer_than_caches(const std::string &array, const loop::Program &program);

} // namespace unravel::emit
