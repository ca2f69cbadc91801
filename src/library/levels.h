#pragma once

#include "build/kernel.h"
#include "lower/wavefront.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// The levels of a kernel's wavefronts for callers who have structs.
namespace unravel {

/// The levels as the kernel's last struct, and what makes them.
class Levels {
public:
  Levels(lower::Inspector inspector, const loop::Program &kernel);

  /// The tensors' structs, then the sizes that no tensor has. Returns what the inspector does.
  int inspect(const std::vector<void *> &structs);

  /// The struct, for a call on these tensors.
  std::vector<std::uint64_t> slots(const std::vector<void *> &structs) const;

private:
  struct NumbersOf;

  std::vector<std::int64_t> given_in(const std::vector<void *> &structs) const;
  std::vector<std::int64_t> numbers_on(const std::vector<void *> &structs) const;
  const loop::TensorParameter &own() const { return inspector_.program.parameters.front(); }

  lower::Inspector inspector_;
  build::Kernel kernel_;
  std::map<std::string, std::size_t> operands_;   // the struct of each tensor, the integer of each size
  std::vector<std::vector<std::int64_t>> arrays_; // memory, of elements of at most 8 bytes
  std::vector<std::uint64_t> slots_;
  std::vector<std::int64_t> given_; // sizes that no tensor has, when it was inspected
};

} // namespace unravel
