// Packing: coordinates to the arrays of a layout, by a plan.
#include "convert/pack.h"

#include "check/validate.h"
#include "convert/mode_values.h"
#include "convert/pack_levels.h"
#include "data/parallel.h"
#include "packing/pack_permutation.h"
#include "packing/pack_segments.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace unravel::convert {

using check::ValidationResult;
using layout::Layout;
using packing::Permutation;
using report::Kind;
using term::Term;

namespace {

void check_coordinates(const Coordinates &coordinates) {
  std::atomic<bool> outside = false;
  for (std::size_t mode = 0; mode < coordinates.order(); ++mode) {
    const std::vector<std::int64_t> &index = coordinates.index[mode];
    report::require(index.size() == coordinates.size(), "every entry has a value and a full coordinate");
    auto extent = static_cast<std::uint64_t>(coordinates.shape[mode]);
    data::run_ranges(index.size(), [&](std::size_t begin, std::size_t end) {
      bool bad = false;
      for (std::size_t e = begin; e < end; ++e)
        bad |= static_cast<std::uint64_t>(index[e]) >= extent;
      if (bad) outside = true;
    });
  }
  report::require(!outside, "coordinates lie within the tensor's shape");
}

/// Its sizes and counts alone.
Tensor without_arrays(const Tensor &tensor) {
  Tensor bare;
  bare.layout = tensor.layout;
  bare.sizes = tensor.sizes;
  bare.counts = tensor.counts;
  return bare;
}

/// The bytes that packing takes with the counts that the tensor has, those of later pieces being 0.
double bytes_needed(const Tensor &tensor, const PackOptions &options, std::size_t entries) {
  Tensor bare = without_arrays(tensor);
  for (const layout::Count &count : bare.layout.counts)
    bare.counts.emplace(count.name, 0);
  double sum = 0;
  for (const layout::Array &array : bare.layout.arrays) {
    std::optional<std::int64_t> elements = element_count(array, bare);
    if (!elements) return std::numeric_limits<double>::infinity();
    sum += static_cast<double>(*elements) *
           static_cast<double>(data::item_size(element_type(array, options.index, options.value)));
  }
  // Sorting keeps a second copy of the entries and an item per entry.
  return sum + static_cast<double>(entries) * 8.0 * static_cast<double>(bare.layout.order() + 3);
}

} // namespace

void fail_not_storable(const Tensor &tensor, const std::string &reason) {
  report::fail(Kind::not_storable,
               fmt::format("these entries can't be stored in layout `{}`: {}", tensor.layout.name, reason),
               "choose another layout with -f");
}

void check_memory(const Tensor &bare, const PackOptions &options, std::size_t entries) {
  double bytes = bytes_needed(bare, options, entries);
  if (bytes <= static_cast<double>(options.max_memory)) return;
  std::string needed =
      bytes < 9e18 ? data::memory_text(static_cast<std::int64_t>(bytes)) : "more than 2^63 bytes";
  report::fail(
      Kind::memory_limit,
      fmt::format("a tensor of {} with {} entries in layout `{}` takes {}, more than the {} allowed",
                  bare.layout.order() == 0 ? "order 0" : fmt::format("{}", fmt::join(bare.shape(), " x ")),
                  entries, bare.layout.name, needed, data::memory_text(options.max_memory)),
      "choose a layout for sparse tensors with -f, or raise the limit with --max-memory");
}

namespace {

/// Before anything is counted: what the tensor takes at least, or, where each entry takes the same, at most.
void check_memory_at_first(Tensor bare, const PackPlan &plan, const PackOptions &options,
                           std::size_t entries) {
  bool each_alike = plan.pieces.size() == 1;
  for (const PiecePlan &piece : plan.pieces) {
    each_alike = each_alike && piece.limits.empty();
    for (std::size_t l = 0; l < piece.levels.size(); ++l)
      each_alike = each_alike && piece.levels[l].kind != Level::Kind::Padded &&
                   piece.levels[l].kind != Level::Kind::Run &&
                   (piece.is_dense() || l + 1 < piece.levels.size() || !piece.levels[l].is_dense());
  }
  if (each_alike)
    for (const layout::Count &count : bare.layout.counts)
      bare.counts[count.name] = static_cast<std::int64_t>(entries);
  check_memory(bare, options, entries);
}

/// The defined counts must come to what was stored: `count NNZ = rowptr(M)`.
void finish_counts(Tensor &tensor) {
  for (const layout::Count &count : tensor.layout.counts) {
    if (!count.definition) continue;
    std::optional<std::int64_t> value = try_evaluate(*count.definition, tensor);
    auto [known, fresh] = tensor.counts.emplace(count.name, value.value_or(-1));
    if (!value || known->second != *value)
      fail_not_storable(
          tensor, fmt::format("count `{} = {}` does not hold", count.name, term::to_text(*count.definition)));
  }
}

/// What properties say of numbers that are known holds or not, whatever is packed.
void check_numbers(const Tensor &tensor, const PackPlan &plan) {
  if (!plan.segments.empty()) return; // the tensor is of another layout until it is packed
  auto known = [&](const std::string &name) { return tensor.sizes.count(name) || tensor.counts.count(name); };
  for (std::size_t property : plan.checked) {
    const prove::Axiom &axiom = tensor.layout.properties[property].axiom;
    if (!axiom.variables.empty() || !term::applications_of(axiom.conclusion).empty() ||
        !std::ranges::all_of(term::variables_of(axiom.conclusion), known))
      continue;
    ValidationResult result = check::validate_property(tensor, property);
    if (!result.violations.empty()) fail_not_storable(tensor, result.violations[0].message);
  }
}

void check_properties(const Tensor &tensor, const PackPlan &plan, const PackOptions &options) {
  for (std::size_t property : plan.checked) {
    ValidationResult result = check::validate_property(tensor, property);
    if (!result.violations.empty()) fail_not_storable(tensor, result.violations[0].message);
    if (options.sampled)
      options.sampled->insert(options.sampled->end(), result.sampled.begin(), result.sampled.end());
  }
}

/// Values are added up as doubles; the layout may want integers, or single precision of complex numbers.
/// `fill`: also what no double holds, the greatest integer of 64 bits.
void convert_values(Tensor &tensor, const std::string &name, DType wanted, double fill) {
  Elements &values = tensor.array(name);
  if (values.type() == wanted) return;
  Elements converted(wanted, values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (value::is_complex(wanted)) {
      converted.set_number(k, values.number(k));
      continue;
    }
    double value = values.real(k);
    if (fill != 0 && std::fabs(value) == std::fabs(fill) && value::is_integer(wanted)) {
      converted.set_number(k, value::Scalar::of(value, wanted));
      continue;
    }
    if (!value::holds(wanted, value))
      report::fail(Kind::value_width,
                   fmt::format("value {} can't be stored in array `{}` of {} elements", value, name,
                               value::facts_of(wanted).word),
                   "declare the array with elements f64, or give the tensor a type that holds it");
    converted.set_real(k, value);
  }
  values = std::move(converted);
}

/// Every coordinate has a slot: no order is needed, sums are made in place.
void scatter_dense(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
                   const PackOptions &options) {
  std::vector<LevelNumbers> numbers = level_numbers(plan, tensor);
  Elements &elements = make_array(tensor, plan.value, options);
  if (coordinates.order() > 0 && elements.size() == 0) return;
  const layout::Array &array = *tensor.layout.array(plan.value);
  // slot = base + sum of factor * coordinate
  std::int64_t base = 0, stride = 1;
  std::vector<std::int64_t> factor(coordinates.order());
  for (std::size_t s = plan.slots.size(); s-- > 0;) {
    const Level &level = plan.levels[plan.slots[s].level];
    base += stride * (numbers[plan.slots[s].level].offset + plan.slots[s].constant);
    factor[level.mode] = stride * level.sign;
    stride *= extent_of(array.extents[s], tensor).value();
  }
  const auto slot_of = [&](std::size_t e) {
    std::int64_t slot = base;
    for (std::size_t mode = 0; mode < coordinates.order(); ++mode)
      slot += factor[mode] * coordinates.index[mode][e];
    report::require(static_cast<std::uint64_t>(slot) < elements.size(), "a slot lies within its array");
    return static_cast<std::size_t>(slot);
  };
  // The real parts, and the imaginary ones behind them.
  const std::size_t parts = elements.is_complex() ? 2 : 1;
  auto *values = static_cast<double *>(elements.data());
  if (options.fill != 0 || has_negative_zero(coordinates)) // sums don't begin with what is there
    for (std::size_t e = 0; e < coordinates.size(); ++e)
      std::fill_n(values + parts * slot_of(e), parts, -0.0);
  for (std::size_t e = 0; e < coordinates.size(); ++e) {
    double *value = values + parts * slot_of(e);
    value[0] += coordinates.value[e];
    if (parts == 2) value[1] += coordinates.imaginary[e];
  }
}

} // namespace

bool has_complex_values(const Layout &layout, tensor::ValueType open) {
  const std::optional<DType> type = layout::type_of_values(layout, open);
  return type && value::is_complex(*type);
}

bool has_complex_values(const Tensor &tensor) {
  return std::ranges::any_of(tensor.arrays, [](const auto &array) { return array.second.is_complex(); });
}

Elements &make_array(Tensor &tensor, const std::string &name, const PackOptions &options, bool zero) {
  const layout::Array &array = *tensor.layout.array(name);
  std::optional<std::int64_t> count = element_count(array, tensor);
  report::require(count.has_value(), "the extents of an array are known when it is packed");
  DType type = element_type(array, options.index, options.value);
  if (array.is_value && value::is_integer(type)) type = DType::Float64; // converted at the end
  if (value::is_complex(type)) type = DType::Complex128;
  Elements &elements = tensor.arrays[name];
  elements = Elements(type, static_cast<std::size_t>(*count));
  if (zero) elements.fill(array.is_value ? options.fill : 0);
  return elements;
}

bool has_negative_zero(const Coordinates &entries) {
  const auto is_negative_zero = [](double value) { return value == 0 && std::signbit(value); };
  return std::ranges::any_of(entries.value, is_negative_zero) ||
         std::ranges::any_of(entries.imaginary, is_negative_zero);
}

std::vector<LevelNumbers> level_numbers(const PiecePlan &plan, const Tensor &tensor) {
  std::vector<LevelNumbers> result;
  for (const Level &level : plan.levels) {
    LevelNumbers numbers;
    auto least = [&](std::size_t mode) { return range_of(plan.modes[mode], tensor).least; };
    if (level.has_mode())
      numbers.offset = try_evaluate(level.offset, tensor).value() + level.sign * least(level.mode);
    if (level.home) numbers.home = least(level.home->mode);
    for (const Key &key : level.keys)
      numbers.key_offsets.push_back(try_evaluate(key.offset, tensor).value() - least(key.mode));
    result.push_back(std::move(numbers));
  }
  return result;
}

namespace {

/// By the extent, not by the indices that occur: whether a tensor can be packed doesn't depend on its
/// entries.
void check_key_width(const Tensor &tensor, const Mode &mode, const Key &key, const PackOptions &options) {
  ModeRange range = range_of(mode, tensor);
  std::int64_t last = std::max(range.least + (range.size - 1), -range.least), largest = 0;
  if (__builtin_add_overflow(last, std::abs(try_evaluate(key.offset, tensor).value()), &largest))
    largest = INT64_MAX;
  check_width(tensor.layout, key.array, options, largest,
              fmt::format("indices `{}` up to {}", term::to_text(mode.value), largest));
}

} // namespace

void check_width(const Layout &layout, const std::string &name, const PackOptions &options,
                 std::int64_t largest, const std::string &what) {
  const layout::Array &array = *layout.array(name);
  if (element_type(array, options.index, options.value) == DType::Int64 || largest <= INT32_MAX) return;
  report::fail(Kind::index_width, fmt::format("{} don't fit in the int32 elements of array `{}`", what, name),
               array.element.empty() ? "use --index int64" : "declare the array with elements int64");
}

void check_positions(const Tensor &tensor, const Level &level, const PackOptions &options,
                     std::size_t entries, std::int64_t positions) {
  if (positions > INT32_MAX) {
    Tensor bare = without_arrays(tensor);
    for (const layout::Count &count : bare.layout.counts) {
      const auto *total = count.definition ? count.definition->as<term::Apply>() : nullptr;
      if (total && total->function == level.pointer) bare.counts.emplace(count.name, positions);
    }
    check_memory(bare, options, entries);
  }
  check_width(tensor.layout, level.pointer, options, positions, fmt::format("{} positions", positions));
}

namespace {

/// Entries of the type, which an array of values has: complex or real ones.
void make_as_complex_as(DType type, Coordinates &entries, const std::string &array) {
  if (value::is_complex(type) == entries.is_complex()) return;
  if (value::is_complex(type)) {
    entries.imaginary.resize(entries.size());
    return;
  }
  if (std::ranges::any_of(entries.imaginary, [](double part) { return part != 0; }))
    report::fail(Kind::value_width,
                 fmt::format("a complex value can't be stored in array `{}` of {} elements", array,
                             value::facts_of(type).word),
                 "declare the array with elements complex128");
  entries.imaginary.clear();
}

void pack_piece(Tensor &tensor, const PiecePlan &piece, Coordinates entries, const PackOptions &given) {
  PackOptions options = given;
  if (piece.negative) options.fill = -options.fill;
  if (!piece.permutations.empty()) permute(entries, tensor, piece, options);
  const PiecePlan &plan = piece.permutations.empty() ? piece : plan_of_places(piece);
  DType value_type = plan.value.empty()
                         ? DType::Float64
                         : element_type(*tensor.layout.array(plan.value), options.index, options.value);
  if (plan.negative)
    for (std::vector<double> *parts : {&entries.value, &entries.imaginary})
      for (double &value : *parts)
        value = -value;
  if (!plan.value.empty()) make_as_complex_as(value_type, entries, plan.value);
  entries = to_modes(std::move(entries), plan, tensor);
  if (plan.is_dense() && value_type != DType::Float32) {
    scatter_dense(tensor, plan, entries, options);
  } else if (!pack_keyed(tensor, plan, entries, options)) {
    pad_entries(tensor, entries, plan, options.fill);
    order_entries(entries, plan);
    build_levels(tensor, plan, entries, options);
  }
}

/// A count that is read outside its array for these sizes could not be computed from the arrays made.
void check_counts(const Tensor &tensor) {
  for (const layout::Count &count : tensor.layout.counts) {
    if (!count.definition) continue;
    for (const term::Term &application : term::applications_of(*count.definition)) {
      const auto *call = application.as<term::Apply>();
      const layout::Array &array = *tensor.layout.array(call->function);
      for (std::size_t k = 0; k < call->arguments.size(); ++k) {
        std::optional<std::int64_t> argument = try_evaluate(call->arguments[k], tensor);
        std::optional<std::int64_t> extent = try_evaluate(array.extents[k], tensor);
        if (argument && extent && (*argument < 0 || *argument >= *extent))
          report::fail(
              Kind::argument_range,
              fmt::format("a tensor of {} can't be packed in layout `{}`: count `{}` = `{}` reads `{}` "
                          "at {}, outside [0, {})",
                          fmt::join(tensor.shape(), " x "), tensor.layout.name, count.name,
                          term::to_text(*count.definition), array.name, *argument, *extent),
              "`unravel layout check` shows for which sizes it fails");
      }
    }
  }
}

} // namespace

Tensor begin_packing(const Layout &layout, const PackPlan &plan, const std::vector<std::int64_t> &shape,
                     std::size_t entries, const PackOptions &options) {
  Tensor tensor;
  tensor.layout = with_pointers(layout, plan.segments);
  tensor.sizes = tensor::sizes_of(layout, shape);
  check_counts(tensor);
  complete_counts(tensor); // those that the sizes determine
  check_numbers(tensor, plan);
  check_memory_at_first(tensor, plan, options, entries);
  for (const PiecePlan &piece : plan.pieces) {
    for (const Permutation &permutation : piece.permutations) {
      const auto [coordinate, key] = stored_by(permutation, layout);
      check_key_width(tensor, coordinate, key, options);
    }
    for (const Level &level : piece.levels)
      for (const Key &key : level.keys)
        check_key_width(tensor, piece.modes[key.mode], key, options);
  }
  return tensor;
}

void finish_packing(Tensor &tensor, const Layout &layout, const PackPlan &plan, const PackOptions &options) {
  for (const PiecePlan &piece : plan.pieces)
    if (!piece.value.empty())
      convert_values(tensor, piece.value,
                     element_type(*tensor.layout.array(piece.value), options.index, options.value),
                     options.fill);
  finish_counts(tensor);
  write_bounds(tensor, layout, plan.segments, options);
  check_properties(tensor, plan, options);
}

Tensor pack(const Layout &layout, const PackPlan &plan, Coordinates coordinates, const PackOptions &options) {
  if (coordinates.is_complex() && !has_complex_values(layout, options.value))
    report::fail(
        Kind::value_width,
        fmt::format(
            "the entries are complex, but layout `{}` is to hold {} values", layout.name,
            value::facts_of(layout::type_of_values(layout, options.value).value_or(options.value)).word),
        fmt::format("give the tensor a complex type, as in -f 'A={} complex128'", layout.name));
  Tensor tensor = begin_packing(layout, plan, coordinates.shape, coordinates.size(), options);
  check_coordinates(coordinates);
  Coordinates given;
  if (plan.compared) given = coordinates;
  for (const PiecePlan &piece : plan.pieces)
    pack_piece(tensor, piece, take_entries(coordinates, tensor, piece), options);
  if (!plan.compared) leave_out(options.fill, coordinates); // as a dense file has it, which lists zeros too
  if (!plan.compared && coordinates.size() > 0) fail_no_place(tensor, plan, coordinates);
  finish_packing(tensor, layout, plan, options);
  if (plan.compared) require_same_meaning(tensor, std::move(given), options);
  return tensor;
}

Tensor pack(const Layout &layout, Coordinates coordinates, const PackOptions &options) {
  return pack(layout, packing::plan_packing(layout), std::move(coordinates), options);
}

} // namespace unravel::convert
