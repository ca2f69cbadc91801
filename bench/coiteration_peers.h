#pragma once

#include "contest.h"
#include "operands.h"

/// What a user would run instead of Unravel's co-iteration kernels. Each contestant has copied the operands
/// into its own form before it is timed, and returns its result in its own form. Without `long_walks` those
/// that walk over the whole of x in each row are named, but have no `run`.
namespace unravel::bench {

/// The merges of merge.h.
std::vector<Contestant> merge_peers(const Operands &operands, int threads, bool long_walks);

/// Eigen, where the benchmark was built with it. Of these kernels it runs none on several threads.
std::vector<Contestant> eigen_peers(const Operands &operands, int threads, bool long_walks);

/// SuiteSparse:GraphBLAS, where the benchmark was built with it. Each run waits for its result.
std::vector<Contestant> graphblas_peers(const Operands &operands, int threads);

} // namespace unravel::bench
