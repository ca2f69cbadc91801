#include "data/npy.h"

#include "data/coordinates.h"
#include "data/output_file.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace unravel::data {

using report::fail;
using report::Kind;

static_assert(std::endian::native == std::endian::little,
              "arrays are read and written as they lie in memory");

namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// What a header says of the data.
struct NpyHeader {
  DType type = DType::Float64;
  std::vector<std::int64_t> shape;
};

/// The file's header: a Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
public:
  HeaderReader(std::string_view content, std::string path, std::size_t begin, std::size_t end)
      : content_(content), path_(std::move(path)), at_(begin), end_(end) {}

  NpyHeader read() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = read_string();
      expect(':');
      if (key == "descr") {
        header.type = read_type();
        descr = true;
      } else if (key == "fortran_order") {
        column_major_ = read_bool();
        order = true;
      } else if (key == "shape") {
        header.shape = read_shape();
        shape = true;
      } else {
        fail_here(fmt::format("unknown key `{}` in the header", printable(key)));
      }
      if (!accept(',') && peek() != '}') fail_here("expected `,` or `}` in the header");
    }
    const char *missing = !descr ? "descr" : !order ? "fortran_order" : !shape ? "shape" : nullptr;
    if (missing) fail_here(fmt::format("the header lacks `{}`", missing));
    // With at most one mode that is longer than 1, both orders are the same.
    auto long_modes = std::ranges::count_if(header.shape, [](std::int64_t n) { return n > 1; });
    if (column_major_ && long_modes > 1)
      fail(Kind::unsupported_file, text::Place::of_file(path_), "column-major arrays are not supported",
           "save numpy.ascontiguousarray(a)");
    return header;
  }

private:
  char peek() {
    while (at_ < end_ && (is_space(content_[at_])))
      ++at_;
    return at_ < end_ ? content_[at_] : '\0';
  }
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_here(fmt::format("expected `{}` in the header", c));
  }
  std::string read_string() {
    char quote = peek();
    if (quote != '\'' && quote != '"') fail_here("expected a quoted text in the header");
    std::size_t begin = ++at_;
    while (at_ < end_ && content_[at_] != quote)
      ++at_;
    if (at_ == end_) fail_here("a text in the header isn't closed");
    return std::string(content_.substr(begin, at_++ - begin));
  }
  std::string read_name() {
    peek();
    std::size_t begin = at_;
    while (at_ < end_ && (std::isalpha(static_cast<unsigned char>(content_[at_]))))
      ++at_;
    return std::string(content_.substr(begin, at_ - begin));
  }
  bool read_bool() {
    std::string name = read_name();
    if (name != "True" && name != "False") fail_here("`fortran_order` must be True or False");
    return name == "True";
  }
  DType read_type() {
    if (peek() == '[') fail_type("a record type");
    std::string name = read_string();
    bool known_order = !name.empty() && (name[0] == '<' || name[0] == '|' || name[0] == '=');
    if (known_order)
      for (const value::TypeFacts &type : value::all_types)
        if (name.substr(1) == type.numpy && type.type != DType::Bit && (name[0] != '|' || type.bytes == 1))
          return type.type;
    fail_type(fmt::format("`{}`", printable(name)));
  }
  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t extent = 0;
      const char *first = content_.data() + at_, *last = content_.data() + end_;
      auto [next, code] = std::from_chars(first, last, extent);
      if (code == std::errc::result_out_of_range)
        fail(Kind::number_too_large, text::Place::of_file(path_),
             "an extent in the header is beyond 2^63 - 1");
      if (code != std::errc() || extent < 0) fail_here("expected an extent in the header's `shape`");
      at_ += static_cast<std::size_t>(next - first);
      shape.push_back(extent);
      if (!accept(',') && peek() != ')') fail_here("expected `,` or `)` in the header's `shape`");
    }
    return shape;
  }
  [[noreturn]] void fail_type(const std::string &name) const {
    fail(Kind::unsupported_file, text::Place::of_file(path_),
         fmt::format("arrays of {} are not supported", name),
         "supported are b1, i1 to i8, u1 to u8, f4, f8, c8 and c16, little-endian");
  }
  [[noreturn]] void fail_here(const std::string &message) const {
    fail(Kind::bad_array_file, text::Place::of_file(path_), fmt::format("{}, at byte {}", message, at_));
  }

  std::string_view content_;
  std::string path_;
  std::size_t at_, end_;
  bool column_major_ = false;
};

/// The offsets of the header's text and of the data.
std::pair<std::size_t, std::size_t> find_header(std::string_view content, const std::string &path) {
  text::Place place = text::Place::of_file(path);
  if (!content.starts_with(magic))
    fail(Kind::bad_array_file, place, content.empty() ? "the file is empty" : "this is not a .npy file",
         "write it with numpy.save");
  auto byte = [&](std::size_t k) -> std::size_t {
    if (k >= content.size()) fail(Kind::bad_array_file, place, "the file ends within its header");
    return static_cast<unsigned char>(content[k]);
  };
  std::size_t version = byte(6);
  if (version < 1 || version > 3)
    fail(Kind::unsupported_file, place,
         fmt::format("version {} of the .npy format is not supported", version));
  std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (begin + length > content.size()) fail(Kind::bad_array_file, place, "the file ends within its header");
  return {begin, begin + length};
}

} // namespace

Array parse_npy(std::string_view content, const std::string &path) {
  auto [begin, data] = find_header(content, path);
  NpyHeader header = HeaderReader(content, path, begin, data).read();
  std::int64_t elements = element_count(header.shape);
  std::size_t size = item_size(header.type), present = content.size() - data;
  std::string wanted = elements < 0 ? "more than 2^63" : std::to_string(elements);
  if (elements < 0 || static_cast<std::size_t>(elements) > present / size)
    fail(Kind::bad_array_file, text::Place::of_file(path),
         fmt::format("the header promises {} elements, but the file holds {}", wanted, present / size),
         "the file may have been cut off");
  if (static_cast<std::size_t>(elements) * size < present)
    fail(Kind::bad_array_file, text::Place::of_file(path),
         fmt::format("the file holds {} bytes after the data that the header promises",
                     present - static_cast<std::size_t>(elements) * size));
  Array array(std::move(header.shape), Elements(header.type, static_cast<std::size_t>(elements)));
  auto *bytes = static_cast<char *>(array.data());
  std::copy_n(content.data() + data, present, bytes);
  if (array.type() == DType::Bool) // NumPy reads any byte but 0 as true, C's _Bool is 0 or 1
    std::transform(bytes, bytes + present, bytes, [](char byte) -> char { return byte != 0; });
  return array;
}

std::optional<DType> npy_type(std::string_view beginning) {
  return report::unless_refused([&] {
    const auto [begin, data] = find_header(beginning, "");
    return HeaderReader(beginning, "", begin, data).read().type;
  });
}

std::string_view npy_data(std::string_view content, const std::string &path) {
  return content.substr(find_header(content, path).second);
}

Array read_npy(const std::string &path, const ReadOptions &options) {
  FileText file(path, options);
  check_memory(text::Place::of_file(path), "the array takes",
               file.memory() + static_cast<std::int64_t>(npy_data(file.content(), path).size()),
               options.max_memory);
  Array array = parse_npy(file.content(), path);
  if (options.progress) options.progress(1);
  return array;
}

std::string npy_header(const std::string &type, const std::vector<std::int64_t> &extents) {
  std::string shape;
  for (std::int64_t extent : extents)
    shape += fmt::format("{}, ", extent);
  // As NumPy writes it: (3,) and (3, 4).
  if (extents.size() == 1)
    shape.pop_back();
  else if (extents.size() > 1)
    shape.resize(shape.size() - 2);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  // The data starts at a multiple of 64 bytes, so that it can be mapped into memory.
  std::size_t unpadded = 10 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  report::require(header.size() < 65536, "the header of an array is short");
  const char lengths[] = {1, 0, static_cast<char>(header.size() & 255),
                          static_cast<char>(header.size() >> 8)};
  return std::string(magic) + std::string(lengths, sizeof lengths) + header;
}

std::string npy_header(const Array &array) {
  return npy_header(fmt::format("{}{}", item_size(array.type()) == 1 ? '|' : '<', name_of(array.type())),
                    array.shape);
}

void write_npy(const std::string &path, const Array &array) {
  report::require(element_count(array.shape) == static_cast<std::int64_t>(array.size()),
                  "an array has the elements of its shape");
  OutputFile file(path);
  file.write(npy_header(array));
  file.write({static_cast<const char *>(array.data()), array.bytes()});
  file.commit();
}

} // namespace unravel::data
