#pragma once

#include "packing/pack_plan.h"
#include "tensor/tensor.h"

#include <map>
#include <optional>
#include <string>

namespace unravel::packing {

/// What the C text calls things: as `emit` names the struct of the layout.
struct PackNames {
  std::string type; // the struct's type name: csr
  std::map<std::string, std::string>
      members; // of sizes, counts and arrays, where they differ from the layout's
};

/// C99 (and C++) text of a pack and a free function for a struct type that is declared before it:
///
///     int pack_csr(csr *A, int64_t n, int64_t *const index[], const double *values, int64_t M, int64_t N);
///     void free_csr(csr *A);
///
/// Entry e has the coordinate (index[0][e], index[1][e], ...), one array per mode of the tensor, and the
/// value values[e], a double, of complex values a `double _Complex`, of integers an int64_t, or, of uint64, a
/// uint64_t; the sizes follow, each name once, in the order of the modes. pack_csr sets every member
/// of *A and returns 0; or 1 where a coordinate lies outside the sizes, a number doesn't fit in its array, or
/// sizes and counts break a property, 2 where there is no memory: then all pointers are null. Functions are
/// static but for these two. Sums of integers wrap around, and are cut to the elements' type, as a kernel's
/// are. The text needs <stdint.h> and <stdlib.h>; of plan.checked it checks the properties
/// of sizes and counts, not those of arrays. Slots that no entry has hold `fill`; without one, what the
/// function is given as its last argument, of the type of `values`. Throws cannot_pack where zeros at other
/// coordinates fill segments of different lengths.
std::string emit_pack_c(const PackPlan &plan, const layout::Layout &layout, const PackNames &names,
                        tensor::IndexType index = tensor::IndexType::Int32,
                        tensor::ValueType value = tensor::ValueType::Float64, std::optional<double> fill = 0);

/// A fill as a C expression of this type: of an infinite one as an integer the end of the type.
std::string fill_text(double fill, value::Type type);

} // namespace unravel::packing
