#pragma once

#include "data/coordinates.h"
#include "tensor/tensor.h"

#include <optional>
#include <span>

/// Terms and formulas over coordinates, sizes and counts, for many entries at once.
namespace unravel::tensor {

/// The term for the entries from `begin` on, one per element of `out`. In wrapping arithmetic: what is wanted
/// fits, the steps to it may not. Preconditions: the tensor has the sizes and counts that occur; no index
/// arrays do.
void evaluate_terms(const term::Term &term, const Tensor &tensor, const data::Coordinates &entries,
                    std::size_t begin, std::span<std::int64_t> out);

/// Per entry 1 where it satisfies all formulas, else 0.
std::vector<char> which_satisfy(const std::vector<term::Term> &formulas, const Tensor &tensor,
                                const data::Coordinates &entries);

/// The least value of a term; nothing without entries.
std::optional<std::int64_t> least_value(const term::Term &term, const Tensor &tensor,
                                        const data::Coordinates &entries);

} // namespace unravel::tensor
