// The public interface's functions (include/unravel/unravel.h): a thin face of the pipeline.
#include "build/cache.h"
#include "emit/names.h"
#include "library/border.h"
#include "library/code.h"
#include "library/state.h"
#include "machine/keep.h"
#include "pipeline/conversions.h"
#include "pipeline/packed.h"
#include "report/diagnostic.h"
#include "show/page.h"
#include "tensor/counts.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel {

using report::fail;
using report::Kind;

pipeline::Request request_of(const std::string &expression, const Options &options,
                             const std::string &machine) {
  pipeline::Request request;
  request.machine =
      machine::profile_of(options.machine.empty() ? machine : options.machine, build::cache_directory(""));
  request.expression = expression;
  request.formats = options.formats;
  request.schedules = options.schedules;
  request.finds = options.finds;
  request.name = options.name;
  request.index = options.index == IndexType::Int64 ? loop::ElementType::Int64 : loop::ElementType::Int32;
  if (options.value) request.value = type_of(*options.value);
  request.budget = options.budget_seconds;
  return request;
}

pipeline::Request request_of(const std::string &expression, const Tensors &tensors, const Options &options,
                             const std::string &machine, bool types) {
  Options with = options;
  for (const auto &[name, tensor] : tensors) {
    const Tensor::State &state = Access::state(tensor);
    if (with.formats.contains(name)) continue; // the call compares them
    if (state.kind->format.empty())
      fail(Kind::unknown_layout,
           fmt::format("`{}` has the structure of another tensor, which isn't a layout of its own: `{}`",
                       name, state.kind->layout.name),
           "convert it to a layout that has a name");
    with.formats[name] = state.kind->format;
    if (state.fill != 0) with.formats[name] += fmt::format(" fill {}", state.fill);
  }
  pipeline::Request request = request_of(expression, with, machine);
  for (const auto &[name, tensor] : tensors) {
    const Tensor::State &state = Access::state(tensor);
    if (types) request.elements[name] = {state.kind->index, state.kind->value};
    tensor::put_counts(name, state.tensor(), request.counts);
  }
  return request;
}

namespace {

CSource c_source(const pipeline::Request &request, const Options &options) {
  if (!options.prefix.empty() && emit::to_identifier(options.prefix) != options.prefix)
    report::fail(report::Kind::bad_option, fmt::format("no name can begin with `{}`", options.prefix),
                 "a C name that begins with a letter and has no `__` is expected, as in my_");
  pipeline::Compilation made = pipeline::compile(request);
  check_warnings(made.warnings, options.trust);
  pipeline::add_conversions(request, made);
  pipeline::name_for(made, {options.prefix, options.const_operands});
  if (!made.packed.empty()) {
    pipeline::require_packing_in_c(made);
    const loop::ElementType value = request.value.value_or(value::Type::Float64);
    return CSource{emit::kernel_name(made.program), pipeline::packed_c_text(made, request.index, value, true),
                   pipeline::packed_header(made, request.index, value)};
  }
  emit::EmitOptions with_header;
  with_header.with_header = true;
  return CSource{emit::kernel_name(made.program), pipeline::c_text(made, with_header),
                 pipeline::c_header(made)};
}

std::string explanation(pipeline::Request request) {
  request.details = true;
  const pipeline::Compilation made = pipeline::compile(request);
  return pipeline::to_text(made) + "\n== C\n" + pipeline::c_text(made);
}

std::string page(pipeline::Request request, const Tensors &tensors) {
  request.details = true;
  const pipeline::Compilation made = pipeline::compile(request);
  std::map<std::string, tensor::Tensor> drawn;
  for (const auto &[name, tensor] : tensors)
    drawn.emplace(name, Access::state(tensor).tensor());
  return show::to_html({.compilation = made, .schedules = request.schedules, .tensors = &drawn});
}

} // namespace

namespace {

template <class Arguments> Bound called(const Kernel::Code &code, Arguments arguments) {
  Bound bound = code.bind(arguments);
  code.call(bound);
  return bound;
}

/// For a call with structs.
const Variant &checked(const Kernel::Code &code, const std::vector<void *> &structs) {
  const Variant &variant = code.standard();
  variant.check(structs);
  return variant;
}

} // namespace

CSource make_c(const std::string &expression, const Options &options) {
  return at_border([&] { return c_source(request_of(expression, options, "portable"), options); });
}

CSource make_c(const std::string &expression, const Tensors &tensors, const Options &options) {
  return at_border(
      [&] { return c_source(request_of(expression, tensors, options, "portable", true), options); });
}

std::string explain(const std::string &expression, const Options &options) {
  return at_border([&] { return explanation(request_of(expression, options, "portable")); });
}

std::string explain(const std::string &expression, const Tensors &tensors, const Options &options) {
  return at_border([&] { return explanation(request_of(expression, tensors, options, "portable", true)); });
}

std::string explain_as_html(const std::string &expression, const Options &options) {
  return at_border([&] { return page(request_of(expression, options, "portable"), {}); });
}

std::string explain_as_html(const std::string &expression, const Tensors &tensors, const Options &options) {
  return at_border([&] { return page(request_of(expression, tensors, options, "portable", true), tensors); });
}

Kernel make_kernel(const std::string &expression, const Options &options) {
  return at_border([&] {
    auto code = std::make_shared<const Kernel::Code>(request_of(expression, options, "here"), options.trust,
                                                     options.threads);
    code->standard();
    return Access::kernel(std::move(code));
  });
}

Kernel make_kernel(const std::string &expression, const Tensors &tensors, const Options &options) {
  return at_border([&] {
    auto code = std::make_shared<const Kernel::Code>(request_of(expression, tensors, options, "here", false),
                                                     options.trust, options.threads);
    code->prepare_for(tensors);
    return Access::kernel(std::move(code));
  });
}

Tensor evaluate(const std::string &expression, const Tensors &operands, const Options &options) {
  return at_border([&] {
    const Kernel::Code code(request_of(expression, operands, options, "here", false), options.trust,
                            options.threads);
    std::vector<NamedArgument> arguments;
    for (const auto &[name, tensor] : operands)
      arguments.push_back({name, tensor});
    return called(code, std::span<const NamedArgument>(arguments)).tensors.front();
  });
}

Tensor Kernel::call(std::span<const Argument> arguments) const {
  return at_border([&] { return called(code(), arguments).tensors.front(); });
}

Tensor Kernel::call(std::span<const NamedArgument> arguments) const {
  return at_border([&] { return called(code(), arguments).tensors.front(); });
}

Tensors Kernel::results(std::span<const NamedArgument> arguments) const {
  return at_border([&] {
    const Bound bound = called(code(), arguments);
    Tensors all;
    for (std::size_t k = 0; k < code().results; ++k)
      all.emplace(code().names[k], bound.tensors[k]);
    return all;
  });
}

const Kernel::Code &Kernel::code() const {
  return at_border([&]() -> const Code & {
    if (!code_) fail(Kind::missing_input, "the handle is empty", "assign a kernel to it");
    return *code_;
  });
}

std::vector<std::string> Kernel::arguments() const {
  return code().names;
}

std::size_t Kernel::result_count() const {
  return code().results;
}

int Kernel::operator()(const std::vector<void *> &structs) const {
  return at_border([&] { return checked(code(), structs).call_and_pack(structs, code().threads); });
}

int Kernel::inspect(const std::vector<void *> &structs) const {
  return at_border([&] { return checked(code(), structs).inspect(structs); });
}

void Kernel::inspect(std::initializer_list<NamedArgument> arguments) const {
  at_border([&] {
    Bound bound = code().bind(std::span<const NamedArgument>(arguments.begin(), arguments.size()));
    code().call(bound, Code::Step::Inspect);
  });
}

int Kernel::values(const std::vector<void *> &structs) const {
  return at_border([&] {
    const Variant &variant = checked(code(), structs);
    if (!variant.values())
      fail(Kind::bad_option, "the kernel computes its result as a whole",
           "make the kernel with the schedule `reuse`");
    return variant.values()->call(structs, code().threads);
  });
}

void Kernel::values(std::initializer_list<NamedArgument> arguments) const {
  at_border([&] {
    Bound bound = code().bind(std::span<const NamedArgument>(arguments.begin(), arguments.size()));
    if (bound.makes_results)
      fail(Kind::missing_input, fmt::format("no argument is given for `{}`", code().names.front()),
           "give the result of a call");
    code().call(bound, Code::Step::Values);
  });
}

void Kernel::set_threads(int threads) const {
  at_border([&] {
    if (threads < 1)
      fail(Kind::bad_option, fmt::format("a kernel can't run on {} threads: it takes at least one", threads));
    code().threads = threads;
  });
}

} // namespace unravel
