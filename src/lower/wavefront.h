#pragma once

#include "lower/lower.h"

#include <string>
#include <vector>

/// Loops that carry dependences, in wavefronts (levels): an inspector gives each iteration a level, one more
/// than the highest of those that it depends on; an executor runs the levels one after the other, the
/// iterations of a level in parallel (Saltz et al. 1991; Venkat et al. 2016).
///
/// Inspector and executor are kernels. What one tells the other is the tensor parameter `levels`:
///
///     M                the number of iterations; 0: nothing was inspected, the executor is sequential
///     count[2]         of levels; of instances that the inspector has visited, and iterations: the work
///     first[M + 1]     level l has iteration[first[l] .. first[l + 1]), by increasing iteration
///     iteration[M]     counted from the first one on
///     level[M]         of each iteration
///
/// Where segments are packed (PackedSegment), for each of them, numbered from the second on:
///
///     entries          positions in all segments
///     begin[M + 1]     begin[p] .. begin[p + 1) of the copies is the segment of iteration[p]
///     L_col, L_val     [entries], what L.col and L.val have in the segments
namespace unravel::lower {

/// The parameter; of the inspector it is the result. `kernel`: the executor's name.
/// `operands`: the kernel's parameters, whose arrays are packed.
loop::TensorParameter levels_parameter(const std::string &name, const std::string &kernel,
                                       loop::ElementType index, bool is_result,
                                       const std::vector<PackedSegment> &packed,
                                       const std::vector<loop::TensorParameter> &operands);

/// The elements that each array of the levels has, in their order. `numbers`: M and the counts.
std::vector<std::int64_t> room_of_levels(const loop::TensorParameter &levels,
                                         const std::vector<std::int64_t> &numbers);

/// The loop in wavefronts where there is a level's worth of work, at least `least` on average, in each, and
/// `least_of_iteration` in each iteration; else as it is. In wavefronts it reads what is packed. `levels`:
/// the parameter's name. `origins`: the loop's.
loop::Block executor(loop::For loop, const loop::Origins &origins, const std::string &levels,
                     const Wavefronts &wavefronts, const std::vector<loop::TensorParameter> &operands);

/// What the inspector does: `loop` is the one that is to be inspected, without a body. `waits` and `precedes`
/// give the instances of one iteration, with what is to be done at each, whose partner (an iteration) is
/// earlier or later.
struct Inspected {
  loop::For loop;
  loop::Block waits, precedes;
  std::vector<PackedSegment> packed;
};
loop::Block inspector(Inspected inspected, const std::string &levels);

/// What is done where an iteration conflicts with the iteration `partner`, in the block `waits` or
/// `precedes`. The partner may be no iteration at all, but for `begins`: then it lies at the loop's lower
/// bound or behind.
loop::Block wait_for(const term::Term &partner, const loop::For &loop, const std::string &levels,
                     bool begins);
loop::Block precede(const term::Term &partner, const loop::For &loop, const std::string &levels);

} // namespace unravel::lower
