#pragma once

#include "convert/pack.h"
#include "data/coordinates.h"
#include "packing/pack_order.h"

#include <algorithm>
#include <optional>

/// The parts of packing: what pack.cpp calls, in this order.
namespace unravel::convert {

using data::Coordinates;
using data::DType;
using data::Elements;
using packing::Key;
using packing::Level;
using packing::Mode;
using packing::PackPlan;
using packing::PiecePlan;
using packing::Slot;
using packing::SortKey;
using tensor::Tensor;

/// For entries that have no place in a layout: kind not_storable.
[[noreturn]] void fail_not_storable(const Tensor &tensor, const std::string &reason);

/// Numbers that a plan's offsets come to for given sizes, modes being counted from their least values.
struct LevelNumbers {
  std::int64_t offset = 0;               // Dense, Run
  std::vector<std::int64_t> key_offsets; // one per key
  std::int64_t home = 0;                 // of a hash table: the least one
};
std::vector<LevelNumbers> level_numbers(const PiecePlan &plan, const Tensor &tensor);

/// The position of a node of a padded level, counted from the first one of its segment: behind that of the
/// node before it, or first of all (`before`: -1), and not before its home.
inline std::int64_t next_place(const Level &level, const LevelNumbers &numbers, const Coordinates &modes,
                               std::size_t e, std::int64_t before) {
  if (!level.home) return before + 1;
  return std::max(before + 1, modes.index[level.home->mode][e] + numbers.home);
}

/// Some of the values are -0.0: added to a slot that holds 0.0, it would be lost.
bool has_negative_zero(const Coordinates &entries);

/// Makes the array with zeros in it (values: with the fill), or unset. Values that are no floating-point
/// numbers of the wanted width yet are converted by finish_packing. Throws kind internal when its extents are
/// not known yet.
Elements &make_array(Tensor &tensor, const std::string &name, const PackOptions &options, bool zero = true);

/// What comes before and after the arrays are filled: sizes and the checks that need no entries; element
/// types of values, counts, the arrays that bound segments, properties that the plan doesn't imply. In
/// between the tensor is one of the layout with pointers.
Tensor begin_packing(const layout::Layout &layout, const PackPlan &plan,
                     const std::vector<std::int64_t> &shape, std::size_t entries, const PackOptions &options);
void finish_packing(Tensor &tensor, const layout::Layout &layout, const PackPlan &plan,
                    const PackOptions &options);

/// Sorts the entries, by their modes, as the plan's levels demand.
void order_entries(Coordinates &coordinates, const PiecePlan &plan);

/// Where nothing marks unused positions of a padded level: adds entries of that (real) value until every node
/// has as many as its positions want, at the least modes that have none. Throws not_storable where a node has
/// too many.
void pad_entries(Tensor &tensor, Coordinates &coordinates, const PiecePlan &plan, double value);

/// Fills counts and arrays from entries that are in the order of the plan.
void build_levels(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
                  const PackOptions &options);

/// Is the plan one keyed level, its entries sorted by all keys, with nothing but dense levels above and
/// below? Then the tensor is packed, faster than by order_entries and build_levels; otherwise nothing is
/// done.
bool pack_keyed(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
                const PackOptions &options);

/// Chooses each permutation of the plan: sets its array and puts places in place of coordinates. Places are
/// given by falling number of entries that are stored, equal ones by increasing coordinate; within windows,
/// if the plan has them.
void permute(Coordinates &entries, Tensor &tensor, const PiecePlan &plan, const PackOptions &options);

/// Takes the entries of a piece out of `entries`, those that find a place; sets the counts that are limits of
/// it.
Coordinates take_entries(Coordinates &entries, Tensor &tensor, const PiecePlan &plan);

/// Leaves out the entries that hold what an element is without one.
void leave_out(double fill, data::Coordinates &entries);

/// Throws not_storable for entries that no piece has a place for. Precondition: there are some.
[[noreturn]] void fail_no_place(const Tensor &tensor, const PackPlan &plan, const Coordinates &entries);

/// Throws not_storable unless the packed tensor means the entries `given`, equal ones added up and zeros left
/// out: where several pieces mean entries of the same arrays, packing by one of them may have said too much.
void require_same_meaning(const Tensor &tensor, Coordinates given, const PackOptions &options);

/// The tensor, packed in the layout with pointers, becomes one in the layout itself. Throws index_width.
void write_bounds(Tensor &tensor, const layout::Layout &layout,
                  const std::vector<packing::BoundSegments> &segments, const PackOptions &options);

/// Throws memory_limit where the arrays and the work space are too large. Counts that the tensor doesn't have
/// yet are 0: those of later pieces.
void check_memory(const Tensor &tensor, const PackOptions &options, std::size_t entries);

/// Throws index_width where `largest` doesn't fit in the elements of `name`. `what`: the message's beginning.
void check_width(const layout::Layout &layout, const std::string &name, const PackOptions &options,
                 std::int64_t largest, const std::string &what);

/// The same of pointers whose segments have so many positions in all, which may be far more than entries:
/// throws memory_limit where there is no room for so many, whatever the pointers' width.
void check_positions(const Tensor &tensor, const Level &level, const PackOptions &options,
                     std::size_t entries, std::int64_t positions);

/// A pointer array of counts, one later each, becomes sums: array[k + 1] += array[k].
void sum_pointers(Elements &pointers);
/// The same for widths of a padded level's segments, which may come to more than there are entries. Throws
/// index_width.
void sum_widths(Tensor &tensor, const Level &level, Elements &widths, const PackOptions &options,
                std::size_t entries);

/// A padded level has `widest` positions, the most that any node fills: sets its count. Throws not_storable
/// where it has fewer.
void set_width(Tensor &tensor, const PiecePlan &plan, const Level &level, std::int64_t widest);

/// Throws index_width where the level's array of lengths can't hold that a node fills `widest` positions.
void check_length(const Tensor &tensor, const Level &level, const PackOptions &options, std::int64_t widest);

/// The strides of an array's subscripts, from the last on as far as the extents are known.
std::vector<std::optional<std::int64_t>> known_strides(const Tensor &tensor, const std::string &array);

} // namespace unravel::convert
