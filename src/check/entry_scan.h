#pragma once

#include "tensor/tensor.h"

#include <complex>
#include <functional>
#include <vector>

namespace unravel::check {

/// What a scan does with an entry; false stops it.
using EntryVisit =
    std::function<bool(const std::vector<std::int64_t> &coordinate, std::complex<double> value)>;

/// The scan of one piece of any layout, bound by bound. False: it was stopped. Throws outside_array,
/// cannot_unpack.
bool scan_piece(const tensor::Tensor &tensor, const layout::Piece &given, const EntryVisit &use);

/// "p = 3, j = 5": what the first values are.
std::string assignment_text(const std::vector<std::string> &variables, const std::int64_t *values);

} // namespace unravel::check
