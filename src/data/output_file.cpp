#include "data/output_file.h"

#include "report/diagnostic.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace unravel::data {

namespace {

std::string resolve_links(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  std::string result = resolved ? resolved : path;
  std::free(resolved);
  return result;
}

} // namespace

OutputFile::OutputFile(const std::string &path) : path_(path), target_(resolve_links(path)) {
  struct stat status = {};
  bool exists = stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_to_write(EISDIR);
  if (exists && access(target_.c_str(), W_OK) != 0) fail_to_write(errno);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    std::string name = files::temporary_name(target_);
    unfinished_.emplace(name); // before it is there, so that a signal never finds it unknown
    descriptor_ =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? status.st_mode & 0777 : 0666);
    if (descriptor_ >= 0)
      temporary_ = name;
    else
      unfinished_.reset();
  }
  if (descriptor_ < 0) fail_to_write(errno);
  if (path.ends_with(".gz")) {
    packed_ = gzdopen(descriptor_, "wb6");
    if (!packed_) {
      close_all();
      fail_to_write(ENOMEM);
    }
  }
}

OutputFile::~OutputFile() {
  close_all();
}

void OutputFile::close_all() {
  if (packed_)
    gzclose(packed_);
  else if (descriptor_ >= 0)
    close(descriptor_);
  packed_ = nullptr;
  descriptor_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
  unfinished_.reset();
}

void OutputFile::fail_to_write(int error) const {
  report::fail(report::Kind::cannot_write, text::Place::of_file(path_),
               std::string("cannot write: ") + std::strerror(error));
}

void OutputFile::write(std::string_view characters) {
  while (!characters.empty()) {
    ssize_t count = 0;
    if (packed_) {
      std::string_view part = characters.substr(0, std::size_t{1} << 30);
      count = gzwrite(packed_, part.data(), static_cast<unsigned>(part.size()));
      if (count == 0) count = -1;
    } else {
      count = ::write(descriptor_, characters.data(), characters.size());
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(errno);
    characters.remove_prefix(static_cast<std::size_t>(count));
  }
}

void OutputFile::flush() {
  write(buffer_);
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (packed_) {
    int code = gzclose(packed_); // writes what is left, and closes the descriptor
    packed_ = nullptr;
    descriptor_ = -1;
    if (code != Z_OK) fail_to_write(code == Z_ERRNO ? errno : EIO);
  } else {
    int code = close(descriptor_);
    descriptor_ = -1;
    if (code != 0) fail_to_write(errno);
  }
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write(errno);
  temporary_.clear();
  unfinished_.reset();
}

} // namespace unravel::data
