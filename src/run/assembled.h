#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <vector>

namespace unravel::run {

/// The arrays that a kernel has made for a result, as its struct names them: freed, unless they are taken.
class Assembled {
public:
  /// `slots`: the struct (tensor::KernelArguments), behind the call. Both must live as long as this.
  Assembled(tensor::Tensor &tensor, std::vector<std::uint64_t> &slots) : tensor_(&tensor), slots_(&slots) {}
  Assembled(Assembled &&other) noexcept;
  Assembled &operator=(Assembled &&) = delete;
  ~Assembled();

  /// The tensor gets counts and arrays, whose memory is not copied.
  void take();

private:
  std::uint64_t *arrays() const;

  tensor::Tensor *tensor_;
  std::vector<std::uint64_t> *slots_; // null: moved from
};

} // namespace unravel::run
