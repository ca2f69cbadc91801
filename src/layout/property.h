#pragma once

#include "layout/layout.h"
#include "layout/resolve.h"

/// The named forms of properties as formulas (Zhao et al., Table 1), with the guards that keep every
/// application in its array.
namespace unravel::layout {

/// `scope`: sizes, counts, parameters and index arrays of the layout.
Property make_property(const parse::PropertyTree &tree, const Layout &layout, const Scope &scope);

/// Has something in the layout this name: a coordinate, size, count, array or position?
bool is_taken(const std::string &name, const Layout &layout);

/// The conditions 0 <= argument < extent of every application in the formula.
term::Term domain_guard(const term::Term &formula, const Layout &layout);

} // namespace unravel::layout
