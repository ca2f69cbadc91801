#pragma once

#include "files/unfinished.h"

#include <optional>
#include <string>
#include <string_view>

namespace unravel::files {

/// An open file, closed at the end of the scope.
class File {
public:
  /// Takes what `open` or `mkostemps` returned, -1 included.
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File();
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// The contents from here on, or nothing after a read error.
  std::optional<std::string> read_all() const;
  /// False after a write error, such as a full disk.
  bool write_all(std::string_view bytes) const;

private:
  int descriptor_;
};

/// The contents of the file `path`, or nothing when it can't be read.
std::optional<std::string> read_file(const std::string &path);

/// $TMPDIR, or /tmp.
std::string scratch_directory();

/// A new folder that only the user can enter, in scratch_directory(); deleted with its contents at the end of
/// the scope, and its files by a signal (unfinished.h). Throws kind `cannot-write`.
class PrivateFolder {
public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
  std::optional<Unfinished> unfinished_;
};

} // namespace unravel::files
