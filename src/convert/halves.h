#pragma once

#include "convert/pack.h"
#include "data/coordinates.h"
#include "tensor/tensor.h"

#include <complex>
#include <optional>
#include <span>

/// Integers of 64 bits on their way through coordinates. Doubles round them beyond 2^53, so they go as
/// complex numbers there, low + 2^32 high: of these each part is exact, and packing adds up, negates,
/// compares and moves both.
namespace unravel::convert {

/// Of 64 bits?
bool is_wide_integer(value::Type type);

/// Both halves have the number's sign, so that a number below 2^32 is its own low half: a fill is, too.
std::complex<double> halves_of(const value::Scalar &number);
/// The integer; of an infinite low half the type's greatest or least one. None: the type doesn't hold it, or
/// it is no integer.
std::optional<value::Scalar> whole_of(std::complex<double> halves, value::Type type);

/// Might a double round a value, or a sum of some of them? O(numbers), of integers of 64 bits alone.
bool need_halves(value::Type type, std::span<const std::int64_t> numbers);
bool need_halves(const tensor::Tensor &tensor);
/// Has the layout an array of such values?
bool has_wide_integers(const layout::Layout &layout, tensor::ValueType open);

/// The entries of a tensor, as unpack() gives them, its integers of 64 bits in halves.
data::Coordinates unpack_halves(const tensor::Tensor &tensor,
                                std::int64_t max_memory = data::default_max_memory());
/// As pack() does, of entries in halves, into a layout with values of 64 bits. Throws value_width too where
/// the type doesn't hold a value.
tensor::Tensor pack_halves(const layout::Layout &layout, data::Coordinates entries,
                           const PackOptions &options = {});

} // namespace unravel::convert
