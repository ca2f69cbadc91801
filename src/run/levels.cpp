#include "run/levels.h"

#include "lower/wavefront.h"
#include "pipeline/stopwatch.h"
#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::run {

namespace {

/// Sizes of tensors, by qualified names.
struct SizesOf : term::Environment {
  explicit SizesOf(const std::map<std::string, tensor::Tensor> &of) : tensors(of) {}
  std::int64_t variable(const std::string &name) const override {
    std::size_t dot = name.rfind('.');
    return tensors.at(name.substr(0, dot)).sizes.at(name.substr(dot + 1));
  }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override {
    report::fail(report::Kind::internal, "a number of iterations reads an array",
                 "please report this as a bug");
  }
  const std::map<std::string, tensor::Tensor> &tensors;
};

const loop::TensorParameter &parameter_of(const pipeline::Compilation &compilation) {
  return compilation.inspector->program.parameters.front();
}

} // namespace

tensor::Tensor make_levels(const pipeline::Compilation &compilation,
                           const std::map<std::string, tensor::Tensor> &tensors) {
  const loop::TensorParameter &parameter = parameter_of(compilation);
  std::int64_t iterations = term::evaluate(compilation.inspector->iterations, SizesOf(tensors));
  tensor::Tensor levels;
  levels.layout.name = parameter.layout;
  levels.layout.sizes = parameter.sizes;
  const std::vector<std::int64_t> room = lower::room_of_levels(parameter, iterations);
  for (std::size_t k = 0; k < room.size(); ++k) {
    layout::Array made;
    made.name = parameter.arrays[k].name;
    levels.layout.arrays.push_back(made);
    bool wide = parameter.arrays[k].element == loop::ElementType::Int64;
    levels.arrays.emplace(made.name, tensor::Elements(wide ? tensor::DType::I8 : tensor::DType::I4,
                                                      static_cast<std::size_t>(room[k])));
  }
  levels.sizes[parameter.sizes.front()] = 0;
  return levels;
}

double inspect(const pipeline::Compilation &compilation, std::map<std::string, tensor::Tensor> &tensors,
               tensor::Tensor &levels, const build::Options &options) {
  const loop::Program &program = compilation.inspector->program;
  emit::EmitOptions in_process;
  in_process.in_process = true;
  build::Kernel kernel = build::compile(emit::emit_c(program, in_process), options);
  levels.sizes[parameter_of(compilation).sizes.front()] =
      term::evaluate(compilation.inspector->iterations, SizesOf(tensors));
  std::vector<std::vector<std::uint64_t>> structs;
  for (const loop::TensorParameter &parameter : program.parameters)
    structs.push_back(
        tensor::kernel_arguments(parameter.is_result ? levels : tensors.at(parameter.name)).slots());
  std::vector<void *> arguments;
  for (std::vector<std::uint64_t> &slots : structs)
    arguments.push_back(slots.data());
  build::Workspace workspace(kernel);
  arguments.push_back(workspace.get());
  auto entry = reinterpret_cast<int (*)(void **)>(kernel.symbol("unravel_entry"));
  pipeline::Stopwatch clock;
  int code = entry(arguments.data());
  double spent = clock.milliseconds();
  if (code == 2) throw std::bad_alloc();
  report::require(code == 0, "an inspector accepts sizes that agree");
  return spent;
}

} // namespace unravel::run
