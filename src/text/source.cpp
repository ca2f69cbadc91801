#include "text/source.h"
#include "text/characters.h"

#include <algorithm>

namespace unravel::text {

Source::Source(std::string name, std::string content) : name_(std::move(name)), content_(std::move(content)) {
  content_.erase(0, content_.size() - without_byte_order_mark(content_).size());
}

Place Source::place(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, content_.size());
  end = std::clamp(end, begin, content_.size());
  std::size_t line_begin = begin == 0 ? 0 : content_.rfind('\n', begin - 1);
  line_begin = (begin == 0 || line_begin == std::string::npos) ? 0 : line_begin + 1;
  std::size_t line_end = content_.find('\n', begin);
  if (line_end == std::string::npos) line_end = content_.size();
  // The carriage return of a Windows line end isn't part of the line, unless the place is just there.
  if (line_end > begin && content_[line_end - 1] == '\r') --line_end;
  Place place;
  place.file = name_;
  place.line = 1 + static_cast<std::size_t>(std::count(content_.begin(), content_.begin() + begin, '\n'));
  const std::string_view content = content_;
  place.column = characters_in(content.substr(line_begin, begin - line_begin)) + 1;
  place.excerpt = content_.substr(line_begin, line_end - line_begin);
  place.length = std::max<std::size_t>(
      1, characters_in(content.substr(begin, std::max(begin, std::min(end, line_end)) - begin)));
  return place;
}

std::string Span::text() const {
  return source ? std::string(source->content().substr(begin, end - begin)) : std::string();
}

Span join(const Span &first, const Span &last) {
  if (!first.source) return last;
  if (!last.source) return first;
  return Span{first.source, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

} // namespace unravel::text
