#pragma once

#include "files/own_folder.h"

#include <cstdint>
#include <optional>
#include <string>

namespace unravel::build {

/// A folder of shared objects, one file per entry, that any number of processes may use at once. Entries are
/// checked when they are read. An entry's file is the shared object, then
/// the text of the key it was stored under, then a checksum over both; the dynamic loader does not look at
/// what follows the object. The files are code, so the folder must be the user's own. Where it isn't, or a
/// write fails, the cache finds and keeps nothing.
class DiskCache {
public:
  /// Makes the directory, and its parents, where they are missing. Never throws for the directory's sake.
  DiskCache(std::string directory, std::uint64_t most_bytes);

  bool usable() const { return folder_.usable(); }
  /// The file of the entry stored under `key`, verified, and marked as used just now. It begins with the
  /// shared object. A file that does not verify is deleted.
  std::optional<std::string> find(const std::string &key) const;
  /// Then deletes the entries that were used the longest time ago until what is left takes at most
  /// `most_bytes`.
  void store(const std::string &key, const std::string &bytes) const;

private:
  static std::string name_of(const std::string &key);
  void evict() const;

  files::OwnFolder folder_;
  std::uint64_t most_bytes_;
};

/// `chosen`, or where that is empty $UNRAVEL_CACHE_DIR, else $XDG_CACHE_HOME/unravel, else ~/.cache/unravel;
/// empty where none of them is known.
std::string cache_directory(const std::string &chosen);

} // namespace unravel::build
