// Tensors of the public interface: handles of arrays in a layout.
#include "check/validate.h"
#include "convert/convert.h"
#include "convert/duplicates.h"
#include "convert/halves.h"
#include "data/folder.h"
#include "data/tensor_file.h"
#include "layout/layout.h"
#include "library/border.h"
#include "library/state.h"
#include "parse/parse.h"
#include "report/suggest.h"
#include "run/operand.h"
#include "tensor/raw_arrays.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel {

using report::fail;
using report::Kind;

namespace {

value::Type element_of(IndexType index) {
  return index == IndexType::Int64 ? value::Type::Int64 : value::Type::Int32;
}

tensor::IndexType width_of(value::Type index) {
  return index == value::Type::Int64 ? tensor::IndexType::Int64 : tensor::IndexType::Int32;
}

/// The lengths of arrays tell counts that have no equation: `row[NNZ]` has NNZ elements.
void infer_counts(tensor::Tensor &tensor) {
  for (bool progress = true; progress;) {
    progress = false;
    tensor::complete_counts(tensor);
    for (const layout::Array &array : tensor.layout.arrays) {
      std::string open;
      std::int64_t others = 1;
      bool is_known = true;
      for (const term::Term &extent : array.extents) {
        const auto *name = extent.as<term::Variable>();
        const std::optional<std::int64_t> value = tensor::extent_of(extent, tensor);
        if (value)
          is_known = is_known && !__builtin_mul_overflow(others, *value, &others);
        else if (!value && name && open.empty() && tensor.layout.count(name->name))
          open = name->name;
        else
          is_known = false;
      }
      const auto elements = static_cast<std::int64_t>(tensor.array(array.name).size());
      if (!is_known || open.empty() || others == 0 || elements % others != 0) continue;
      const auto *count = tensor.layout.count(open);
      if (count->definition) continue;
      tensor.counts[open] = elements / others;
      progress = true;
    }
  }
}

void require_counts(const tensor::Tensor &tensor) {
  for (const layout::Count &count : tensor.layout.counts)
    if (!tensor.counts.contains(count.name))
      fail(Kind::extent_mismatch,
           fmt::format("the count `{}` of layout `{}` has no value", count.name, tensor.layout.name),
           "give it among the counts");
}

/// `all`: the extents of all arrays must be known.
void require_lengths(const tensor::Tensor &tensor, bool all) {
  for (const layout::Array &array : tensor.layout.arrays) {
    const std::optional<std::int64_t> wanted = tensor::element_count(array, tensor);
    const auto given = static_cast<std::int64_t>(tensor.array(array.name).size());
    std::vector<std::string> extents;
    for (const term::Term &extent : array.extents)
      extents.push_back(term::to_text(extent));
    if (!wanted && !all) continue;
    if (!wanted)
      fail(Kind::extent_mismatch,
           fmt::format("the extents `{}[{}]` of layout `{}` can't be computed from the "
                       "sizes and counts",
                       array.name, fmt::join(extents, ", "), tensor.layout.name));
    if (given != *wanted)
      fail(Kind::extent_mismatch,
           fmt::format("array `{}` has {} element{}, but `{}[{}]` of layout `{}` has {}: {} too {}",
                       array.name, given, given == 1 ? "" : "s", array.name, fmt::join(extents, ", "),
                       tensor.layout.name, *wanted, std::abs(given - *wanted),
                       given < *wanted ? "few" : "many"));
  }
}

/// The types of the arrays, as they come.
class ArrayTypes {
public:
  explicit ArrayTypes(const layout::Layout &layout) : layout_(layout) {}

  void add(const layout::Array &declared, value::Type type) {
    if (!declared.element.empty()) {
      const value::Type wanted = value::type_called(declared.element).value();
      if (type != wanted)
        fail(declared.is_value ? Kind::value_width : Kind::index_width,
             fmt::format("array `{}` has elements {}, but layout `{}` states {}", declared.name, word(type),
                         layout_.name, word(wanted)));
      return;
    }
    std::optional<value::Type> &known = declared.is_value ? value : index;
    if (!declared.is_value && type != value::Type::Int32 && type != value::Type::Int64)
      fail(Kind::index_width, fmt::format("index array `{}` has elements {}: int32 or int64 is expected",
                                          declared.name, word(type)));
    if (known && *known != type)
      fail(declared.is_value ? Kind::value_width : Kind::index_width,
           fmt::format("array `{}` has elements {}, others have {}: those of one tensor are of one type",
                       declared.name, word(type), word(*known)));
    known = type;
  }

  std::optional<value::Type> index, value;

private:
  static std::string word(value::Type type) { return std::string(value::facts_of(type).word); }
  const layout::Layout &layout_;
};

/// Without `integers`, which packing takes by their type.
data::Coordinates entries_of(const Coordinates &given) {
  data::Coordinates entries(given.shape);
  if (given.indices.size() != given.shape.size())
    fail(Kind::order_mismatch, fmt::format("the shape has {} modes, but there are indices of {}",
                                           given.shape.size(), given.indices.size()));
  const std::size_t count = given.integers.empty() ? given.values.size() : given.integers.size();
  entries.value = given.values;
  entries.imaginary = given.imaginary;
  if (!given.imaginary.empty() && given.imaginary.size() != count)
    fail(Kind::entry_count,
         fmt::format("there are {} values, but {} imaginary parts", count, given.imaginary.size()));
  entries.index = given.indices;
  for (std::size_t mode = 0; mode < given.indices.size(); ++mode) {
    const std::vector<std::int64_t> &index = given.indices[mode];
    if (index.size() != count)
      fail(Kind::entry_count,
           fmt::format("there are {} values, but {} indices of mode {}", count, index.size(), mode));
    for (std::size_t e = 0; e < index.size(); ++e)
      if (index[e] < 0 || index[e] >= given.shape[mode])
        fail(Kind::entry_out_of_range, fmt::format("entry {} has the index {} in mode {}, whose extent is {}",
                                                   e, index[e], mode, given.shape[mode]));
  }
  return entries;
}

/// The type of a tensor's values; f64 where it has none.
value::Type type_of_values(const TensorKind &kind) {
  return layout::type_of_values(kind.layout, value::Type::Float64).value_or(value::Type::Float64);
}

/// The entries get values that are integers, in halves where the kind holds what doubles would round.
void take_integers(data::Coordinates &entries, std::span<const std::int64_t> integers, value::Type type,
                   const TensorKind &kind) {
  if (!value::is_wide_integer(type)) type = value::Type::Int64;
  entries.in_halves =
      convert::need_halves(type, integers) && convert::has_wide_integers(kind.layout, value::Type::Float64);
  entries.value.resize(integers.size());
  entries.imaginary.resize(entries.in_halves ? integers.size() : 0);
  for (std::size_t e = 0; e < integers.size(); ++e) {
    const value::Scalar number{type, 0, integers[e]};
    entries.value[e] = entries.in_halves ? value::halves_of(number).real() : number.number();
    if (entries.in_halves) entries.imaginary[e] = value::halves_of(number).imag();
  }
}

} // namespace

Tensor packed(const Wanted &wanted, data::Coordinates entries, value::Type type, value::Type index,
              const std::string &combine, std::span<const std::int64_t> integers) {
  const TensorKind *kind = kind_of(wanted.layout(), wanted.format, index, wanted.type.value_or(type));
  const value::Type of_values = type_of_values(*kind);
  if (!integers.empty()) take_integers(entries, integers, type, *kind);
  if (integers.empty() && value::is_integer(of_values))
    for (const double number : entries.value)
      if (std::abs(number) > 0x1p53)
        fail(Kind::value_width, fmt::format("the value {} is beyond 2^53", number),
             "give it as an integer, or give arrays instead of coordinates");
  tensor::sizes_of(wanted.layout(), entries.shape);
  if (!combine.empty())
    convert::combine_duplicates(entries, run::combining_operator(combine, "combine ", {}, of_values),
                                of_values);
  const convert::PackOptions options = pack_options(*kind, wanted.fill);
  tensor::Tensor made = convert::pack_exactly(kind->layout, std::move(entries), options);
  if (wanted.is_unproved()) {
    check::ValidateOptions how;
    how.accesses = true;
    check::require_ok(check::validate(made, how), made, "the tensor");
  }
  return wrap(std::move(made), kind, wanted.fill);
}

namespace {

Tensor from_folder(const std::string &path, const std::string &text) {
  const data::ArrayFolder folder = data::read_folder(path);
  const std::string reference = tensor::reference_to(folder, "layout", text);
  const Wanted wanted = read_layout(
      reference, folder.sizes.empty() ? 0 : [&] {
        // The order isn't in the file: that of the layout which has these sizes.
        for (std::size_t order = 1; order <= 8; ++order)
          if (auto found = report::unless_refused([&] { return read_layout(reference, order); })) {
            const std::vector<std::string> &sizes = found->layout().sizes;
            if (std::ranges::all_of(sizes,
                                    [&](const std::string &size) { return folder.sizes.contains(size); }) &&
                std::ranges::all_of(folder.sizes, [&](const auto &size) {
                  return std::ranges::find(sizes, size.first) != sizes.end();
                }))
              return order;
          }
        return folder.sizes.size();
      }());
  const value::Type type = wanted.type.value_or(tensor::type_of_fill(folder, wanted.layout()));
  if (!tensor::names_layout(folder, wanted.layout(), value::Scalar::of(wanted.fill, type).number(), type))
    fail(Kind::bad_array_folder, text::Place::of_file(path),
         fmt::format("these arrays are in layout `{}`, as layout.json says, and not in `{}`",
                     folder.reference(), reference),
         "leave the layout out, and convert the tensor");
  std::vector<std::int64_t> shape;
  for (const std::string &size : wanted.layout().sizes)
    shape.push_back(folder.sizes.contains(size) ? folder.sizes.at(size) : -1);
  auto owned = std::make_shared<data::ArrayFolder>(folder);
  std::map<std::string, Array> arrays;
  for (auto &[name, array] : owned->arrays)
    arrays.emplace(name, Array(type_of(array.type()), array.data(), array.size(), true));
  Tensor made = Tensor::over(reference, shape, arrays, folder.counts, Check::Full, owned);
  tensor::check_shapes(folder, Access::state(made).tensor());
  return made;
}

} // namespace

Tensor::State &Access::state(const Tensor &tensor) {
  if (!tensor.state_) fail(Kind::missing_input, "the handle is empty", "assign a tensor to it");
  return *tensor.state_;
}

convert::PackOptions pack_options(const TensorKind &kind, double fill) {
  convert::PackOptions options;
  options.index = width_of(kind.index.value_or(value::Type::Int32));
  options.value = kind.value.value_or(value::Type::Float64);
  options.fill = fill;
  return options;
}

Tensor wrap(tensor::Tensor made, const TensorKind *kind, double fill) {
  auto state = std::make_shared<Tensor::State>();
  state->kind = kind;
  state->fill = fill;
  state->take(std::move(made));
  return Access::tensor(std::move(state));
}

Tensor Tensor::read(const std::string &path, const std::string &layout, std::optional<std::size_t> order,
                    const std::string &combine) {
  return at_border([&] {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      if (!combine.empty())
        fail(Kind::bad_option, text::Place::of_file(path), "arrays in a folder are taken as they are",
             "leave out `combine`, and pack the tensor's coordinates with it");
      return from_folder(path, layout);
    }
    const value::Type type = data::type_in(path).value_or(value::Type::Float64);
    data::ReadOptions options;
    options.exact_integers = value::is_wide_integer(type);
    data::Coordinates entries = data::read_tensor(path, options);
    if (order) entries = data::with_order(std::move(entries), *order);
    if (order && entries.order() != *order)
      fail(Kind::order_mismatch, text::Place::of_file(path),
           fmt::format("a tensor of order {} ({}), but one of order {} is wanted", entries.order(),
                       fmt::join(entries.shape, " x "), *order));
    const std::string with_fill = tensor::reference_to_file(path, "layout", layout, type);
    const Wanted wanted = read_layout(with_fill.empty() ? "dense" : with_fill, entries.order());
    return packed(wanted, std::move(entries), type, value::Type::Int32, combine);
  });
}

Tensor Tensor::over(const std::string &layout, const std::vector<std::int64_t> &shape,
                    const std::map<std::string, Array> &arrays,
                    const std::map<std::string, std::int64_t> &counts, Check check,
                    std::shared_ptr<void> owner) {
  return at_border([&] {
    const Wanted wanted = read_layout(layout, shape.size());
    tensor::Tensor over;
    over.layout = wanted.layout();
    over.sizes = tensor::sizes_of(over.layout, shape);
    ArrayTypes types(over.layout);
    std::vector<std::string> names;
    for (const layout::Array &declared : over.layout.arrays) {
      names.push_back(declared.name);
      const auto given = arrays.find(declared.name);
      if (given == arrays.end())
        fail(Kind::bad_array_folder,
             fmt::format("array `{}` of layout `{}` is missing", declared.name, over.layout.name));
      const Array &array = given->second;
      if (!array.data() && array.count() > 0)
        fail(Kind::missing_input, fmt::format("array `{}` is a null pointer", declared.name));
      check_aligned(declared.name, unravel::type_of(array.type()), array.data());
      types.add(declared, unravel::type_of(array.type()));
      over.arrays.emplace(declared.name, data::Elements::over(unravel::type_of(array.type()), array.data(),
                                                              array.count(), owner, array.is_writable()));
    }
    for (const auto &[name, array] : arrays)
      if (std::ranges::find(names, name) == names.end())
        fail(Kind::bad_array_folder, fmt::format("layout `{}` has no array `{}`", over.layout.name, name),
             report::suggest(name, names));
    if (wanted.type && types.value && *types.value != *wanted.type)
      fail(Kind::value_width,
           fmt::format("the values are {}, but `{}` says {}", value::facts_of(*types.value).word, layout,
                       value::facts_of(*wanted.type).word));
    for (const auto &[name, count] : counts) {
      if (!over.layout.count(name))
        fail(Kind::extent_mismatch, fmt::format("layout `{}` has no count `{}`", over.layout.name, name));
      over.counts[name] = count;
    }
    infer_counts(over);
    require_lengths(over, false);
    require_counts(over);
    require_lengths(over, true);
    std::vector<std::string> sampled;
    if (check == Check::Full) {
      check::ValidateOptions how;
      how.accesses = wanted.is_unproved();
      check::ValidationResult result = check::validate(over, how);
      check::require_ok(result, over, "the tensor");
      sampled = std::move(result.sampled);
    } else {
      check::require_ok(check::validate_extents(over), over, "the tensor");
    }
    const TensorKind *kind =
        kind_of(over.layout, wanted.format, types.index.value_or(value::Type::Int32),
                types.value.value_or(wanted.type.value_or(value::Type::Float64)), std::move(sampled));
    return wrap(std::move(over), kind, wanted.fill);
  });
}

Tensor Tensor::pack(const std::string &layout, const Coordinates &entries, ValueType type, IndexType index,
                    const std::string &combine) {
  return at_border([&] {
    return packed(read_layout(layout, entries.shape.size()), entries_of(entries), unravel::type_of(type),
                  element_of(index), combine, entries.integers);
  });
}

Tensor Tensor::zeros(const std::string &layout, const std::vector<std::int64_t> &shape, ValueType type,
                     IndexType index) {
  return at_border([&] {
    return packed(read_layout(layout, shape.size()), data::Coordinates(shape), unravel::type_of(type),
                  element_of(index));
  });
}

Tensor Tensor::scalar(double value) {
  return at_border([&] {
    static const Wanted wanted = read_layout("dense", 0);
    data::Coordinates entries{std::vector<std::int64_t>()};
    entries.append({}, value);
    return packed(wanted, std::move(entries), value::Type::Float64, value::Type::Int32);
  });
}

Tensor Tensor::scalar(std::complex<double> value) {
  return at_border([&] {
    data::Coordinates entries{std::vector<std::int64_t>()};
    entries.append({}, value.real(), value.imag());
    return packed(read_layout("dense", 0), std::move(entries), value::Type::Complex128, value::Type::Int32);
  });
}

Tensor Tensor::to(const std::string &layout) const {
  return at_border([&] {
    const State &from = Access::state(*this);
    const Wanted wanted = read_layout(layout, from.shape.size());
    const TensorKind *kind =
        kind_of(wanted.layout(), wanted.format, from.kind->index.value_or(value::Type::Int32),
                wanted.type.value_or(from.kind->value.value_or(value::Type::Float64)));
    convert::ConvertOptions options;
    options.pack = pack_options(*kind, wanted.fill);
    options.trust_properties = from.kind->sampled.empty();
    return wrap(convert::convert(from.tensor(), kind->layout, options).tensor, kind, wanted.fill);
  });
}

Tensor Tensor::same_arrays() const {
  return at_border([&] {
    const State &from = Access::state(*this);
    auto made = std::make_shared<State>();
    made->kind = from.kind;
    made->shape = from.shape;
    made->fill = from.fill;
    made->slots = from.slots;
    for (const data::Elements &elements : from.arrays)
      made->arrays.push_back(elements.shared());
    return Access::tensor(std::move(made));
  });
}

const std::string &Tensor::layout() const {
  return at_border([&]() -> const std::string & { return Access::state(*this).kind->layout.name; });
}

const std::vector<std::int64_t> &Tensor::shape() const {
  return at_border([&]() -> const std::vector<std::int64_t> & { return Access::state(*this).shape; });
}

std::map<std::string, std::int64_t> Tensor::numbers() const {
  return at_border([&] {
    const tensor::Tensor inner = Access::state(*this).tensor();
    std::map<std::string, std::int64_t> all = inner.sizes;
    all.insert(inner.counts.begin(), inner.counts.end());
    return all;
  });
}

std::vector<std::string> Tensor::array_names() const {
  return at_border([&] {
    std::vector<std::string> names;
    for (const layout::Array &array : Access::state(*this).kind->layout.arrays)
      names.push_back(array.name);
    return names;
  });
}

bool Tensor::has_array(const std::string &name) const {
  return at_border([&] { return Access::state(*this).kind->layout.array(name) != nullptr; });
}

Array Tensor::array(const std::string &name) const {
  return at_border([&] {
    State &state = Access::state(*this);
    const std::vector<layout::Array> &arrays = state.kind->layout.arrays;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      if (arrays[k].name == name)
        return Array(unravel::type_of(state.arrays[k].type()), state.arrays[k].data(), state.arrays[k].size(),
                     state.arrays[k].is_writable());
    fail(Kind::bad_array_folder, fmt::format("layout `{}` has no array `{}`", layout(), name),
         report::suggest(name, array_names()));
  });
}

Array Tensor::array_of(const std::string &name, ValueType type) const {
  const Array found = array(name);
  at_border([&] {
    if (found.type() != type)
      fail(Kind::value_width,
           fmt::format("array `{}` has elements {}, not {}", name, name_of(found.type()), name_of(type)));
  });
  return found;
}

std::optional<ValueType> Tensor::value_type_of() const {
  return at_border([&]() -> std::optional<ValueType> {
    const auto type = layout::type_of_values(Access::state(*this).kind->layout, value::Type::Float64);
    return type ? std::optional(unravel::type_of(*type)) : std::nullopt;
  });
}

std::optional<ValueType> Tensor::index_type_of() const {
  return at_border([&]() -> std::optional<ValueType> {
    const State &state = Access::state(*this);
    for (std::size_t k = 0; k < state.arrays.size(); ++k)
      if (!state.kind->layout.arrays[k].is_value) return unravel::type_of(state.arrays[k].type());
    return std::nullopt;
  });
}

namespace {

void require_scalar(const Tensor::State &state) {
  if (!state.shape.empty())
    fail(Kind::order_mismatch, fmt::format("a tensor of order {} ({}) is not a scalar", state.shape.size(),
                                           fmt::join(state.shape, " x ")));
}

void require_real(const Tensor::State &state, const char *instead) {
  if (std::ranges::any_of(state.arrays, &data::Elements::is_complex))
    fail(Kind::value_width, "the tensor's values are complex", fmt::format("use {}", instead));
}

std::vector<std::complex<double>> complex_elements(const Tensor::State &state) {
  data::Coordinates entries = convert::unpack(state.tensor());
  const std::vector<double> real = data::to_dense(entries, state.fill);
  const std::vector<double> imaginary = data::to_dense(data::imaginary_part(std::move(entries)));
  std::vector<std::complex<double>> all(real.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = {real[k], imaginary[k]};
  return all;
}

} // namespace

double Tensor::value() const {
  return at_border([&] {
    const State &state = Access::state(*this);
    require_scalar(state);
    require_real(state, "complex_value()");
    return data::to_dense(convert::unpack(state.tensor()), state.fill).front();
  });
}

std::complex<double> Tensor::complex_value() const {
  return at_border([&] {
    require_scalar(Access::state(*this));
    return complex_elements(Access::state(*this)).front();
  });
}

Coordinates Tensor::coordinates() const {
  return at_border([&] {
    const State &state = Access::state(*this);
    const value::Type type = type_of_values(*state.kind);
    if (!value::is_wide_integer(type)) {
      data::Coordinates entries = convert::unpack(state.tensor());
      return Coordinates{std::move(entries.shape), std::move(entries.index), std::move(entries.value),
                         std::move(entries.imaginary)};
    }
    const tensor::Tensor inner = state.tensor();
    data::Coordinates entries = convert::unpack_exactly(inner);
    Coordinates made{std::move(entries.shape), std::move(entries.index), {}};
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const auto whole = value::whole_of({entries.value[e], entries.imaginary_of(e)}, type);
      if (!whole)
        fail(Kind::value_width,
             fmt::format("the value of entry {} is no {} number", e, value::facts_of(type).word));
      made.values.push_back(whole->number());
      made.integers.push_back(whole->integer);
    }
    return made;
  });
}

std::vector<std::complex<double>> Tensor::to_complex_dense() const {
  return at_border([&] { return complex_elements(Access::state(*this)); });
}

std::vector<double> Tensor::to_dense() const {
  return at_border([&] {
    const State &state = Access::state(*this);
    require_real(state, "to_complex_dense()");
    return data::to_dense(convert::unpack(state.tensor()), state.fill);
  });
}

} // namespace unravel
