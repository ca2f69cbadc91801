#pragma once

#include "combine/space.h"
#include "layout/layout.h"
#include "loop/loop.h"
#include "lower/lower.h"

#include <map>
#include <string>

namespace unravel::lower {

/// A tensor with its layout, as a parameter of kernels.
loop::TensorParameter parameter(const combine::Binding &binding, const LowerOptions &options);

/// Preconditions on operands' counts: that each is what its layout defines it as by an element of an index
/// array, `A.NNZ = A.rowptr(A.M)`. The kernel relies on it, and one look tells. Only where the body reads
/// that array: a caller may leave out what the kernel doesn't touch.
void require_counts(const combine::Combination &combination, loop::Program &program);

/// Preconditions on the sizes of assembled results: that whatever entries there are, their coordinates and
/// what the layouts derive from them fit in the index arrays, as far as these have int32 elements.
void require_widths(const combine::Combination &combination, loop::Program &program);

/// The name of the C struct for tensors of a layout: the same in every kernel, and another one where the
/// struct is another, so that kernels may be linked and included together. The layout's name and parameters
/// ("csr", "bcsr_4_4"); with the order where a name is meant to serve several, that is for layouts without
/// index arrays and from order 3 on ("dense_vector", "dense_matrix_1_0", "coo_tensor3"); with the element
/// types that aren't the usual ones, int32 and float64 ("csr_int64_f32"), where the layout's arrays leave
/// them open.
std::string type_name(const layout::Layout &layout, loop::ElementType index, loop::ElementType value);

} // namespace unravel::lower
