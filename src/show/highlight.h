#pragma once

#include <string>

namespace unravel::show {

/// Colours C as HTML, line by line: words of the language, numbers, texts, comments, lines for the
/// preprocessor, each in a span of that class. The lines of one text, in their order: a comment may go over
/// several.
class Highlighter {
public:
  /// Escaped, with spans; what it shows is the line.
  std::string line(const std::string &code);

private:
  bool in_comment_ = false;
};

} // namespace unravel::show
