#pragma once

#include "find/state.h"

/// Loops over tiles that go on at the next tile with a match.
///
/// A find for the interval of a tile t, 0 <= c*t + d - key(q) < width with c <= width, is a walk that resumes
/// in the next tile. What is asked of it depends on t alone: the loops between the tile loop and the find,
/// and the segment, are the same for each t. Then after tile t each walk stands at a position q, or at its
/// segment's end. Behind q no match lies as long as c*t' + d < key(q) (O-jump), and at the least other t',
/// ceil((key(q) - d) / c), q itself matches. So the least of these of all walks is the next tile that has a
/// match; it is a later one (O-past). No key lies in front of the first tile (O-first), and a tile's visits
/// have states of their own (O-place).
namespace unravel::find {

/// Sets plan.jump, or plan.no_jump, of a walk whose plan is complete.
void plan_jump(Obligations &obligations, LevelPlan &plan);

} // namespace unravel::find
