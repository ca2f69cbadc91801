#include "parse/lexer.h"
#include "parse/parse.h"
#include "parse/values.h"
#include "report/diagnostic.h"
#include "text/characters.h"

#include <charconv>

namespace unravel::parse {

namespace {

constexpr std::string_view blank_characters = " \t\r\n\f\v";
constexpr const char *forms =
    "write `csr`, `bcsr<4,4>`, `./mine.layout:name`, `like:S` or `csr int32 fill inf`";

/// Works on characters and not on tokens: paths are not made of tokens.
class ReferenceParser {
public:
  explicit ReferenceParser(const std::shared_ptr<const text::Source> &source)
      : source_(source), text_(source->content()) {
    begin_ = text_.find_first_not_of(blank_characters);
    if (begin_ == std::string_view::npos)
      begin_ = 0, end_ = 0;
    else
      end_ = text_.find_last_not_of(blank_characters) + 1;
    parse_values();
    result_.span = span(begin_, end_);
  }

  LayoutReference parse() {
    if (begin_ == end_) fail_at(begin_, end_, "expected a layout, saw nothing", forms);
    if (text_.substr(begin_, end_ - begin_).substr(0, 5) == "like:") return parse_like();
    if (is_layout_text(text_.substr(begin_, end_ - begin_))) {
      const std::size_t behind = std::min(text_.rfind('}', end_ - 1) + 1, end_);
      result_.file = std::string(text_.substr(begin_, behind - begin_));
      const bool names_one = behind + 1 < end_ && text_[behind] == ':' && text::is_letter(text_[behind + 1]);
      parse_parameters(names_one ? parse_name(behind + 1) : behind);
      return std::move(result_);
    }
    std::size_t name = parse_file();
    if (result_.file.empty() || name > begin_ + result_.file.size()) name = parse_name(name);
    parse_parameters(name);
    return std::move(result_);
  }

private:
  /// What is said behind the layout is taken off its end: paths may have blanks in them.
  void parse_values() {
    std::size_t word = begin_of_last();
    if (word > begin_ && text_.substr(word, end_ - word) == "fill")
      fail_at(word, end_, "expected a number after `fill`, saw nothing", "write `fill inf`");
    const std::size_t number = word, end = end_;
    cut(word);
    word = begin_of_last();
    if (word > begin_ && text_.substr(word, end_ - word) == "fill") {
      result_.values.fill = fill_of(text_.substr(number, end - number));
      if (!result_.values.fill)
        fail_at(number, end, "expected a number after `fill`, saw " + shown(number, end), "write `fill inf`");
      result_.values.fill_span = span(word, end);
      cut(word);
      word = begin_of_last();
    } else {
      end_ = end;
      word = number;
    }
    if (word == begin_ || !is_value_type(text_.substr(word, end_ - word))) return;
    result_.values.type = Name{std::string(text_.substr(word, end_ - word)), span(word, end_)};
    cut(word);
  }

  std::size_t begin_of_last() const {
    const std::size_t found = text_.substr(0, end_).find_last_of(blank_characters);
    return found == std::string_view::npos ? begin_ : std::max(begin_, found + 1);
  }

  void cut(std::size_t end) {
    end_ = end;
    while (end_ > begin_ && blank_characters.find(text_[end_ - 1]) != std::string_view::npos)
      --end_;
  }

  LayoutReference parse_like() {
    std::size_t begin = begin_ + 5;
    std::size_t end = end_of_name(begin);
    if (end == begin || end != end_)
      fail_at(begin, end_, "expected the name of a tensor after `like:`, saw " + shown(begin, end_),
              "write `like:S`");
    result_.like = std::string(text_.substr(begin, end - begin));
    return std::move(result_);
  }

  /// A path contains `/` or ends in .layout; a `:` ends it, and so does the `<` of parameters behind .layout.
  /// Returns where the name begins, behind the `:`.
  std::size_t parse_file() {
    std::string_view whole = text_.substr(begin_, end_ - begin_);
    std::size_t slash = whole.rfind('/');
    std::size_t tail = slash == std::string_view::npos ? 0 : slash + 1;
    std::size_t end = std::min(whole.find(':', tail), whole.size());
    constexpr std::string_view extension = ".layout";
    std::size_t extended = whole.substr(0, end).find(".layout<", tail);
    if (extended != std::string_view::npos) end = extended + extension.size();
    std::string_view path = whole.substr(0, end);
    bool named = path.size() >= extension.size() && path.substr(path.size() - extension.size()) == extension;
    if (tail == 0 && !named) return begin_;
    result_.file = std::string(path);
    bool colon = end < whole.size() && whole[end] == ':';
    return begin_ + end + (colon ? 1 : 0);
  }

  /// Returns where the name ends.
  std::size_t parse_name(std::size_t begin) {
    std::size_t end = end_of_name(begin);
    fail_if_stray(end);
    if (end == begin) fail_at(begin, end_, "expected the name of a layout, saw " + shown(begin, end_), forms);
    result_.name = std::string(text_.substr(begin, end - begin));
    return end;
  }

  /// `<4, 4>` or `:4,4` or nothing.
  void parse_parameters(std::size_t position) {
    if (position == end_) return;
    char opening = text_[position];
    if (opening != '<' && opening != ':') fail_leftover(position, "parameters or the end of the layout");
    std::size_t stop = end_;
    if (opening == '<') {
      stop = std::min(text_.find('>', position), end_);
      if (stop == end_)
        fail_at(position, position + 1, "`<` is never closed",
                "write `bcsr<4,4>`, or without brackets `bcsr:4,4`");
      if (stop + 1 != end_) fail_leftover(stop + 1, "the end of the layout");
    }
    for (++position;;) {
      position = parse_integer(position, stop);
      if (position == stop) return;
      if (text_[position] != ',')
        fail_at(position, stop, "expected `,` between parameters, saw " + shown(position, stop), forms);
      ++position;
    }
  }

  [[noreturn]] void fail_leftover(std::size_t position, const std::string &expected) const {
    position = skip_blank(position, end_);
    fail_if_stray(position);
    fail_at(position, end_, "expected " + expected + ", saw " + shown(position, end_), forms);
  }

  /// Returns the first character behind the integer that is not blank.
  std::size_t parse_integer(std::size_t position, std::size_t stop) {
    position = skip_blank(position, stop);
    fail_if_stray(position);
    std::size_t end = position;
    while (end < stop && text::is_digit(text_[end]))
      ++end;
    if (end == position || (end < stop && text::is_letter(text_[end])))
      fail_at(position, stop, "expected an integer as a parameter, saw " + shown(position, stop),
              "write `bcsr<4,4>`");
    std::int64_t value = 0;
    if (std::from_chars(text_.data() + position, text_.data() + end, value).ec != std::errc())
      report::fail(report::Kind::number_too_large, span(position, end),
                   shown(position, end) + " does not fit in a 64-bit integer",
                   "the largest one is 9223372036854775807");
    result_.parameters.push_back(value);
    return skip_blank(end, stop);
  }

  std::size_t skip_blank(std::size_t position, std::size_t stop) const {
    while (position < stop && blank_characters.find(text_[position]) != std::string_view::npos)
      ++position;
    return position;
  }

  std::size_t end_of_name(std::size_t position) const {
    if (position >= end_ || !text::is_letter(text_[position])) return position;
    while (position < end_ && (text::is_letter(text_[position]) || text::is_digit(text_[position])))
      ++position;
    return position;
  }

  /// Names and numbers are plain; what is not is shown as such.
  void fail_if_stray(std::size_t position) const {
    unsigned char c = position < end_ ? static_cast<unsigned char>(text_[position]) : ' ';
    if (c < 32 || c > 126) throw report::Error(describe_stray(source_, position, Dialect::Schedule));
  }

  /// For a message; bytes that are not printable are shown as `?`.
  std::string shown(std::size_t begin, std::size_t end) const {
    if (begin == end) return "nothing";
    std::string text(text_.substr(begin, std::min<std::size_t>(end - begin, 60)));
    for (char &c : text)
      if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    return "`" + text + "`";
  }

  text::Span span(std::size_t begin, std::size_t end) const { return text::Span{source_, begin, end}; }

  [[noreturn]] void fail_at(std::size_t begin, std::size_t end, std::string message, std::string hint) const {
    report::fail(report::Kind::syntax_error, span(begin, end), std::move(message), std::move(hint));
  }

  std::shared_ptr<const text::Source> source_;
  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0; // without the blanks around
  LayoutReference result_;
};

} // namespace

bool is_layout_text(std::string_view text) {
  return text.find('{') != std::string_view::npos;
}

LayoutReference parse_layout_reference(const std::shared_ptr<const text::Source> &source) {
  return ReferenceParser(source).parse();
}

} // namespace unravel::parse
