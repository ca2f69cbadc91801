// Between folders of .npy arrays and tensors.
#include "tensor/raw_arrays.h"

#include "data/tensor_file.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "value/same_number.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

namespace unravel::tensor {

using data::Array;
using data::ArrayFolder;
using data::DType;
using data::Elements;
using report::fail;
using report::Kind;

namespace {

text::Place place_of(const ArrayFolder &folder) {
  return folder.path.empty() ? text::Place{} : text::Place::of_file(folder.path);
}

Elements integers(const ArrayFolder &folder, const layout::Array &declared, const Array &array,
                  DType wanted) {
  if (!array.is_integer())
    fail(Kind::bad_array_folder, place_of(folder),
         fmt::format("index array `{}` holds {} instead of integers", declared.name,
                     data::name_of(array.type())));
  if (array.type() == wanted) return array;
  Elements result(wanted, array.size());
  for (std::size_t k = 0; k < array.size(); ++k) {
    std::int64_t value = array.integer(k);
    bool wrapped = array.type() == DType::UInt64 && value < 0;
    bool narrow = wanted == DType::Int32 && (value < INT32_MIN || value > INT32_MAX);
    if (wrapped || narrow)
      fail(Kind::index_width, place_of(folder),
           fmt::format("{}[{}] = {} doesn't fit in {}", declared.name, k,
                       wrapped ? std::to_string(static_cast<std::uint64_t>(value)) : std::to_string(value),
                       wanted == DType::Int32 ? "int32" : "int64"),
           wrapped                    ? ""
           : declared.element.empty() ? "use --index int64"
                                      : "declare the array with elements int64");
    result.set_integer(k, value);
  }
  return result;
}

Elements values(const ArrayFolder &folder, const layout::Array &declared, const Array &array, DType wanted) {
  if (array.type() == wanted) return array;
  Elements result(wanted, array.size());
  for (std::size_t k = 0; k < array.size(); ++k) {
    const value::Scalar number = array.number(k);
    result.set_number(k, number);
    if (number.imaginary != 0 && !value::is_complex(wanted))
      fail(Kind::value_width, place_of(folder),
           fmt::format("{}[{}] is complex, and can't be stored as {}", declared.name, k,
                       value::facts_of(wanted).word),
           "give the tensor another type, as in -f 'A=csr complex128'");
    if (!value::is_integer(wanted)) {
      if (!value::is_exact_as_double(number))
        fail(Kind::value_width, place_of(folder),
             fmt::format("{}[{}] = {} is an integer that no double holds exactly", declared.name, k,
                         value::integer_text(number)),
             "give the tensor values of its own type, as in -f 'A=csr int64'");
      continue;
    }
    const value::Scalar made = result.number(k);
    const bool is_same = value::is_integer(number.type)
                             ? made.integer == number.integer && (made.integer < 0) == (made.number() < 0) &&
                                   (number.integer < 0) == (number.number() < 0) &&
                                   (made.number() < 0) == (number.number() < 0)
                             : made.number() == number.real;
    if (!is_same)
      fail(Kind::value_width, place_of(folder),
           fmt::format("{}[{}] = {} can't be stored as {}", declared.name, k, number.number(),
                       value::facts_of(wanted).word),
           "give the tensor another type, as in -f 'A=csr f64'");
  }
  return result;
}

parse::LayoutReference reference(const std::string &called, const std::string &text) {
  return parse::parse_layout_reference(std::make_shared<const text::Source>(called, text));
}

/// What layout.json says of the layout.
parse::LayoutReference named_by(const ArrayFolder &folder) {
  return reference(folder.path + "/layout.json", folder.layout);
}

/// A value array may also be given flat: its elements in row-major order.
void check_shape(const ArrayFolder &folder, const layout::Array &declared, const Array &array,
                 const Tensor &tensor) {
  std::vector<std::int64_t> wanted;
  std::int64_t elements = 1;
  for (const term::Term &extent : declared.extents) {
    const std::optional<std::int64_t> value = extent_of(extent, tensor);
    if (!value || __builtin_mul_overflow(elements, *value, &elements))
      fail(Kind::bad_array_folder, place_of(folder),
           fmt::format("extent `{}` of array `{}` can't be computed from the sizes and counts given",
                       term::to_text(extent), declared.name));
    wanted.push_back(*value);
  }
  if (array.shape == wanted || array.shape == std::vector<std::int64_t>{elements}) return;
  std::vector<std::string> extents;
  for (const term::Term &extent : declared.extents)
    extents.push_back(term::to_text(extent));
  fail(Kind::bad_array_folder, place_of(folder),
       fmt::format("array `{}` has shape [{}], but `{}[{}]` is [{}]", declared.name,
                   fmt::join(array.shape, ", "), declared.name, fmt::join(extents, ", "),
                   fmt::join(wanted, ", ")));
}

void take_numbers(Tensor &tensor, const ArrayFolder &folder) {
  for (const std::string &size : tensor.layout.sizes) {
    auto given = folder.sizes.find(size);
    if (given == folder.sizes.end())
      fail(Kind::bad_array_folder, place_of(folder),
           fmt::format("layout.json doesn't give size `{}` of layout `{}`", size, tensor.layout.name));
    tensor.sizes[size] = given->second;
  }
  for (const layout::Count &count : tensor.layout.counts) {
    auto given = folder.counts.find(count.name);
    if (given != folder.counts.end())
      tensor.counts[count.name] = given->second;
    else if (!count.definition)
      fail(Kind::bad_array_folder, place_of(folder),
           fmt::format("layout.json doesn't give count `{}` of layout `{}`", count.name, tensor.layout.name));
  }
}

} // namespace

Tensor from_folder(const ArrayFolder &folder, const layout::Layout &layout, IndexType index,
                   ValueType value) {
  Tensor tensor;
  tensor.layout = layout;
  take_numbers(tensor, folder);
  for (const layout::Array &declared : layout.arrays) {
    const Array &array = folder.array(declared.name);
    DType wanted = element_type(declared, index, value);
    tensor.arrays[declared.name] = declared.is_value ? values(folder, declared, array, wanted)
                                                     : integers(folder, declared, array, wanted);
  }
  complete_counts(tensor);
  check_shapes(folder, tensor);
  return tensor;
}

void check_shapes(const ArrayFolder &folder, const Tensor &tensor) {
  for (const layout::Array &declared : tensor.layout.arrays)
    check_shape(folder, declared, folder.array(declared.name), tensor);
}

std::string reference_to(const ArrayFolder &folder, const std::string &option, const std::string &text) {
  if (text.empty()) return folder.reference();
  const parse::ValuesTree wanted = reference(option, text).values;
  const parse::ValuesTree own = named_by(folder).values;
  return wanted.fill || !own.fill ? text : fmt::format("{} fill {}", text, *own.fill);
}

std::string reference_to_file(const std::string &path, const std::string &option, const std::string &text,
                              value::Type type) {
  const std::optional<double> own = data::fill_in(path);
  if (!own) return text;
  if (text.empty()) return fmt::format("dense fill {}", *own);
  const parse::ValuesTree wanted = reference(option, text).values;
  if (!wanted.fill) return fmt::format("{} fill {}", text, *own);
  if (wanted.type) type = value::type_called(wanted.type->text).value();
  if (!value::is_same_number(value::Scalar::of(*own, type).number(),
                             value::Scalar::of(*wanted.fill, type).number()))
    fail(Kind::bad_option, wanted.fill_span,
         fmt::format("elements that aren't stored are {} in `{}`, and not {}", *own, path, *wanted.fill),
         "leave out the fill");
  return text;
}

value::Type type_of_fill(const ArrayFolder &folder, const layout::Layout &layout) {
  if (const auto said = named_by(folder).values.type) return value::type_called(said->text).value();
  std::optional<value::Type> all;
  for (const layout::Array &declared : layout.arrays) {
    const auto given = folder.arrays.find(declared.name);
    if (!declared.is_value || given == folder.arrays.end()) continue;
    const value::Type own = given->second.type();
    all = !all || *all == own ? own : value::common(*all, own);
  }
  return all.value_or(ValueType::Float64);
}

std::optional<double> fill_of(const ArrayFolder &folder, const layout::Layout &layout) {
  const std::optional<double> said = named_by(folder).values.fill;
  return said ? std::optional(value::Scalar::of(*said, type_of_fill(folder, layout)).number()) : std::nullopt;
}

bool names_layout(const ArrayFolder &folder, const layout::Layout &layout, double fill, value::Type type) {
  parse::LayoutReference named = named_by(folder);
  if (named.parameters.empty()) named.parameters = folder.parameters;
  std::vector<std::int64_t> as_they_come(layout.order());
  std::iota(as_they_come.begin(), as_they_come.end(), 0); // an order of modes that need not be written
  auto written = [&](const std::vector<std::int64_t> &parameters) {
    return parameters == as_they_come ? std::vector<std::int64_t>() : parameters;
  };
  const std::optional<double> own = fill_of(folder, layout);
  return named.like.empty() && (named.name.empty() || named.name == layout.base_name) &&
         written(named.parameters) == written(layout.parameters) &&
         (!own || value::is_same_number(value::Scalar::of(*own, type).number(), fill));
}

ArrayFolder to_folder(const Tensor &tensor, double fill) {
  ArrayFolder folder;
  folder.layout = tensor.layout.base_name;
  folder.parameters = tensor.layout.parameters;
  folder.sizes = tensor.sizes;
  folder.counts = tensor.counts;
  for (const layout::Array &declared : tensor.layout.arrays) {
    const Elements &elements = tensor.array(declared.name);
    report::require(element_count(declared, tensor) == static_cast<std::int64_t>(elements.size()),
                    "the arrays of a tensor have the extents of its layout");
    Array array({}, elements);
    for (const term::Term &extent : declared.extents)
      array.shape.push_back(extent_of(extent, tensor).value());
    folder.arrays[declared.name] = std::move(array);
  }
  if (fill == 0) return folder;
  // As a double the end of a wide type lies beyond it: it is what infinity becomes there.
  const bool is_end = !value::holds(type_of_fill(folder, tensor.layout), fill);
  folder.layout +=
      fmt::format(" fill {}", is_end ? std::copysign(std::numeric_limits<double>::infinity(), fill) : fill);
  return folder;
}

} // namespace unravel::tensor
