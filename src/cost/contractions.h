#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

/// What the loops of a product of several tensors take, in nanoseconds of one thread: by it plans are chosen
/// (contract/forest.h). All numbers were measured on a core at 3.7 GHz with vectors of 8 float64, 32 KiB of
/// first and 1 MiB of second cache, by `bench_plans --kernels choice` and variants of its cases, whose
/// kernels are named below. Only their ratios matter.
namespace unravel::cost {

// ---- loops

/// Beginning and leaving a loop over a dense mode. (An inner product and a sum of rows of 16 or 32 elements
/// for each entry: S(i,j) * Q(i,k) * K(j,k) * V(j,r) on a banded S.)
inline constexpr double dense_loop = 0.8;
/// The same of one that adds to a row in memory. (MTTKRP of the modes j and k, all multiplied at the entry.)
inline constexpr double added_row = 1.6;
/// And over what is stored: how long it is isn't foreseen. (MTTKRP with 1.0, 1.3, 1.6 and 5.5 entries per
/// fibre.)
inline constexpr double stored_loop = 4;
/// Of such a loop's iteration, for each sparse factor: its coordinate, its value or its pointers.
inline constexpr double stored_step = 0.6;
/// The same of the innermost loop, where there is less to wait for. (A matrix times a vector.)
inline constexpr double short_stored_loop = 2, innermost_stored_step = 0.25, gathered_operand = 0.05;
/// More where each iteration adds to another element. (A(i,j) * x(i) * z(j), summed by way of w(j) or w(i).)
inline constexpr double scattered = 0.15;
inline constexpr double dense_step = 0.3;

// ---- operands: elements that are multiplied in the innermost loop, each time

inline constexpr double lanes = 8; // elements of a vector
/// A vector of them that lie side by side.
inline constexpr double vector = 0.25;
/// One that is added to in memory: read, added to, written. (MTTKRP of mode k, a row w(r) for each fibre.)
inline constexpr double added_vector = 1.25;
/// Elements that fill no vector, or where vectors aren't possible.
inline constexpr double element = 0.25;
/// One whose neighbours aren't wanted: each brings a line of its own into the cache. (U(j,r) * w(j,r), summed
/// over j for each r.)
inline constexpr double strided = 0.4;
/// Products of a row and a column that are collected, to be added to a matrix in tiles. (TTMc.)
inline constexpr double rows_collected = 32;
/// No operand costs less, wherever it is.
inline constexpr double least_operand = vector / lanes;
/// What is added up in lanes becomes one number. Of products with a row that stays in registers, where the
/// loop over it is around the others, nothing has to wait for it. (TTTP with 1.05, 1.6, 5.6 and 133 entries
/// per fibre.)
inline constexpr double sum_of_lanes = 1.5, sum_of_kept_lanes = 0.3;

// ---- memory

/// Of float64: what caches hold.
inline constexpr double first_cache = 4096, second_cache = 131072, last_cache = 4194304;
inline constexpr double line = 8;

/// To fetch a line that lies anywhere in a tensor of so many elements, while others are fetched and computed
/// with. (S(i,j) * Q(i,k) * K(j,k) * V(j,r) with K and V of 0.1 to 1 MiB; TTMc with a result of 8 MiB.)
inline double fetched_line(double elements) {
  return elements <= first_cache ? 0 : elements <= second_cache ? 0.85 : elements <= last_cache ? 2.5 : 6;
}
/// To fetch so many elements that lie side by side.
inline double fetched(double side_by_side, double elements) {
  return std::ceil(side_by_side / line) * fetched_line(elements);
}
/// Of what follows the line fetched before: the processor foresees it.
inline constexpr double part_if_foreseen = 0.25;

/// To set an element, the tensor having so many. (The last one: memory that no cache holds.)
inline double cleared(double elements) {
  return elements <= first_cache    ? 0.04
         : elements <= second_cache ? 0.06
         : elements <= last_cache   ? 0.15
                                    : 0.4;
}

/// A buffer with fewer elements than a vector, which begins anew in loops: it is summed in memory, and what
/// reads it waits for that. (A(i,j) * B(j,k) * C(k,m) with three k: w(k) for each i, against w(i,k).)
inline constexpr double short_row = 15;

/// A kernel of its own in the program: a parallel region, what it reads of sizes and pointers. (A product of
/// three matrices of 100 rows, in one kernel and in two.)
inline constexpr double kernel = 250;

// ---- conversions

/// To put an entry of a sparse operand into another order of its modes, one that has another mode first and
/// the others as they were: a counting sort, all levels anew. (csf<1,0,2> and csf<2,0,1> of tensors with 1e6
/// entries.)
inline constexpr double converted_entry = 120;

// ---- choice

/// So much cheaper than the line's own loops is a plan that is taken: estimates are no measurements.
inline constexpr double worth = 0.8;
/// The same of one that differs from these in sums that stay in registers: most of the estimated times is the
/// same then. (TTTP with 1.05 entries per fibre, widths 16 to 64.)
inline constexpr double worth_in_registers = 0.95;
/// The work (operations) of what is taken is never more than so many times that of the best tree, whatever
/// the estimated times are;
inline constexpr double most_work = 1.1;
/// but up to so many times where those that do less are dearer by a larger part than it does more. (MTTKRP of
/// order 4: 1.19 times the additions, in registers, against sums that are scattered over a buffer: 0.4 of the
/// time. Y(i,r) from a csf<2,0,1>, where the least work needs sums over all of i and j: 1.4 times, 0.5 of the
/// time.)
inline constexpr double most_work_for_time = 2;

} // namespace unravel::cost
