#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// The loops that are timed: sums of products with gathered elements, as kernels have them.
namespace unravel::machine {

/// Segments of entries: of segment k those in [begin[k], begin[k + 1]). `col` and `val` have 8 elements more
/// than there are entries; columns lie in x.
struct Segments {
  std::vector<std::int32_t> begin, col;
  std::vector<double> val, x;

  std::size_t count() const { return begin.size() - 1; }
  std::size_t entries() const { return static_cast<std::size_t>(begin.back()); }
};

/// The sum of each segment, one form of loop each (SumTimes). `y` has an element per segment.
void sum_plain(const Segments &segments, double *y);
void sum_in_pairs(const Segments &segments, double *y);
/// Precondition: has_gathers8().
void sum_by_gathers(const Segments &segments, double *y);

/// The sum of the elements of x at all columns. The number of entries is a multiple of 8.
double add_loaded(const Segments &segments);
/// Precondition: has_gathers4().
double add_gathered4(const Segments &segments);
/// Precondition: has_gathers8().
double add_gathered8(const Segments &segments);

/// Has the processor AVX2's gathers; AVX-512's? False on other processors than x86.
bool has_gathers4();
bool has_gathers8();

} // namespace unravel::machine
