#include "run/steps.h"

#include "convert/pack.h"
#include "run/memory.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace unravel::run::test {
namespace {

class Steps : public loop::Observer {
public:
  void start(const std::vector<std::string> &, const std::vector<std::string> &) override {}
  void enter(std::size_t, std::int64_t) override { ++steps; }
  void leave(std::size_t) override {}
  void touch(std::size_t, std::int64_t, std::int64_t count) override { steps += count; }
  void point() override { ++steps; }

  std::int64_t steps = 0;
};

/// Steps of empty products say nothing.
bool has_values(const loop::Program &program, const loop::Memory &memory) {
  for (const loop::TensorParameter &parameter : program.parameters)
    for (const loop::ArrayParameter &array : parameter.arrays)
      if (parameter.is_result && array.is_value)
        if (std::ranges::any_of(memory.values.at(parameter.name + "." + array.name),
                                [](double value) { return value != 0; }))
          return true;
  return false;
}

std::int64_t slots_of(const loop::Memory &memory, const std::map<std::string, tensor::Tensor> &tensors) {
  std::int64_t slots = 0;
  for (const auto &[name, array] : memory.indices)
    slots += static_cast<std::int64_t>(array.size());
  for (const auto &[name, array] : memory.values)
    slots += static_cast<std::int64_t>(array.size());
  for (const auto &[name, tensor] : tensors)
    for (const std::int64_t extent : tensor.shape())
      slots += extent;
  return slots;
}

} // namespace

Count count_steps(Prepared prepared, const pipeline::Compilation &compilation, std::int64_t most,
                  std::int64_t per_slot) {
  for (auto &[name, tensor] : prepared.tensors)
    if (const auto layout = compilation.layouts.find(name);
        layout != compilation.layouts.end() && layout->second.name != tensor.layout.name)
      tensor = convert::pack(layout->second, convert::unpack(tensor), {});
  loop::Memory memory = memory_of(compilation.program, prepared.tensors, prepared.sizes);
  Steps counter;
  loop::InterpretOptions options;
  options.observer = &counter;
  options.iteration_budget = most + per_slot * slots_of(memory, prepared.tensors);
  EXPECT_EQ(loop::interpret(compilation.program, memory, options), 0);
  return {counter.steps, slots_of(memory, prepared.tensors), has_values(compilation.program, memory)};
}

} // namespace unravel::run::test
