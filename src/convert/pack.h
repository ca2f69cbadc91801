#pragma once

#include "data/coordinates.h"
#include "data/file_text.h"
#include "packing/pack_plan.h"
#include "tensor/tensor.h"

namespace unravel::convert {

struct PackOptions {
  tensor::IndexType index = tensor::IndexType::Int32;
  tensor::ValueType value = tensor::ValueType::Float64;
  /// What elements are that have no entry: of those, the layout may store some.
  double fill = 0;
  /// Bytes that the arrays and the work space may take together, the coordinates not counted.
  std::int64_t max_memory = data::default_max_memory();
  /// Gets the properties that packing neither implies nor checked in full: see ValidationResult::sampled.
  std::vector<std::string> *sampled = nullptr;
};

/// The tensor in the layout. Entries with equal coordinates are added up (in the order of the input, in
/// double precision) where the layout stores each coordinate once, from the first one on, so that a zero that
/// stands alone keeps its sign; slots without an entry hold the fill. Of complex values both parts.
/// `plan` is plan_packing(layout); coordinates outside their shape are a bug (kind internal). Throws
/// wrong_shape, memory_limit, index_width, value_width, not_storable, argument_range (a count that is read
/// outside its array for these sizes). O(entries) and a radix sort's passes; O(entries) where the entries
/// come sorted.
tensor::Tensor pack(const layout::Layout &layout, const packing::PackPlan &plan,
                    data::Coordinates coordinates, const PackOptions &options = {});
/// With a plan made on the spot; throws cannot_pack too.
tensor::Tensor pack(const layout::Layout &layout, data::Coordinates coordinates,
                    const PackOptions &options = {});

/// The entries of a tensor, piece by piece, in the order of the arrays: zeros that are stored too, and all
/// slots of a dense tensor. Works for every layout whose positions can be enumerated, not only for those that
/// can be packed. Precondition: the tensor is valid (validate.h); where it isn't, throws outside_array.
/// Throws cannot_unpack, memory_limit.
data::Coordinates unpack(const tensor::Tensor &tensor, std::int64_t max_memory = data::default_max_memory());

/// The ways that unpack() takes: by the plan that packs its layout: level by level, an order of magnitude
/// faster than following the relation. Throws outside_array where pointers or indices lead outside.
data::Coordinates unpack_by_plan(const tensor::Tensor &tensor, const packing::PiecePlan &plan,
                                 std::int64_t max_memory);

/// The entries of a tensor of any layout, by nested loops over what its relation says. Throws outside_array,
/// cannot_unpack.
data::Coordinates unpack_by_scan(const tensor::Tensor &tensor, std::int64_t max_memory);

/// Are the values of the layout complex, of which the options say the type where it doesn't?
bool has_complex_values(const layout::Layout &layout, tensor::ValueType open);
bool has_complex_values(const tensor::Tensor &tensor);

} // namespace unravel::convert
