#pragma once

#include "parse/tree.h"

#include <string>
#include <vector>

namespace unravel::layout {

/// The shipped layout that lists a tensor's entries by its modes in that order, the outermost first: csr,
/// csc, of other tensors csf. Precondition: 2 to 8 modes, each once.
parse::LayoutReference layout_by_modes(const std::vector<std::size_t> &modes);

/// As it is written behind -f: "csf<1,0,2>".
std::string to_text(const parse::LayoutReference &shipped);

} // namespace unravel::layout
