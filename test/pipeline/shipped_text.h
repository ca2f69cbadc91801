#pragma once

#include "layout/layout.h"

#include <gtest/gtest.h>
#include <string>

/// The text of shipped layouts, to be changed.
namespace unravel::pipeline::test {

inline std::string shipped(const std::string &name) {
  for (const text::EmbeddedFile &file : layout::shipped_files())
    if (file.name == name) return file.content;
  return "";
}

/// The file without its line `line`.
inline std::string without(std::string content, const std::string &line) {
  std::size_t at = content.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  if (at != std::string::npos) content.erase(at, line.size());
  return content;
}

} // namespace unravel::pipeline::test
