#include "data/frostt.h"

#include "data/lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace unravel::data {

using report::fail;
using report::Kind;

namespace {

constexpr std::size_t max_order = 64;
constexpr std::string_view shape_mark = "# shape:";

/// The shape in our comment line, when one stands before the first entry.
std::optional<std::vector<std::int64_t>> read_shape(const FileText &file) {
  std::string_view content = file.content();
  for (std::size_t begin = 0; begin < content.size();) {
    while (begin < content.size() && is_blank(content[begin]))
      ++begin;
    if (begin == content.size() || (content[begin] != '#' && content[begin] != '\n')) break;
    std::size_t end = std::min(content.find('\n', begin), content.size());
    if (content.substr(begin).starts_with(shape_mark)) {
      LineCursor cursor(file, begin + shape_mark.size(), end, '#');
      std::vector<std::int64_t> shape;
      while (!cursor.at_line_end()) {
        text::Place place = cursor.word_place();
        shape.push_back(cursor.read_integer("size"));
        if (shape.back() < 0)
          fail(Kind::bad_header, place, fmt::format("the size {} is negative", shape.back()));
      }
      if (shape.size() > max_order)
        fail(Kind::unsupported_file, file.place(begin, end),
             fmt::format("a tensor of {} modes; at most {} are supported", shape.size(), max_order));
      return shape;
    }
    begin = std::min(end, content.size() - 1) + 1;
  }
  return std::nullopt;
}

/// The order, from the first entry's columns.
std::size_t read_order(const FileText &file) {
  const char *form = "a line holds the indices of an entry, from 1, and its value: 3 1 2 0.5";
  LineCursor cursor(file, 0, file.content().size(), '#');
  if (!cursor.next_line())
    fail(Kind::bad_header, text::Place::of_file(file.path()),
         file.content().empty() ? "the file is empty, so that the tensor's order is unknown"
                                : "the file has no entries, so that the tensor's order is unknown",
         "a line `# shape: 4 5 6` says the shape of a tensor without entries");
  std::size_t begin = cursor.offset(), columns = 0;
  std::string_view content = file.content();
  for (std::size_t at = begin; at < content.size() && content[at] != '\n';) {
    while (at < content.size() && is_blank(content[at]))
      ++at;
    std::size_t word = at;
    while (at < content.size() && content[at] != '\n' && !is_blank(content[at]))
      ++at;
    columns += at > word;
  }
  text::Place place = cursor.word_place();
  if (looks_binary(content))
    fail(Kind::bad_header, text::Place::of_file(file.path()),
         file.path().ends_with(".gz") ? "this is neither a .tns file nor compressed by gzip"
                                      : "this is a binary file, not a .tns file",
         form);
  if (columns < 2)
    fail(Kind::bad_entry, place,
         fmt::format("expected indices and a value, found only `{}`", printable(cursor.word())), form);
  if (columns - 1 > max_order)
    fail(Kind::unsupported_file, place,
         fmt::format("a tensor of {} modes; at most {} are supported", columns - 1, max_order));
  return columns - 1;
}

void read_chunk(LineCursor &cursor, std::size_t first, const std::vector<std::string> &names,
                const std::string &form, Coordinates &result) {
  const std::size_t order = result.order();
  for (std::size_t e = first; cursor.next_line(); ++e) {
    for (std::size_t mode = 0; mode < order; ++mode)
      result.index[mode][e] = cursor.read_index(result.shape[mode], names[mode].c_str());
    result.value[e] = cursor.read_real("value");
    cursor.expect_line_end(form.c_str());
  }
}

} // namespace

Coordinates read_frostt(const FileText &file, const ReadOptions &options) {
  std::optional<std::vector<std::int64_t>> shape = read_shape(file);
  std::size_t order = shape ? shape->size() : read_order(file);
  Coordinates result(shape ? *shape : std::vector<std::int64_t>(order, INT64_MAX));

  std::vector<LineChunk> chunks = split_lines(file.content(), 0, '#');
  std::size_t entries = chunks.empty() ? 0 : chunks.back().first + chunks.back().entries;
  std::int64_t needed = file.memory() + static_cast<std::int64_t>((order + 1) * 8 * entries);
  check_memory(text::Place::of_file(file.path()), "the tensor takes", needed, options.max_memory);
  result.resize(entries);

  std::vector<std::string> names;
  for (std::size_t mode = 0; mode < order; ++mode)
    names.push_back(fmt::format("index in column {}", mode + 1));
  std::string form = order == 0   ? std::string("one value")
                     : order == 1 ? std::string("1 index and a value")
                                  : fmt::format("{} indices and a value", order);
  read_chunks(file, chunks, '#', options, [&](LineCursor &cursor, const LineChunk &chunk) {
    read_chunk(cursor, chunk.first, names, form, result);
  });
  if (!shape)
    for (std::size_t mode = 0; mode < order; ++mode)
      result.shape[mode] = 1 + *std::ranges::max_element(result.index[mode]);
  return result;
}

} // namespace unravel::data
