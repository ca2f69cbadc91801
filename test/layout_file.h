#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace unravel::test {

/// A layout file of the user's, gone with the object.
class LayoutFile {
public:
  explicit LayoutFile(const std::string &content) {
    std::string name = (std::filesystem::temp_directory_path() / "unravel-layout-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(path()) << content;
  }
  ~LayoutFile() { std::filesystem::remove_all(folder_); }
  LayoutFile(const LayoutFile &) = delete;
  LayoutFile &operator=(const LayoutFile &) = delete;

  std::string path() const { return (folder_ / "mine.layout").string(); }

private:
  std::filesystem::path folder_;
};

} // namespace unravel::test
