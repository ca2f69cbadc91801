// Kernels that are called with tensors.
#include "library/code.h"

#include "combine/structure.h"
#include "compute/fills.h"
#include "convert/structure.h"
#include "library/border.h"
#include "pipeline/conversions.h"
#include "report/diagnostic.h"
#include "report/suggest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel {

using report::fail;
using report::Kind;

void check_warnings(const std::vector<report::Diagnostic> &warnings, bool trust) {
  for (const report::Diagnostic &warning : warnings)
    if (warning.kind == Kind::argument_range && !trust) throw report::Error(warning);
}

Kernel::Code::Code(pipeline::Request request, bool trust, std::optional<int> team)
    : request_(std::move(request)), trust_(trust), front_(pipeline::read_request(request_)) {
  check_warnings(front_.warnings, trust);
  if (!front_.schedule.conversions.empty())
    fail(Kind::not_supported,
         fmt::format("`convert {}`: a kernel of the library takes its tensors as they are",
                     front_.schedule.conversions.front().tensor.text),
         "convert the tensor once, and make the kernel for the layout that it has then");
  if (team && *team < 1)
    fail(Kind::bad_option, fmt::format("a kernel can't run on {} threads: it takes at least one", *team));
  threads = team.value_or(0);
  for (const compute::TensorUse &use : front_.computation.tensors) {
    names.push_back(use.name);
    results += use.is_result;
  }
  tensors = names.size();
  for (const compute::GivenSize &size : front_.computation.program.given)
    names.push_back(size.name);
  read_formats();
}

const Variant &Kernel::Code::standard() const {
  std::scoped_lock lock(mutex_);
  if (!standard_) {
    pipeline::Compilation made = pipeline::compile(request_, front_);
    check_warnings(made.warnings, trust_);
    standard_ = std::make_unique<const Variant>(std::move(made), request_);
  }
  return *standard_;
}

Bound Kernel::Code::bind(std::span<const Argument> arguments) const {
  const bool leaves_out = arguments.size() == names.size() - results;
  if (!leaves_out && arguments.size() != names.size())
    fail(Kind::wrong_arity,
         fmt::format("the kernel is called with {} argument{}, but takes {}: `{}`", arguments.size(),
                     arguments.size() == 1 ? "" : "s", names.size(), fmt::join(names, "`, `")),
         results < names.size() ? fmt::format("or without the result{}: `{}`", results == 1 ? "" : "s",
                                              fmt::join(names.begin() + static_cast<std::ptrdiff_t>(results),
                                                        names.end(), "`, `"))
                                : "");
  Bound bound;
  bound.makes_results = leaves_out;
  bound.tensors.resize(tensors);
  bound.sizes.resize(names.size() - tensors);
  std::size_t at = leaves_out ? results : 0;
  for (const Argument &argument : arguments)
    bind(bound, at++, argument);
  return bound;
}

namespace {

/// A size or extent. From 2^53 on doubles don't tell integers apart: it may not be the one that was meant.
std::int64_t size_of(const Argument &argument, std::string_view name, const char *what) {
  if (argument.tensor() || !argument.is_integer() || !(std::fabs(argument.number()) < 0x1p53))
    fail(Kind::bad_option,
         fmt::format("`{}` is {}, for which an integer below 2^53 is expected{}", name, what,
                     argument.tensor() ? "" : fmt::format(", not {}", argument.number())));
  return static_cast<std::int64_t>(argument.number());
}

} // namespace

void Kernel::Code::bind(Bound &bound, std::size_t at, const Argument &argument) const {
  if (at >= tensors) {
    bound.sizes[at - tensors] = size_of(argument, names[at], "a size");
  } else if (argument.tensor()) {
    Access::state(*argument.tensor());
    bound.tensors[at] = *argument.tensor();
  } else {
    if (layout_of(at).order() != 0 || at < results)
      fail(Kind::order_mismatch, fmt::format("`{}` is a tensor{}, not a number", names[at],
                                             at < results ? " that the kernel computes" : ""));
    data::Coordinates entries{std::vector<std::int64_t>()};
    entries.append({}, argument.number(), argument.imaginary());
    bound.tensors[at] =
        packed(wanted_.at(names[at]), std::move(entries),
               argument.is_complex() ? value::Type::Complex128 : value::Type::Float64, value::Type::Int32);
  }
}

Bound Kernel::Code::bind(std::span<const NamedArgument> arguments) const {
  Bound bound;
  bound.tensors.resize(tensors);
  bound.sizes.resize(names.size() - tensors);
  std::vector<bool> is_given(names.size());
  for (const auto &[name, argument] : arguments) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    if (at == names.size() && !argument.tensor() &&
        (argument.is_integer() || std::fabs(argument.number()) >= 0x1p53)) {
      bound.extents[std::string(name)] = size_of(argument, name, "the extent of an index");
      continue;
    }
    if (at == names.size())
      fail(Kind::unknown_tensor, fmt::format("the expression has no tensor `{}`", name),
           report::suggest(name, names, fmt::format("it has `{}`", fmt::join(names, "`, `"))));
    if (is_given[at]) fail(Kind::duplicate_name, fmt::format("`{}` is given twice", name));
    is_given[at] = true;
    bind(bound, at, argument);
  }
  if (arguments.empty() && names.size() > results)
    fail(Kind::wrong_arity, fmt::format("the kernel is called with 0 arguments, but takes {}: `{}`",
                                        names.size(), fmt::join(names, "`, `")));
  for (std::size_t at = results; at < names.size(); ++at)
    if (!is_given[at]) fail(Kind::missing_input, fmt::format("no argument is given for `{}`", names[at]));
  for (std::size_t at = 0; at < results; ++at)
    bound.makes_results = bound.makes_results || !is_given[at];
  return bound;
}

void Kernel::Code::read_formats() {
  std::map<std::string, layout::Layout> plain;
  for (const compute::TensorUse &use : front_.computation.tensors) {
    if (use.is_result && front_.like) continue;
    const auto given = request_.formats.find(use.name);
    Wanted wanted = read_layout(given == request_.formats.end() ? "dense" : given->second, use.order);
    formats_.push_back(wanted.format);
    plain.emplace(use.name, wanted.layout());
    wanted_.emplace(use.name, std::move(wanted));
  }
  if (front_.like) {
    const layout::Layout made = combine::structure_like(front_.computation, plain, *front_.like).layout;
    const std::string lender = front_.like->like;
    plain.emplace(names.front(), made);
    const auto at = std::ranges::find(names, lender) - names.begin() - 1;
    formats_.insert(formats_.begin(), is_same_layout(made, plain.at(lender)) ? formats_.at(at) : "");
  }
  for (std::size_t k = 0; k < tensors; ++k)
    layouts_.push_back(plain.at(names[k]));
}

void Kernel::Code::check_kind(std::size_t argument, const TensorKind &kind) const {
  const std::string &name = names[argument];
  const layout::Layout &wanted = layout_of(argument);
  if (kind.layout.order() != wanted.order())
    fail(Kind::order_mismatch,
         fmt::format("the tensor given for `{}` has order {}, but `{}` has {} subscript{} in the expression",
                     name, kind.layout.order(), name, wanted.order(), wanted.order() == 1 ? "" : "s"));
  if (!is_same_layout(kind.layout, wanted))
    fail(Kind::unknown_layout,
         kind.layout.name == wanted.name
             ? fmt::format(
                   "the tensor given for `{}` is in a layout `{}` of another text than the one that the "
                   "kernel is made for",
                   name, wanted.name)
             : fmt::format("the tensor given for `{}` is in layout `{}`, but the kernel is made for `{}`",
                           name, kind.layout.name, wanted.name),
         "convert the tensor, or make the kernel for its layout");
}

Kernel::Code::Role Kernel::Code::role_of(const std::string &name,
                                         const pipeline::Compilation &compilation) const {
  const auto use = std::ranges::find(front_.computation.tensors, name, &compute::TensorUse::name);
  if (!use->is_result) return Role::Operand;
  if (!compilation.structure.empty() && name == names.front()) return Role::Like;
  if (compilation.packed.contains(name)) return Role::Packed;
  return combine::has_slot_of_each(compilation.layouts.at(name)) ? Role::Dense : Role::Assembled;
}

/// The kind of a tensor as the machine code has it; that of the one which is given, if any: it must fit.
const TensorKind *Kernel::Code::kind_for(std::size_t argument, const TensorKind *given,
                                         const pipeline::Compilation &compilation,
                                         const pipeline::Request &request) const {
  const std::string &name = names[argument];
  const auto packed = compilation.packed.find(name);
  const auto converted = compilation.converted.find(name);
  const layout::Layout &compiled = converted != compilation.converted.end() ? converted->second
                                   : packed == compilation.packed.end()     ? compilation.layouts.at(name)
                                                                            : packed->second.layout;
  value::Type index = request.index, value = request.value.value_or(value::Type::Float64);
  for (std::size_t a = 0; a < compiled.arrays.size(); ++a) {
    const layout::Array &array = compiled.arrays[a];
    value::Type type = array.is_value ? request.value.value_or(value::Type::Float64) : request.index;
    if (!array.element.empty()) type = value::type_called(array.element).value();
    if (layout_of(argument).arrays[a].element.empty()) (array.is_value ? value : index) = type;
    if (given && value::type_called(given->layout.arrays[a].element) != type)
      fail(array.is_value ? Kind::value_width : Kind::index_width,
           fmt::format("array `{}` of the tensor given for `{}` has elements {}, but the kernel takes {}",
                       array.name, name, given->layout.arrays[a].element, value::facts_of(type).word));
  }
  return given ? given : kind_of(layout_of(argument), formats_[argument], index, value);
}

/// Returns the request for machine code that takes tensors of these types.
pipeline::Request Kernel::Code::request_for(const Bound &bound) const {
  pipeline::Request request = request_;
  bool has_indices = false, all_wide = true;
  for (std::size_t k = 0; k < tensors; ++k) {
    const TensorKind *kind = bound.tensors[k] ? Access::state(bound.tensors[k]).kind : nullptr;
    if (!kind) continue;
    check_kind(k, *kind);
    request.elements[names[k]] = {kind->index, kind->value};
    for (const std::string &property : kind->sampled)
      request.distrusted.push_back(fmt::format("{}: {}", names[k], property));
    if (k < results || !kind->index) continue;
    has_indices = true;
    all_wide = all_wide && *kind->index == value::Type::Int64;
  }
  // What is made here, results and locals, has indices as wide as all operands', and as the extents need.
  if (bound.is_wide || (has_indices && all_wide)) request.index = value::Type::Int64;
  return request;
}

std::unique_ptr<Kernel::Code::Prepared> Kernel::Code::prepare(const Bound &bound,
                                                              const pipeline::Request &request,
                                                              const pipeline::Front &front) const {
  auto made = std::make_unique<Prepared>();
  for (const Tensor &tensor : bound.tensors)
    made->given.push_back(tensor ? Access::state(tensor).kind : nullptr);
  made->is_wide = bound.is_wide;
  pipeline::Compilation compilation = pipeline::compile_for_data(request, front);
  check_warnings(compilation.warnings, trust_);
  if (const std::string lender = combine::lender_of(compilation.structure, compilation.computation.program);
      !lender.empty())
    made->lender = static_cast<std::size_t>(std::ranges::find(names, lender) - names.begin());
  for (std::size_t k = 0; k < tensors; ++k) {
    made->roles.push_back(role_of(names[k], compilation));
    made->cleared.push_back(compilation.combination.is_cleared(names[k]));
    made->kinds.push_back(kind_for(k, made->given[k], compilation, request));
  }
  made->is_dear = pipeline::may_be_worth_converting(front, compilation);
  std::map<std::string, std::string> operands; // that are converted, by their names in the machine code
  for (const auto &[name, given] : front.converted)
    operands.emplace(name, name);
  for (const auto &[access, use] : front.converted_uses)
    operands.emplace(use.tensor, pipeline::operand_of(access));
  made->variant = std::make_unique<const Variant>(std::move(compilation), request);
  for (const std::string &name : made->variant->names()) {
    const auto converted = operands.find(name);
    const auto place =
        std::ranges::find(names, converted == operands.end() ? name : converted->second) - names.begin();
    report::require(place < std::ssize(names), "a kernel is called with what its expression has");
    made->places.push_back(static_cast<std::size_t>(place));
    if (converted == operands.end()) continue;
    made->places.back() = names.size() + made->converted.size();
    made->converted.push_back({static_cast<std::size_t>(place),
                               kind_of(made->variant->compilation().layouts.at(name), "", request.index,
                                       request.value.value_or(value::Type::Float64))});
  }
  return made;
}

void Kernel::Code::prepare_for(const Tensors &operands) const {
  Bound bound;
  bound.tensors.resize(tensors);
  for (std::size_t k = 0; k < tensors; ++k)
    if (auto given = operands.find(names[k]); given != operands.end()) bound.tensors[k] = given->second;
  for (const auto &[name, tensor] : operands)
    if (std::ranges::find(names, name) == names.end())
      fail(Kind::unknown_tensor, fmt::format("the expression has no tensor `{}`", name),
           report::suggest(name, names, fmt::format("it has `{}`", fmt::join(names, "`, `"))));
  prepared_for(bound);
}

const Kernel::Code::Prepared &Kernel::Code::prepared_for(const Bound &bound) const {
  const auto fits = [&](const Prepared &prepared) {
    for (std::size_t k = 0; k < tensors; ++k) {
      const TensorKind *kind = bound.tensors[k] ? Access::state(bound.tensors[k]).kind : nullptr;
      if (kind != prepared.given[k]) return false;
    }
    return prepared.is_wide == bound.is_wide;
  };
  std::scoped_lock lock(mutex_);
  for (const auto &prepared : prepared_)
    if (fits(*prepared)) return *prepared;
  const pipeline::Request request = request_for(bound);
  prepared_.push_back(prepare(bound, request, pipeline::read_request(request)));
  return *prepared_.back();
}

} // namespace unravel
