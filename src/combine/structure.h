#pragma once

#include "compute/computation.h"
#include "layout/layout.h"
#include "parse/tree.h"

#include <map>
#include <string>

/// Results that share an operand's structure: `-f D=like:S`.
namespace unravel::combine {

/// Whose structure the result has, and the layout that this gives it (layout/structure.h).
struct Structure {
  std::string operand; // the access whose positions are the result's too: "S", "S#2"
  layout::Layout layout;
};

/// What `like:S` means for the computation's first result, which a free statement computes. `layouts`: of the
/// operands.
///
/// S must be a factor, or a mask: then all terms lie at its entries. The modes of the result whose index is
/// one of S's are the modes of S with that index; its others are dense; those of S that the result hasn't are
/// left out. Of several occurrences of S the one with most indices in common counts, then with most of them
/// at the same place, then the first. Throws unknown_tensor, bad_structure (subscripts that say no
/// structure), and sparse_result (a layout of S that can't be shared).
Structure structure_like(const compute::Computation &computation,
                         const std::map<std::string, layout::Layout> &layouts,
                         const parse::LayoutReference &reference);

/// The tensor of the access of that name, "S#2", whose structure a result has; empty where there is none.
std::string lender_of(const std::string &access, const compute::Program &program);

} // namespace unravel::combine
