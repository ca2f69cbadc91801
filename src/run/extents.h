#pragma once

#include "combine/space.h"
#include "compute/computation.h"
#include "pipeline.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// The extents of a computation's indices and sizes, on which its tensors agree.
namespace unravel::run {

class Extents {
public:
  /// The computation must outlive it.
  explicit Extents(const compute::Computation &computation) : computation_(computation) {}

  /// Of an index variable, or a program's size. `from`: who says so, for messages. Throws size_mismatch where
  /// it has another extent already, unknown_extent where there is nothing of that name.
  void set(const std::string &index, std::int64_t extent, const std::string &from);
  /// Those that a tensor of that shape has, by its subscripts or its declaration. Throws size_mismatch.
  void take_shape(const std::string &tensor, const std::vector<std::int64_t> &shape);
  /// The shape that the extents of a tensor's subscripts ask for, or in a program its declaration. Throws
  /// unknown_extent.
  std::vector<std::int64_t> wanted_shape(const compute::TensorUse &use) const;

  const std::map<std::string, std::int64_t> &all() const { return extents_; }

  /// What the extents of a tensor's modes are called.
  struct Named {
    std::string text;               // where it says so: an access; the tensor's name, where it is declared
    std::vector<std::string> names; // per mode; empty where it has none
  };
  /// By each access to the tensor its index variables, where they aren't shifted; in a program its sizes,
  /// where the extent is nothing but one.
  std::vector<Named> named(const std::string &tensor) const;

private:
  template <class Visit> void each_free_access(const std::string &tensor, Visit visit) const;
  bool is_index(const std::string &name) const;
  bool has_size(const std::string &name) const;
  [[noreturn]] void fail_unknown_extent(const text::Span &span, const std::string &name) const;
  const compute::Program &program() const { return computation_.program; }

  const compute::Computation &computation_;
  std::map<std::string, std::int64_t> extents_;
  std::map<std::string, std::string> origin_;
};

/// Throws what a kernel would refuse: conditions on sizes that don't hold of the tensors. `extents`: of the
/// program's sizes.
void check_sizes(const std::vector<combine::SizeCondition> &conditions,
                 const std::map<std::string, tensor::Tensor> &tensors,
                 const std::map<std::string, std::int64_t> &extents);

/// Throws wrong_shape where the schedule fixes an extent (`bound r = 16`) that the data don't have.
void check_fixed_extents(const pipeline::Front &front, const std::map<std::string, std::int64_t> &extents);

} // namespace unravel::run
