#pragma once

#include "contest.h"
#include "operands.h"

#include <cstdint>
#include <string>
#include <vector>

/// What a user would run instead of Unravel's graph kernels.
namespace unravel::bench {

/// The kernels of bench_graphs. A is the matrix of an undirected graph: symmetric, without a diagonal.
enum class GraphProblem {
  triangles,     // t = L(i,j) * L(i,k) * L(j,k), L the lower triangle of A
  shortest,      // y(i) = A(i,j) * x(j) in min.+, x dense
  reached,       // the same in or.and: each second element of x is true
  shortest_few,  // y(i) = A(i,j) * x(j) in min.+, x and y sparse
  reached_few,   // the same in or.and
  masked_times,  // C(i,j) = A(i,k) * A(k,j) mask A(i,j), in plus.times
  masked_pair,   // the same in plus.pair
  breadth_first, // the level of each vertex, from one
  page_rank,     // after 20 rounds
  paths          // the length of the shortest path to each vertex, from one
};

/// The arrays must outlive this.
struct GraphOperands {
  GraphProblem problem{};
  Compressed matrix;             // A by rows, or L
  const double *dense = nullptr; // x, dense
  Sparse sparse;                 // x, sparse
  std::int32_t source = 0;
};

constexpr int page_rank_rounds = 20;
constexpr double damping = 0.85;

/// SuiteSparse:GraphBLAS, where the benchmark was built with it. Results are dense, with the reduction's
/// identity where nothing is stored; sparse ones are a row, a column and a value per entry, sorted.
std::vector<Contestant> graphblas_graphs(const GraphOperands &operands, int threads);

/// A sparse result as contestants give it.
std::vector<double> flat(const Entries &entries);

} // namespace unravel::bench
