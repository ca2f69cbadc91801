// The public interface (include/unravel/unravel.h): a thin face of the pipeline.
#include "unravel/unravel.h"

#include "build/cache.h"
#include "build/kernel.h"
#include "emit/emit.h"
#include "lower/wavefront.h"
#include "machine/keep.h"
#include "pipeline.h"
#include "pipeline/packed.h"
#include "report/diagnostic.h"
#include "run/packed.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <mutex>
#include <optional>

namespace unravel {

namespace {

loop::ElementType index_of(const Options &options) {
  return options.index == IndexType::Int64 ? loop::ElementType::Int64 : loop::ElementType::Int32;
}

value::Type type_of(ValueType value) {
  switch (value) {
  case ValueType::Float32: return value::Type::Float32;
  case ValueType::Float64: return value::Type::Float64;
  case ValueType::Bool: return value::Type::Bool;
  case ValueType::Int8: return value::Type::Int8;
  case ValueType::Int16: return value::Type::Int16;
  case ValueType::Int32: return value::Type::Int32;
  case ValueType::Int64: return value::Type::Int64;
  case ValueType::UInt8: return value::Type::UInt8;
  case ValueType::UInt16: return value::Type::UInt16;
  case ValueType::UInt32: return value::Type::UInt32;
  case ValueType::UInt64: return value::Type::UInt64;
  }
  return value::Type::Float64;
}

value::Type value_of(const Options &options) {
  return options.value ? type_of(*options.value) : value::Type::Float64;
}

/// `machine`: where the options name none.
pipeline::Compilation compile(const std::string &expression, const Options &options,
                              const std::string &machine) {
  pipeline::Request request;
  request.machine =
      machine::profile_of(options.machine.empty() ? machine : options.machine, build::cache_directory(""));
  request.expression = expression;
  request.formats = options.formats;
  request.schedules = options.schedules;
  request.name = options.name;
  request.index = index_of(options);
  if (options.value) request.value = value_of(options);
  request.budget = options.budget_seconds;
  pipeline::Compilation made = pipeline::compile(request);
  for (const report::Diagnostic &warning : made.warnings)
    if (warning.kind == report::Kind::argument_range && !options.trust) throw report::Error(warning);
  return made;
}

using Entry = int (*)(void **);

Entry entry_of(const build::Kernel &kernel) {
  return reinterpret_cast<Entry>(kernel.symbol("unravel_entry"));
}

/// The levels of a kernel's wavefronts, as its last struct, and what makes them.
class Levels {
public:
  Levels(lower::Inspector inspector, const loop::Program &kernel)
      : inspector_(std::move(inspector)), kernel_(build::compile(emit::emit_in_process(inspector_.program))) {
    for (const loop::TensorParameter &parameter : kernel.parameters)
      operands_[parameter.name] = operands_.size();
    for (const std::string &size : kernel.sizes) // behind the tensors, of which the levels aren't one
      operands_[size] = operands_.size() - 1;
    slots_.resize(inspector_.numbers.size() + own().arrays.size()); // M = 0: nothing is known
    arrays_.resize(own().arrays.size());
  }

  int inspect(const std::vector<void *> &structs) {
    slots_[0] = 0;
    const std::vector<std::int64_t> numbers = numbers_on(structs);
    std::vector<std::uint64_t> slots(numbers.begin(), numbers.end());
    const std::vector<std::int64_t> room = lower::room_of_levels(own(), numbers);
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      arrays_[k].resize(static_cast<std::size_t>(room[k]) + 1);
      slots.push_back(reinterpret_cast<std::uint64_t>(arrays_[k].data()));
    }
    std::vector<void *> arguments{slots.data()};
    for (std::size_t k = 1; k < inspector_.program.parameters.size(); ++k)
      arguments.push_back(structs.at(operands_.at(inspector_.program.parameters[k].name)));
    for (const std::string &size : inspector_.program.sizes)
      arguments.push_back(structs.at(operands_.at(size)));
    build::Workspace workspace(kernel_);
    arguments.push_back(workspace.get());
    int code = entry_of(kernel_)(arguments.data());
    if (code == 0) slots_ = std::move(slots), given_ = given_in(structs);
    return code;
  }

  /// The struct, for a call on these tensors.
  std::vector<std::uint64_t> slots(const std::vector<void *> &structs) const {
    std::vector<std::uint64_t> slots = slots_;
    const std::vector<std::int64_t> numbers = numbers_on(structs);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (slots_[k] != static_cast<std::uint64_t>(numbers[k])) slots[0] = 0;
    if (given_ != given_in(structs)) slots[0] = 0; // other iterations may depend on each other
    return slots;
  }

private:
  struct NumbersOf : term::Environment {
    NumbersOf(const Levels &levels, const std::vector<void *> &structs)
        : levels_(levels), structs_(structs) {}
    std::int64_t variable(const std::string &name) const override {
      if (name.find('.') == std::string::npos)
        return *static_cast<const std::int64_t *>(structs_.at(levels_.operands_.at(name)));
      for (const loop::TensorParameter &parameter : levels_.inspector_.program.parameters) {
        std::vector<std::string> numbers = parameter.sizes; // a struct begins with these, and its counts
        numbers.insert(numbers.end(), parameter.counts.begin(), parameter.counts.end());
        for (std::size_t k = 0; k < numbers.size(); ++k)
          if (parameter.name + "." + numbers[k] == name)
            return static_cast<const std::int64_t *>(structs_.at(levels_.operands_.at(parameter.name)))[k];
      }
      report::fail(report::Kind::internal, "unknown size " + name, "please report this as a bug");
    }
    std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override { return 0; }
    const Levels &levels_;
    const std::vector<void *> &structs_;
  };

  /// The sizes that no tensor has.
  std::vector<std::int64_t> given_in(const std::vector<void *> &structs) const {
    std::vector<std::int64_t> given;
    for (const std::string &size : inspector_.program.sizes)
      given.push_back(*static_cast<const std::int64_t *>(structs.at(operands_.at(size))));
    return given;
  }

  /// The size and the counts of the levels.
  std::vector<std::int64_t> numbers_on(const std::vector<void *> &structs) const {
    std::vector<std::int64_t> numbers;
    for (const term::Term &number : inspector_.numbers)
      numbers.push_back(term::evaluate(number, NumbersOf(*this, structs)));
    return numbers;
  }

  const loop::TensorParameter &own() const { return inspector_.program.parameters.front(); }

  lower::Inspector inspector_;
  build::Kernel kernel_;
  std::map<std::string, std::size_t> operands_;   // the struct of each tensor, the integer of each size
  std::vector<std::vector<std::int64_t>> arrays_; // memory, of elements of at most 8 bytes
  std::vector<std::uint64_t> slots_;
  std::vector<std::int64_t> given_; // sizes that no tensor has, when it was inspected
};

/// Inner errors become the public kind.
template <class Work> auto at_border(Work work) {
  try {
    return work();
  } catch (const report::Error &error) {
    report::Kind kind = error.diagnostic().kind;
    throw Error(error.what(), report::name_of(kind), report::category_of(kind) == report::Category::Bug);
  }
}

} // namespace

CSource make_c(const std::string &expression, const Options &options) {
  return at_border([&] {
    pipeline::Compilation made = compile(expression, options, "portable");
    if (!made.packed.empty()) {
      pipeline::require_packing_in_c(made);
      const loop::ElementType index = index_of(options), value = value_of(options);
      return CSource{emit::kernel_name(made.program), pipeline::packed_c_text(made, index, value, true),
                     pipeline::packed_header(made, index, value)};
    }
    emit::EmitOptions with_header;
    with_header.with_header = true;
    return CSource{emit::kernel_name(made.program), pipeline::c_text(made, with_header),
                   pipeline::c_header(made)};
  });
}

/// With workspaces that no call uses: as many are made as there are calls at once.
struct Kernel::Code {
  Code(pipeline::Compilation compilation, const Options &options)
      : kernel(build::compile(emit::emit_in_process(compilation.program, compilation.gathers))),
        entry(entry_of(kernel)), sizes(compilation.program.sizes.size()) {
    for (const loop::TensorParameter &parameter : compilation.program.parameters)
      if (!compilation.inspector || parameter.name != compilation.inspector->program.parameters.front().name)
        names.push_back(parameter.name);
    names.insert(names.end(), compilation.program.sizes.begin(), compilation.program.sizes.end());
    convert::PackOptions how;
    how.index = options.index == IndexType::Int64 ? tensor::IndexType::Int64 : tensor::IndexType::Int32;
    how.value = value_of(options);
    for (std::size_t k = 0; k < compilation.program.parameters.size(); ++k) {
      const std::string &name = compilation.program.parameters[k].name;
      if (auto packed = compilation.packed.find(name); packed != compilation.packed.end())
        packings.emplace(k, run::ListPacking(compilation.layouts.at(name), packed->second, how));
    }
    if (compilation.inspector) levels.emplace(std::move(*compilation.inspector), compilation.program);
    if (compilation.values) values = std::make_unique<const Code>(*compilation.values, options);
  }

  /// Of a call: as many pointers as there are tensors and sizes, none of them null.
  void check(const std::vector<void *> &structs) const {
    if (structs.size() != names.size())
      report::fail(report::Kind::wrong_arity,
                   fmt::format("the kernel is called with {} argument{}, but takes {}: `{}`", structs.size(),
                               structs.size() == 1 ? "" : "s", names.size(), fmt::join(names, "`, `")));
    if (auto null = std::ranges::find(structs, nullptr); null != structs.end())
      report::fail(report::Kind::missing_input,
                   fmt::format("the kernel is called with a null pointer for `{}`",
                               names[static_cast<std::size_t>(null - structs.begin())]));
  }

  build::Workspace take() const {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        build::Workspace workspace = std::move(idle.back());
        idle.pop_back();
        return workspace;
      }
    }
    return build::Workspace(kernel);
  }

  int call(const std::vector<void *> &structs) const;

  void put_back(build::Workspace workspace) const {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(workspace));
  }

  build::Kernel kernel;
  Entry entry = nullptr;
  std::vector<std::string> names;                   // of a call: the tensors, then the sizes
  std::size_t sizes = 0;                            // how many of them are sizes
  std::map<std::size_t, run::ListPacking> packings; // by the parameter, a result that the kernel lists
  mutable std::optional<Levels> levels;
  std::unique_ptr<const Code> values; // `reuse`
  mutable std::mutex mutex;
  mutable std::vector<build::Workspace> idle;
};

Kernel make_kernel(const std::string &expression, const Options &options) {
  return at_border([&] {
    return Kernel(std::make_shared<const Kernel::Code>(compile(expression, options, "here"), options));
  });
}

int Kernel::operator()(const std::vector<void *> &structs) const {
  at_border([&] { code_->check(structs); });
  if (code_->values) {
    const int code = code_->call(structs);
    return code != 0 ? code : code_->values->call(structs);
  }
  if (code_->packings.empty()) return code_->call(structs);
  return at_border([&] {
    std::vector<void *> arguments = structs;
    std::vector<run::ListedResult> results;
    results.reserve(code_->packings.size());
    for (const auto &[parameter, how] : code_->packings) {
      results.emplace_back(how, structs.at(parameter));
      arguments[parameter] = results.back().argument();
    }
    const int code = code_->call(arguments);
    if (code != 0) return code;
    for (run::ListedResult &result : results)
      result.take();
    for (run::ListedResult &result : results)
      result.pack();
    return 0;
  });
}

int Kernel::Code::call(const std::vector<void *> &structs) const {
  build::Workspace workspace = take();
  std::vector<void *> arguments = structs;
  std::vector<std::uint64_t> slots;
  if (levels) {
    slots = levels->slots(structs);
    arguments.insert(arguments.end() - static_cast<std::ptrdiff_t>(sizes), slots.data());
  }
  arguments.push_back(workspace.get());
  int code = entry(arguments.data());
  put_back(std::move(workspace));
  return code;
}

int Kernel::inspect(const std::vector<void *> &structs) const {
  return at_border([&] {
    code_->check(structs);
    return code_->levels ? code_->levels->inspect(structs) : 0;
  });
}

int Kernel::values(const std::vector<void *> &structs) const {
  return at_border([&] {
    code_->check(structs);
    if (!code_->values)
      report::fail(report::Kind::bad_option, "the kernel computes its result as a whole",
                   "make it with the schedule `reuse`");
    return code_->values->call(structs);
  });
}

void Kernel::set_threads(int threads) const {
  at_border([&] {
    if (threads < 1)
      report::fail(report::Kind::bad_option,
                   fmt::format("a kernel can't run on {} threads: it takes at least one", threads));
    code_->kernel.set_threads(threads);
    if (code_->values) code_->values->kernel.set_threads(threads);
  });
}

std::string version() {
  return UNRAVEL_VERSION;
}

} // namespace unravel
