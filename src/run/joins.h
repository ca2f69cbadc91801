#pragma once

#include "compute/computation.h"
#include "schedule/order.h"
#include "tensor/tensor.h"

#include <map>
#include <string>

namespace unravel::run {

/// Of each two sparse factors with one index in common how often they meet there (pipeline::join_name): the
/// sum, over the index's values, of the products of how many entries both have. Nothing of tensors that can't
/// be gone through, or have more than some million entries, of which it would take longer than it may save;
/// nor of indices with more values than that.
schedule::Counts joins_of(const compute::Program &program,
                          const std::map<std::string, tensor::Tensor> &tensors);

} // namespace unravel::run
