#pragma once

#include "tensor/layout_text.h"

namespace unravel::packing {

/// Layouts of a user's own that can be packed, each in one text.
const std::vector<std::string> &user_layouts();

/// A layout of test/layouts/derived.layout.
layout::Layout derived_layout(const std::string &name, std::size_t order,
                              const std::vector<std::int64_t> &parameters);

/// All shipped layouts that can be packed, for some parameters.
const std::vector<layout::Layout> &shipped_layouts();

/// All of derived.layout, permuted.layout and segments.layout in test/layouts, for some parameters, and of
/// tables.layout.
const std::vector<layout::Layout> &derived_layouts();

/// A layout of a file in test/layouts.
layout::Layout layout_in(const std::string &file, const std::string &name, std::size_t order,
                         const std::vector<std::int64_t> &parameters = {});

/// All layouts for tensors of an order that the shipped files, user_layouts() and derived_layouts() have.
std::vector<layout::Layout> layouts_of(std::size_t order);

} // namespace unravel::packing
