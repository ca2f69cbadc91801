#pragma once

#include "contract/forest.h"

#include <string>
#include <vector>

namespace unravel::show {

/// Loops as boxes inside of each other, each with how often its body is executed; sparse loops are marked.
/// Buffers stand where they begin anew, with their sizes; `bytes`: of an element. `once`: what is done before
/// the loops, a box each. An SVG element.
std::string forest_svg(const contract::Network &network, const contract::Forest &forest, std::size_t bytes,
                       const std::vector<std::string> &once);

/// The contractions as a tree: the result on top, what is multiplied for it below. An SVG element.
std::string tree_svg(const contract::Network &network, const contract::Forest &forest);

/// "8000", "1.2e+07"
std::string amount_text(double amount);
/// "8000 bytes", "1.2 MiB"
std::string bytes_text(double bytes);

} // namespace unravel::show
