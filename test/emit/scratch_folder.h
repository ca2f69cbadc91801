#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace unravel::test {

/// A folder that is gone with the object.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "unravel-emit-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

  std::string path(const std::string &name) const { return (path_ / name).string(); }

  /// Runs a command; what it printed, or empty where it succeeded in silence.
  std::string run(const std::string &command) const {
    int status = std::system((command + " > " + path("log") + " 2>&1").c_str());
    std::ifstream file(path("log"));
    std::ostringstream log;
    log << file.rdbuf();
    if (status == 0 && log.str().empty()) return "";
    return command + "\n" + log.str();
  }

private:
  std::filesystem::path path_;
};

inline bool is_installed(const std::string &program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

} // namespace unravel::test
