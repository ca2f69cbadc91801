#pragma once

#include "places.h"
#include "report/diagnostic.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace unravel::data {

/// A folder for one test's files, removed at its end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "unravel-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path(const std::string &name) const { return (path_ / name).string(); }
  std::string write(const std::string &name, const std::string &content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

private:
  std::filesystem::path path_;
};

/// The rendered message of what `action` throws, the folder's name taken out of it.
template <class Action> std::string message_of(const TemporaryFolder &folder, Action action) {
  std::string text;
  try {
    action();
    return "no error";
  } catch (const report::Error &error) {
    text = error.what();
  }
  for (std::string prefix = folder.path(""); text.find(prefix) != std::string::npos;)
    text.erase(text.find(prefix), prefix.size());
  return text;
}

/// The folder of real matrices and tensors: the variable UNRAVEL_DATA or the sibling of the source folder.
inline std::filesystem::path data_folder() {
  if (const char *path = std::getenv("UNRAVEL_DATA")) return path;
  return std::filesystem::path(unravel::test::source_folder()) / "../shared/data";
}

} // namespace unravel::data
