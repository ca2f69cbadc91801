#pragma once

#include "report/diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

/// What the fuzzers share. Each is a program of libFuzzer's, which calls LLVMFuzzerTestOneInput with texts
/// that it makes of the ones in a corpus: `fuzz_layout CORPUS`; scripts/fuzz runs them all.
namespace unravel::fuzz {

inline std::string_view text_of(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the program as a crash does, which the fuzzer reports with the input.
[[noreturn]] inline void fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

/// Calls `read`, which may refuse its input in any way but one: with an error of our own.
template <class Read> void refusable(const Read &read) {
  try {
    read();
  } catch (const report::Error &error) {
    if (report::category_of(error.diagnostic().kind) == report::Category::Bug)
      fail(report::render(error.diagnostic()));
    report::render(error.diagnostic()); // shows the text around the place
  }
}

/// A folder of this process alone, in memory where there is such a place.
inline const std::filesystem::path &own_folder() {
  static const std::filesystem::path folder = [] {
    const char *in_memory = "/dev/shm";
    auto made = (std::filesystem::is_directory(in_memory) ? std::filesystem::path(in_memory)
                                                          : std::filesystem::temp_directory_path()) /
                ("unravel-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(made);
    std::atexit([] { std::filesystem::remove_all(own_folder()); });
    return made;
  }();
  return folder;
}

/// The input as a file of that name; its path.
inline std::string as_file(const std::string &name, std::string_view content) {
  const std::filesystem::path path = own_folder() / name;
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return path.string();
}

} // namespace unravel::fuzz
