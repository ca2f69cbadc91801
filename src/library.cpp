// The public interface (include/unravel/unravel.h): a thin face of the pipeline.
#include "unravel/unravel.h"

#include "build/kernel.h"
#include "emit/emit.h"
#include "pipeline.h"
#include "report/diagnostic.h"

#include <mutex>

namespace unravel {

namespace {

loop::Program compile(const std::string &expression, const Options &options) {
  pipeline::Request request;
  request.expression = expression;
  request.formats = options.formats;
  request.schedules = options.schedules;
  request.name = options.name;
  request.index = options.index == IndexType::Int64 ? loop::ElementType::Int64 : loop::ElementType::Int32;
  request.value =
      options.value == ValueType::Float32 ? loop::ElementType::Float32 : loop::ElementType::Float64;
  return pipeline::compile(request).program;
}

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
    loop::Program program = compile(expression, options);
    emit::EmitOptions with_header;
    with_header.with_header = true;
    return CSource{emit::kernel_name(program), emit::emit_c(program, with_header),
                   emit::emit_header(program)};
  });
}

/// With workspaces that no call uses: as many are made as there are calls at once.
struct Kernel::Code {
  explicit Code(build::Kernel compiled)
      : kernel(std::move(compiled)),
        entry(reinterpret_cast<int (*)(void **)>(kernel.symbol("unravel_entry"))) {}

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

  void put_back(build::Workspace workspace) const {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(workspace));
  }

  build::Kernel kernel;
  int (*entry)(void **) = nullptr;
  mutable std::mutex mutex;
  mutable std::vector<build::Workspace> idle;
};

Kernel make_kernel(const std::string &expression, const Options &options) {
  return at_border([&] {
    emit::EmitOptions in_process;
    in_process.in_process = true;
    std::string text = emit::emit_c(compile(expression, options), in_process);
    return Kernel(std::make_shared<const Kernel::Code>(build::compile(text)));
  });
}

int Kernel::operator()(const std::vector<void *> &structs) const {
  build::Workspace workspace = code_->take();
  std::vector<void *> arguments = structs;
  arguments.push_back(workspace.get());
  int code = code_->entry(arguments.data());
  code_->put_back(std::move(workspace));
  return code;
}

void Kernel::set_threads(int threads) const {
  code_->kernel.set_threads(threads);
}

std::string version() {
  return UNRAVEL_VERSION;
}

} // namespace unravel
