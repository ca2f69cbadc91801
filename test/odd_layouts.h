#pragma once

#include <filesystem>
#include <string>

namespace unravel::test {

/// A layout as after `-f A=`, "@name" being a layout of test/layouts/odd.layout.
inline std::string layout_reference(const std::string &name) {
  if (name.empty() || name[0] != '@') return name;
  std::filesystem::path file = std::filesystem::path(UNRAVEL_SOURCE_DIR) / "test" / "layouts" / "odd.layout";
  return file.string() + ":" + name.substr(1);
}

} // namespace unravel::test
