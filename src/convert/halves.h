#pragma once

#include "convert/pack.h"
#include "data/coordinates.h"
#include "tensor/tensor.h"
#include "value/exact.h"

#include <span>

/// Integers of 64 bits on their way through coordinates: in halves (value/exact.h), where a double would
/// round one. Packing adds up, negates, compares and moves both halves, as those of complex numbers.
namespace unravel::convert {

/// Might a double round a value, or a sum of some of them? O(numbers), of integers of 64 bits alone.
bool need_halves(value::Type type, std::span<const std::int64_t> numbers);
bool need_halves(const tensor::Tensor &tensor);
/// Has the layout an array of such values?
bool has_wide_integers(const layout::Layout &layout, tensor::ValueType open);

/// The entries of a tensor, as unpack() gives them, its integers of 64 bits in halves.
data::Coordinates unpack_halves(const tensor::Tensor &tensor,
                                std::int64_t max_memory = data::default_max_memory());
/// In halves where a double would round a value.
data::Coordinates unpack_exactly(const tensor::Tensor &tensor,
                                 std::int64_t max_memory = data::default_max_memory());
/// Entries of integers as ones of that integer type, into which they wrap around.
void wrap_around(data::Coordinates &entries, value::Type type);
/// As pack() does, of entries in halves, into a layout with values of 64 bits. Throws value_width too where
/// the type doesn't hold a value.
tensor::Tensor pack_halves(const layout::Layout &layout, data::Coordinates entries,
                           const PackOptions &options = {});
/// Of entries that are in halves or not. Throws value_width where the layout has no values for halves.
tensor::Tensor pack_exactly(const layout::Layout &layout, data::Coordinates entries,
                            const PackOptions &options = {});

} // namespace unravel::convert
