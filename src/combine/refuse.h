#pragma once

#include "compute/computation.h"
#include "layout/layout.h"

/// What an access or a statement can't do.
namespace unravel::combine {

/// It divides, without a place for each element.
[[noreturn]] void refuse_divisor(const compute::Access &access, const layout::Layout &layout, bool is_local);
/// It is a mask, of a tensor that the kernel writes.
[[noreturn]] void refuse_mask_of_result(const compute::Access &access);
/// It is a mask, and stores every element.
[[noreturn]] void refuse_total_mask(const compute::Access &access);

/// It adds to a sparse result, which begins without entries.
[[noreturn]] void refuse_adding(const compute::Statement &statement);

} // namespace unravel::combine
