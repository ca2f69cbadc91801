#pragma once

#include "text/characters.h"
#include "text/source.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace unravel::data {

/// Half of the machine's memory, in bytes.
std::int64_t default_max_memory();

struct ReadOptions {
  /// Bytes that the result and the text of a compressed file may take together; more is refused
  /// (kind memory_limit) before the memory is taken.
  std::int64_t max_memory = default_max_memory();
  /// Integers of 64 bits come in halves where a double would round one (Coordinates::in_halves); else such a
  /// one is refused.
  bool exact_integers = false;
  /// Called with the fraction done, in [0, 1], at most ten times a second and from the calling thread only.
  std::function<void(double)> progress;
};

/// Calls a progress function at most ten times a second.
class Progress {
public:
  /// Fractions reported are mapped from [0, 1] to [from, to].
  Progress(const std::function<void(double)> &report, double from, double to)
      : report_(report), from_(from), to_(to), last_(std::chrono::steady_clock::now()) {}
  void at(double fraction);

private:
  const std::function<void(double)> &report_;
  double from_, to_;
  std::chrono::steady_clock::time_point last_;
};

/// The whole content of a file: mapped into memory, or inflated when it starts with gzip's magic bytes,
/// whatever its name. Pipes and devices are read to their end; of one that holds nothing that is read here,
/// as /dev/zero, the beginning. Throws cannot_read, bad_gzip, memory_limit.
class FileText {
public:
  FileText(const std::string &path, const ReadOptions &options);
  ~FileText();
  FileText(const FileText &) = delete;
  FileText &operator=(const FileText &) = delete;

  const std::string &path() const { return path_; }
  std::string_view content() const { return content_; }
  bool compressed() const { return compressed_; }
  /// Bytes of memory that the text itself takes: 0 for a mapped file.
  std::int64_t memory() const { return static_cast<std::int64_t>(owned_.size()); }

  /// The place of the characters [begin, end). O(begin): for messages only.
  text::Place place(std::size_t begin, std::size_t end) const;

private:
  void read_stream(int descriptor, std::int64_t max_memory);
  void inflate_content(const ReadOptions &options);

  std::string path_;
  std::string_view content_;
  std::string owned_;
  void *mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
  bool compressed_ = false;
};

using text::printable;

/// Whether a text holds bytes that no text file has; looks at its first 512 characters.
bool looks_binary(std::string_view content);

/// "512 MiB" and the like.
std::string memory_text(std::int64_t bytes);

/// Throws memory_limit where `needed` bytes are more than `allowed`; `what` is such as "the tensor takes".
void check_memory(const text::Place &place, const std::string &what, std::int64_t needed,
                  std::int64_t allowed);

} // namespace unravel::data
