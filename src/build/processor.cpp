#include "build/back_end.h"

#include <array>
#include <fstream>

namespace unravel::build {

std::string processor_identity() {
  // The kernel's own list, because LLVM, which the code is made with, must not be loaded to look up a cached
  // kernel. x86, then Arm, then the names that POWER and RISC-V use.
  static constexpr std::array<std::string_view, 14> telling = {
      "vendor_id",       "cpu family", "model",       "model name",   "stepping", "flags", "Features",
      "CPU implementer", "CPU part",   "CPU variant", "CPU revision", "cpu",      "isa",   "uarch"};
  static const std::string identity = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string lines;
    for (std::string line; std::getline(file, line) && !line.empty();) {
      std::string_view name = std::string_view(line).substr(0, line.find(':'));
      name = name.substr(0, name.find_last_not_of(" \t") + 1);
      for (std::string_view known : telling)
        if (name == known) lines += line + "\n";
    }
    return lines;
  }();
  return identity;
}

} // namespace unravel::build
