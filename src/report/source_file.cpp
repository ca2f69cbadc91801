#include "report/diagnostic.h"
#include "text/source.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sys/stat.h>

namespace unravel::text {

namespace {

/// No text that somebody wrote is as long; a device may never end.
constexpr std::size_t most_bytes = std::size_t{1} << 24;

/// Reads a whole file. Throws report::Error (kind cannot_read).
std::shared_ptr<const Source> read_whole(const std::string &path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string content;
  std::array<char, 1 << 16> block;
  do {
    file.read(block.data(), block.size());
    content.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (content.size() > most_bytes)
      report::fail(report::Kind::cannot_read, Place::of_file(path),
                   "cannot read: the text is longer than 16 MiB", "give a file that holds a text of ours");
  } while (file);
  if (!file.eof())
    report::fail(report::Kind::cannot_read, Place::of_file(path),
                 std::string("cannot read: ") + std::strerror(errno));
  return std::make_shared<const Source>(path, std::move(content));
}

} // namespace

// Defined here and not in text: reading a file can fail, and text knows no diagnostics.
std::shared_ptr<const Source> Source::from_file(const std::string &path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0)
    report::fail(report::Kind::cannot_read, Place::of_file(path),
                 std::string("cannot read: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    report::fail(report::Kind::cannot_read, Place::of_file(path), "cannot read: this is a directory");
  if (S_ISREG(status.st_mode)) return read_whole(path);
  // A command may ask for its texts several times, and a pipe gives each character once.
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::shared_ptr<const Source>> kept;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Source> &source = kept[{status.st_dev, status.st_ino}];
  if (!source) source = read_whole(path);
  return source;
}

} // namespace unravel::text
