// The C interface (include/unravel/unravel_c.h): the C++ one, without exceptions.
#include "unravel/unravel_c.h"

#include "convert/halves.h"
#include "library/border.h"
#include "library/code.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <new>

using unravel::Access;
using unravel::Array;
using unravel::Bound;
using unravel::Kernel;
using unravel::Tensor;
using unravel::ValueType;

struct unravel_tensor {
  Tensor tensor;
};
struct unravel_kernel {
  std::shared_ptr<const Kernel::Code> code;
};

static_assert(UNRAVEL_FLOAT32 == static_cast<int>(ValueType::Float32) &&
              UNRAVEL_BOOL == static_cast<int>(ValueType::Bool) &&
              UNRAVEL_INT64 == static_cast<int>(ValueType::Int64) &&
              UNRAVEL_UINT64 == static_cast<int>(ValueType::UInt64) &&
              UNRAVEL_COMPLEX128 == static_cast<int>(ValueType::Complex128));

namespace {

constexpr const char *no_memory = "there is not enough memory";

/// A text that C frees. Throws bad_alloc.
char *copied(std::string_view text) {
  auto *memory = static_cast<char *>(std::malloc(text.size() + 1));
  if (!memory) throw std::bad_alloc();
  std::memcpy(memory, text.data(), text.size());
  memory[text.size()] = 0;
  return memory;
}

/// Elements that C frees; some memory also of none.
template <class T> std::unique_ptr<T, decltype(&std::free)> copied(const std::vector<T> &elements) {
  const std::size_t bytes = elements.size() * sizeof(T);
  std::unique_ptr<T, decltype(&std::free)> memory(
      static_cast<T *>(std::malloc(std::max<std::size_t>(bytes, 1))), std::free);
  if (!memory) throw std::bad_alloc();
  std::copy(elements.begin(), elements.end(), memory.get());
  return memory;
}

template <class T> void hand_out(const std::vector<T> &elements, std::size_t &count, T *&memory) {
  memory = copied(elements).release();
  count = elements.size();
}

/// Texts that are lost for want of memory are replaced by one that needs none.
void set(unravel_error *error, const char *kind, const char *message, bool is_bug) noexcept {
  if (!error) return;
  char *own_kind = strdup(kind), *own_message = strdup(message);
  if (!own_kind || !own_message) {
    std::free(own_kind);
    std::free(own_message);
    *error = {"no-memory", no_memory, 0};
    return;
  }
  *error = {own_kind, own_message, is_bug};
}

/// 0, or 1 and why.
template <class Work> int guarded(unravel_error *error, Work work) noexcept {
  if (error) *error = {nullptr, nullptr, 0};
  try {
    unravel::at_border(work);
    return 0;
  } catch (const unravel::Error &thrown) {
    set(error, thrown.kind().c_str(), thrown.what(), thrown.is_bug());
  } catch (const std::bad_alloc &) {
    if (error) *error = {"no-memory", no_memory, 0};
  } catch (const std::length_error &) { // a vector of more elements than there is memory
    if (error) *error = {"no-memory", no_memory, 0};
  } catch (const std::exception &thrown) {
    set(error, "internal", thrown.what(), true);
  } catch (...) {
    set(error, "internal", "something unknown was thrown", true);
  }
  return 1;
}

template <class T> T &given(T *pointer, const char *what) {
  if (!pointer)
    unravel::report::fail(unravel::report::Kind::missing_input, fmt::format("`{}` is a null pointer", what));
  return *pointer;
}

/// Null is as good where there are none.
template <class T> void given_all(T *pointer, std::size_t count, const char *what) {
  if (count > 0) given(pointer, what);
}

template <class T> void add_once(std::map<std::string, T> &all, const char *name, const T &one) {
  if (!all.emplace(name, one).second)
    unravel::report::fail(unravel::report::Kind::duplicate_name, fmt::format("`{}` is given twice", name));
}

ValueType type_of(unravel_type type) {
  if (static_cast<unsigned>(type) > UNRAVEL_COMPLEX128)
    unravel::report::fail(unravel::report::Kind::bad_option,
                          fmt::format("{} is not a type of elements", static_cast<int>(type)));
  return static_cast<ValueType>(type);
}

unravel::IndexType index_of(unravel_type type) {
  if (type != UNRAVEL_INT32 && type != UNRAVEL_INT64)
    unravel::report::fail(unravel::report::Kind::index_width, "index arrays are int32 or int64");
  return type == UNRAVEL_INT64 ? unravel::IndexType::Int64 : unravel::IndexType::Int32;
}

unravel::Options options_of(const unravel_options *from) {
  unravel::Options options;
  if (!from) return options;
  given_all(from->formats, from->format_count, "formats");
  for (size_t k = 0; k < from->format_count; ++k)
    options.formats[&given(from->formats[k].name, "name")] = &given(from->formats[k].text, "text");
  given_all(from->schedules, from->schedule_count, "schedules");
  for (size_t k = 0; k < from->schedule_count; ++k)
    options.schedules.emplace_back(&given(from->schedules[k], "schedules"));
  given_all(from->finds, from->find_count, "finds");
  for (size_t k = 0; k < from->find_count; ++k)
    options.finds.emplace_back(&given(from->finds[k], "finds"));
  if (from->name) options.name = from->name;
  options.index = index_of(from->index);
  if (from->has_value) options.value = type_of(from->value);
  if (from->threads != 0) options.threads = from->threads;
  options.budget_seconds = from->budget_seconds;
  if (from->machine) options.machine = from->machine;
  options.trust = from->trust != 0;
  if (from->prefix) options.prefix = from->prefix;
  options.const_operands = from->const_operands != 0;
  return options;
}

unravel::Tensors tensors_of(size_t count, const unravel_argument *tensors) {
  unravel::Tensors all;
  given_all(tensors, count, "tensors");
  for (size_t k = 0; k < count; ++k)
    all[&given(tensors[k].name, "name")] = given(tensors[k].tensor, "tensor").tensor;
  return all;
}

unravel_tensor *handle(Tensor tensor) {
  return new unravel_tensor{std::move(tensor)};
}

/// What errors leave of results.
void set_to_null(const unravel_kernel *kernel, unravel_tensor **results) {
  if (kernel && results) std::fill_n(results, kernel->code->results, nullptr);
}

/// All of them, or none.
void hand_out(const Kernel::Code &code, const Bound &bound, unravel_tensor **results) {
  std::vector<std::unique_ptr<unravel_tensor>> all;
  for (std::size_t k = 0; k < code.results; ++k)
    all.emplace_back(handle(bound.tensors[k]));
  for (std::size_t k = 0; k < code.results; ++k)
    results[k] = all[k].release();
}

/// The tensor with another array in place of its only one.
Tensor with_array(const Tensor &tensor, void *array, const std::string &name) {
  const Tensor::State &state = Access::state(tensor);
  if (!state.kind->is_dense)
    unravel::report::fail(unravel::report::Kind::bad_structure,
                          fmt::format("an array is given in place of that of `{}`, which isn't dense", name));
  const unravel::data::Elements &own = state.arrays.front();
  unravel::check_aligned(name, own.type(), array);
  auto made = std::make_shared<Tensor::State>(); // its own array may be gone: it isn't copied
  made->kind = state.kind, made->shape = state.shape, made->fill = state.fill;
  made->arrays.push_back(
      unravel::data::Elements::over(own.type(), array, own.size(), nullptr, state.is_writable()));
  made->make_slots({});
  return Access::tensor(std::move(made));
}

/// The arguments of a call. Precondition: there are as many as the kernel takes. `first`: of those that are
/// looked at; the others are results that are to be made.
Bound by_places(const Kernel::Code &code, unravel_tensor *const *tensors, void *const *arrays,
                const std::int64_t *sizes, std::size_t first = 0) {
  Bound bound;
  bound.tensors.resize(code.tensors);
  bound.makes_results = first > 0;
  for (std::size_t k = first; k < code.tensors; ++k) {
    if (tensors[k] && arrays && arrays[k])
      bound.tensors[k] = with_array(tensors[k]->tensor, arrays[k], code.names[k]);
    else if (tensors[k])
      bound.tensors[k] = tensors[k]->tensor;
    else if (k >= code.results)
      unravel::report::fail(unravel::report::Kind::missing_input,
                            fmt::format("no argument is given for `{}`", code.names[k]));
    else
      bound.makes_results = true;
  }
  if (code.names.size() > code.tensors)
    bound.sizes.assign(&given(sizes, "sizes"), sizes + (code.names.size() - code.tensors));
  return bound;
}

} // namespace

extern "C" {

void unravel_error_free(unravel_error *error) {
  if (!error) return;
  if (error->message && error->message != no_memory) {
    std::free(const_cast<char *>(error->kind));
    std::free(const_cast<char *>(error->message));
  }
  *error = {nullptr, nullptr, 0};
}

const char *unravel_version(void) {
  return UNRAVEL_VERSION;
}

int unravel_tensor_over(const char *layout, size_t order, const int64_t *shape, size_t array_count,
                        const unravel_array *arrays, size_t count_count, const unravel_number *counts,
                        unravel_check check, void (*release)(void *), void *owner, unravel_tensor **made,
                        unravel_error *error) {
  if (made) *made = nullptr;
  return guarded(error, [&] {
    std::shared_ptr<void> owns;
    if (release) owns = std::shared_ptr<void>(owner, release);
    given_all(shape, order, "shape");
    given_all(arrays, array_count, "arrays");
    given_all(counts, count_count, "counts");
    std::map<std::string, Array> all;
    for (size_t k = 0; k < array_count; ++k)
      add_once(all, &given(arrays[k].name, "name"),
               Array(type_of(arrays[k].type), arrays[k].data, arrays[k].count, arrays[k].writable != 0));
    std::map<std::string, std::int64_t> numbers;
    for (size_t k = 0; k < count_count; ++k)
      add_once(numbers, &given(counts[k].name, "name"), counts[k].value);
    given(made, "made") = handle(Tensor::over(
        &given(layout, "layout"), std::vector<std::int64_t>(shape, shape + order), all, numbers,
        check == UNRAVEL_CHECK_EXTENTS ? unravel::Check::Extents : unravel::Check::Full, std::move(owns)));
  });
}

int unravel_tensor_pack(const char *layout, size_t order, const int64_t *shape, size_t entries,
                        const int64_t *const *indices, unravel_type type, const void *values,
                        unravel_type index, unravel_tensor **made, unravel_error *error) {
  return unravel_tensor_pack_combined(layout, order, shape, entries, indices, type, values, index, nullptr,
                                      made, error);
}

int unravel_tensor_pack_combined(const char *layout, size_t order, const int64_t *shape, size_t entries,
                                 const int64_t *const *indices, unravel_type type, const void *values,
                                 unravel_type index, const char *combine, unravel_tensor **made,
                                 unravel_error *error) {
  if (made) *made = nullptr;
  return guarded(error, [&] {
    unravel::Coordinates all;
    given_all(shape, order, "shape");
    given_all(indices, order, "indices");
    given_all(static_cast<const char *>(values), entries, "values");
    all.shape.assign(shape, shape + order);
    for (size_t mode = 0; mode < order; ++mode)
      given_all(indices[mode], entries, "indices");
    for (size_t mode = 0; mode < order; ++mode)
      all.indices.emplace_back(indices[mode], indices[mode] + entries);
    const unravel::value::Type inner = unravel::type_of(type_of(type));
    if (unravel::value::is_wide_integer(inner)) {
      all.integers.resize(entries);
      if (entries > 0) std::memcpy(all.integers.data(), values, entries * sizeof(std::int64_t));
    } else {
      all.values.resize(entries);
      if (unravel::value::is_complex(inner)) all.imaginary.resize(entries);
      for (size_t e = 0; e < entries; ++e) {
        const unravel::value::Scalar number = unravel::data::number_at(inner, values, e);
        all.values[e] = number.number();
        if (!all.imaginary.empty()) all.imaginary[e] = number.imaginary;
      }
    }
    given(made, "made") = handle(
        Tensor::pack(&given(layout, "layout"), all, type_of(type), index_of(index), combine ? combine : ""));
  });
}

int unravel_tensor_read(const char *path, const char *layout, int order, unravel_tensor **made,
                        unravel_error *error) {
  return unravel_tensor_read_combined(path, layout, order, nullptr, made, error);
}

int unravel_tensor_read_combined(const char *path, const char *layout, int order, const char *combine,
                                 unravel_tensor **made, unravel_error *error) {
  if (made) *made = nullptr;
  return guarded(error, [&] {
    std::optional<std::size_t> wanted;
    if (order >= 0) wanted = static_cast<std::size_t>(order);
    given(made, "made") =
        handle(Tensor::read(&given(path, "path"), layout ? layout : "", wanted, combine ? combine : ""));
  });
}

int unravel_tensor_convert(const unravel_tensor *tensor, const char *layout, unravel_tensor **made,
                           unravel_error *error) {
  if (made) *made = nullptr;
  return guarded(error, [&] {
    given(made, "made") = handle(given(tensor, "tensor").tensor.to(&given(layout, "layout")));
  });
}

int unravel_tensor_same_arrays(const unravel_tensor *tensor, unravel_tensor **made, unravel_error *error) {
  if (made) *made = nullptr;
  return guarded(error, [&] {
    unravel_tensor *&out = given(made, "made");
    out = handle(given(tensor, "tensor").tensor.same_arrays());
  });
}

void unravel_tensor_free(unravel_tensor *tensor) {
  delete tensor;
}

const char *unravel_tensor_layout(const unravel_tensor *tensor) {
  return Access::state(tensor->tensor).kind->layout.name.c_str();
}

size_t unravel_tensor_order(const unravel_tensor *tensor) {
  return Access::state(tensor->tensor).shape.size();
}

const int64_t *unravel_tensor_shape(const unravel_tensor *tensor) {
  return Access::state(tensor->tensor).shape.data();
}

double unravel_tensor_fill(const unravel_tensor *tensor) {
  return Access::state(tensor->tensor).fill;
}

int unravel_tensor_value_type(const unravel_tensor *tensor, unravel_type *type) {
  const Tensor::State &state = Access::state(tensor->tensor);
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    if (!state.kind->layout.arrays[k].is_value) continue;
    *type = static_cast<unravel_type>(unravel::type_of(state.arrays[k].type()));
    return 0;
  }
  return 1;
}

size_t unravel_tensor_array_count(const unravel_tensor *tensor) {
  return Access::state(tensor->tensor).arrays.size();
}

unravel_array unravel_tensor_array(const unravel_tensor *tensor, size_t k) {
  Tensor::State &state = Access::state(tensor->tensor);
  if (k >= state.arrays.size()) return {nullptr, UNRAVEL_FLOAT64, nullptr, 0, 0};
  unravel::data::Elements &elements = state.arrays[k];
  return {state.kind->layout.arrays[k].name.c_str(),
          static_cast<unravel_type>(unravel::type_of(elements.type())), elements.data(), elements.size(),
          elements.is_writable()};
}

size_t unravel_tensor_number_count(const unravel_tensor *tensor) {
  return Access::state(tensor->tensor).first_array();
}

unravel_number unravel_tensor_number(const unravel_tensor *tensor, size_t k) {
  const Tensor::State &state = Access::state(tensor->tensor);
  if (k >= state.first_array()) return {nullptr, 0};
  const unravel::layout::Layout &layout = state.kind->layout;
  const std::string &name = k < state.first_count() ? layout.sizes[state.kind->sizes[k]]
                                                    : layout.counts[k - state.first_count()].name;
  return {name.c_str(), static_cast<std::int64_t>(state.slots[k])};
}

int unravel_tensor_coordinates(const unravel_tensor *tensor, size_t *entries, int64_t **indices,
                               double **values, unravel_error *error) {
  if (indices) *indices = nullptr;
  if (values) *values = nullptr;
  return guarded(error, [&] {
    const unravel::Coordinates all = given(tensor, "tensor").tensor.coordinates();
    size_t &count = given(entries, "entries");
    int64_t *&where = given(indices, "indices");
    double *&what = given(values, "values");
    std::vector<std::int64_t> in_a_row;
    for (const std::vector<std::int64_t> &index : all.indices)
      in_a_row.insert(in_a_row.end(), index.begin(), index.end());
    auto own = copied(in_a_row);
    hand_out(all.values, count, what);
    where = own.release();
  });
}

int unravel_tensor_imaginary(const unravel_tensor *tensor, size_t *entries, double **imaginary,
                             unravel_error *error) {
  if (imaginary) *imaginary = nullptr;
  return guarded(error, [&] {
    unravel::Coordinates all = given(tensor, "tensor").tensor.coordinates();
    all.imaginary.resize(all.values.size()); // of real values it is empty
    hand_out(all.imaginary, given(entries, "entries"), given(imaginary, "imaginary"));
  });
}

int unravel_tensor_integers(const unravel_tensor *tensor, size_t *entries, int64_t **integers,
                            unravel_error *error) {
  if (integers) *integers = nullptr;
  return guarded(error, [&] {
    const unravel::Coordinates all = given(tensor, "tensor").tensor.coordinates();
    size_t &count = given(entries, "entries");
    int64_t *&out = given(integers, "integers");
    if (all.integers.size() == all.values.size())
      hand_out(all.integers, count, out);
    else
      count = 0;
  });
}

unravel_options unravel_options_new(void) {
  unravel_options options = {};
  options.name = "kernel";
  options.index = UNRAVEL_INT32;
  options.value = UNRAVEL_FLOAT64;
  options.budget_seconds = unravel::Options().budget_seconds;
  options.machine = "";
  return options;
}

int unravel_kernel_make(const char *expression, const unravel_options *options, size_t tensor_count,
                        const unravel_argument *tensors, unravel_kernel **made, unravel_error *error) {
  if (made) *made = nullptr;
  return guarded(error, [&] {
    const unravel::Tensors all = tensors_of(tensor_count, tensors);
    const unravel::Options with = options_of(options);
    const bool later = options && options->later;
    unravel::pipeline::Request request =
        unravel::request_of(&given(expression, "expression"), all, with, "here", false);
    if (later) request.counts.clear();
    auto code = std::make_shared<const Kernel::Code>(std::move(request), with.trust, with.threads);
    if (!later) {
      if (all.empty())
        code->standard();
      else
        code->prepare_for(all);
    }
    given(made, "made") = new unravel_kernel{std::move(code)};
  });
}

void unravel_kernel_free(unravel_kernel *kernel) {
  delete kernel;
}

size_t unravel_kernel_argument_count(const unravel_kernel *kernel) {
  return kernel->code->names.size();
}

size_t unravel_kernel_result_count(const unravel_kernel *kernel) {
  return kernel->code->results;
}

size_t unravel_kernel_size_count(const unravel_kernel *kernel) {
  return kernel->code->names.size() - kernel->code->tensors;
}

const char *unravel_kernel_argument(const unravel_kernel *kernel, size_t k) {
  return k < kernel->code->names.size() ? kernel->code->names[k].c_str() : nullptr;
}

int unravel_kernel_call(const unravel_kernel *kernel, size_t argument_count,
                        const unravel_argument *arguments, unravel_tensor **results, unravel_error *error) {
  set_to_null(kernel, results);
  return guarded(error, [&] {
    std::vector<unravel::NamedArgument> all;
    given_all(arguments, argument_count, "arguments");
    for (size_t k = 0; k < argument_count; ++k) {
      const unravel_argument &one = arguments[k];
      const char *name = &given(one.name, "name");
      if (one.tensor)
        all.push_back({name, one.tensor->tensor});
      else if (one.is_integer && unravel::value::holds(unravel::value::Type::Int64, one.number) &&
               std::isfinite(one.number))
        all.push_back({name, static_cast<std::int64_t>(one.number)});
      else // no size can be that, and of scalars it doesn't matter
        all.push_back({name, one.number});
    }
    const Kernel::Code &code = *given(kernel, "kernel").code;
    Bound bound = code.bind(std::span<const unravel::NamedArgument>(all));
    code.call(bound);
    if (results) hand_out(code, bound, results);
  });
}

int unravel_kernel_run(const unravel_kernel *kernel, unravel_tensor *const *tensors, void *const *arrays,
                       const int64_t *sizes, unravel_tensor **results, unravel_error *error) {
  set_to_null(kernel, results);
  return guarded(error, [&] {
    const Kernel::Code &code = *given(kernel, "kernel").code;
    Bound bound = by_places(code, &given(tensors, "tensors"), arrays, sizes);
    code.call(bound);
    if (results) hand_out(code, bound, results);
  });
}

int unravel_kernel_run_into(const unravel_kernel *kernel, unravel_tensor *const *tensors, void *const *arrays,
                            const int64_t *sizes, void *memory, size_t bytes, unravel_error *error) {
  return guarded(error, [&] {
    const Kernel::Code &code = *given(kernel, "kernel").code;
    if (code.results != 1)
      unravel::report::fail(unravel::report::Kind::several_results,
                            fmt::format("the kernel has {} results, not one", code.results));
    Bound bound = by_places(code, &given(tensors, "tensors"), arrays, sizes, 1);
    bound.memory = std::pair(memory, bytes);
    code.call(bound);
  });
}

int unravel_kernel_set_threads(const unravel_kernel *kernel, int threads, unravel_error *error) {
  return guarded(error, [&] { Access::kernel(given(kernel, "kernel").code).set_threads(threads); });
}

int unravel_make_c(const char *expression, const unravel_options *options, size_t tensor_count,
                   const unravel_argument *tensors, unravel_c_source *made, unravel_error *error) {
  if (made) *made = {nullptr, nullptr, nullptr};
  return guarded(error, [&] {
    const unravel::CSource source = unravel::make_c(&given(expression, "expression"),
                                                    tensors_of(tensor_count, tensors), options_of(options));
    std::unique_ptr<char, decltype(&std::free)> function(copied(source.function), std::free),
        text(copied(source.source), std::free), header(copied(source.header), std::free);
    given(made, "made") = {function.release(), text.release(), header.release()};
  });
}

int unravel_explain(const char *expression, const unravel_options *options, size_t tensor_count,
                    const unravel_argument *tensors, char **text, unravel_error *error) {
  if (text) *text = nullptr;
  return guarded(error, [&] {
    given(text, "text") = copied(unravel::explain(&given(expression, "expression"),
                                                  tensors_of(tensor_count, tensors), options_of(options)));
  });
}

int unravel_explain_as_html(const char *expression, const unravel_options *options, size_t tensor_count,
                            const unravel_argument *tensors, char **page, unravel_error *error) {
  if (page) *page = nullptr;
  return guarded(error, [&] {
    given(page, "page") = copied(unravel::explain_as_html(
        &given(expression, "expression"), tensors_of(tensor_count, tensors), options_of(options)));
  });
}

void unravel_free(void *memory) {
  std::free(memory);
}

} // extern "C"
