#include "data/matrix_market.h"

#include "data/lines.h"
#include "report/suggest.h"
#include "text/characters.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::data {

using report::fail;
using report::Kind;

namespace {

enum class Field { Real, Integer, Pattern, Complex };
enum class Symmetry { General, Symmetric, Skew, Hermitian };

struct Header {
  bool array = false;
  Field field = Field::Real;
  Symmetry symmetry = Symmetry::General;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0; // stored in the file
  text::Place count_place;
  std::size_t body = 0; // offset of the first line after the size line
};

struct Word {
  std::string text; // lower case
  std::size_t begin = 0;
  std::size_t end = 0;
};

constexpr const char *banner_form =
    "write a first line such as: %%MatrixMarket matrix coordinate real general";

std::vector<Word> words_of_first_line(std::string_view content) {
  std::vector<Word> words;
  std::size_t end = std::min(content.find('\n'), content.size());
  for (std::size_t at = 0; at < end;) {
    while (at < end && is_blank(content[at]))
      ++at;
    std::size_t begin = at;
    while (at < end && !is_blank(content[at]))
      ++at;
    if (at == begin) break;
    Word word{std::string(content.substr(begin, at - begin)), begin, at};
    for (char &c : word.text)
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    words.push_back(std::move(word));
  }
  return words;
}

/// Checks that the file is a text that starts as a Matrix Market file does.
void check_start(const FileText &file, const std::vector<Word> &words) {
  if (file.content().empty())
    fail(Kind::bad_header, text::Place::of_file(file.path()), "the file is empty", banner_form);
  if (!words.empty() && words[0].text == "%%matrixmarket") return;
  if (looks_binary(file.content()))
    fail(Kind::bad_header, text::Place::of_file(file.path()),
         file.path().ends_with(".gz") ? "this is neither a Matrix Market file nor compressed by gzip"
                                      : "this is a binary file, not a Matrix Market file",
         banner_form);
  if (words.empty()) fail(Kind::bad_header, file.place(0, 0), "the first line is empty", banner_form);
  fail(Kind::bad_header, file.place(words[0].begin, words[0].end),
       fmt::format("expected `%%MatrixMarket`, found `{}`",
                   printable(file.content().substr(words[0].begin, words[0].text.size()))),
       banner_form);
}

[[noreturn]] void fail_at_word(const FileText &file, const Word &word,
                               const std::vector<std::string> &known) {
  fail(Kind::bad_header, file.place(word.begin, word.end),
       fmt::format("expected {}, found `{}`", report::list_words(known),
                   printable(file.content().substr(word.begin, word.end - word.begin))),
       report::suggest(word.text, known, banner_form));
}

/// Which of `known` the word is.
std::size_t choose(const FileText &file, const Word &word, const std::vector<std::string> &known) {
  auto found = std::ranges::find(known, word.text);
  if (found == known.end()) fail_at_word(file, word, known);
  return static_cast<std::size_t>(found - known.begin());
}

void read_banner(const FileText &file, Header &header) {
  std::vector<Word> words = words_of_first_line(file.content());
  check_start(file, words);
  if (words.size() < 5)
    fail(Kind::bad_header, file.place(words.back().end, words.back().end),
         fmt::format("the first line has {} of its 5 words", words.size()), banner_form);
  choose(file, words[1], {"matrix"});
  header.array = choose(file, words[2], {"coordinate", "array"}) == 1;
  std::size_t field = choose(file, words[3], {"real", "integer", "pattern", "complex", "double"});
  header.field = field == 4 ? Field::Real : static_cast<Field>(field);
  header.symmetry =
      static_cast<Symmetry>(choose(file, words[4], {"general", "symmetric", "skew-symmetric", "hermitian"}));
  if (header.symmetry == Symmetry::Hermitian && header.field != Field::Complex)
    fail(Kind::bad_header, file.place(words[4].begin, words[4].end),
         fmt::format("a `hermitian` matrix is `complex`, not `{}`", words[3].text),
         "a real matrix that is hermitian is `symmetric`");
  if (words.size() > 5)
    fail(Kind::bad_header, file.place(words[5].begin, words[5].end),
         fmt::format("expected the end of the line, found `{}`", printable(words[5].text)), banner_form);
  if (header.array && header.field == Field::Pattern)
    fail(Kind::bad_header, file.place(words[3].begin, words[3].end), "an array file can't be a `pattern`",
         "an array file holds a value for each element: `real` or `integer`");
  if (header.symmetry == Symmetry::Skew && header.field == Field::Pattern)
    fail(Kind::bad_header, file.place(words[4].begin, words[4].end), "a `pattern` can't be `skew-symmetric`",
         "a pattern has no values that could change their sign");
}

/// One number of the size line.
std::int64_t read_size(const FileText &file, LineCursor &cursor, const char *what, const char *form) {
  if (cursor.at_line_end())
    fail(Kind::bad_header, file.place(cursor.offset(), cursor.offset()),
         fmt::format("expected the number of {}, found the end of the line", what), form);
  text::Place place = cursor.word_place();
  std::string word(cursor.word());
  bool number = !word.empty() &&
                word.find_first_not_of("0123456789", word[0] == '-' || word[0] == '+') == std::string::npos &&
                word != "-" && word != "+";
  if (!number)
    fail(Kind::bad_header, place, fmt::format("expected the number of {}, found `{}`", what, printable(word)),
         form);
  if (word[0] == '-' && word.find_first_not_of('0', 1) != std::string::npos)
    fail(Kind::bad_header, place, fmt::format("the number of {} is negative: {}", what, printable(word)),
         form);
  return cursor.read_integer(what);
}

void read_size_line(const FileText &file, Header &header) {
  std::size_t first_line_end = file.content().find('\n');
  std::size_t begin = std::min(first_line_end, file.content().size() - 1) + 1;
  LineCursor cursor(file, begin, file.content().size(), '%');
  const char *form = header.array ? "the size line of an array file is: rows columns"
                                  : "the size line of a coordinate file is: rows columns entries";
  if (!cursor.next_line())
    fail(Kind::bad_header, file.place(cursor.offset(), cursor.offset()),
         "expected the size line, found the end of the file", form);
  std::size_t line_begin = cursor.offset();
  header.rows = read_size(file, cursor, "rows", form);
  header.columns = read_size(file, cursor, "columns", form);
  if (!header.array) {
    cursor.at_line_end();
    header.count_place = cursor.word_place();
    header.entries = read_size(file, cursor, "entries", form);
  }
  if (!cursor.at_line_end())
    fail(Kind::bad_header, cursor.word_place(),
         fmt::format("expected the end of the size line, found `{}`", printable(cursor.word())), form);
  if (header.array) header.count_place = file.place(line_begin, cursor.offset());
  if (header.symmetry != Symmetry::General && header.rows != header.columns)
    fail(Kind::bad_header, file.place(line_begin, cursor.offset()),
         fmt::format("a {} matrix must be square, not {} x {}",
                     header.symmetry == Symmetry::Skew        ? "skew-symmetric"
                     : header.symmetry == Symmetry::Hermitian ? "hermitian"
                                                              : "symmetric",
                     header.rows, header.columns));
  cursor.skip_line();
  header.body = cursor.offset();
}

/// The number of elements that an array file stores.
void count_array(const FileText &, Header &header) {
  __int128 rows = header.rows, columns = header.columns;
  __int128 count = header.symmetry == Symmetry::General ? rows * columns
                   : header.symmetry == Symmetry::Skew  ? rows * (rows - 1) / 2
                                                        : rows * (rows + 1) / 2;
  if (count > INT64_MAX)
    fail(Kind::number_too_large, header.count_place,
         fmt::format("an array of {} x {} has more than 2^63 - 1 elements", header.rows, header.columns));
  header.entries = static_cast<std::int64_t>(count);
}

void read_value(LineCursor &cursor, const Header &header, std::size_t e, Coordinates &result) {
  switch (header.field) {
  case Field::Real: result.value[e] = cursor.read_real("value"); break;
  case Field::Integer: {
    if (!result.is_complex()) {
      result.value[e] = cursor.read_integer_value("integer value");
      break;
    }
    const std::complex<double> halves = cursor.read_integer_halves("integer value");
    result.value[e] = halves.real();
    result.imaginary[e] = halves.imag();
    break;
  }
  case Field::Pattern: result.value[e] = 1; break;
  case Field::Complex:
    result.value[e] = cursor.read_real("real part");
    result.imaginary[e] = cursor.read_real("imaginary part");
  }
  if (header.symmetry == Symmetry::Hermitian && result.index[0][e] == result.index[1][e] &&
      result.imaginary[e] != 0)
    cursor.fail_at_token(Kind::bad_entry,
                         fmt::format("the diagonal entry ({0}, {0}) of a hermitian matrix must be real",
                                     result.index[0][e] + 1),
                         "its imaginary part is 0");
}

void read_coordinate_chunk(LineCursor &cursor, const Header &header, std::size_t first, std::size_t last,
                           Coordinates &result) {
  std::int64_t *row = result.index[0].data(), *column = result.index[1].data();
  const char *form = header.field == Field::Pattern ? "a row index and a column index"
                     : header.field == Field::Complex
                         ? "a row index, a column index, a real and an imaginary part"
                         : "a row index, a column index and a value";
  for (std::size_t e = first; e < last && cursor.next_line(); ++e) {
    row[e] = cursor.read_index(header.rows, "row index");
    column[e] = cursor.read_index(header.columns, "column index");
    read_value(cursor, header, e, result);
    if (header.symmetry == Symmetry::Skew && row[e] == column[e] && !result.is_zero(e))
      cursor.fail_at_token(
          Kind::bad_entry,
          fmt::format("the diagonal entry ({0}, {0}) of a skew-symmetric matrix must be 0", row[e] + 1),
          "leave the diagonal out");
    cursor.expect_line_end(form);
  }
}

/// Array files go down the columns; of a symmetric one only the lower triangle is there.
void read_array_chunk(LineCursor &cursor, const Header &header, std::size_t first, std::size_t last,
                      Coordinates &result) {
  if (first >= last) return;
  auto first_row = [&](std::int64_t column) {
    return header.symmetry == Symmetry::General ? 0 : column + (header.symmetry == Symmetry::Skew);
  };
  std::int64_t column = 0, row = 0;
  if (header.symmetry == Symmetry::General) {
    column = static_cast<std::int64_t>(first) / header.rows;
    row = static_cast<std::int64_t>(first) % header.rows;
  } else {
    auto skip = static_cast<std::int64_t>(first);
    while (skip >= header.rows - first_row(column))
      skip -= header.rows - first_row(column++);
    row = first_row(column) + skip;
  }
  for (std::size_t e = first; e < last && cursor.next_line(); ++e) {
    result.index[0][e] = row;
    result.index[1][e] = column;
    read_value(cursor, header, e, result);
    cursor.expect_line_end(header.field == Field::Complex ? "a real and an imaginary part" : "one value");
    if (++row == header.rows) row = first_row(++column);
  }
}

/// Adds the other half of a symmetric matrix.
void mirror(Coordinates &matrix, const Header &header) {
  std::size_t stored = matrix.size(), next = stored;
  for (std::size_t e = 0; e < stored; ++e)
    next += matrix.index[0][e] != matrix.index[1][e];
  matrix.resize(next);
  double sign = header.symmetry == Symmetry::Skew ? -1 : 1;
  next = stored;
  for (std::size_t e = 0; e < stored; ++e) {
    if (matrix.index[0][e] == matrix.index[1][e]) continue;
    matrix.index[0][next] = matrix.index[1][e];
    matrix.index[1][next] = matrix.index[0][e];
    matrix.value[next] = sign * matrix.value[e];
    if (matrix.is_complex())
      matrix.imaginary[next] =
          header.symmetry == Symmetry::Hermitian ? -matrix.imaginary[e] : sign * matrix.imaginary[e];
    ++next;
  }
}

void check_memory_of(const FileText &file, const Header &header, std::size_t entries,
                     const ReadOptions &options) {
  std::int64_t copies = header.symmetry == Symmetry::General ? 1 : 2;
  const bool has_two = header.field == Field::Complex ||
                       (header.field == Field::Integer && options.exact_integers); // numbers of an entry
  const int bytes = has_two ? 32 : 24;
  std::int64_t needed = file.memory() + copies * bytes * static_cast<std::int64_t>(entries);
  data::check_memory(header.count_place, "the matrix takes", needed, options.max_memory);
}

void check_count(const FileText &file, const Header &header, const std::vector<LineChunk> &chunks,
                 std::size_t lines) {
  auto wanted = static_cast<std::size_t>(header.entries);
  std::string promised = fmt::format("{} {}", wanted,
                                     header.array  ? (wanted == 1 ? "value" : "values")
                                     : wanted == 1 ? "entry"
                                                   : "entries");
  if (lines < wanted)
    fail(Kind::entry_count, header.count_place,
         fmt::format("the size line promises {}, but the file holds {}", promised, lines),
         "the file may have been cut off");
  if (lines == wanted) return;
  auto chunk = std::ranges::find_if(chunks, [&](const LineChunk &c) { return wanted < c.first + c.entries; });
  LineCursor cursor(file, chunk->begin, chunk->end, '%');
  for (std::size_t e = chunk->first; cursor.next_line() && e < wanted; ++e)
    cursor.skip_line();
  fail(Kind::entry_count, cursor.word_place(),
       fmt::format("expected the end of the file after the {} that the size line promises, found `{}`",
                   promised, printable(cursor.word())));
}

} // namespace

Coordinates read_matrix_market(const FileText &file, const ReadOptions &options) {
  Header header;
  read_banner(file, header);
  read_size_line(file, header);
  if (header.array) count_array(file, header);

  std::vector<LineChunk> chunks = split_lines(file.content(), header.body, '%');
  std::size_t lines = chunks.empty() ? 0 : chunks.back().first + chunks.back().entries;
  // Where there are too few or too many lines, those there are are read all the same: a wrong one is told
  // first, being the likelier cause.
  std::size_t entries = std::min(lines, static_cast<std::size_t>(header.entries));
  check_memory_of(file, header, entries, options);
  Coordinates result({header.rows, header.columns});
  result.resize(entries);
  const bool in_halves = header.field == Field::Integer && options.exact_integers;
  if (header.field == Field::Complex || in_halves) result.imaginary.resize(entries);
  read_chunks(file, chunks, '%', options, [&](LineCursor &cursor, const LineChunk &chunk) {
    std::size_t last = std::min(entries, chunk.first + chunk.entries);
    (header.array ? read_array_chunk : read_coordinate_chunk)(cursor, header, chunk.first, last, result);
  });
  check_count(file, header, chunks, lines);
  if (header.symmetry != Symmetry::General) mirror(result, header);
  if (in_halves) take_halves(result, std::move(result.value), std::move(result.imaginary));
  return result;
}

std::optional<value::Type> type_in_matrix_market(std::string_view first_line) {
  const std::vector<Word> words = words_of_first_line(text::without_byte_order_mark(first_line));
  if (words.size() < 4) return std::nullopt;
  if (words[3].text == "integer") return value::Type::Int64;
  if (words[3].text == "complex") return value::Type::Complex128;
  return std::nullopt;
}

} // namespace unravel::data
