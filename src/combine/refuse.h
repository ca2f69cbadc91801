#pragma once

#include "compute/computation.h"
#include "layout/layout.h"
#include "space/set.h"

/// What an access or a statement can't do.
namespace unravel::combine {

/// Its subscript, whose range is said, isn't there at the points `outside`, over the program's sizes.
[[noreturn]] void refuse_outside(const compute::Access &access, const std::string &range,
                                 const space::Set &outside, const term::Substitution &size_of);
/// It divides, without a place for each element.
[[noreturn]] void refuse_divisor(const compute::Access &access, const layout::Layout &layout, bool is_local);
/// It is a mask, of a tensor that the kernel writes.
[[noreturn]] void refuse_mask_of_result(const compute::Access &access);
/// It is a mask, and stores every element.
[[noreturn]] void refuse_total_mask(const compute::Access &access);

/// It adds to a sparse result, or reduces it, which begins without entries: refused unless the result's fill
/// is declared and what it begins with.
void check_adding(const compute::Statement &statement, const layout::Layout &layout);

} // namespace unravel::combine
