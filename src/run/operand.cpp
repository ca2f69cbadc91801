#include "run/operand.h"
#include "compute/fills.h"

#include "data/folder.h"
#include "data/generate.h"
#include "data/tensor_file.h"
#include "report/diagnostic.h"
#include "report/suggest.h"
#include "tensor/raw_arrays.h"

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
    for (const auto &[index, extent] : request_.extents)
      set_extent(index, extent, "--size");
    for (const auto &[name, input] : request_.inputs)
      if (std::ranges::none_of(uses(), [&, name = name](auto &use) { return use.name == name; }))
        read_size(name, input);
    require_sizes();
    // First what brings its own sizes, then what takes them from the others.
    std::vector<const compute::TensorUse *> unsized;
    for (const compute::TensorUse &use : uses())
      if (!read_sized(use)) unsized.push_back(&use);
    for (const compute::TensorUse *use : unsized)
      generate_sized(*use);
    for (const compute::TensorUse &use : uses())
      if (use.is_result) operands_.result_shapes.emplace(use.name, wanted_shape(use));
    return std::move(operands_);
  }

private:
  /// `-i k=5`, of a program's size.
  void read_size(const std::string &name, const std::string &input) {
    std::vector<std::string> known = program().sizes;
    if (std::ranges::find(known, name) == known.end()) {
      for (const compute::TensorUse &use : uses())
        known.push_back(use.name);
      report::fail(Kind::unknown_tensor,
                   fmt::format("`-i {}={}`: the expression has no tensor {}`{}`", name, input,
                               program().sizes.empty() ? "" : "or size ", name),
                   program().sizes.empty() ? "" : report::suggest(name, known));
    }
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(input.data(), input.data() + input.size(), value);
    constexpr std::int64_t most = std::int64_t{1} << 53; // sums with multiples of it fit in 64 bits
    if (error != std::errc() || end != input.data() + input.size() || value > most || value < -most)
      report::fail(Kind::bad_option,
                   fmt::format("`-i {}={}`: `{}` is a size, for which an integer of up to 2^53 is expected",
                               name, input, name),
                   fmt::format("as in -i {}=5", name));
    set_extent(name, value, "-i");
  }

  void require_sizes() const {
    for (const compute::GivenSize &size : program().given)
      if (!operands_.extents.contains(size.name))
        report::fail(Kind::missing_input, size.span,
                     fmt::format("no value is given for the size `{}`", size.name),
                     fmt::format("add -i {}=5, or what it is", size.name));
  }

  const compute::Program &program() const { return front_.computation.program; }
  const std::vector<compute::TensorUse> &uses() const { return front_.computation.tensors; }

  /// What the extents of a tensor's modes are called.
  struct NamedExtents {
    std::string text;               // where it says so
    std::vector<std::string> names; // per mode; empty where it has none
  };

  /// By each access to the tensor its index variables, where they aren't shifted; in a program its sizes,
  /// where the extent is nothing but one.
  std::vector<NamedExtents> named_extents(const std::string &tensor) const {
    std::vector<NamedExtents> found;
    if (auto declared = program().extents.find(tensor); declared != program().extents.end()) {
      found.push_back({tensor, {}});
      for (const term::Term &extent : declared->second) {
        const auto *size = extent.as<term::Variable>();
        found.back().names.push_back(size ? size->name : "");
      }
    }
    each_free_access(tensor, [&](const compute::Access &access) {
      found.push_back({compute::to_text(access), {}});
      for (const compute::Subscript &subscript : access.subscripts)
        found.back().names.push_back(subscript.shift == 0 ? subscript.index : "");
    });
    return found;
  }

  /// Calls visit(access) for all accesses to the tensor of free statements.
  template <class Visit> void each_free_access(const std::string &tensor, Visit visit) const {
    for (const compute::Statement &statement : program().statements)
      if (statement.is_free)
        compute::each_access(statement, [&](const compute::Access &access) {
          if (access.tensor == tensor) visit(access);
        });
  }

  /// Is it an index variable, which has an extent of its own?
  bool is_index(const std::string &name) const {
    return std::ranges::any_of(program().statements, [&](auto &statement) {
      return std::ranges::find(statement.indices, name) != statement.indices.end();
    });
  }
  /// What its extent is called in messages.
  const char *kind_of(const std::string &name) const { return is_index(name) ? "index" : "size"; }
  bool has_size(const std::string &name) const {
    return std::ranges::find(program().sizes, name) != program().sizes.end();
  }

  /// The name without what programs add to that of a loop.
  static std::string for_user(const std::string &name) { return name.substr(0, name.find('.')); }

  void set_extent(const std::string &index, std::int64_t extent, const std::string &from) {
    if (!is_index(index) && !has_size(index)) {
      if (has_size(index + ".extent")) return set_extent(index + ".extent", extent, from);
      report::fail(Kind::unknown_extent,
                   fmt::format("`--size {}={}`: the expression has no {} `{}`", index, extent,
                               program().sizes.empty() ? "index" : "size", index));
    }
    auto [known, fresh] = operands_.extents.emplace(index, extent);
    if (fresh)
      origin_[index] = from;
    else if (known->second != extent)
      report::fail(Kind::size_mismatch,
                   fmt::format("{} `{}` has extent {} in {}, but {} in {}", kind_of(index), for_user(index),
                               known->second, origin_[index], extent, from),
                   "the operands don't fit together; check the subscripts, or transpose one");
  }

  void take_shape(const std::string &tensor, const std::vector<std::int64_t> &shape) {
    for (const NamedExtents &modes : named_extents(tensor))
      for (std::size_t k = 0; k < shape.size(); ++k)
        if (!modes.names[k].empty()) set_extent(modes.names[k], shape[k], fmt::format("`{}`", modes.text));
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
    if (data::is_generator(input)) {
      data::GeneratorSpec spec = specification(use, input);
      if (!spec.sizes && spec.kind != data::GeneratorKind::Rmat) return false;
      operand.coordinates = data::generate(spec, memory());
    } else if (use.order == 0 && read_number(input, operand.coordinates)) {
    } else if (std::filesystem::is_directory(input)) {
      auto known = folders_.find(use.name);
      operand.packed = in_its_layout(
          use, known == folders_.end() ? data::read_folder(input, read_options(request_)) : known->second);
      operand.shape = operand.packed->shape();
    } else {
      operand.coordinates = data::read_tensor(input, read_options(request_));
    }
    if (!operand.packed) {
      fit_order(use, operand.coordinates, input);
      operand.shape = operand.coordinates.shape;
    }
    take_shape(use.name, operand.shape);
    operands_.by_name.emplace(use.name, std::move(operand));
    return true;
  }

  tensor::Tensor in_its_layout(const compute::TensorUse &use, const data::ArrayFolder &folder) const {
    const layout::Layout &layout = front_.layouts.at(use.name);
    if (!tensor::names_layout(folder, layout)) {
      std::string named = folder.layout;
      if (!folder.parameters.empty()) named += fmt::format("<{}>", fmt::join(folder.parameters, ", "));
      report::fail(
          Kind::bad_array_folder, text::Place::of_file(folder.path),
          fmt::format("these arrays are in layout `{}`, as layout.json says, and not in `{}`", named,
                      layout.name),
          fmt::format("leave out `-f {}=...`; `unravel convert` puts them into another layout", use.name));
    }
    return tensor::from_folder(folder, layout, pack_options(request_).index, pack_options(request_).value);
  }

  static bool read_number(const std::string &text, data::Coordinates &scalar) {
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    scalar = data::Coordinates(std::vector<std::int64_t>{});
    scalar.append({}, value);
    return true;
  }

  /// A vector may come as a matrix with one row or column, a scalar as a tensor of one element.
  static void fit_order(const compute::TensorUse &use, data::Coordinates &coordinates,
                        const std::string &input) {
    coordinates = data::with_order(std::move(coordinates), use.order);
    if (coordinates.order() != use.order)
      report::fail(Kind::order_mismatch, text::Place::of_file(input),
                   fmt::format("a tensor of order {} ({}), but `{}` has {} subscript{} in the expression",
                               coordinates.order(), fmt::join(coordinates.shape, " x "), use.name, use.order,
                               use.order == 1 ? "" : "s"));
  }

  data::GeneratorSpec specification(const compute::TensorUse &use, const std::string &input) const {
    data::GeneratorSpec spec = data::parse_generator(input, "-i " + use.name);
    if (use.order == 0 && spec.sizes && !spec.sizes->empty())
      report::fail(Kind::order_mismatch, spec.span,
                   fmt::format("a tensor of order {} ({}), but `{}` has 0 subscripts in the expression",
                               spec.sizes->size(), fmt::join(*spec.sizes, " x "), use.name),
                   "leave out the sizes");
    // "random" without a density: full for dense layouts, sparse otherwise.
    const layout::Layout &layout = front_.layouts.at(use.name);
    bool dense = std::ranges::all_of(layout.arrays, [](auto &array) { return array.is_value; });
    if (spec.kind == data::GeneratorKind::Random && !spec.density && !spec.entries && dense) spec.density = 1;
    if (use.order == 0) spec.sizes = std::vector<std::int64_t>{}, spec.density = 1;
    return spec;
  }

  void generate_sized(const compute::TensorUse &use) {
    const std::string &input = request_.inputs.at(use.name);
    data::GeneratorSpec spec = specification(use, input);
    spec.sizes = wanted_shape(use);
    Operand operand;
    operand.tensor = use.name;
    operand.coordinates = data::generate(spec, memory());
    fit_order(use, operand.coordinates, input);
    operand.shape = operand.coordinates.shape;
    take_shape(use.name, operand.shape);
    operands_.by_name.emplace(use.name, std::move(operand));
  }

  [[noreturn]] void fail_unknown_extent(const text::Span &span, const std::string &name) const {
    if (!is_index(name))
      report::fail(Kind::unknown_extent, span,
                   fmt::format("the size `{}` is not known: no operand with sizes has it as an extent",
                               for_user(name)),
                   fmt::format("add --size {}=N", for_user(name)));
    report::fail(
        Kind::unknown_extent, span,
        fmt::format(
            "the extent of index `{}` is not known: no operand with sizes has it as a plain subscript", name),
        fmt::format("add --size {}=N", name));
  }

  /// The shape that the extents of a tensor's subscripts ask for, or in a program its declaration.
  std::vector<std::int64_t> wanted_shape(const compute::TensorUse &use) const {
    std::vector<std::int64_t> shape;
    if (auto declared = program().extents.find(use.name); declared != program().extents.end()) {
      for (const term::Term &extent : declared->second) {
        term::Substitution known;
        for (const std::string &size : term::variables_of(extent)) {
          auto value = operands_.extents.find(size);
          if (value == operands_.extents.end()) fail_unknown_extent(use.span, size);
          known.emplace(size, term::Term(value->second));
        }
        std::int64_t value = term::substitute(extent, known).as<term::Constant>()->value;
        if (value < 0)
          report::fail(
              Kind::size_mismatch, use.span,
              fmt::format("`{}` would have an extent of {} ({})", use.name, value, term::to_text(extent)));
        shape.push_back(value);
      }
      return shape;
    }
    const compute::Access *access = nullptr; // the first
    each_free_access(use.name, [&](const compute::Access &each) {
      if (!access) access = &each;
    });
    for (const compute::Subscript &subscript : access->subscripts) {
      auto known = operands_.extents.find(subscript.index);
      if (known == operands_.extents.end()) fail_unknown_extent(access->span, subscript.index);
      const term::Term extent = term::Term(known->second) + term::Term(subscript.shift);
      shape.push_back(std::max<std::int64_t>(extent.as<term::Constant>()->value, 0));
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

data::ReadOptions read_options(const Request &request) {
  data::ReadOptions options;
  if (request.max_memory > 0) options.max_memory = request.max_memory;
  options.progress = request.progress;
  return options;
}

convert::PackOptions pack_options(const Request &request, double fill) {
  convert::PackOptions options;
  options.fill = fill;
  options.index =
      request.compile.index == loop::ElementType::Int64 ? tensor::IndexType::Int64 : tensor::IndexType::Int32;
  options.value = request.compile.value.value_or(value::Type::Float64);
  if (request.max_memory > 0) options.max_memory = request.max_memory;
  return options;
}

double fill_of(const pipeline::Front &front, const std::string &tensor) {
  const std::optional<double> declared = compute::fill_of(front.computation.program, tensor);
  return declared ? value::Scalar::of(*declared, front.types.at(tensor)).number() : 0;
}

Operands read_operands(const Request &request, const pipeline::Front &front, const Folders &folders) {
  return Reader(request, front, folders).read();
}

} // namespace unravel::run
