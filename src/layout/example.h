#pragma once

#include <cstddef>
#include <string>

namespace unravel::layout {

/// The name of a shipped layout, for hints: it lists the entries of a tensor of that order, each once.
std::string example_of_entries(std::size_t order);

} // namespace unravel::layout
