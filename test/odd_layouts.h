#pragma once

#include "places.h"

#include <filesystem>
#include <string>

namespace unravel::test {

/// A layout as after `-f A=`, "@name" being a layout of test/layouts/odd.layout, "@file/name" of another file
/// there.
inline std::string layout_reference(const std::string &name) {
  if (name.empty() || name[0] != '@') return name;
  std::size_t slash = name.find('/');
  std::string file = slash == std::string::npos ? "odd" : name.substr(1, slash - 1);
  std::string layout = name.substr(slash == std::string::npos ? 1 : slash + 1);
  std::filesystem::path path =
      std::filesystem::path(unravel::test::source_folder()) / "test" / "layouts" / (file + ".layout");
  return path.string() + ":" + layout;
}

} // namespace unravel::test
