#include "machine/data_caches.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace unravel::machine {

namespace {

std::string first_word(const std::filesystem::path &file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

/// "48K", "2048K", "36M"
std::optional<std::int64_t> bytes_of(const std::string &text) {
  char *end = nullptr;
  std::int64_t number = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || number <= 0 || number > (std::int64_t{1} << 40)) return std::nullopt;
  std::string unit = end;
  if (unit.empty()) return number;
  std::size_t power = std::string("KMG").find(unit[0]);
  if (unit.size() != 1 || power == std::string::npos) return std::nullopt;
  return number << (10 * (power + 1));
}

void add(std::vector<DataCache> &caches, int level, std::int64_t bytes) {
  if (bytes > 0) caches.push_back({level == 1 ? "L1 data" : fmt::format("L{}", level), bytes});
}

/// The part of a line of /proc/cpuinfo before the colon.
std::string_view name_in(std::string_view line) {
  std::string_view name = line.substr(0, line.find(':'));
  return name.substr(0, name.find_last_not_of(" \t") + 1);
}

} // namespace

std::vector<DataCache> data_caches(const std::string &folder) {
  std::vector<DataCache> caches;
  for (int index = 0;; ++index) {
    std::filesystem::path cache = std::filesystem::path(folder) / fmt::format("index{}", index);
    std::string level = first_word(cache / "level");
    if (level.empty()) break;
    std::optional<std::int64_t> bytes = bytes_of(first_word(cache / "size"));
    if (first_word(cache / "type") != "Instruction" && bytes && level.size() == 1)
      add(caches, level[0] - '0', *bytes);
  }
#ifdef _SC_LEVEL1_DCACHE_SIZE
  if (caches.empty() && folder == "/sys/devices/system/cpu/cpu0/cache") {
    add(caches, 1, sysconf(_SC_LEVEL1_DCACHE_SIZE));
    add(caches, 2, sysconf(_SC_LEVEL2_CACHE_SIZE));
    add(caches, 3, sysconf(_SC_LEVEL3_CACHE_SIZE));
  }
#endif
  std::ranges::sort(caches, [](auto &a, auto &b) { return a.bytes < b.bytes; });
  return caches;
}

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
