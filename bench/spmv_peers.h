#pragma once

#include "contest.h"
#include "operands.h"

#include <vector>

/// What a user would run instead of Unravel's y = A x, A by rows, x dense. Each contestant has A and x in its
/// own form before it is timed; its run sets y (or adds to it, where its name has +=).
namespace unravel::bench {

/// On the arrays themselves: they must outlive this.
std::vector<Contestant> eigen_spmv(const Compressed &a, const std::vector<double> &x, int threads);

/// SuiteSparse:GraphBLAS, where the benchmark was built with it. x and y are full vectors.
std::vector<Contestant> graphblas_spmv(const Compressed &a, const std::vector<double> &x, int threads);

/// librsb, where the benchmark was built with it: its default format, without autotuning.
std::vector<Contestant> librsb_spmv(const Compressed &a, const std::vector<double> &x, int threads);

} // namespace unravel::bench
