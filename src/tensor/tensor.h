#pragma once

#include "data/elements.h"
#include "layout/layout.h"

#include <map>
#include <optional>

namespace unravel::tensor {

/// The element types of arrays for which the layout declares none.
enum class IndexType { Int32, Int64 };
using ValueType = value::Type;

/// A tensor in a layout: its sizes, counts and arrays, by the layout's own names. What packing makes, what
/// kernels are called with. Data from outside may be anything: validate() says whether it keeps what the
/// layout promises, and everything but validate() and to_folder() needs that it does.
struct Tensor {
  layout::Layout layout;
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, std::int64_t> counts;
  std::map<std::string, data::Elements> arrays;

  /// The extents of the tensor's modes, in the tensor's order.
  std::vector<std::int64_t> shape() const;
  /// Throws bad_array_folder when it is missing.
  const data::Elements &array(const std::string &name) const;
  data::Elements &array(const std::string &name);
  /// Bytes of all arrays.
  std::int64_t bytes() const;
  /// Stored entries: the elements of the value arrays.
  std::size_t entries() const;
};

/// The type that the elements of an array have: what the layout declares, else the default.
data::DType element_type(const layout::Array &array, IndexType index, ValueType value);

/// The tensor's numbers as a C struct is filled with them, in the layout's order of declaration: sizes (each
/// name once), counts, pointers to the arrays.
struct KernelArguments {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> counts;
  std::vector<void *> arrays;

  /// The struct itself: all of them in this order, 8 bytes each.
  std::vector<std::uint64_t> slots() const;
};
KernelArguments kernel_arguments(Tensor &tensor);

/// A size or count of the tensor, or nothing.
std::optional<std::int64_t> number_of(const Tensor &tensor, const std::string &name);

/// The value of a term over sizes, counts and index arrays; nothing where a name has no value yet, an array
/// is missing or read outside its elements, or 64 bits don't suffice. Safe on any data.
std::optional<std::int64_t> try_evaluate(const term::Term &term, const Tensor &tensor);

/// How far an array's subscript goes, by the extent that the layout says: no further than 0 where that is
/// negative, as `N - 1` of N = 0. Nothing as in try_evaluate.
std::optional<std::int64_t> extent_of(const term::Term &extent, const Tensor &tensor);
/// The number of elements of an array of the layout, by its extents: nothing as in try_evaluate.
std::optional<std::int64_t> element_count(const layout::Array &array, const Tensor &tensor);

/// Computes the counts that the layout defines from what the tensor has already, as far as that goes.
void complete_counts(Tensor &tensor);

/// The sizes of a tensor of that shape by the layout's names. Throws wrong_shape where the orders differ,
/// where an extent is negative, or where modes that share a size disagree.
std::map<std::string, std::int64_t> sizes_of(const layout::Layout &layout,
                                             const std::vector<std::int64_t> &shape);

} // namespace unravel::tensor
