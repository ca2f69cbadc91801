#pragma once

#include "data/file_text.h"
#include "data/parallel.h"
#include "report/diagnostic.h"

#include <charconv>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reading a text file of one entry per line with all cores: the text is cut at line boundaries into chunks,
/// their entries are counted, and then each chunk is read straight to its place in the result.
namespace unravel::data {

/// A stretch [begin, end) of a text, whole lines. `entries` counts the lines that are neither blank nor
/// comments, `first` how many of these come before the chunk.
struct LineChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t entries = 0;
  std::size_t first = 0;
};

/// Cuts the text from `begin` on into chunks and counts their entries. Lines whose first character that isn't
/// blank is `comment` are comments.
std::vector<LineChunk> split_lines(std::string_view content, std::size_t begin, char comment);

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// As std::from_chars, for the decimal number that a text begins with. One that is closer to 0 than any
/// double is 0; one that is too large is no number, with the error result_out_of_range.
std::from_chars_result read_decimal(const char *first, const char *end, double &value);

/// Returns the fill that a comment line at a file's beginning says: the number after `mark`, whose first
/// character begins comments.
std::optional<double> fill_in_comments(std::string_view beginning, std::string_view mark);

/// A cursor over the entries of a chunk: positions itself on lines, reads their numbers, and fails with the
/// exact place. Nothing is allocated unless something is wrong.
class LineCursor {
public:
  LineCursor(const FileText &file, std::size_t begin, std::size_t end, char comment)
      : file_(file), start_(file.content().data()), at_(start_ + begin), end_(start_ + end),
        comment_(comment) {}

  /// Moves to the next line that holds an entry; false at the end.
  bool next_line() {
    for (;;) {
      while (at_ < end_ && (is_blank(*at_) || *at_ == '\n'))
        ++at_;
      if (at_ == end_) return false;
      if (*at_ != comment_) return true;
      skip_line();
    }
  }

  /// Skips the rest of the line, the newline included.
  void skip_line();

  bool at_line_end() {
    while (at_ < end_ && is_blank(*at_))
      ++at_;
    return at_ == end_ || *at_ == '\n';
  }

  /// Fails unless nothing but blanks is left on the line. `expected` says what a line holds.
  void expect_line_end(const char *expected) {
    if (!at_line_end()) fail_extra_text(expected);
  }

  /// An index in the file's counting from 1, returned counting from 0; `what` is such as "row index".
  std::int64_t read_index(std::int64_t extent, const char *what) {
    std::int64_t number = read_digits(what);
    if (number < 1 || number > extent) fail_out_of_range(number, extent, what);
    return number - 1;
  }

  /// An integer with an optional sign.
  std::int64_t read_integer(const char *what) {
    if (at_line_end()) fail_missing(what);
    mark();
    bool negative = *at_ == '-';
    if (negative || *at_ == '+') ++at_;
    std::int64_t number = read_digits_here(what);
    return negative ? -number : number;
  }

  double read_real(const char *what);
  /// An integer that a double holds exactly.
  double read_integer_value(const char *what);
  /// The halves of one between -2^63 and 2^64.
  std::complex<double> read_integer_halves(const char *what);

  std::size_t offset() const { return static_cast<std::size_t>(at_ - start_); }
  /// The place of the last number read.
  text::Place token_place() const;
  /// The place of the whole word at the cursor.
  text::Place word_place() const;
  /// Fails at the last number read.
  [[noreturn]] void fail_at_token(report::Kind kind, const std::string &message,
                                  const std::string &hint = {}) const {
    report::fail(kind, token_place(), message, hint);
  }
  /// The word at the cursor, up to the next blank.
  std::string_view word() const;

private:
  void mark() { token_ = at_; }

  /// Of an integer with an optional sign.
  std::string_view read_digits_of_value(const char *what, bool &negative);

  std::int64_t read_digits(const char *what) {
    if (at_line_end()) fail_missing(what);
    mark();
    return read_digits_here(what);
  }

  std::int64_t read_digits_here(const char *what) {
    const char *first = at_;
    std::uint64_t number = 0;
    while (at_ < end_ && static_cast<unsigned char>(*at_ - '0') < 10)
      number = number * 10 + static_cast<unsigned char>(*at_++ - '0');
    if (at_ == first || (at_ < end_ && !is_blank(*at_) && *at_ != '\n')) fail_not_a_number(what);
    if (at_ - first > 18) check_size(first);
    return static_cast<std::int64_t>(number);
  }

  /// Fails when the digits from `first` to the cursor are beyond 2^63 - 1.
  void check_size(const char *first) const;
  [[noreturn]] void fail_missing(const char *what) const;
  [[noreturn]] void fail_not_a_number(const char *what) const;
  [[noreturn]] void fail_extra_text(const char *expected) const;
  [[noreturn]] void fail_out_of_range(std::int64_t number, std::int64_t extent, const char *what) const;
  double read_real_slowly(const char *what);

  const FileText &file_;
  const char *start_;
  const char *at_;
  const char *end_;
  const char *token_ = nullptr;
  char comment_;
};

/// Calls read(cursor, chunk) for each chunk on all cores.
void read_chunks(const FileText &file, const std::vector<LineChunk> &chunks, char comment,
                 const ReadOptions &options,
                 const std::function<void(LineCursor &, const LineChunk &)> &read);

} // namespace unravel::data
