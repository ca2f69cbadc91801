#include "run/levels.h"

#include "lower/wavefront.h"
#include "machine/stopwatch.h"
#include "report/diagnostic.h"
#include "run/numbers.h"

namespace unravel::run {

namespace {

using Sizes = std::map<std::string, std::int64_t>;

/// The levels' size and counts.
std::vector<std::int64_t> numbers_of(const pipeline::Compilation &compilation,
                                     const std::map<std::string, tensor::Tensor> &tensors,
                                     const Sizes &sizes) {
  std::vector<std::int64_t> numbers;
  for (const term::Term &number : compilation.inspector->numbers)
    numbers.push_back(number_on(number, tensors, sizes));
  return numbers;
}

const loop::TensorParameter &parameter_of(const pipeline::Compilation &compilation) {
  return compilation.inspector->program.parameters.front();
}

} // namespace

tensor::Tensor make_levels(const pipeline::Compilation &compilation,
                           const std::map<std::string, tensor::Tensor> &tensors, const Sizes &sizes) {
  const loop::TensorParameter &parameter = parameter_of(compilation);
  const std::vector<std::int64_t> numbers = numbers_of(compilation, tensors, sizes);
  tensor::Tensor levels;
  levels.layout.name = parameter.layout;
  levels.layout.sizes = parameter.sizes;
  const std::vector<std::int64_t> room = lower::room_of_levels(parameter, numbers);
  for (std::size_t k = 0; k < room.size(); ++k) {
    layout::Array made;
    made.name = parameter.arrays[k].name;
    levels.layout.arrays.push_back(made);
    levels.arrays.emplace(made.name,
                          data::Elements(parameter.arrays[k].element, static_cast<std::size_t>(room[k])));
  }
  for (std::size_t k = 0; k < parameter.counts.size(); ++k) {
    levels.layout.counts.push_back({parameter.counts[k], std::nullopt, {}});
    levels.counts[parameter.counts[k]] = numbers[k + 1];
  }
  levels.sizes[parameter.sizes.front()] = 0;
  return levels;
}

double inspect(const pipeline::Compilation &compilation, std::map<std::string, tensor::Tensor> &tensors,
               const Sizes &sizes, tensor::Tensor &levels, const build::Options &options) {
  const loop::Program &program = compilation.inspector->program;
  build::Kernel kernel = build::compile(emit::emit_in_process(program), options);
  levels.sizes[parameter_of(compilation).sizes.front()] = numbers_of(compilation, tensors, sizes).front();
  std::vector<std::vector<std::uint64_t>> structs;
  for (const loop::TensorParameter &parameter : program.parameters)
    structs.push_back(
        tensor::kernel_arguments(parameter.is_result ? levels : tensors.at(parameter.name)).slots());
  std::vector<void *> arguments;
  for (std::vector<std::uint64_t> &slots : structs)
    arguments.push_back(slots.data());
  std::vector<std::int64_t> given;
  for (const std::string &size : program.sizes)
    given.push_back(sizes.at(size));
  for (std::int64_t &size : given)
    arguments.push_back(&size);
  build::Workspace workspace(kernel);
  arguments.push_back(workspace.get());
  auto entry = reinterpret_cast<int (*)(void **)>(kernel.symbol("unravel_entry"));
  machine::Stopwatch clock;
  int code = entry(arguments.data());
  double spent = clock.milliseconds();
  if (code == 2) throw std::bad_alloc();
  report::require(code == 0, "an inspector accepts sizes that agree");
  return spent;
}

} // namespace unravel::run
