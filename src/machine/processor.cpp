#include "machine/processor.h"

#include <array>
#include <fstream>
#include <string_view>

namespace unravel::machine {

namespace {

/// The part of a line of /proc/cpuinfo before the colon.
std::string_view name_in(std::string_view line) {
  std::string_view name = line.substr(0, line.find(':'));
  return name.substr(0, name.find_last_not_of(" \t") + 1);
}

} // namespace

std::string processor_identity() {
  // The kernel's own list, because LLVM, which the code is made with, must not be loaded to look up a cached
  // kernel. x86, then Arm, then the names that POWER and RISC-V use.
  static constexpr std::array<std::string_view, 14> telling = {
      "vendor_id",       "cpu family", "model",       "model name",   "stepping", "flags", "Features",
      "CPU implementer", "CPU part",   "CPU variant", "CPU revision", "cpu",      "isa",   "uarch"};
  static const std::string identity = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string lines;
    for (std::string line; std::getline(file, line) && !line.empty();)
      for (std::string_view known : telling)
        if (name_in(line) == known) lines += line + "\n";
    return lines;
  }();
  return identity;
}

std::string processor_name() {
  const std::string identity = processor_identity();
  // x86; POWER; RISC-V; Arm, which gives numbers.
  for (std::string_view known : {"model name", "cpu", "uarch", "CPU part"})
    for (std::size_t begin = 0; begin < identity.size(); begin = identity.find('\n', begin) + 1) {
      const std::string line = identity.substr(begin, identity.find('\n', begin) - begin);
      const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
      if (name_in(line) == known && value != std::string::npos)
        return known == "CPU part" ? "Arm processor, part " + line.substr(value) : line.substr(value);
    }
  return "unknown processor";
}

} // namespace unravel::machine
