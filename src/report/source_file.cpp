#include "report/diagnostic.h"
#include "text/source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace unravel::text {

// Defined here and not in text: reading a file can fail, and text knows no diagnostics.
std::shared_ptr<const Source> Source::from_file(const std::string &path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0)
    report::fail(report::Kind::cannot_read, Place::of_file(path),
                 std::string("cannot read: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    report::fail(report::Kind::cannot_read, Place::of_file(path), "cannot read: this is a directory");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file)
    report::fail(report::Kind::cannot_read, Place::of_file(path),
                 std::string("cannot read: ") + std::strerror(errno));
  return std::make_shared<const Source>(path, content.str());
}

} // namespace unravel::text
