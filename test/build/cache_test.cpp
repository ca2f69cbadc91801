#include "build/cache.h"

#include "build/back_end.h"
#include "build/scene.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace unravel::build {

namespace {

using scene::cached_in;
using scene::function;

constexpr std::uint64_t ample = 1 << 20;

std::string bytes_of(char letter, std::size_t size) {
  return std::string(size, letter);
}

bool finds(const DiskCache &cache, const std::string &key) {
  return cache.find(key).has_value();
}

/// A new file in the place of the old one, as mapped code must not change under a process.
void replace(const std::string &path, const std::string &bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
  chmod(path.c_str(), 0600);
}

} // namespace

TEST(DiskCache, findsWhatItStores) {
  PrivateFolder folder;
  DiskCache cache(folder.path() + "/deep/er", ample);
  ASSERT_TRUE(cache.usable());
  EXPECT_FALSE(finds(cache, "key"));
  cache.store("key", "code");
  auto path = cache.find("key");
  ASSERT_TRUE(path);
  EXPECT_EQ(read_file(*path)->substr(0, 4), "code");
  EXPECT_FALSE(finds(cache, "another key"));
  struct stat status;
  ASSERT_EQ(stat((folder.path() + "/deep/er").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(DiskCache, ignoresAndDeletesCorruptedEntries) {
  PrivateFolder folder;
  DiskCache cache(folder.path(), ample);
  cache.store("key", "code");
  const std::string path = *cache.find("key"), good = *read_file(path);
  for (std::size_t k = 0; k < good.size(); ++k) { // every byte counts
    std::string bad = good;
    bad[k] ^= 1;
    replace(path, bad);
    EXPECT_FALSE(finds(cache, "key")) << "byte " << k;
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    replace(path, good.substr(0, size));
    EXPECT_FALSE(finds(cache, "key")) << "size " << size;
  }
  cache.store("key", "code");
  EXPECT_TRUE(finds(cache, "key"));
}

TEST(DiskCache, deletesWhatWasNotUsedForLong) {
  PrivateFolder folder;
  DiskCache cache(folder.path(), 4000);
  for (const char *key : {"a", "b", "c"}) {
    cache.store(key, bytes_of(*key, 1000));
    usleep(20000); // file times advance in steps
  }
  EXPECT_TRUE(finds(cache, "a")); // so b is the one that was not used for longest
  usleep(20000);
  cache.store("d", bytes_of('d', 1000));
  EXPECT_TRUE(finds(cache, "a"));
  EXPECT_FALSE(finds(cache, "b"));
  EXPECT_TRUE(finds(cache, "c"));
  EXPECT_TRUE(finds(cache, "d"));
}

TEST(DiskCache, deletesOldPartialFilesOnly) {
  PrivateFolder folder;
  DiskCache cache(folder.path(), ample);
  std::string old = folder.path() + "/0.so.1.0.partial", fresh = folder.path() + "/0.so.2.0.partial";
  replace(old, "half");
  replace(fresh, "half");
  std::filesystem::last_write_time(old,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  cache.store("key", "code");
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(fresh));
}

TEST(DiskCache, refusesFoldersThatOthersCouldFill) {
  PrivateFolder folder;
  EXPECT_FALSE(DiskCache("", ample).usable());
  std::filesystem::create_directory_symlink(folder.path(), folder.path() + "/link");
  EXPECT_FALSE(DiskCache(folder.path() + "/link", ample).usable());
  EXPECT_FALSE(DiskCache(folder.path() + "/link/", ample).usable());
  std::filesystem::create_directory(folder.path() + "/open");
  chmod((folder.path() + "/open").c_str(), 0777);
  EXPECT_FALSE(DiskCache(folder.path() + "/open", ample).usable());
  replace(folder.path() + "/file", "not a folder");
  EXPECT_FALSE(DiskCache(folder.path() + "/file", ample).usable());
  EXPECT_FALSE(DiskCache(folder.path() + "/file/below", ample).usable());
  EXPECT_FALSE(DiskCache("/proc/unravel", ample).usable());
  EXPECT_TRUE(geteuid() == 0 || !DiskCache("/usr", ample).usable());
}

TEST(DiskCache, refusesFoldersOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  PrivateFolder folder;
  ASSERT_EQ(chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(DiskCache(folder.path(), ample).usable());
}

TEST(DiskCache, refusesFilesThatOthersCouldWrite) {
  PrivateFolder folder;
  DiskCache cache(folder.path(), ample);
  cache.store("key", "code");
  const std::string path = *cache.find("key");
  chmod(path.c_str(), 0666);
  EXPECT_FALSE(finds(cache, "key"));
  chmod(path.c_str(), 0600);
  EXPECT_TRUE(finds(cache, "key"));
  std::filesystem::rename(path, path + ".elsewhere");
  std::filesystem::create_symlink(path + ".elsewhere", path);
  EXPECT_FALSE(finds(cache, "key"));
}

TEST(DiskCache, choosesItsFolder) {
  EXPECT_EQ(cache_directory("chosen"), "chosen");
  scene::Environment home("HOME", "/home/somebody"), own("UNRAVEL_CACHE_DIR", ""),
      shared("XDG_CACHE_HOME", "");
  EXPECT_EQ(cache_directory(""), "/home/somebody/.cache/unravel");
  {
    scene::Environment relative("XDG_CACHE_HOME", "cache");
    EXPECT_EQ(cache_directory(""), "/home/somebody/.cache/unravel");
  }
  scene::Environment absolute("XDG_CACHE_HOME", "/cache");
  EXPECT_EQ(cache_directory(""), "/cache/unravel");
  scene::Environment first("UNRAVEL_CACHE_DIR", "/kernels");
  EXPECT_EQ(cache_directory(""), "/kernels");
}

TEST(Cache, hitsInMemory) {
  PrivateFolder folder;
  forget_kernels();
  EXPECT_FALSE(compile(scene::plain_text(100), cached_in(folder)).timing().cached);
  double least = 1e9;
  for (int time = 0; time < 5; ++time) {
    Kernel kernel = compile(scene::plain_text(100), cached_in(folder));
    EXPECT_TRUE(kernel.timing().cached);
    EXPECT_EQ(function<double(double)>(kernel, "twice")(4), 8);
    least = std::min(least, kernel.timing().milliseconds);
  }
  EXPECT_LT(least, 1.0);
}

TEST(Cache, hitsOnDisk) {
  PrivateFolder folder;
  forget_kernels();
  EXPECT_FALSE(compile(scene::parallel_text(), cached_in(folder)).timing().cached);
  forget_kernels();
  Kernel kernel = compile(scene::parallel_text(), cached_in(folder));
  EXPECT_TRUE(kernel.timing().cached);
  kernel.set_threads(2);
  std::vector<int> ids(4);
  EXPECT_EQ(function<int(int *, int)>(kernel, "threads")(ids.data(), 4), 2);
}

TEST(Cache, isLeftAloneWhenOff) {
  PrivateFolder folder;
  Options options = cached_in(folder);
  options.cache = false;
  for (int time = 0; time < 2; ++time)
    EXPECT_FALSE(compile(scene::plain_text(101), options).timing().cached);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Cache, rebuildsCorruptedEntries) {
  PrivateFolder folder;
  compile(scene::plain_text(102), cached_in(folder));
  forget_kernels();
  auto files = scene::files_in(folder.path(), ".so");
  ASSERT_EQ(files.size(), 1u);
  std::string good = *read_file(files[0]), bad = good;
  bad[200] ^= 1;
  replace(files[0], bad);
  Kernel kernel = compile(scene::plain_text(102), cached_in(folder));
  EXPECT_FALSE(kernel.timing().cached);
  EXPECT_EQ(function<double(double)>(kernel, "twice")(4), 8);
  forget_kernels();
  EXPECT_TRUE(compile(scene::plain_text(102), cached_in(folder)).timing().cached);
}

TEST(Cache, rebuildsEntriesThatCannotBeLoaded) {
  PrivateFolder folder;
  compile(scene::plain_text(103), cached_in(folder));
  forget_kernels();
  std::string path = scene::files_in(folder.path(), ".so").at(0), file = *read_file(path);
  // A well-formed entry of the same key whose object is not one.
  std::uint64_t sizes[2];
  std::memcpy(sizes, file.data() + file.size() - 48, sizeof(sizes));
  std::string key = file.substr(sizes[0], sizes[1]);
  DiskCache(folder.path(), ample).store(key, "no shared object");
  Kernel kernel = compile(scene::plain_text(103), cached_in(folder));
  EXPECT_FALSE(kernel.timing().cached);
  EXPECT_EQ(function<double(double)>(kernel, "twice")(4), 8);
}

TEST(Cache, worksWithoutAFolder) {
  PrivateFolder folder;
  replace(folder.path() + "/file", "");
  Options options;
  options.cache_directory = folder.path() + "/file/below";
  forget_kernels();
  EXPECT_FALSE(compile(scene::plain_text(104), options).timing().cached);
  EXPECT_TRUE(compile(scene::plain_text(104), options).timing().cached); // in memory
  forget_kernels();
  EXPECT_FALSE(compile(scene::plain_text(104), options).timing().cached);
}

TEST(Cache, staysWithinItsBound) {
  PrivateFolder folder;
  Options options = cached_in(folder);
  options.cache_bytes = 60000;
  for (int number = 200; number < 206; ++number)
    compile(scene::plain_text(number), options);
  std::uint64_t size = std::filesystem::file_size(scene::files_in(folder.path(), ".so").at(0));
  options.cache_bytes = 2 * size + size / 2;
  compile(scene::plain_text(206), options);
  EXPECT_EQ(scene::files_in(folder.path(), ".so").size(), 2u);
  forget_kernels();
  EXPECT_TRUE(compile(scene::plain_text(206), options).timing().cached);
  EXPECT_FALSE(compile(scene::plain_text(200), options).timing().cached);
}

/// What UNRAVEL_TEST_CACHED says is "1": the kernels must come from disk, and the compiler must not be
/// loaded.
TEST(ChildOfCache, DISABLED_compiles) {
  bool expected =
      std::getenv("UNRAVEL_TEST_CACHED") && std::string(std::getenv("UNRAVEL_TEST_CACHED")) == "1";
  for (int number = 300; number < 304; ++number) {
    Kernel kernel = compile(scene::plain_text(number));
    EXPECT_EQ(function<double(double)>(kernel, "twice")(4), 8);
    EXPECT_TRUE(kernel.timing().cached || !expected);
  }
  bool loaded = read_file("/proc/self/maps")->find("LLVM") != std::string::npos;
  EXPECT_FALSE(expected && loaded);
}

TEST(Cache, isSharedByProcesses) {
  PrivateFolder folder;
  std::string cache = "UNRAVEL_CACHE_DIR=" + folder.path();
  std::vector<pid_t> children;
  for (int k = 0; k < 5; ++k)
    children.push_back(scene::start_child("ChildOfCache.DISABLED_compiles", {cache}));
  for (pid_t child : children)
    EXPECT_EQ(scene::wait_for(child), 0);
  EXPECT_EQ(scene::files_in(folder.path(), ".so").size(), 4u);
  EXPECT_EQ(scene::files_in(folder.path(), ".partial").size(), 0u);
  EXPECT_EQ(
      scene::wait_for(scene::start_child("ChildOfCache.DISABLED_compiles", {cache, "UNRAVEL_TEST_CACHED=1"})),
      0);
}

} // namespace unravel::build
