// A call with tensors: results are made, machine code runs, what it returns becomes results or errors.
#include "compute/fills.h"
#include "convert/structure.h"
#include "library/border.h"
#include "library/code.h"
#include "report/diagnostic.h"
#include "run/assembled.h"
#include "run/extents.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace unravel {

using report::fail;
using report::Kind;

namespace {

using Slots = std::vector<std::uint64_t>;

/// A result whose arrays the kernel makes, before it does.
tensor::Tensor without_arrays(const Tensor::State &state) {
  tensor::Tensor made;
  made.layout = state.kind->layout;
  made.sizes = tensor::sizes_of(made.layout, state.shape);
  for (const layout::Array &array : made.layout.arrays)
    made.arrays.emplace(array.name, data::Elements(value::type_called(array.element).value(), 0));
  return made;
}

/// Do two arrays share memory?
bool overlap(const data::Elements &a, const data::Elements &b) {
  const auto *first = static_cast<const char *>(a.data()), *second = static_cast<const char *>(b.data());
  return a.size() > 0 && b.size() > 0 && first < second + b.bytes() && second < first + a.bytes();
}

/// Has a tensor coordinates or positions that int32 doesn't hold? So may have what is made of it.
bool needs_wide_indices(const Tensor &tensor) {
  if (!tensor) return false;
  const Tensor::State &state = Access::state(tensor);
  return std::ranges::any_of(state.shape, [](std::int64_t extent) { return extent - 1 > INT32_MAX; }) ||
         std::ranges::any_of(state.arrays,
                             [](const data::Elements &array) { return array.size() > INT32_MAX; });
}

/// Of an assembled result: what the kernel is to fill.
Slots empty_slots(const Tensor::State &state) {
  Slots slots(state.first_array() + state.kind->layout.arrays.size());
  for (std::size_t k = 0; k < state.kind->sizes.size(); ++k)
    slots[k] = static_cast<std::uint64_t>(state.shape[state.kind->sizes[k]]);
  return slots;
}

/// The memory that the caller has given for a result.
data::Elements memory_of(const Bound &bound, const std::string &name, value::Type type,
                         std::int64_t elements) {
  const auto [memory, bytes] = *bound.memory;
  std::size_t wanted = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(elements), value::facts_of(type).bytes, &wanted))
    throw std::bad_alloc();
  if (bytes != wanted)
    fail(Kind::extent_mismatch,
         fmt::format("the memory given for a result has {} bytes, but it needs {}", bytes, wanted));
  check_aligned(name, type, memory);
  if (!memory && bytes > 0) fail(Kind::missing_input, "the memory given for a result is a null pointer");
  return data::Elements::over(type, memory, static_cast<std::size_t>(elements));
}

} // namespace

/// A result whose arrays the kernel makes begins without entries. Old ones would be lost where the
/// computation doesn't set them all anew.
void Kernel::Code::check_old_entries(const Bound &bound, const Prepared &prepared) const {
  const bool reads_old = front_.written && !front_.written->old.empty();
  const compute::Program &program = (front_.written ? front_.written->line : front_.computation).program;
  for (std::size_t k = 0; k < results; ++k) {
    const bool is_made = prepared.roles[k] == Role::Assembled || prepared.roles[k] == Role::Packed;
    if (!bound.tensors[k] || !is_made) continue;
    const compute::Statement *line = compute::free_statement_of(program, names[k]);
    if (line && !reads_old && !line->accumulate && !compute::reads(*line, names[k])) continue;
    const Tensor::State &state = Access::state(bound.tensors[k]);
    for (std::size_t a = 0; a < state.arrays.size(); ++a)
      if (state.kind->layout.arrays[a].is_value && state.arrays[a].size() > 0)
        fail(Kind::sparse_result,
             fmt::format("the tensor given for the result `{}` has entries, but a result that is not dense "
                         "begins without entries",
                         names[k]),
             "give the result a name of its own, as in `C(i,j) = A(i,j) * d(i)`, or a dense layout");
  }
}

/// Results lie apart from all else, and may be written.
void Kernel::Code::check_memory(const Bound &bound, const Prepared &prepared) const {
  for (std::size_t k = 0; k < results; ++k) {
    if (!bound.tensors[k]) continue;
    const Tensor::State &result = Access::state(bound.tensors[k]);
    if (!result.is_writable())
      fail(Kind::result_is_operand,
           fmt::format("the tensor given for the result `{}` has const arrays, but the kernel writes to them",
                       names[k]));
    for (std::size_t other = 0; other < tensors; ++other) {
      if (other == k || !bound.tensors[other]) continue;
      const Tensor::State &operand = Access::state(bound.tensors[other]);
      bool shares = &operand == &result;
      const bool is_made = prepared.roles[k] == Role::Assembled || prepared.roles[k] == Role::Packed;
      for (std::size_t a = 0; !is_made && a < result.arrays.size(); ++a)
        if (result.kind->layout.arrays[a].is_value)
          for (const data::Elements &array : operand.arrays)
            shares = shares || overlap(result.arrays[a], array);
      if (shares)
        fail(Kind::result_is_operand,
             fmt::format("`{}` and `{}` share memory: a result needs its own", names[k], names[other]));
    }
  }
}

/// A result that is given with an operand's structure has its index arrays, the same ones or equal.
void Kernel::Code::check_structure(const Bound &bound, const Prepared &prepared) const {
  if (prepared.roles.front() != Role::Like || !bound.tensors.front()) return;
  const Tensor::State &result = Access::state(bound.tensors.front());
  const Tensor::State &lender = Access::state(bound.tensors[prepared.lender]);
  for (std::size_t a = 0; a < result.arrays.size(); ++a) {
    const layout::Array &array = result.kind->layout.arrays[a];
    if (array.is_value) continue;
    for (std::size_t b = 0; b < lender.arrays.size(); ++b)
      if (lender.kind->layout.arrays[b].name == array.name &&
          lender.arrays[b].data() != result.arrays[a].data() && !(lender.arrays[b] == result.arrays[a]))
        fail(Kind::bad_structure,
             fmt::format("array `{}` of the result `{}` differs from that of `{}`, whose structure it has",
                         array.name, names.front(), names[prepared.lender]),
             "leave the result out: it is made then");
  }
}

std::vector<std::vector<std::int64_t>> Kernel::Code::shapes_of_results(const Bound &bound,
                                                                       const Prepared &prepared) const {
  std::vector<std::vector<std::int64_t>> shapes;
  const bool is_plain = bound.sizes.empty() && bound.extents.empty();
  if (is_plain) {
    std::scoped_lock lock(prepared.mutex);
    const std::vector<std::vector<std::int64_t>> &last = prepared.last_shapes;
    bool same = !last.empty();
    for (std::size_t k = results; same && k < tensors; ++k)
      same = last[k - results] == Access::state(bound.tensors[k]).shape;
    if (same) return {last.end() - static_cast<std::ptrdiff_t>(results), last.end()};
  }
  run::Extents extents(front_.computation);
  for (const auto &[name, extent] : bound.extents)
    extents.set(name, extent, "argument");
  for (std::size_t k = tensors; k < names.size(); ++k)
    extents.set(names[k], bound.sizes[k - tensors], "argument");
  std::vector<std::vector<std::int64_t>> all;
  for (std::size_t k = results; k < tensors; ++k) {
    all.push_back(Access::state(bound.tensors[k]).shape);
    extents.take_shape(names[k], all.back());
  }
  for (std::size_t k = 0; k < results; ++k) {
    shapes.push_back(extents.wanted_shape(front_.computation.tensors[k]));
    tensor::sizes_of(prepared.kinds[k]->layout, shapes.back()); // throws where no tensor has that shape
    all.push_back(shapes.back());
  }
  if (is_plain) {
    std::scoped_lock lock(prepared.mutex);
    prepared.last_shapes = std::move(all);
  }
  return shapes;
}

Tensor Kernel::Code::make_result(std::size_t k, const std::vector<std::int64_t> &shape, const Bound &bound,
                                 const Prepared &prepared) const {
  const TensorKind *kind = prepared.kinds[k];
  const compute::Program &program = front_.computation.program;
  const double fill = prepared.roles[k] == Role::Dense ? compute::fill_of(program, names[k]).value_or(0)
                                                       : compute::nothing_of(program, names[k]);
  const double initial = compute::initial_of(program, names[k]);
  if (prepared.roles[k] == Role::Like)
    return wrap(convert::with_structure_of(Access::state(bound.tensors[prepared.lender]).tensor(),
                                           kind->layout, shape, pack_options(*kind, initial)),
                kind, fill);
  auto state = std::make_shared<Tensor::State>();
  state->kind = kind;
  state->shape = shape;
  state->fill = fill;
  if (prepared.roles[k] != Role::Dense) return Access::tensor(std::move(state));
  if (kind->is_dense) {
    const std::int64_t elements = data::element_count(shape);
    if (elements < 0) throw std::bad_alloc();
    const value::Type type = value::type_called(kind->layout.arrays.front().element).value();
    if (bound.memory)
      state->arrays.push_back(memory_of(bound, names[k], type, elements));
    else
      state->arrays.emplace_back(type, static_cast<std::size_t>(elements));
    state->make_slots({});
  } else {
    state->take(convert::pack(kind->layout, data::Coordinates(shape), pack_options(*kind, fill)));
  }
  for (std::size_t a = 0; a < state->arrays.size(); ++a)
    if (!prepared.cleared[k] && kind->layout.arrays[a].is_value) state->arrays[a].fill(initial);
  return Access::tensor(std::move(state));
}

bool Kernel::Code::is_too_narrow(std::size_t result, const std::vector<std::int64_t> &shape,
                                 const Prepared &prepared) const {
  const bool is_made = prepared.roles[result] == Role::Assembled || prepared.roles[result] == Role::Packed;
  return is_made && prepared.kinds[result]->index == value::Type::Int32 &&
         std::ranges::any_of(shape, [](std::int64_t extent) { return extent - 1 > INT32_MAX; });
}

void Kernel::Code::make_results(Bound &bound, const Prepared &prepared,
                                const std::vector<std::vector<std::int64_t>> &shapes) const {
  if (bound.memory && (prepared.roles.front() != Role::Dense || !prepared.kinds.front()->is_dense))
    fail(Kind::bad_structure,
         fmt::format("the result `{}` is not dense: it has arrays of its own", names.front()));
  for (std::size_t k = 0; k < results; ++k)
    if (!bound.tensors[k]) bound.tensors[k] = make_result(k, shapes[k], bound, prepared);
}

/// Why machine code has refused a call. Throws in any case.
void Kernel::Code::fail_by(int code, const Bound &bound, const Prepared &prepared) const {
  if (code == 2) throw std::bad_alloc();
  if (code == 3)
    fail(Kind::divisor_not_stored, "a divisor isn't stored",
         "store it, as a zero if it is one: the kernel looks for what is stored");
  if (code == 4)
    fail(Kind::index_width, "a result has more entries than 32-bit indices can count",
         "give the option of 64-bit indices");
  report::require(code == 1, "a kernel returns a code that is known");
  run::Extents extents(front_.computation);
  std::map<std::string, tensor::Tensor> all;
  for (const auto &[name, extent] : bound.extents)
    extents.set(name, extent, "argument");
  for (std::size_t k = tensors; k < names.size(); ++k)
    extents.set(names[k], bound.sizes[k - tensors], "argument");
  for (std::size_t step = 0; step < tensors; ++step) {
    const std::size_t k = (step + results) % tensors; // operands first
    all.emplace(names[k], Access::state(bound.tensors[k]).tensor());
    extents.take_shape(names[k], Access::state(bound.tensors[k]).shape);
  }
  run::check_sizes(prepared.variant->compilation().combination.conditions, all, extents.all());
  for (std::size_t k = 0; k < results; ++k)
    if (is_too_narrow(k, Access::state(bound.tensors[k]).shape, prepared))
      fail(Kind::index_width,
           fmt::format("coordinates of the result `{}` don't fit in its index arrays of int32", names[k]),
           "give one whose index arrays are of int64, or let the kernel make it");
  fail(Kind::size_mismatch, "the sizes of the arguments don't fit together");
}

int Kernel::Code::run(Bound &bound, const Prepared &prepared, Step step) const {
  const Variant &variant = *prepared.variant;
  std::vector<void *> structs(prepared.places.size());
  std::vector<Slots> slots(results);
  std::vector<std::pair<std::size_t, tensor::Tensor>> made;
  std::vector<std::pair<std::size_t, run::ListedResult>> listed;
  made.reserve(results), listed.reserve(results); // others point to them
  const std::vector<Tensor> converted = converted_operands(bound, prepared);
  for (std::size_t v = 0; v < structs.size(); ++v) {
    const std::size_t k = prepared.places[v];
    if (k >= names.size()) {
      structs[v] = Access::state(converted[k - names.size()]).slots.data();
      continue;
    }
    if (k >= tensors) {
      structs[v] = &bound.sizes[k - tensors];
      continue;
    }
    Tensor::State &state = Access::state(bound.tensors[k]);
    const bool is_made = step == Step::All && prepared.roles[k] == Role::Assembled;
    const bool is_packed = step == Step::All && prepared.roles[k] == Role::Packed;
    if (is_made || is_packed) {
      slots[k] = empty_slots(state);
      structs[v] = slots[k].data();
    } else {
      structs[v] = state.slots.data();
    }
    if (is_made) made.emplace_back(k, without_arrays(state));
    if (is_packed) {
      listed.emplace_back(k, run::ListedResult(variant.packings().at(v), slots[k].data()));
      structs[v] = listed.back().second.argument();
    }
  }
  if (step == Step::Inspect) return variant.inspect(structs);
  if (step == Step::Values && !variant.values())
    fail(Kind::bad_option, "the kernel computes its result as a whole",
         "make the kernel with the schedule `reuse`");
  if (step == Step::Values) return variant.values()->call(structs, threads);
  int code = variant.call(structs, threads);
  if (code == 0 && variant.values()) code = variant.values()->call(structs, threads);
  if (code != 0) return code;
  std::vector<run::Assembled> arrays;
  for (auto &[k, tensor] : made)
    arrays.emplace_back(tensor, slots[k]);
  for (run::Assembled &of_result : arrays)
    of_result.take();
  for (auto &[k, result] : listed) { // complete, before any result changes
    result.take();
    made.emplace_back(k, result.packed());
  }
  for (auto &[k, tensor] : made) {
    Access::state(bound.tensors[k]).take(std::move(tensor));
    Access::state(bound.tensors[k]).fill = compute::nothing_of(front_.computation.program, names[k]);
  }
  return 0;
}

void Kernel::Code::call(Bound &bound, Step step) const {
  bound.is_wide = std::ranges::any_of(bound.tensors, needs_wide_indices);
  const Prepared *prepared = &prepared_for(bound);
  std::vector<std::vector<std::int64_t>> shapes;
  if (bound.makes_results) {
    shapes = shapes_of_results(bound, *prepared);
    for (std::size_t k = 0; k < results; ++k)
      bound.is_wide = bound.is_wide || (!bound.tensors[k] && is_too_narrow(k, shapes[k], *prepared));
    if (bound.is_wide) prepared = &prepared_for(bound);
  }
  const Prepared &given = *prepared; // which takes the operands as they are
  if (step == Step::All) prepared = &cheapest_for(bound, given);
  if (bound.makes_results) make_results(bound, *prepared, shapes);
  check_memory(bound, *prepared);
  if (step == Step::All) check_old_entries(bound, *prepared);
  check_structure(bound, *prepared);
  const int code = run(bound, *prepared, step);
  if (code != 0) fail_by(code, bound, given);
}

} // namespace unravel
