#pragma once

#include "build/kernel.h"
#include "lower/wavefront.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The levels of a kernel's wavefronts, on data.
namespace unravel::run {

/// The levels as the kernel's last struct, and what makes them. Until they are inspected, M is 0, so that the
/// kernel is sequential.
class Levels {
public:
  Levels(lower::Inspector inspector, const loop::Program &kernel, build::Options options = {});

  /// Of the tensors' structs, behind which are the sizes that no tensor has. Returns what the inspector does,
  /// which is compiled the first time.
  int inspect(const std::vector<void *> &structs);
  /// Of the last inspection: its milliseconds; how many levels there are, and iterations and dependences in
  /// them.
  double milliseconds() const { return milliseconds_; }
  std::int64_t levels() const { return counted().at(0); }
  std::int64_t inspected() const { return counted().at(1); }

  /// The struct, for a call on these tensors.
  std::vector<std::uint64_t> slots(const std::vector<void *> &structs) const;

private:
  struct NumbersOf;

  std::vector<std::int64_t> given_in(const std::vector<void *> &structs) const;
  const std::vector<std::int64_t> &counted() const;
  std::vector<std::int64_t> numbers_on(const std::vector<void *> &structs) const;
  const loop::TensorParameter &own() const { return inspector_.program.parameters.front(); }

  lower::Inspector inspector_;
  build::Options options_;
  std::optional<build::Kernel> kernel_;
  std::map<std::string, std::size_t> operands_;   // the struct of each tensor, the integer of each size
  std::vector<std::vector<std::int64_t>> arrays_; // memory, 8 bytes at a time
  std::vector<std::uint64_t> slots_;
  double milliseconds_ = 0;
  std::vector<std::int64_t> given_; // sizes that no tensor has, when it was inspected
};

} // namespace unravel::run
