#pragma once

#include "convert/pack.h"

/// Which entries belong to which piece of a layout.
namespace unravel::tensor {

/// Takes the entries of a piece out of `entries`; sets the counts that are limits of it.
Coordinates take_entries(Coordinates &entries, Tensor &tensor, const PiecePlan &plan);

/// Throws not_storable for entries that no piece has a place for. Precondition: there are some.
[[noreturn]] void fail_no_place(const Tensor &tensor, const PackPlan &plan, const Coordinates &entries);

/// Throws not_storable unless the packed tensor means the entries `given`, equal ones added up and zeros left
/// out: where several pieces mean entries of the same arrays, packing by one of them may have said too much.
void require_same_meaning(const Tensor &tensor, Coordinates given, const PackOptions &options);

} // namespace unravel::tensor
