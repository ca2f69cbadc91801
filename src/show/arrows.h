#pragma once

#include "depend/distance.h"
#include "show/parts.h"

namespace unravel::show {

/// A dependence that a loop carries.
struct Arrow {
  std::string name; // "D1"
  loop::Origin loop;
  const depend::LoopVerdict *verdict = nullptr;
  depend::Dependence dependence;
  std::string from, to;           // the ids of the accesses: in the earlier iteration, in the later one
  std::string from_text, to_text; // "x(i) of statement 2"
};

/// Of all nests, in the order of their loops.
std::vector<Arrow> arrows_of(const Parts &parts);

/// What an arrow says, in lines: for a tooltip.
std::string about(const Arrow &arrow, const Parts &parts);

/// How high a row is, and how wide the arrows are at most.
inline constexpr int row_height = 28;
inline constexpr std::size_t most_arrows = 32;

/// The arrows beside rows with these ids, as an inline SVG. Those whose ends aren't among the rows, and what
/// goes beyond `most_arrows`, are left out.
std::string arrows_svg(const std::vector<Arrow> &arrows, const std::vector<std::string> &rows,
                       const Parts &parts);

} // namespace unravel::show
