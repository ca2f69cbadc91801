#include "kernel.h"

#include "convert/pack.h"
#include "data/generate.h"
#include "data/tensor_file.h"
#include "emit/emit.h"
#include "layout/layout.h"
#include "parse/parse.h"
#include "tensor/counts.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

namespace unravel::bench {

namespace {

template <class T> T *elements(tensor::Tensor &tensor, const char *array) {
  return static_cast<T *>(tensor.array(array).data());
}

build::Kernel compiled(const pipeline::Compilation &compilation) {
  build::Options options;
  options.cache = false;
  return build::compile(emit::emit_in_process(compilation.program), options);
}

} // namespace

BoundKernel::BoundKernel(const pipeline::Request &request,
                         const std::map<std::string, tensor::Tensor *> &tensors,
                         const std::map<std::string, std::int64_t> &sizes)
    : BoundKernel(pipeline::compile(request), tensors, sizes) {}

BoundKernel::BoundKernel(pipeline::Compilation compilation,
                         const std::map<std::string, tensor::Tensor *> &tensors,
                         const std::map<std::string, std::int64_t> &sizes)
    : compilation_(std::move(compilation)), kernel_(compiled(compilation_)), workspace_(kernel_),
      entry_(reinterpret_cast<int (*)(void **)>(kernel_.symbol("unravel_entry"))), tensors_(tensors),
      sizes_(sizes) {
  kernel_.set_threads(1);
  for (const loop::TensorParameter &parameter : compilation_.program.parameters)
    if (auto tensor = tensors.find(parameter.name); tensor != tensors.end())
      structs_.push_back(tensor::kernel_arguments(*tensor->second).slots());
  if (compilation_.inspector) {
    build::Options options;
    options.cache = false;
    levels_.emplace(*compilation_.inspector, compilation_.program, options);
    structs_.push_back(levels_->slots(operands()));
  }
  for (auto &slots : structs_)
    arguments_.push_back(slots.data());
  for (const std::string &size : compilation_.program.sizes)
    arguments_.push_back(&sizes_.at(size));
  arguments_.push_back(workspace_.get());
  made_ = made_by_kernel();
}

std::vector<std::size_t> BoundKernel::made_by_kernel() const {
  std::vector<std::size_t> found;
  const std::vector<loop::TensorParameter> &parameters = compilation_.program.parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k].assembled) found.push_back(k);
  return found;
}

std::vector<void *> BoundKernel::operands() {
  std::vector<void *> operands;
  for (std::size_t k = 0; k + 1 < compilation_.program.parameters.size(); ++k)
    operands.push_back(structs_[k].data());
  for (const std::string &size : compilation_.program.sizes)
    operands.push_back(&sizes_.at(size));
  return operands;
}

double BoundKernel::inspect() {
  if (levels_->inspect(operands()) != 0) throw std::runtime_error("the inspector ends with an error");
  structs_.back() = levels_->slots(operands());
  arguments_[structs_.size() - 1] = structs_.back().data();
  return levels_->milliseconds();
}

void BoundKernel::operator()() {
  assembled_.clear();
  if (int code = entry_(arguments_.data()))
    throw std::runtime_error(code == 2   ? "there is not enough memory for the kernel's workspace or result"
                             : code == 4 ? "a result has more entries than 32-bit indices can count"
                                         : "the kernel was called with sizes that disagree");
  for (std::size_t k : made_)
    assembled_.emplace_back(*tensors_.at(compilation_.program.parameters[k].name), structs_[k]);
}

void BoundKernel::take_results() {
  for (run::Assembled &result : assembled_)
    result.take();
}

tensor::Tensor pack_as(const std::string &layout, const data::Coordinates &coordinates) {
  return pack_as(layout, coordinates, value::Type::Float64);
}

tensor::Tensor pack_as(const std::string &layout, const data::Coordinates &coordinates, value::Type type) {
  auto source = std::make_shared<const text::Source>("layout", layout);
  layout::CheckedLayout loaded =
      layout::load_layout(parse::parse_layout_reference(source), coordinates.order());
  convert::PackOptions options;
  options.value = type;
  return convert::pack(loaded.layout, coordinates, options);
}

Compressed compressed(tensor::Tensor &matrix) {
  std::vector<std::int64_t> shape = matrix.shape();
  bool rows = matrix.layout.name == "csr";
  return {static_cast<std::int32_t>(shape[rows ? 0 : 1]), static_cast<std::int32_t>(shape[rows ? 1 : 0]),
          elements<std::int32_t>(matrix, rows ? "rowptr" : "colptr"),
          elements<std::int32_t>(matrix, rows ? "col" : "row"), elements<double>(matrix, "val")};
}

Sparse sparse(tensor::Tensor &vector) {
  return {static_cast<std::int32_t>(vector.shape()[0]), static_cast<std::int32_t>(vector.array("val").size()),
          elements<std::int32_t>(vector, "idx"), elements<double>(vector, "val")};
}

schedule::Counts counts(const std::map<std::string, const tensor::Tensor *> &tensors) {
  schedule::Counts counts;
  for (const auto &[name, tensor] : tensors)
    for (const auto &[count, value] : tensor::known_counts(*tensor))
      counts[name + "." + count] = value;
  return counts;
}

data::Coordinates generated(const std::string &text) {
  return data::generate(data::parse_generator(text));
}

data::Coordinates jittered(data::Coordinates matrix, std::uint64_t seed) {
  std::uint64_t state = seed;
  for (std::int64_t &column : matrix.index[1]) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t bits = state >> 33;
    if (bits % 2 == 0) continue;
    column = (column + 1 + static_cast<std::int64_t>(bits / 2 % 8)) % matrix.shape[1];
  }
  data::sort(matrix, data::natural_modes(2));
  data::combine_duplicates(matrix);
  return matrix;
}

void for_each_file(const std::string &folder, const std::string &ending,
                   const std::function<void(const std::string &, data::Coordinates)> &visit) {
  if (folder.empty()) return;
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().find(ending) != std::string::npos) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path &file : files) {
    std::optional<data::Coordinates> tensor;
    try {
      tensor = data::read_tensor(file.string());
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s is left out: %s\n", file.filename().c_str(), error.what());
    }
    if (tensor) visit(file.filename().string(), std::move(*tensor));
  }
}

std::vector<Input> matrices(const std::string &folder, const std::vector<std::string> &generators,
                            std::size_t least_entries, std::int64_t most_rows) {
  std::vector<Input> found;
  auto add = [&](const std::string &name, data::Coordinates matrix) {
    bool fits = matrix.size() > least_entries && matrix.shape[0] <= most_rows && matrix.shape[1] <= most_rows;
    if (fits) found.push_back({name, std::move(matrix)});
  };
  for_each_file(folder, ".mtx", add);
  for (const std::string &generator : generators)
    add(generator, generated(generator));
  return found;
}

data::Coordinates sparse_vector(std::int64_t size, double density) {
  std::int64_t entries =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(size) * density));
  return generated(fmt::format("random:{},entries={},seed=7", size, entries));
}

} // namespace unravel::bench
