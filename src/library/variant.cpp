#include "library/variant.h"

#include "emit/emit.h"
#include "machine/team.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

namespace unravel {

using report::Kind;

namespace {

/// The calling thread's team for the time of a call: its other kernels keep theirs.
class Team {
public:
  Team(const build::Kernel::Team &runtime, int threads) : runtime_(runtime) {
    if (!runtime.set_threads) return;
    // OpenMP ends the process where it can't start a thread.
    static const int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    static const int startable = machine::startable_threads(processors);
    const int before = runtime.threads();
    int wanted = threads == 0 ? before : threads;
    if (startable < processors) wanted = std::min(wanted, startable);
    if (wanted == before) return;
    before_ = before;
    runtime.set_threads(wanted);
  }
  ~Team() {
    if (before_ > 0) runtime_.set_threads(before_);
  }
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

private:
  const build::Kernel::Team &runtime_;
  int before_ = 0;
};

} // namespace

Variant::Variant(pipeline::Compilation compilation, const pipeline::Request &request)
    : compilation_(std::move(compilation)),
      kernel_(build::compile(emit::emit_in_process(compilation_.program, compilation_.gathers))),
      entry_(reinterpret_cast<int (*)(void **)>(kernel_.symbol("unravel_entry"))), team_(kernel_.team()),
      sizes_(compilation_.program.sizes.size()) {
  for (const loop::TensorParameter &parameter : compilation_.program.parameters)
    if (!compilation_.inspector || parameter.name != compilation_.inspector->program.parameters.front().name)
      names_.push_back(parameter.name);
  names_.insert(names_.end(), compilation_.program.sizes.begin(), compilation_.program.sizes.end());
  convert::PackOptions how;
  how.index = request.index == loop::ElementType::Int64 ? tensor::IndexType::Int64 : tensor::IndexType::Int32;
  how.value = request.value.value_or(value::Type::Float64);
  for (std::size_t k = 0; k < compilation_.program.parameters.size(); ++k) {
    const std::string &name = compilation_.program.parameters[k].name;
    if (auto packed = compilation_.packed.find(name); packed != compilation_.packed.end())
      packings_.emplace(k, run::ListPacking(compilation_.layouts.at(name), packed->second, how));
  }
  if (compilation_.inspector) levels_.emplace(std::move(*compilation_.inspector), compilation_.program);
  if (compilation_.values) values_ = std::make_unique<const Variant>(*compilation_.values, request);
}

void Variant::check(const std::vector<void *> &structs) const {
  if (structs.size() != names_.size())
    report::fail(Kind::wrong_arity,
                 fmt::format("the kernel is called with {} argument{}, but takes {}: `{}`", structs.size(),
                             structs.size() == 1 ? "" : "s", names_.size(), fmt::join(names_, "`, `")));
  if (auto null = std::ranges::find(structs, nullptr); null != structs.end())
    report::fail(Kind::missing_input, fmt::format("the kernel is called with a null pointer for `{}`",
                                                  names_[static_cast<std::size_t>(null - structs.begin())]));
}

build::Workspace Variant::take() const {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      build::Workspace workspace = std::move(idle_.back());
      idle_.pop_back();
      return workspace;
    }
  }
  return build::Workspace(kernel_);
}

void Variant::put_back(build::Workspace workspace) const {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

int Variant::call(const std::vector<void *> &structs, int threads) const {
  build::Workspace workspace = take();
  std::vector<void *> arguments;
  arguments.reserve(structs.size() + 2);
  arguments = structs;
  std::vector<std::uint64_t> slots;
  if (levels_) {
    slots = levels_->slots(structs);
    arguments.insert(arguments.end() - static_cast<std::ptrdiff_t>(sizes_), slots.data());
  }
  arguments.push_back(workspace.get());
  const Team team(team_, threads);
  const int code = entry_(arguments.data());
  put_back(std::move(workspace));
  return code;
}

int Variant::call_and_pack(const std::vector<void *> &structs, int threads) const {
  if (values_) {
    const int code = call(structs, threads);
    return code != 0 ? code : values_->call(structs, threads);
  }
  if (packings_.empty()) return call(structs, threads);
  std::vector<void *> arguments = structs;
  std::vector<run::ListedResult> results;
  results.reserve(packings_.size());
  for (const auto &[parameter, how] : packings_) {
    results.emplace_back(how, structs.at(parameter));
    arguments[parameter] = results.back().argument();
  }
  const int code = call(arguments, threads);
  if (code != 0) return code;
  for (run::ListedResult &result : results)
    result.take();
  for (run::ListedResult &result : results)
    result.pack();
  return 0;
}

} // namespace unravel
