#pragma once

#include "convert/pack.h"

/// Which entries belong to which piece of a layout.
namespace unravel::convert {

/// Takes the entries of a piece out of `entries`, those that find a place; sets the counts that are limits of
/// it.
data::Coordinates take_entries(data::Coordinates &entries, tensor::Tensor &tensor,
                               const packing::PiecePlan &plan);

/// Throws not_storable for entries that no piece has a place for. Precondition: there are some.
[[noreturn]] void fail_no_place(const tensor::Tensor &tensor, const packing::PackPlan &plan,
                                const data::Coordinates &entries);

/// Throws not_storable unless the packed tensor means the entries `given`, equal ones added up and zeros left
/// out: where several pieces mean entries of the same arrays, packing by one of them may have said too much.
void require_same_meaning(const tensor::Tensor &tensor, data::Coordinates given, const PackOptions &options);

} // namespace unravel::convert
