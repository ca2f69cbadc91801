#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace unravel::text {

/// A file of the source tree whose text is part of the program (cmake/embed.cmake); `name`: without its
/// ending.
struct EmbeddedFile {
  std::string name;
  std::string content;
};

/// The file of that name, or null.
inline const EmbeddedFile *file_named(const std::string &name, const std::vector<EmbeddedFile> &files) {
  auto found = std::find_if(files.begin(), files.end(), [&](const auto &file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

} // namespace unravel::text
