#include "machine/data_caches.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace unravel::machine {
namespace {

TEST(DataCaches, AreReadFromTheSystemsFolder) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("caches-" + std::to_string(getpid()));
  auto write = [&](const std::string &index, const std::string &file, const std::string &content) {
    std::filesystem::create_directories(folder / index);
    std::ofstream(folder / index / file) << content << "\n";
  };
  auto cache = [&](const std::string &index, const char *level, const char *type, const char *size) {
    write(index, "level", level), write(index, "type", type), write(index, "size", size);
  };
  EXPECT_TRUE(data_caches(folder.string()).empty());
  cache("index0", "1", "Data", "48K");
  cache("index1", "1", "Instruction", "64K");
  cache("index2", "2", "Unified", "2048K");
  cache("index3", "3", "Unified", "many");
  EXPECT_EQ(data_caches(folder.string()),
            (std::vector<DataCache>{{"L1 data", 48 << 10}, {"L2", 2048 << 10}}));
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace unravel::machine
