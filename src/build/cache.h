#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace unravel::build {

/// A folder of shared objects, one file per entry, that any number of processes may use at once: entries
/// appear by an atomic rename, and are checked when they are read. An entry's file is the shared object, then
/// the text of the key it was stored under, then a checksum over both; the dynamic loader does not look at
/// what follows the object. The files are code, so the folder is used only if it is a real directory, is
/// owned by the user and nobody else can write to it; likewise each file. Where that does not hold, or a
/// write fails, the cache finds and keeps nothing.
class DiskCache {
public:
  /// Makes the directory, and its parents, where they are missing. Never throws for the directory's sake.
  DiskCache(std::string directory, std::uint64_t most_bytes);

  bool usable() const { return usable_; }
  /// The file of the entry stored under `key`, verified, and marked as used just now. It begins with the
  /// shared object. A file that does not verify is deleted.
  std::optional<std::string> find(const std::string &key) const;
  /// Then deletes the entries that were used the longest time ago until what is left takes at most
  /// `most_bytes`.
  void store(const std::string &key, const std::string &bytes) const;

private:
  std::string path_of(const std::string &key) const;
  void evict() const;

  std::string directory_;
  std::uint64_t most_bytes_;
  bool usable_ = false;
};

/// `chosen`, or where that is empty $UNRAVEL_CACHE_DIR, else $XDG_CACHE_HOME/unravel, else ~/.cache/unravel;
/// empty where none of them is known.
std::string cache_directory(const std::string &chosen);

} // namespace unravel::build
