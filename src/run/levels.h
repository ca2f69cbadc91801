#pragma once

#include "build/kernel.h"
#include "pipeline.h"
#include "tensor/tensor.h"

#include <map>
#include <string>

/// The levels of a kernel's wavefronts, on data.
namespace unravel::run {

/// The levels' arrays with room for as many iterations as the tensors' sizes say; M is 0, so that the kernel
/// is sequential. `sizes`: those that no tensor has, by name. Precondition: the compilation has an inspector.
tensor::Tensor make_levels(const pipeline::Compilation &compilation,
                           const std::map<std::string, tensor::Tensor> &tensors,
                           const std::map<std::string, std::int64_t> &sizes);

/// Compiles the inspector and calls it: then M is the number of iterations. Returns the milliseconds of the
/// call.
double inspect(const pipeline::Compilation &compilation, std::map<std::string, tensor::Tensor> &tensors,
               const std::map<std::string, std::int64_t> &sizes, tensor::Tensor &levels,
               const build::Options &options);

} // namespace unravel::run
