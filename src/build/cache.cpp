#include "build/cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace unravel::build {

namespace {

constexpr char magic[16] = "unravel kernel1";
constexpr const char *entry_ending = ".so";
/// A file that is this old and still not renamed was left by a process that died.
constexpr std::int64_t partial_seconds = 3600;

/// What an entry's file ends with.
struct Trailer {
  std::uint64_t object_size;
  std::uint64_t key_size;
  XXH128_canonical_t checksum; // of the object and the key, which lie before this
  char magic[16];
};

XXH128_canonical_t hash(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return canonical;
}

std::string seal(const std::string &key, const std::string &object) {
  std::string file = object + key;
  Trailer trailer{object.size(), key.size(), hash(file), {}};
  std::memcpy(trailer.magic, magic, sizeof(magic));
  file.append(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
  return file;
}

/// True when an entry's file is whole and is the key's.
bool is_sealed(const std::string &key, const std::string &file) {
  Trailer trailer;
  if (file.size() < sizeof(trailer)) return false;
  std::size_t size = file.size() - sizeof(trailer);
  std::memcpy(&trailer, file.data() + size, sizeof(trailer));
  if (std::memcmp(trailer.magic, magic, sizeof(magic)) != 0) return false;
  if (trailer.object_size > size || trailer.key_size != size - trailer.object_size) return false;
  XXH128_canonical_t checksum = hash(std::string_view(file).substr(0, size));
  if (std::memcmp(&checksum, &trailer.checksum, sizeof(checksum)) != 0) return false;
  return file.compare(trailer.object_size, trailer.key_size, key) == 0;
}

} // namespace

DiskCache::DiskCache(std::string directory, std::uint64_t most_bytes)
    : folder_(std::move(directory)), most_bytes_(most_bytes) {}

std::string DiskCache::name_of(const std::string &key) {
  XXH128_canonical_t digest = hash(key);
  std::string name;
  for (unsigned char byte : digest.digest) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name + entry_ending;
}

std::optional<std::string> DiskCache::find(const std::string &key) const {
  const std::string name = name_of(key), path = folder_.path_of(name);
  std::optional<std::string> contents = folder_.read(name);
  if (!contents) return {};
  if (!is_sealed(key, *contents)) {
    unlink(path.c_str());
    return {};
  }
  utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return path;
}

void DiskCache::store(const std::string &key, const std::string &bytes) const {
  if (folder_.write(name_of(key), seal(key, bytes))) evict();
}

void DiskCache::evict() const {
  struct Used {
    std::int64_t seconds, nanoseconds;
    std::uint64_t size;
    std::string path;
  };
  DIR *folder = opendir(folder_.path().c_str());
  if (!folder) return;
  std::vector<Used> entries;
  std::uint64_t total = 0;
  while (const dirent *item = readdir(folder)) {
    std::string name = item->d_name, path = folder_.path_of(name);
    struct stat status;
    bool partial = name.ends_with(files::OwnFolder::partial_ending);
    if ((!partial && !name.ends_with(entry_ending)) || lstat(path.c_str(), &status) != 0) continue;
    if (partial) {
      if (time(nullptr) - status.st_mtim.tv_sec > partial_seconds) unlink(path.c_str());
      continue;
    }
    auto size = static_cast<std::uint64_t>(status.st_size);
    total += size;
    entries.push_back({status.st_mtim.tv_sec, status.st_mtim.tv_nsec, size, path});
  }
  closedir(folder);
  if (total <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Used &a, const Used &b) {
    return std::tie(a.seconds, a.nanoseconds, a.path) < std::tie(b.seconds, b.nanoseconds, b.path);
  });
  for (const Used &entry : entries) {
    if (total <= most_bytes_) return;
    unlink(entry.path.c_str());
    total -= entry.size;
  }
}

std::string cache_directory(const std::string &chosen) {
  if (!chosen.empty()) return chosen;
  if (const char *own = std::getenv("UNRAVEL_CACHE_DIR"); own && *own) return own;
  // The XDG specification says to ignore a relative path.
  if (const char *shared = std::getenv("XDG_CACHE_HOME"); shared && *shared == '/')
    return std::string(shared) + "/unravel";
  if (const char *home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/unravel";
  return {};
}

} // namespace unravel::build
