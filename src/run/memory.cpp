#include "run/memory.h"

namespace unravel::run {

loop::Memory memory_of(const loop::Program &program, const std::map<std::string, tensor::Tensor> &tensors,
                       const std::map<std::string, std::int64_t> &sizes) {
  loop::Memory memory;
  memory.sizes = sizes;
  for (const loop::TensorParameter &parameter : program.parameters) {
    const tensor::Tensor &tensor = tensors.at(parameter.name);
    for (const auto *names : {&parameter.sizes, &parameter.counts})
      for (const std::string &name : *names)
        memory.sizes[parameter.name + "." + name] = tensor::number_of(tensor, name).value();
    for (const loop::ArrayParameter &array : parameter.arrays) {
      const data::Elements &elements = tensor.array(array.name);
      std::string name = parameter.name + "." + array.name;
      if (array.is_value) {
        std::vector<double> &values = memory.values[name];
        values.reserve(elements.size());
        for (std::size_t k = 0; k < elements.size(); ++k)
          values.push_back(elements.real(k));
      } else {
        std::vector<std::int64_t> &indices = memory.indices[name];
        indices.reserve(elements.size());
        for (std::size_t k = 0; k < elements.size(); ++k)
          indices.push_back(elements.integer(k));
      }
    }
  }
  return memory;
}

} // namespace unravel::run
