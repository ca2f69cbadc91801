#pragma once

#include "tensor/tensor.h"
#include "term/term.h"

#include <cstdint>
#include <map>
#include <string>

/// Terms over sizes, on data.
namespace unravel::run {

/// Sizes, counts and index arrays of tensors, "A.M" and "A.rowptr", and other sizes by their names, "k".
class Numbers final : public term::Environment {
public:
  /// Both must outlive it.
  Numbers(const std::map<std::string, tensor::Tensor> &tensors,
          const std::map<std::string, std::int64_t> &sizes)
      : tensors_(tensors), sizes_(sizes) {}

  std::int64_t variable(const std::string &name) const override;
  /// Of arrays with one subscript, inside of the array.
  std::int64_t apply(const std::string &function, const std::vector<std::int64_t> &arguments) const override;

private:
  const std::map<std::string, tensor::Tensor> &tensors_;
  const std::map<std::string, std::int64_t> &sizes_;
};

/// The value of a term over them (formulas give 0 or 1).
std::int64_t number_on(const term::Term &term, const std::map<std::string, tensor::Tensor> &tensors,
                       const std::map<std::string, std::int64_t> &sizes);

} // namespace unravel::run
