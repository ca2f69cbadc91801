#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

/// Source texts and positions in them.
namespace unravel::text {

/// A position in a file, ready to be shown: what a message needs once the source itself is gone.
/// `line` and `column` count from 1; 0 means unknown. `excerpt` is the line's text, `length` the number of
/// characters to underline (at least 1 where a column is known).
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string excerpt;
  std::size_t length = 1;

  /// A file as a whole.
  static Place of_file(std::string name) { return Place{std::move(name), 0, 0, {}, 1}; }
};

/// An immutable text with a name: a layout file, an expression from the command line.
class Source {
public:
  Source(std::string name, std::string content);

  /// Reads a whole file. What a pipe or a terminal gave is kept, and returned whenever it is asked for again.
  /// Throws report::Error (kind cannot_read) when it can't.
  static std::shared_ptr<const Source> from_file(const std::string &path);

  const std::string &name() const { return name_; }
  std::string_view content() const { return content_; }

  /// The place of the characters [begin, end). O(size of the text): for messages only.
  Place place(std::size_t begin, std::size_t end) const;

private:
  std::string name_;
  std::string content_;
};

/// A stretch of a source: characters [begin, end). Without a source it is "nowhere".
struct Span {
  std::shared_ptr<const Source> source;
  std::size_t begin = 0;
  std::size_t end = 0;

  Place place() const { return source ? source->place(begin, end) : Place{}; }
  /// The characters covered.
  std::string text() const;
};

/// The smallest span that covers both.
Span join(const Span &first, const Span &last);

} // namespace unravel::text
