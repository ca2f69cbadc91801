#pragma once

#include "files/unfinished.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

struct gzFile_s;

namespace unravel::data {

/// A file being written: its text goes to a temporary file beside the target, which commit() renames, so that
/// the target is either as it was or complete. A name that ends in .gz is compressed. A target that exists
/// and is no regular file (a pipe, /dev/null) is written directly. Throws cannot_write with the system's
/// reason.
class OutputFile {
public:
  explicit OutputFile(const std::string &path);
  /// Removes what was written unless commit() was called.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  void write(std::string_view characters);
  /// Like write, buffered: for many small pieces.
  void append(std::string_view characters) {
    buffer_.append(characters);
    if (buffer_.size() >= buffer_size) flush();
  }
  /// The shortest decimal form that reads back as the same number.
  template <class Number> void append_number(Number number) {
    char digits[32];
    append(std::string_view(digits, std::to_chars(digits, digits + sizeof digits, number).ptr));
  }

  void commit();

private:
  static constexpr std::size_t buffer_size = std::size_t{1} << 18;
  void flush();
  [[noreturn]] void fail_to_write(int error) const;
  void close_all();

  std::string path_;      // as the user gave it
  std::string target_;    // links resolved
  std::string temporary_; // empty when the target is written directly
  std::optional<files::Unfinished> unfinished_;
  std::string buffer_;
  int descriptor_ = -1;
  gzFile_s *packed_ = nullptr;
};

/// Writes a whole text, or nothing. Throws cannot_write.
inline void write_text_file(const std::string &path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

} // namespace unravel::data
