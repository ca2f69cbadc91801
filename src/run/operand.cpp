#include "run/operand.h"

#include "report/diagnostic.h"
#include "tensor/folder.h"
#include "tensor/generate.h"
#include "tensor/raw_arrays.h"
#include "tensor/tensor_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace unravel::run {

using report::Kind;

namespace {

class Reader {
public:
  Reader(const Request &request, const pipeline::Front &front, const Folders &folders)
      : request_(request), front_(front), folders_(folders) {}

  Operands read() {
    for (const auto &[tensor, input] : request_.inputs)
      if (std::none_of(uses().begin(), uses().end(),
                       [&, name = tensor](auto &use) { return use.name == name; }))
        report::fail(Kind::unknown_tensor,
                     fmt::format("`-i {}={}`: the expression has no tensor `{}`", tensor, input, tensor));
    for (const auto &[index, extent] : request_.extents)
      set_extent(index, extent, "--size");
    // First what brings its own sizes, then what takes them from the others.
    std::vector<const compute::TensorUse *> unsized;
    for (const compute::TensorUse &use : uses())
      if (!read_sized(use)) unsized.push_back(&use);
    for (const compute::TensorUse *use : unsized)
      generate_sized(*use);
    const compute::TensorUse &result = uses().front();
    operands_.result_shape = wanted_shape(result);
    return std::move(operands_);
  }

private:
  const std::vector<compute::TensorUse> &uses() const { return front_.computation.tensors; }

  const compute::Access &access_of(const std::string &tensor) const {
    const compute::Assign &assign = *compute::leaves(front_.computation.root).at(0);
    for (const compute::Access &factor : assign.factors)
      if (factor.tensor == tensor) return factor;
    return assign.target;
  }

  /// All accesses to a tensor.
  std::vector<const compute::Access *> accesses(const std::string &tensor) const {
    const compute::Assign &assign = *compute::leaves(front_.computation.root).at(0);
    std::vector<const compute::Access *> found;
    if (assign.target.tensor == tensor) found.push_back(&assign.target);
    for (const compute::Access &factor : assign.factors)
      if (factor.tensor == tensor) found.push_back(&factor);
    return found;
  }

  void set_extent(const std::string &index, std::int64_t extent, const std::string &from) {
    const auto &indices = front_.computation.indices;
    if (std::find(indices.begin(), indices.end(), index) == indices.end())
      report::fail(Kind::unknown_extent,
                   fmt::format("`--size {}={}`: the expression has no index `{}`", index, extent, index));
    auto [known, fresh] = operands_.extents.emplace(index, extent);
    if (fresh)
      origin_[index] = from;
    else if (known->second != extent)
      report::fail(Kind::size_mismatch,
                   fmt::format("index `{}` has extent {} in {}, but {} in {}", index, known->second,
                               origin_[index], extent, from),
                   "the operands don't fit together; check the subscripts, or transpose one");
  }

  void take_shape(const std::string &tensor, const std::vector<std::int64_t> &shape) {
    for (const compute::Access *access : accesses(tensor))
      for (std::size_t k = 0; k < shape.size(); ++k)
        if (access->subscripts[k].shift == 0)
          set_extent(access->subscripts[k].index, shape[k], fmt::format("`{}`", compute::to_text(*access)));
  }

  /// Reads an operand that knows its own sizes; false when it needs those of the others.
  bool read_sized(const compute::TensorUse &use) {
    auto given = request_.inputs.find(use.name);
    if (given == request_.inputs.end()) {
      if (use.is_result) return true;
      report::fail(Kind::missing_input, use.span, fmt::format("no input is given for `{}`", use.name),
                   fmt::format("add -i {0}=FILE.mtx, or -i {0}=random{1}", use.name,
                               use.order == 0 ? "" : ",density=0.01"));
    }
    const std::string &input = given->second;
    Operand operand;
    operand.tensor = use.name;
    if (tensor::is_generator(input)) {
      tensor::GeneratorSpec spec = specification(use, input);
      if (!spec.sizes && spec.kind != tensor::GeneratorKind::Rmat) return false;
      operand.coordinates = tensor::generate(spec, memory());
    } else if (use.order == 0 && read_number(input, operand.coordinates)) {
    } else if (std::filesystem::is_directory(input)) {
      auto known = folders_.find(use.name);
      operand.packed = tensor::from_folder(
          known == folders_.end() ? tensor::read_folder(input, read_options(request_)) : known->second,
          front_.layouts.at(use.name),
          request_.compile.index == loop::ElementType::Int64 ? tensor::IndexType::Int64
                                                             : tensor::IndexType::Int32,
          request_.compile.value == loop::ElementType::Float32 ? tensor::ValueType::F32
                                                               : tensor::ValueType::F64);
      operand.shape = operand.packed->shape();
    } else {
      operand.coordinates = tensor::read_tensor(input, read_options(request_));
    }
    if (!operand.packed) {
      fit_order(use, operand.coordinates, input);
      operand.shape = operand.coordinates.shape;
    }
    take_shape(use.name, operand.shape);
    operands_.by_name.emplace(use.name, std::move(operand));
    return true;
  }

  static bool read_number(const std::string &text, tensor::Coordinates &scalar) {
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    scalar = tensor::Coordinates(std::vector<std::int64_t>{});
    scalar.append({}, value);
    return true;
  }

  /// A vector may come as a matrix with one row or column, a scalar as a tensor of one element.
  static void fit_order(const compute::TensorUse &use, tensor::Coordinates &coordinates,
                        const std::string &input) {
    std::size_t unit = 0;
    for (std::int64_t extent : coordinates.shape)
      unit += extent == 1;
    if (coordinates.order() > use.order && coordinates.order() - use.order <= unit) {
      std::vector<std::size_t> kept;
      std::size_t surplus = coordinates.order() - use.order;
      for (std::size_t mode = coordinates.order(); mode-- > 0;)
        if (surplus > 0 && coordinates.shape[mode] == 1)
          --surplus;
        else
          kept.insert(kept.begin(), mode);
      tensor::Coordinates fitted;
      for (std::size_t mode : kept) {
        fitted.shape.push_back(coordinates.shape[mode]);
        fitted.index.push_back(std::move(coordinates.index[mode]));
      }
      fitted.value = std::move(coordinates.value);
      coordinates = std::move(fitted);
    }
    if (coordinates.order() != use.order)
      report::fail(Kind::order_mismatch, text::Place::of_file(input),
                   fmt::format("a tensor of order {} ({}), but `{}` has {} subscript{} in the expression",
                               coordinates.order(), fmt::join(coordinates.shape, " x "), use.name, use.order,
                               use.order == 1 ? "" : "s"));
  }

  static std::shared_ptr<const text::Source> option(const compute::TensorUse &use, const std::string &input) {
    return std::make_shared<const text::Source>("-i " + use.name, input);
  }

  tensor::GeneratorSpec specification(const compute::TensorUse &use, const std::string &input) const {
    tensor::GeneratorSpec spec = tensor::parse_generator(text::Span{option(use, input), 0, input.size()});
    // "random" without a density: full for dense layouts, sparse otherwise.
    const layout::Layout &layout = front_.layouts.at(use.name);
    bool dense =
        std::all_of(layout.arrays.begin(), layout.arrays.end(), [](auto &array) { return array.is_value; });
    if (spec.kind == tensor::GeneratorKind::Random && !spec.density && !spec.entries && dense)
      spec.density = 1;
    if (use.order == 0) spec.sizes = std::vector<std::int64_t>{}, spec.density = 1;
    return spec;
  }

  void generate_sized(const compute::TensorUse &use) {
    const std::string &input = request_.inputs.at(use.name);
    tensor::GeneratorSpec spec = specification(use, input);
    spec.sizes = wanted_shape(use);
    Operand operand;
    operand.tensor = use.name;
    operand.coordinates = tensor::generate(spec, memory());
    fit_order(use, operand.coordinates, input);
    operand.shape = operand.coordinates.shape;
    take_shape(use.name, operand.shape);
    operands_.by_name.emplace(use.name, std::move(operand));
  }

  /// The shape that the extents of a tensor's subscripts ask for.
  std::vector<std::int64_t> wanted_shape(const compute::TensorUse &use) const {
    const compute::Access &access =
        use.is_result ? compute::leaves(front_.computation.root).at(0)->target : access_of(use.name);
    std::vector<std::int64_t> shape;
    for (const compute::Subscript &subscript : access.subscripts) {
      auto known = operands_.extents.find(subscript.index);
      if (known == operands_.extents.end())
        report::fail(
            Kind::unknown_extent, access.span,
            fmt::format(
                "the extent of index `{}` is not known: no operand with sizes has it as a plain subscript",
                subscript.index),
            fmt::format("add --size {}=N", subscript.index));
      shape.push_back(known->second);
    }
    return shape;
  }

  std::int64_t memory() const { return read_options(request_).max_memory; }

  const Request &request_;
  const pipeline::Front &front_;
  const Folders &folders_;
  Operands operands_;
  std::map<std::string, std::string> origin_;
};

} // namespace

tensor::ReadOptions read_options(const Request &request) {
  tensor::ReadOptions options;
  if (request.max_memory > 0) options.max_memory = request.max_memory;
  options.progress = request.progress;
  return options;
}

Operands read_operands(const Request &request, const pipeline::Front &front, const Folders &folders) {
  return Reader(request, front, folders).read();
}

} // namespace unravel::run
