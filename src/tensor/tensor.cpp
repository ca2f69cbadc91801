#include "tensor/tensor.h"

#include "report/diagnostic.h"
#include "tensor/evaluator.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel::tensor {

using data::DType;
using data::Elements;
using report::Kind;

std::vector<std::int64_t> Tensor::shape() const {
  std::vector<std::int64_t> result;
  for (const std::string &size : layout.sizes)
    result.push_back(sizes.at(size));
  return result;
}

std::map<std::string, std::int64_t> sizes_of(const layout::Layout &layout,
                                             const std::vector<std::int64_t> &shape) {
  if (shape.size() != layout.order())
    report::fail(Kind::wrong_shape,
                 fmt::format("layout `{}` is for tensors of order {}, but the tensor has order {}",
                             layout.name, layout.order(), shape.size()));
  std::map<std::string, std::int64_t> sizes;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) {
    if (shape[mode] < 0)
      report::fail(Kind::wrong_shape,
                   fmt::format("the tensor is {}: an extent is negative", fmt::join(shape, " x ")));
    const auto [known, fresh] = sizes.emplace(layout.sizes[mode], shape[mode]);
    if (!fresh && known->second != shape[mode])
      report::fail(
          Kind::wrong_shape,
          fmt::format("layout `{}` is for tensors whose extents `{}` are equal, but the tensor is {}",
                      layout.name, layout.sizes[mode], fmt::join(shape, " x ")),
          "choose another layout with -f");
  }
  return sizes;
}

const Elements &Tensor::array(const std::string &name) const {
  auto found = arrays.find(name);
  if (found == arrays.end())
    report::fail(Kind::bad_array_folder,
                 fmt::format("there is no array `{}` for layout `{}`", name, layout.name));
  return found->second;
}

Elements &Tensor::array(const std::string &name) {
  return const_cast<Elements &>(static_cast<const Tensor &>(*this).array(name));
}

std::int64_t Tensor::bytes() const {
  std::size_t sum = 0;
  for (const auto &[name, elements] : arrays)
    sum += elements.bytes();
  return static_cast<std::int64_t>(sum);
}

std::size_t Tensor::entries() const {
  std::size_t sum = 0;
  for (const layout::Array &declared : layout.arrays)
    if (declared.is_value) sum += array(declared.name).size();
  return sum;
}

DType element_type(const layout::Array &array, IndexType index, ValueType value) {
  if (!array.element.empty()) return value::type_called(array.element).value();
  if (array.is_value) return value;
  return index == IndexType::Int32 ? DType::Int32 : DType::Int64;
}

std::vector<std::uint64_t> KernelArguments::slots() const {
  std::vector<std::uint64_t> result;
  for (std::int64_t size : sizes)
    result.push_back(static_cast<std::uint64_t>(size));
  for (std::int64_t count : counts)
    result.push_back(static_cast<std::uint64_t>(count));
  for (void *array : arrays)
    result.push_back(reinterpret_cast<std::uint64_t>(array));
  return result;
}

KernelArguments kernel_arguments(Tensor &tensor) {
  KernelArguments result;
  std::set<std::string> seen;
  for (const std::string &size : tensor.layout.sizes)
    if (seen.insert(size).second) result.sizes.push_back(tensor.sizes.at(size));
  for (const layout::Count &count : tensor.layout.counts)
    result.counts.push_back(tensor.counts.at(count.name));
  for (const layout::Array &array : tensor.layout.arrays)
    result.arrays.push_back(tensor.array(array.name).data());
  return result;
}

std::optional<std::int64_t> number_of(const Tensor &tensor, const std::string &name) {
  if (auto size = tensor.sizes.find(name); size != tensor.sizes.end()) return size->second;
  if (auto count = tensor.counts.find(name); count != tensor.counts.end()) return count->second;
  return std::nullopt;
}

std::optional<std::int64_t> try_evaluate(const term::Term &term, const Tensor &tensor) {
  return Evaluator(term, tensor, {}).evaluate(nullptr);
}

std::optional<std::int64_t> extent_of(const term::Term &extent, const Tensor &tensor) {
  const std::optional<std::int64_t> value = try_evaluate(extent, tensor);
  return value ? std::optional(std::max<std::int64_t>(*value, 0)) : std::nullopt;
}

std::optional<std::int64_t> element_count(const layout::Array &array, const Tensor &tensor) {
  std::int64_t product = 1;
  bool overflow = false;
  for (const term::Term &extent : array.extents) {
    const std::optional<std::int64_t> value = extent_of(extent, tensor);
    if (!value) return std::nullopt;
    if (*value == 0) return 0;
    overflow = overflow || __builtin_mul_overflow(product, *value, &product);
  }
  if (overflow) return std::nullopt;
  return product;
}

void complete_counts(Tensor &tensor) {
  for (bool progress = true; progress;) {
    progress = false;
    for (const layout::Count &count : tensor.layout.counts) {
      if (!count.definition || tensor.counts.count(count.name)) continue;
      std::optional<std::int64_t> value = try_evaluate(*count.definition, tensor);
      if (!value) continue;
      tensor.counts[count.name] = *value;
      progress = true;
    }
  }
}

} // namespace unravel::tensor
