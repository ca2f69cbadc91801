#pragma once

#include "loop/interpret.h"
#include "tensor/tensor.h"

#include <map>
#include <string>

namespace unravel::run {

/// The tensors as the interpreter is given them. `sizes`: those that no tensor has.
loop::Memory memory_of(const loop::Program &program, const std::map<std::string, tensor::Tensor> &tensors,
                       const std::map<std::string, std::int64_t> &sizes);

} // namespace unravel::run
