// The C text of what was compiled.
#include "pipeline.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace unravel::pipeline {

std::vector<const loop::Program *> kernels_of(const Compilation &compilation) {
  std::vector<const loop::Program *> kernels{&compilation.program};
  if (compilation.inspector) kernels.insert(kernels.begin(), &compilation.inspector->program);
  for (const std::shared_ptr<const Compilation> &conversion : compilation.conversions)
    kernels.insert(kernels.begin(), &conversion->program);
  if (compilation.values) kernels.push_back(&compilation.values->program);
  return kernels;
}

void name_for(Compilation &compilation, const CallerNames &names) {
  const auto rename = [&](loop::Program &program) {
    program.name = names.prefix + program.name;
    for (loop::TensorParameter &parameter : program.parameters) {
      const std::string type = parameter.type_name.empty() ? parameter.layout : parameter.type_name;
      parameter.constant =
          names.constant && compilation.layouts.contains(parameter.name) && !parameter.is_result;
      parameter.type_name = names.prefix + (parameter.constant ? "const_" : "") + type;
    }
  };
  compilation.prefix = names.prefix;
  rename(compilation.program);
  if (compilation.inspector) rename(compilation.inspector->program);
  for (std::shared_ptr<const Compilation> &conversion : compilation.conversions) {
    auto named = std::make_shared<Compilation>(*conversion);
    name_for(*named, names);
    conversion = std::move(named);
  }
  if (!compilation.values) return;
  auto values = std::make_shared<Compilation>(*compilation.values);
  name_for(*values, names);
  compilation.values = std::move(values);
}

std::string c_text(const Compilation &compilation, emit::EmitOptions options) {
  options.gathers = compilation.gathers;
  const std::vector<const loop::Program *> kernels = kernels_of(compilation);
  if (kernels.size() == 1) return emit::emit_c(compilation.program, options);
  std::string text;
  if (options.with_header) {
    text = fmt::format("#include \"{}.h\"\n", emit::kernel_name(compilation.program));
    options.with_header = false;
    options.is_declared = true; // by all kernels' headers, in one file
  }
  for (const loop::Program *kernel : kernels)
    text += (text.empty() ? "" : "\n") + emit::emit_c(*kernel, options);
  return text;
}

std::string c_header(const Compilation &compilation) {
  std::string text;
  for (const loop::Program *kernel : kernels_of(compilation))
    text += (text.empty() ? "" : "\n") + emit::emit_header(*kernel);
  return text;
}

} // namespace unravel::pipeline
