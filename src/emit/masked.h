#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/arrays.h"
#include "loop/vector_sums.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// The C text of a sum of products (loop/gathered_sum.h) in steps, behind the
/// declarations of the loop's variable and of its end:
///
///     begin  over_steps { inside }  finish
struct StepsText {
  std::string begin, over_steps;
  std::vector<std::string> inside, finish;
};

/// 8 elements at a time, with gathers and masks of the processor.
StepsText gathered_text(const loop::For &loop, const loop::GatheredSum &sum, const std::string &end,
                        Names &names, Expressions &expressions);

/// With plain loads: 4 elements at a time, as two pairs, or 8 as two fours where none is gathered. In the last
/// step elements behind the segment are read too. Where their arrays have no more, the variable stays at what
/// is left.
StepsText plain_text(const loop::For &loop, const loop::GatheredSum &sum, const std::string &end,
                      const loop::Program &program, Names &names, Expressions &expressions);

/// The additions of loop::GatheredLanes from the lane at `first` on, by pairs, for as many as there are sums:
/// lines for the case that all lanes are used, and where lanes may be unused, for the case that some are.
struct LanesAtOnce {
  std::string all_used, any_used; // conditions; empty where all lanes always are
  std::vector<std::string> full, blended;
};
/// `sums`: of the pairs of lanes from `first` on, the C text of each.
LanesAtOnce lanes_at_once(const loop::For &loop, const loop::GatheredLanes &lanes, const term::Term &first,
                          const std::vector<std::string> &sums, const Names &names, Expressions &expressions);

} // namespace unravel::emit
