#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unravel::machine {

/// A cache of the machine that holds data.
struct DataCache {
  std::string name; // "L1 data", "L2"
  std::int64_t bytes = 0;

  friend bool operator==(const DataCache &, const DataCache &) = default;
};

/// The data caches of this machine's first processor, smallest first, as the system tells: from `folder`,
/// with a folder index0, index1, ... for each cache, else from sysconf. Empty where neither knows.
std::vector<DataCache> data_caches(const std::string &folder = "/sys/devices/system/cpu/cpu0/cache");

/// The processor's model and features, some lines; empty where the machine does not tell.
std::string processor_identity();

/// The processor's name, for people: "AMD EPYC"; "unknown processor" where the machine does not tell.
std::string processor_name();

} // namespace unravel::machine
