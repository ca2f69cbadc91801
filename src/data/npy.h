#pragma once

#include "data/elements.h"
#include "data/file_text.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Arrays of numbers and their .npy files (NumPy's format, versions 1 to 3).
namespace unravel::data {

/// A dense array, row-major: as many elements as its shape says.
struct Array : Elements {
  std::vector<std::int64_t> shape;

  Array() = default;
  Array(std::vector<std::int64_t> extents, Elements elements)
      : Elements(std::move(elements)), shape(std::move(extents)) {}
  /// A vector as an array of one mode.
  template <class T> static Array of(const std::vector<T> &values) {
    return {{static_cast<std::int64_t>(values.size())}, Elements::of(values)};
  }

  friend bool operator==(const Array &, const Array &) = default;
};

/// Reads a .npy file. Throws cannot_read, bad_array_file, unsupported_file (column-major, big-endian,
/// structured and other element types), memory_limit. Memory is taken only for the bytes that are in the
/// file.
Array read_npy(const std::string &path, const ReadOptions &options = {});
/// The same of a file's content, as a member of an archive has it; messages name `path`. Memory isn't
/// checked.
Array parse_npy(std::string_view content, const std::string &path);
/// The bytes of its elements, whatever these are.
std::string_view npy_data(std::string_view content, const std::string &path);

/// So many bytes have any header of version 1.
inline constexpr std::size_t longest_npy_header = 10 + 65535;

/// The type of elements, of what a .npy file begins with, its header; none where that isn't told.
std::optional<DType> npy_type(std::string_view beginning);

/// Writes a .npy file of version 1, complete or not at all. Throws cannot_write.
void write_npy(const std::string &path, const Array &array);
/// What the file begins with, before the elements. `type`: as NumPy writes it, "<f8", "|S3".
std::string npy_header(const std::string &type, const std::vector<std::int64_t> &shape);
std::string npy_header(const Array &array);

} // namespace unravel::data
