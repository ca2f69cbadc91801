#include "files/own_folder.h"

#include "files/file.h"
#include "files/unfinished.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace unravel::files {

namespace {

/// Nobody but the user, and root, can have put something there.
bool is_own(const struct stat &status) {
  return status.st_uid == geteuid() && (status.st_mode & 022) == 0;
}

bool is_own_directory(const std::string &directory) {
  struct stat status;
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_own(status);
}

/// Nobody but the user, and root, can put something else in the place of what the folder holds. (A group that
/// is the user's own is often all that may write to it, too.)
bool keeps_names(const struct stat &status) {
  const bool is_shared =
      (status.st_mode & S_IWOTH) != 0 || ((status.st_mode & S_IWGRP) != 0 && status.st_gid != getegid());
  return (status.st_uid == geteuid() || status.st_uid == 0) &&
         (!is_shared || (status.st_mode & S_ISVTX) != 0);
}

/// Of a folder that is there: its path without links, where all folders above it keep their names.
std::optional<std::string> path_that_stays(const std::string &directory) {
  char real[PATH_MAX];
  if (!realpath(directory.c_str(), real)) return {};
  const std::string path = real;
  for (std::size_t end = path.rfind('/'); end != std::string::npos;
       end = end == 0 ? std::string::npos : path.rfind('/', end - 1)) {
    struct stat status;
    if (lstat(path.substr(0, std::max<std::size_t>(end, 1)).c_str(), &status) != 0 || !keeps_names(status))
      return {};
  }
  return path;
}

/// mkdir -p, each new folder with mode 0700.
void make_directory(const std::string &directory) {
  for (std::size_t end = directory.find('/', 1);; end = directory.find('/', end + 1)) {
    mkdir(directory.substr(0, end).c_str(), 0700);
    if (end == std::string::npos) return;
  }
}

} // namespace

OwnFolder::OwnFolder(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/')
    path_.pop_back(); // lstat("link/") follows the link
  if (path_.empty()) return;
  if (access(path_.c_str(), F_OK) != 0) make_directory(path_);
  if (!is_own_directory(path_) || access(path_.c_str(), R_OK | W_OK | X_OK) != 0) return;
  const std::optional<std::string> stays = path_that_stays(path_);
  if (!stays || !is_own_directory(*stays)) return;
  path_ = *stays;
  usable_ = true;
}

std::optional<std::string> OwnFolder::read(const std::string &name) const {
  if (!usable_) return {};
  File file(open(path_of(name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file.is_open() || fstat(file.descriptor(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || !is_own(status)) return {};
  return file.read_all();
}

bool OwnFolder::write(const std::string &name, std::string_view bytes) const {
  if (!usable_) return false;
  static std::atomic<unsigned> serial{0};
  const std::string path = path_of(name);
  std::string partial = path + "." + std::to_string(getpid()) + "." + std::to_string(serial++);
  partial += partial_ending;
  const Unfinished unfinished(partial);
  File file(open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return false;
  if (file.write_all(bytes) && rename(partial.c_str(), path.c_str()) == 0) return true;
  unlink(partial.c_str());
  return false;
}

} // namespace unravel::files
