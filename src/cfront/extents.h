#pragma once

#include "cfront/formula.h"

#include <optional>
#include <vector>

/// Extents of pointers, which C doesn't know.
namespace unravel::cfront {

/// An element that is used: its subscripts, and what holds where it is.
struct ElementUse {
  std::vector<Polynomial> subscripts;
  std::vector<term::Term> facts;
};

/// The least extent of a mode that holds all uses, over sizes; nothing where it is no single sum of sizes.
std::optional<Polynomial> implied_extent(const std::vector<ElementUse> &uses, std::size_t mode,
                                         const Variables &variables);

} // namespace unravel::cfront
