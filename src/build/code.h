#pragma once

#include <memory>
#include <string>

namespace unravel::build {

/// Machine code in memory, ready to be called; freed with the last pointer to it.
class Code {
public:
  Code() = default;
  virtual ~Code() = default;
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  /// The address of a function that the code defines, or null.
  virtual void *find_symbol(const std::string &name) const = 0;
  /// An address in the OpenMP runtime that this code calls, or null where there is no such runtime or no such
  /// name.
  virtual void *find_openmp_symbol(const char *name) const = 0;
};

/// A loaded shared object, or null when the file can't be loaded; `dlerror` then says why. Where the host
/// program has another OpenMP runtime, names such as omp_get_thread_num still mean the kernel's: both
/// runtimes version their symbols, each its own way, and the linker has noted which version the kernel wants.
std::shared_ptr<const Code> load_shared_object(const std::string &path);

/// A function that a shared object wants from outside and that no kernel may call, or empty. Throws kind
/// `internal` when the bytes are no ELF file of this machine.
std::string first_forbidden_symbol(const std::string &bytes);

} // namespace unravel::build
