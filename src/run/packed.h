#pragma once

#include "convert/convert.h"
#include "pipeline.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace unravel::run {

/// How a result that a kernel lists is packed behind calls, planned once.
struct ListPacking {
  /// Throws cannot_pack.
  ListPacking(layout::Layout list, const pipeline::PackedResult &wanted, convert::PackOptions options);

  /// Integers of one coordinate are added up in the result's type, in which they wrap around. Throws what
  /// convert::pack does.
  tensor::Tensor pack(const tensor::Tensor &entries) const;

  layout::Layout list, layout;
  convert::PackOptions options;
  packing::PackPlan plan_of_list, plan;
  std::optional<convert::TreePlan> scan; // of the list
  bool drops_zeros = false;              // pipeline::PackedResult
};

/// Such a result of one call, whose caller has structs alone.
class ListedResult {
public:
  /// `wanted`: the caller's struct (tensor::KernelArguments), of which the sizes are set. Throws wrong_shape.
  ListedResult(const ListPacking &how, void *wanted);

  /// The list's struct, which the kernel is called with.
  void *argument() { return slots_.data(); }

  /// Takes what the kernel has made. Behind a call that returned 0.
  void take();
  /// Then: sets the counts of the caller's struct, and its arrays, each to be freed by free(). Throws what
  /// convert::pack does, and bad_alloc: the struct is as it was.
  void pack();
  /// The same as a tensor of its own.
  tensor::Tensor packed() const { return how_.pack(list_); }

private:
  const ListPacking &how_;
  std::uint64_t *wanted_;
  tensor::Tensor list_;
  std::vector<std::uint64_t> slots_;
};

} // namespace unravel::run
