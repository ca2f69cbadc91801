#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Tensors in memory, their files, generators and the reference evaluator.
namespace unravel::data {

/// A tensor as a list of entries: entry e has the coordinate (index[0][e], index[1][e], ...) and the value
/// value[e]. Indices count from 0 and lie in [0, shape[mode]). Entries may come in any order; several with
/// the same coordinate add up; entries of value 0 are entries. Order 0 (a scalar) has no index arrays. The
/// indices are one array per mode, because packing and sorting walk over modes one at a time.
struct Coordinates {
  std::vector<std::int64_t> shape;
  std::vector<std::vector<std::int64_t>> index;
  std::vector<double> value;
  std::vector<double>
      imaginary; // of complex values, as many as `value`, their real parts; empty: all are real
  /// The two are halves of integers of 64 bits, which doubles would round (value/exact.h).
  bool in_halves = false;

  Coordinates() = default;
  /// No entries yet.
  explicit Coordinates(std::vector<std::int64_t> shape_of_tensor);

  std::size_t order() const { return shape.size(); }
  std::size_t size() const { return value.size(); }
  bool is_complex() const { return !imaginary.empty(); }
  double imaginary_of(std::size_t entry) const { return is_complex() ? imaginary[entry] : 0; }
  bool is_zero(std::size_t entry) const { return value[entry] == 0 && imaginary_of(entry) == 0; }

  void reserve(std::size_t entries);
  /// Room for `entries` entries, those beyond size() zero.
  void resize(std::size_t entries);
  /// Adds one entry. `coordinate` has order() indices, each within the shape (not checked).
  void append(const std::vector<std::int64_t> &coordinate, double entry_value, double imaginary_part = 0);
  /// The coordinate of entry e.
  std::vector<std::int64_t> coordinate(std::size_t entry) const;
  /// Have two entries the same index in each of these modes?
  bool agree(std::size_t a, std::size_t b, const std::vector<std::size_t> &modes) const;
  /// An entry takes the place of another one.
  void move(std::size_t from, std::size_t to);

  friend bool operator==(const Coordinates &, const Coordinates &) = default;
};

/// 0, 1, ..., order - 1.
std::vector<std::size_t> natural_modes(std::size_t order);

/// Whether the entries are in lexicographic order, the modes compared in the order given. With `strictly`, no
/// coordinate may occur twice. O(entries).
bool is_sorted(const Coordinates &tensor, const std::vector<std::size_t> &modes, bool strictly = false);

/// Sorts lexicographically, comparing modes[0] first; modes that are not listed are not compared. Stable, so
/// duplicates keep their order. A radix sort of O(entries * bits of the shape); O(entries) if sorted already.
void sort(Coordinates &tensor, const std::vector<std::size_t> &modes);

/// The permutation that sort() would apply: result[k] is the entry that comes k-th.
std::vector<std::size_t> sorted_order(const Coordinates &tensor, const std::vector<std::size_t> &modes);

/// Adds up neighbouring entries with equal coordinates, from first to last. On sorted entries (any order of
/// all the modes) no duplicates remain. O(entries).
void combine_duplicates(Coordinates &tensor);
/// Calls combine(first, other) instead, to make one entry of both in the place of the first.
template <class Combine> void combine_duplicates(Coordinates &tensor, Combine combine) {
  const std::vector<std::size_t> modes = natural_modes(tensor.order());
  std::size_t count = 0;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    if (count > 0 && tensor.agree(count - 1, e, modes))
      combine(count - 1, e);
    else
      tensor.move(e, count++);
  tensor.resize(count);
}

/// Takes out the entries of value 0, whatever others there are of their coordinates. O(entries).
void drop_zeros(Coordinates &tensor);

/// The tensor with its modes rearranged: mode k of the result is mode modes[k] of the argument, each named
/// once at most; those that are left out have extent 1. The order of the entries is unchanged.
Coordinates transpose(Coordinates tensor, const std::vector<std::size_t> &modes);

/// The tensor with so many modes, where as many of extent 1 as it has too much can be left out, the last ones
/// first; unchanged otherwise.
Coordinates with_order(Coordinates tensor, std::size_t order);

/// Gives the entries the two halves of integers, or, where no double rounds them or a sum of some of them,
/// the integers themselves.
void take_halves(Coordinates &tensor, std::vector<double> low, std::vector<double> high);
/// Of entries in halves the integers, which doubles may round; others stay as they are.
void join_halves(Coordinates &tensor);

/// The tensor of the imaginary parts; of a real one zeros.
Coordinates imaginary_part(Coordinates tensor);

/// The entries of a dense row-major array, all of them, zeros too. values.size() is the product of the shape;
/// `imaginary` has as many elements, or none.
Coordinates from_dense(std::vector<std::int64_t> shape, const std::vector<double> &values,
                       std::vector<double> imaginary = {});

/// The dense row-major array of the real parts, duplicates added up; `fill` where there is no entry.
/// Precondition: the product of the shape fits in memory.
std::vector<double> to_dense(const Coordinates &tensor, double fill = 0);

/// The product of the extents, or -1 when it is beyond 2^63 - 1. The empty shape has 1 element.
std::int64_t element_count(const std::vector<std::int64_t> &shape);

} // namespace unravel::data
