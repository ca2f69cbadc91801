#include "places.h"

namespace unravel::test {

const std::string &source_folder() {
  static const std::string folder = UNRAVEL_SOURCE_DIR;
  return folder;
}

const std::string &tool_path() {
  static const std::string path = UNRAVEL_TOOL;
  return path;
}

} // namespace unravel::test
