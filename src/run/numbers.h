#pragma once

#include "tensor/tensor.h"
#include "term/term.h"

#include <cstdint>
#include <map>
#include <string>

/// Terms over sizes, on data.
namespace unravel::run {

/// The value of a term over sizes and counts of tensors, "A.M", and over sizes that no tensor has, "k"
/// (formulas give 0 or 1). Precondition: it reads no array.
std::int64_t number_on(const term::Term &term, const std::map<std::string, tensor::Tensor> &tensors,
                       const std::map<std::string, std::int64_t> &sizes);

} // namespace unravel::run
