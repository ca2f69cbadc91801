#pragma once

#include "layout/layout.h"

#include <optional>
#include <vector>

/// Layouts of tensors that share the structure of another one.
namespace unravel::layout {

/// A mode of such a tensor: one of the other tensor's modes, or none of them, then it is dense.
using SharedMode = std::optional<std::size_t>;

/// The layout of a tensor that borrows the index arrays of one with `layout`: that one's relation projected
/// on the modes which both have, times the dense modes. Of its positions those are kept that determine the
/// kept coordinates, and those which they lie in; they, the index arrays and the counts keep their names, and
/// a size of a mode that is left out becomes a count where it is still needed. The value array has a slot for
/// each place, so it is as large as can be known before a kernel runs. Where the modes are all those of
/// `layout` in their order, it is `layout` itself.
///
/// Promised: each slot is the value of at most one position and coordinate. Throws sparse_result at `span`
/// where that isn't proved, or a kept coordinate can't be told without one that is left out.
Layout structure_of(const Layout &layout, const std::vector<SharedMode> &modes, const text::Span &span);

/// Of a layout of one piece: is it proved that each value is that of one coordinate, and each coordinate at
/// one position? Then writing an element changes no other one, and it is written once.
bool has_values_of_one_element(const Layout &layout);

} // namespace unravel::layout
