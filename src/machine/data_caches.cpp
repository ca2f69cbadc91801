#include "machine/data_caches.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
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

} // namespace unravel::machine
