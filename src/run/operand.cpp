#include "run/operand.h"

#include "compute/fills.h"
#include "compute/own_operators.h"
#include "convert/duplicates.h"
#include "data/generate.h"
#include "data/lines.h"
#include "data/tensor_file.h"
#include "report/diagnostic.h"
#include "report/suggest.h"
#include "run/extents.h"
#include "tensor/raw_arrays.h"
#include "value/exact.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace unravel::run {

using report::Kind;

namespace {

class Reader {
public:
  Reader(const Request &request, const pipeline::Front &front, const Folders &folders,
         std::vector<std::string> &notes)
      : request_(request), front_(front), folders_(folders), notes_(notes), extents_(front.computation) {}

  Operands read() {
    for (const auto &[index, extent] : request_.extents)
      extents_.set(index, extent, "--size");
    for (const auto &[name, input] : request_.inputs)
      if (std::ranges::find(uses(), name, &compute::TensorUse::name) == uses().end()) read_size(name, input);
    require_sizes();
    check_combined();
    // First what brings its own sizes, then what takes them from the others.
    std::vector<const compute::TensorUse *> unsized;
    for (const compute::TensorUse &use : uses())
      if (!read_sized(use)) unsized.push_back(&use);
    for (const compute::TensorUse *use : unsized)
      generate_sized(*use);
    for (const compute::TensorUse &use : uses()) {
      if (!use.is_result) continue;
      const auto given = operands_.by_name.find(use.name);
      operands_.result_shapes.emplace(
          use.name, given != operands_.by_name.end() ? given->second.shape : extents_.wanted_shape(use));
    }
    operands_.extents = extents_.all();
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
    extents_.set(name, value, "-i");
  }

  void require_sizes() const {
    for (const compute::GivenSize &size : program().given)
      if (!extents_.all().contains(size.name))
        report::fail(Kind::missing_input, size.span,
                     fmt::format("no value is given for the size `{}`", size.name),
                     fmt::format("add its value, as in -i {}=5", size.name));
  }

  void check_combined() const {
    for (const auto &[name, op] : request_.combine)
      if (!request_.inputs.contains(name))
        report::fail(Kind::unknown_tensor,
                     fmt::format("`--combine {}={}`: no input is given for `{}`", name, op, name),
                     "it says what becomes of entries with equal coordinates in a tensor's file");
  }

  void combine_entries(const compute::TensorUse &use, data::Coordinates &entries) const {
    const auto given = request_.combine.find(use.name);
    if (given == request_.combine.end()) return;
    convert::combine_duplicates(entries,
                                combining_operator(given->second, "--combine " + use.name + "=",
                                                   program().operators,
                                                   compute::type_of(front_.types, use.name)),
                                compute::type_of(front_.types, use.name));
  }

  const compute::Program &program() const { return front_.computation.program; }
  const std::vector<compute::TensorUse> &uses() const { return front_.computation.tensors; }

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
    if (data::is_generator(input)) {
      data::GeneratorSpec spec = specification(use, input);
      if (!spec.sizes && spec.kind != data::GeneratorKind::Rmat) return false;
      operand.coordinates = generate(use, std::move(spec));
    } else if (use.order == 0 &&
               read_number(input, compute::type_of(front_.types, use.name), operand.coordinates)) {
    } else if (const auto folder = folders_.find(use.name); folder != folders_.end()) {
      operand.packed = in_its_layout(use, folder->second);
    } else {
      data::ReadOptions options = read_options(request_);
      options.exact_integers = value::is_wide_integer(compute::type_of(front_.types, use.name));
      operand.coordinates = data::read_tensor(input, options);
    }
    if (operand.packed && request_.combine.contains(use.name))
      report::fail(Kind::bad_option,
                   fmt::format("`--combine {}={}`: the arrays of `{}` are taken as they are", use.name,
                               request_.combine.at(use.name), use.name),
                   "combine entries where the arrays are made: `unravel convert` has this option too");
    take(use, std::move(operand));
    return true;
  }

  void take(const compute::TensorUse &use, Operand operand) {
    if (!operand.packed) {
      fit_order(use, operand.coordinates, request_.inputs.at(use.name));
      combine_entries(use, operand.coordinates);
    }
    operand.shape = operand.packed ? operand.packed->shape() : operand.coordinates.shape;
    extents_.take_shape(use.name, operand.shape);
    operands_.by_name.emplace(use.name, std::move(operand));
  }

  tensor::Tensor in_its_layout(const compute::TensorUse &use, const data::ArrayFolder &folder) const {
    const layout::Layout &layout = front_.layouts.at(use.name);
    const double wanted = fill_of(front_, use.name);
    if (!tensor::names_layout(folder, layout, wanted, compute::type_of(front_.types, use.name))) {
      const std::optional<double> own = tensor::fill_of(folder, layout);
      report::fail(Kind::bad_array_folder, text::Place::of_file(folder.path),
                   fmt::format("these arrays are in layout `{}`, as layout.json says, and not in `{}`",
                               folder.reference(), request_.compile.formats.at(use.name)),
                   own && *own != wanted
                       ? fmt::format("elements that aren't stored are {} there, and not {}", *own, wanted)
                       : fmt::format("leave out `-f {}=...`; `unravel convert` puts them into another layout",
                                     use.name));
    }
    return tensor::from_folder(folder, layout, pack_options(request_).index, pack_options(request_).value);
  }

  /// An integer of that type, if both are.
  static std::optional<value::Scalar> wide_integer_in(const std::string &text, value::Type type) {
    if (!value::is_wide_integer(type)) return std::nullopt;
    const char *end = text.data() + text.size();
    value::Scalar number{type, 0, 0};
    std::uint64_t natural = 0;
    const auto [stop, error] = type == value::Type::UInt64
                                   ? std::from_chars(text.data(), end, natural)
                                   : std::from_chars(text.data(), end, number.integer);
    if (error != std::errc() || stop != end) return std::nullopt;
    if (type == value::Type::UInt64) number.integer = static_cast<std::int64_t>(natural);
    return number;
  }

  static bool read_number(const std::string &text, value::Type type, data::Coordinates &scalar) {
    scalar = data::Coordinates(std::vector<std::int64_t>{});
    if (const auto integer = wide_integer_in(text, type); integer && !value::is_exact_as_double(*integer)) {
      const std::complex<double> halves = value::halves_of(*integer);
      scalar.append({}, halves.real(), halves.imag());
      scalar.in_halves = true;
      return true;
    }
    const std::optional<std::complex<double>> number = number_in(text);
    if (!number) return false;
    std::int64_t whole = 0;
    if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
        error == std::errc() && end == text.data() + text.size() &&
        !value::is_exact_as_double({value::Type::Int64, 0, whole}))
      report::fail(Kind::value_width, fmt::format("`{}` is an integer that no double holds exactly", text),
                   "integers up to 2^53 are exact, and those of int64 and uint64 in a tensor of that type");
    scalar.append({}, number->real(), number->imag());
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
    spec.is_complex = value::is_complex(compute::type_of(front_.types, use.name));
    if (use.order == 0 && spec.sizes && !spec.sizes->empty())
      report::fail(Kind::order_mismatch, spec.span,
                   fmt::format("a tensor of order {} ({}), but `{}` has 0 subscripts in the expression",
                               spec.sizes->size(), fmt::join(*spec.sizes, " x "), use.name),
                   "leave out the sizes");
    // Values at random without a density: full for dense layouts, sparse otherwise.
    const layout::Layout &layout = front_.layouts.at(use.name);
    bool dense = std::ranges::all_of(layout.arrays, [](auto &array) { return array.is_value; });
    const bool is_random =
        spec.kind == data::GeneratorKind::Random || spec.kind == data::GeneratorKind::Integers;
    if (is_random && !spec.density && !spec.entries && dense) spec.density = 1;
    if (use.order == 0) spec.sizes = std::vector<std::int64_t>{}, spec.density = 1;
    return spec;
  }

  void generate_sized(const compute::TensorUse &use) {
    data::GeneratorSpec spec = specification(use, request_.inputs.at(use.name));
    spec.sizes = extents_.wanted_shape(use);
    Operand operand;
    operand.coordinates = generate(use, std::move(spec));
    take(use, std::move(operand));
  }

  data::Coordinates generate(const compute::TensorUse &use, data::GeneratorSpec spec) {
    if (spec.seed) {
      const auto [other, is_new] = seeded_.try_emplace({data::generated_shape(spec), *spec.seed}, use.name);
      if (!is_new)
        notes_.push_back(
            fmt::format("{} and {} have the same shape and seed: what is random of them is the same",
                        other->second, use.name));
    } else {
      spec.seed = data::seed_of(use.name);
    }
    return data::generate(spec, memory());
  }

  std::int64_t memory() const { return read_options(request_).max_memory; }

  const Request &request_;
  const pipeline::Front &front_;
  const Folders &folders_;
  std::vector<std::string> &notes_;
  Operands operands_;
  /// Operands with a seed that the user gives, by shape and seed.
  std::map<std::pair<std::vector<std::int64_t>, std::uint64_t>, std::string> seeded_;
  Extents extents_;
};

} // namespace

std::optional<std::complex<double>> number_in(const std::string &text) {
  const char *at = text.data(), *const end = at + text.size();
  bool is_too_large = false;
  const auto read = [&](double &part) {
    const char *begin = at;
    if (at != end && *at == '+') ++at;
    const auto [stop, error] = data::read_decimal(at, end, part);
    at = stop;
    is_too_large = is_too_large || error == std::errc::result_out_of_range;
    return error != std::errc::invalid_argument && at != begin;
  };
  double real = 0, imaginary = 0;
  if (!read(real)) return std::nullopt;
  const bool is_real = at == end, has_two = !is_real && (*at == '+' || *at == '-');
  if (has_two && !read(imaginary)) return std::nullopt;
  if (!is_real && (end - at != 1 || (*at != 'i' && *at != 'j'))) return std::nullopt;
  if (is_too_large)
    report::fail(
        Kind::number_too_large,
        fmt::format("the number `{}` is too large for a 64-bit floating-point number", data::printable(text)),
        "the largest is about 1.8e308; infinity is written inf");
  if (is_real) return real;
  return has_two ? std::complex<double>(real, imaginary) : std::complex<double>(0, real);
}

value::Operator combining_operator(const std::string &name, const std::string &option,
                                   const std::vector<parse::OperatorTree> &own, value::Type type) {
  const compute::Operators operators(own);
  const std::optional<value::Operator> op = operators.named(name);
  if (!op || value::laws_of(*op).least != 2) {
    std::vector<std::string> of_two;
    for (const std::string &other : operators.names())
      if (value::laws_of(*operators.named(other)).least == 2) of_two.push_back(other);
    report::fail(Kind::unknown_operator,
                 fmt::format("`{}{}`: `{}` is {}", option, name, name,
                             op ? "not an operator of two arguments" : "not an operator"),
                 report::suggest(name, of_two, "as in " + option + "min"));
  }
  if (value::is_complex(type) && !value::holds_for_complex(*op))
    report::fail(Kind::value_width,
                 fmt::format("`{}{}`: `{}` is not defined for complex numbers", option, name, name),
                 "`+`, `*`, `any`, `first` and `second` are");
  return *op;
}

Folders take_folders(Request &request) {
  Folders folders;
  for (const auto &[tensor, input] : request.inputs) {
    if (std::error_code ignored; !std::filesystem::is_directory(input, ignored)) continue;
    const data::ArrayFolder &folder = folders[tensor] = data::read_folder(input, read_options(request));
    for (const auto &[name, array] : folder.arrays)
      request.compile.arrays[tensor].emplace(name, array.type());
    std::string &format = request.compile.formats[tensor];
    format = tensor::reference_to(folder, "-f " + tensor, format);
  }
  return folders;
}

void fail_in_folder(const report::Error &error, const Request &request, const Folders &folders) {
  for (const auto &[tensor, folder] : folders) {
    const report::Diagnostic &refused = error.diagnostic();
    if (refused.place.file != "-f " + tensor || request.compile.formats.at(tensor) != folder.reference())
      continue;
    report::fail(refused.kind, text::Place::of_file(folder.path + "/layout.json"), refused.message,
                 refused.kind == Kind::unknown_layout
                     ? fmt::format("if it is in a file of your own: -f {}=./file.layout:{}", tensor,
                                   folder.layout.substr(0, folder.layout.find(' ')))
                     : refused.hint);
  }
  throw report::Error(error);
}

void note_types(Request &request) {
  for (const auto &[tensor, input] : request.inputs) {
    std::error_code ignored;
    if (data::is_generator(input) || std::filesystem::is_directory(input, ignored)) continue;
    std::optional<value::Type> type;
    if (std::filesystem::is_regular_file(input, ignored))
      type = data::type_in(input);
    else if (const std::optional<std::complex<double>> number = number_in(input);
             number && (input.back() == 'i' || input.back() == 'j')) // perhaps times 0
      type = value::Type::Complex128;
    if (type) request.compile.files[tensor] = *type;
    const auto format = request.compile.formats.find(tensor);
    const std::string text = format == request.compile.formats.end() ? "" : format->second;
    if (std::string with = tensor::reference_to_file(input, "-f " + tensor, text,
                                                     type.value_or(value::Type::Float64));
        with != text)
      request.compile.formats[tensor] = std::move(with);
  }
}

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

double nothing_of(const pipeline::Front &front, const std::string &result) {
  return value::Scalar::of(compute::nothing_of(front.computation.program, result), front.types.at(result))
      .number();
}

Operands read_operands(const Request &request, const pipeline::Front &front, const Folders &folders,
                       std::vector<std::string> &notes) {
  return Reader(request, front, folders, notes).read();
}

} // namespace unravel::run
