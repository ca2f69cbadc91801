#pragma once

#include "build/kernel.h"
#include "files/file.h"

#include <cstdlib>
#include <string>
#include <vector>

/// What the tests of the room share: kernels' texts, folders, and this program run again as a fresh process.
namespace unravel::build {

using files::PrivateFolder;
using files::read_file;

} // namespace unravel::build

namespace unravel::build::scene {

template <typename Function> Function *function(const Kernel &kernel, const std::string &name) {
  return reinterpret_cast<Function *>(kernel.symbol(name));
}

/// `double twice(double)`; the number makes the text another one.
std::string plain_text(int number);
/// `int threads(int *ids, int n)`: fills ids[k] with the thread that ran iteration k; returns the size of the
/// team.
std::string parallel_text();
/// Options with the cache in `folder`.
Options cached_in(const PrivateFolder &folder);

/// Sets an environment variable for the scope.
class Environment {
public:
  Environment(const char *name, const std::string &value);
  ~Environment();
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

private:
  std::string name_, before_;
  bool was_set_;
};

/// Starts this program again to run the one disabled test `name`; the variables are name=value.
pid_t start_child(const std::string &name, const std::vector<std::string> &variables);
/// The exit status of the child.
int wait_for(pid_t child);

/// The files of a folder with this ending.
std::vector<std::string> files_in(const std::string &folder, const std::string &ending);

} // namespace unravel::build::scene
