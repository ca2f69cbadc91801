#include "data/lines.h"

#include "text/characters.h"
#include "value/exact.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace unravel::data {

using report::Kind;

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// 10^0 to 10^22: the powers of ten that a double holds exactly.
constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Of a decimal number that no double can hold: whether it is too large, and not too small.
bool is_huge(std::string_view number) {
  std::size_t e = number.find_first_of("eE");
  std::string_view mantissa = number.substr(0, e);
  std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  // The number is about 10^(magnitude + exponent).
  double magnitude = static_cast<double>(point) - static_cast<double>(first);
  if (e == std::string_view::npos) return magnitude > 0;
  bool negative = number[e + 1] == '-';
  double exponent = 0;
  for (char c : number.substr(e + 1))
    if (text::is_digit(c)) exponent = exponent * 10 + (c - '0');
  return magnitude + (negative ? -exponent : exponent) > 0;
}

std::string with_article(std::string_view what) {
  return fmt::format("{} {}", std::string_view("aeio").find(what[0]) != std::string_view::npos ? "an" : "a",
                     what);
}

std::size_t count_entries(std::string_view text, char comment) {
  const char *at = text.data(), *end = at + text.size();
  std::size_t entries = 0;
  while (at < end) {
    while (at < end && is_blank(*at))
      ++at;
    if (at == end) break;
    if (*at == '\n') {
      ++at;
      continue;
    }
    entries += *at != comment;
    at = static_cast<const char *>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (!at) break;
    ++at;
  }
  return entries;
}

} // namespace

std::vector<LineChunk> split_lines(std::string_view content, std::size_t begin, char comment) {
  std::vector<LineChunk> chunks;
  while (begin < content.size()) {
    std::size_t end = std::min(begin + chunk_bytes, content.size());
    end = end == content.size() ? end : std::min(content.find('\n', end - 1), content.size() - 1) + 1;
    chunks.push_back(LineChunk{begin, end, 0, 0});
    begin = end;
  }
  run_parallel(chunks.size(), [&](std::size_t k) {
    chunks[k].entries =
        count_entries(content.substr(chunks[k].begin, chunks[k].end - chunks[k].begin), comment);
  });
  for (std::size_t k = 1; k < chunks.size(); ++k)
    chunks[k].first = chunks[k - 1].first + chunks[k - 1].entries;
  return chunks;
}

void read_chunks(const FileText &file, const std::vector<LineChunk> &chunks, char comment,
                 const ReadOptions &options,
                 const std::function<void(LineCursor &, const LineChunk &)> &read) {
  Progress progress(options.progress, file.compressed() ? 0.5 : 0, 1);
  run_parallel(
      chunks.size(),
      [&](std::size_t k) {
        LineCursor cursor(file, chunks[k].begin, chunks[k].end, comment);
        read(cursor, chunks[k]);
      },
      [&](std::size_t done) { progress.at(static_cast<double>(done) / static_cast<double>(chunks.size())); });
}

void LineCursor::skip_line() {
  const void *newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
  at_ = newline ? static_cast<const char *>(newline) + 1 : end_;
}

std::from_chars_result read_decimal(const char *first, const char *end, double &value) {
  std::from_chars_result read = std::from_chars(first, end, value);
  if (read.ec != std::errc::result_out_of_range ||
      is_huge({first, static_cast<std::size_t>(read.ptr - first)}))
    return read;
  value = *first == '-' ? -0.0 : 0.0;
  read.ec = std::errc();
  return read;
}

double LineCursor::read_real(const char *what) {
  if (at_line_end()) fail_missing(what);
  mark();
  // Clinger's fast path: up to 15 digits and a power of ten that are both exact in a double need one
  // rounding.
  const char *at = at_;
  bool negative = *at == '-';
  if (negative || *at == '+') ++at;
  std::uint64_t digits = 0;
  const char *first = at;
  while (at < end_ && text::is_digit(*at))
    digits = digits * 10 + static_cast<unsigned char>(*at++ - '0');
  std::ptrdiff_t count = at - first;
  std::ptrdiff_t power = 0;
  if (at < end_ && *at == '.') {
    const char *fraction = ++at;
    while (at < end_ && text::is_digit(*at))
      digits = digits * 10 + static_cast<unsigned char>(*at++ - '0');
    power = fraction - at;
    count -= power;
  }
  if (count == 0 || count > 15) return read_real_slowly(what);
  if (at < end_ && (*at == 'e' || *at == 'E')) {
    ++at;
    bool small = at < end_ && *at == '-';
    if (at < end_ && (*at == '-' || *at == '+')) ++at;
    std::ptrdiff_t exponent = 0;
    const char *exponent_begin = at;
    while (at < end_ && text::is_digit(*at) && at - exponent_begin < 4)
      exponent = exponent * 10 + (*at++ - '0');
    if (at == exponent_begin) return read_real_slowly(what);
    power += small ? -exponent : exponent;
  }
  if (power < -22 || power > 22 || (at < end_ && !is_blank(*at) && *at != '\n'))
    return read_real_slowly(what);
  double value = static_cast<double>(digits);
  value = power < 0 ? value / exact_powers[-power] : value * exact_powers[power];
  at_ = at;
  return negative ? -value : value;
}

double LineCursor::read_real_slowly(const char *what) {
  const char *first = at_;
  // std::from_chars takes no leading plus.
  if (*first == '+' && first + 1 < end_ && first[1] != '-') ++first;
  double value = 0;
  auto [last, code] = read_decimal(first, end_, value);
  if (code == std::errc::invalid_argument || (last < end_ && !is_blank(*last) && *last != '\n')) {
    fail_not_a_number(what);
  }
  if (code == std::errc::result_out_of_range)
    report::fail(Kind::bad_entry, word_place(),
                 fmt::format("the {} `{}` is too large for a 64-bit floating-point number", what,
                             printable({first, static_cast<std::size_t>(last - first)})),
                 "the largest is about 1.8e308; infinity is written inf");
  at_ = last;
  return value;
}

double LineCursor::read_integer_value(const char *what) {
  bool negative = false;
  std::string_view digits = read_digits_of_value(what, negative);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  double size = 0;
  const bool is_double = std::from_chars(digits.data(), at_, size).ec == std::errc();
  constexpr std::size_t always_exact = 15; // so many digits
  if (!is_double || (digits.size() > always_exact && fmt::format("{:.0f}", size) != digits))
    fail_at_token(Kind::unsupported_file,
                  fmt::format("the {} `{}{}` is not exact as a 64-bit floating-point number", what,
                              negative ? "-" : "", printable(digits)),
                  "change `integer` in the first line to `real` to have such values rounded");
  return negative && size != 0 ? -size : size;
}

std::string_view LineCursor::read_digits_of_value(const char *what, bool &negative) {
  if (at_line_end()) fail_missing(what);
  mark();
  negative = *at_ == '-';
  if (negative || *at_ == '+') ++at_;
  const char *first = at_;
  while (at_ < end_ && text::is_digit(*at_))
    ++at_;
  if (at_ == first || (at_ < end_ && !is_blank(*at_) && *at_ != '\n')) fail_not_a_number(what);
  return std::string_view(first, static_cast<std::size_t>(at_ - first));
}

std::complex<double> LineCursor::read_integer_halves(const char *what) {
  bool negative = false;
  const char *first = read_digits_of_value(what, negative).data();
  std::uint64_t size = 0;
  constexpr std::uint64_t least = std::uint64_t{1} << 63;
  if (std::from_chars(first, at_, size).ec != std::errc() || (negative && size > least))
    fail_at_token(Kind::number_too_large,
                  fmt::format("the {} `{}` doesn't fit in 64 bits", what,
                              printable(std::string_view(token_, static_cast<std::size_t>(at_ - token_)))),
                  "change `integer` in the first line to `real` to have such values rounded");
  const std::complex<double> halves =
      value::halves_of({value::Type::UInt64, 0, static_cast<std::int64_t>(size)});
  return negative ? -halves : halves;
}

void LineCursor::check_size(const char *first) const {
  std::int64_t number = 0;
  if (std::from_chars(first, at_, number).ec == std::errc()) return;
  report::fail(Kind::number_too_large, token_place(),
               fmt::format("the number `{}` is beyond 2^63 - 1",
                           printable(std::string_view(first, static_cast<std::size_t>(at_ - first)))));
}

std::string_view LineCursor::word() const {
  const char *last = at_;
  while (last < end_ && !is_blank(*last) && *last != '\n')
    ++last;
  return std::string_view(at_, static_cast<std::size_t>(last - at_));
}

text::Place LineCursor::word_place() const {
  return file_.place(offset(), offset() + word().size());
}

text::Place LineCursor::token_place() const {
  return file_.place(static_cast<std::size_t>(token_ - start_), offset());
}

void LineCursor::fail_missing(const char *what) const {
  report::fail(Kind::bad_entry, file_.place(offset(), offset()),
               fmt::format("expected {}, found the end of the line", with_article(what)));
}

void LineCursor::fail_not_a_number(const char *what) const {
  LineCursor from_start = *this;
  from_start.at_ = token_;
  report::fail(Kind::bad_entry, from_start.word_place(),
               fmt::format("expected {}, found `{}`", with_article(what), printable(from_start.word())));
}

void LineCursor::fail_extra_text(const char *expected) const {
  report::fail(Kind::bad_entry, word_place(),
               fmt::format("expected the end of the line, found `{}`", printable(word())),
               fmt::format("a line holds {}", expected));
}

void LineCursor::fail_out_of_range(std::int64_t number, std::int64_t extent, const char *what) const {
  std::string range = extent == 0           ? std::string("the tensor has no entries")
                      : extent == INT64_MAX ? std::string("it must be at least 1")
                                            : fmt::format("it must be from 1 to {}", extent);
  fail_at_token(Kind::entry_out_of_range, fmt::format("the {} is {}, out of range: {}", what, number, range),
                number == 0 ? "indices in files count from 1" : "");
}

std::optional<double> fill_in_comments(std::string_view beginning, std::string_view mark) {
  for (std::size_t at = 0; at < beginning.size() &&
                           (beginning[at] == mark[0] || is_blank(beginning[at]) || beginning[at] == '\n');) {
    const std::size_t end = std::min(beginning.find('\n', at), beginning.size());
    std::string_view line = beginning.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(mark)) continue;
    line.remove_prefix(mark.size());
    while (!line.empty() && is_blank(line.back()))
      line.remove_suffix(1);
    double fill = 0;
    const auto [stop, error] = read_decimal(line.data(), line.data() + line.size(), fill);
    if (error == std::errc() && stop == line.data() + line.size()) return fill;
  }
  return std::nullopt;
}

} // namespace unravel::data
