#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace unravel::files {

/// A folder of files that are the user's own, which any number of processes may use at once: files appear by
/// an atomic rename. It is used only if it is a real directory, is owned by the user and nobody else can
/// write to it, or put another one in its place; likewise each file. Where that does not hold, nothing is
/// read and nothing written.
class OwnFolder {
public:
  /// What the names of files end with that are being written.
  static constexpr std::string_view partial_ending = ".partial";

  /// Makes the folder, and its parents, with mode 0700 where they are missing. Never throws for the folder's
  /// sake. An empty path: no folder.
  explicit OwnFolder(std::string path);

  bool usable() const { return usable_; }
  const std::string &path() const { return path_; }
  /// The file of that name, which need not exist.
  std::string path_of(const std::string &name) const { return path_ + "/" + name; }
  /// The contents of the file of that name; nothing where it can't be read.
  std::optional<std::string> read(const std::string &name) const;
  /// All of the bytes, or the file stays as it was. Returns whether they were written.
  bool write(const std::string &name, std::string_view bytes) const;

private:
  std::string path_;
  bool usable_ = false;
};

} // namespace unravel::files
