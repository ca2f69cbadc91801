#include "files/file.h"

#include "report/diagnostic.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace unravel::files {

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<std::string> File::read_all() const {
  std::string bytes;
  char block[1 << 16];
  for (;;) {
    ssize_t count = read(descriptor_, block, sizeof(block));
    if (count == 0) return bytes;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};
    bytes.append(block, static_cast<std::size_t>(count));
  }
}

bool File::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::string> read_file(const std::string &path) {
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return {};
  return file.read_all();
}

std::string scratch_directory() {
  const char *chosen = std::getenv("TMPDIR");
  return chosen && *chosen ? chosen : "/tmp";
}

PrivateFolder::PrivateFolder() {
  bool is_made = false;
  do {
    path_ = temporary_name(scratch_directory() + "/unravel");
    unfinished_.emplace(path_); // before it is there, so that a signal never finds it unknown
    is_made = mkdir(path_.c_str(), 0700) == 0;
  } while (!is_made && errno == EEXIST);
  if (!is_made)
    report::fail(report::Kind::cannot_write,
                 "can't make a folder in `" + scratch_directory() + "`: " + std::strerror(errno),
                 "name a folder that can be written with `TMPDIR`");
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace unravel::files
