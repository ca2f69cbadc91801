#pragma once

#include "data/file_text.h"
#include "value/type.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// Arrays of numbers and their .npy files (NumPy's format, versions 1 to 3).
namespace unravel::data {

using DType = value::Type;

/// Bytes of one element.
inline std::size_t item_size(DType dtype) {
  return value::facts_of(dtype).bytes;
}
/// NumPy's short name: "i4", "f8", "b1", "c16".
inline std::string_view name_of(DType dtype) {
  return value::facts_of(dtype).numpy;
}

template <class T> constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<T, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::Float64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::Complex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return DType::Complex128;
  else {
    static_assert(std::is_integral_v<T>, "an element type that .npy files have");
    constexpr DType kinds[] = {DType::Int8,  DType::Int16,  DType::Int32,  DType::Int64,
                               DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};
    constexpr int log_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return kinds[log_size + (std::is_unsigned_v<T> ? 4 : 0)];
  }
}

/// Element k of an array in memory.
value::Scalar number_at(DType dtype, const void *elements, std::size_t k);

/// A dense array, row-major, in this machine's byte order. bytes.size() = product of the shape times
/// item_size.
struct Array {
  DType dtype = DType::Float64;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  std::size_t size() const { return bytes.size() / item_size(dtype); }

  /// A vector as an array of one mode.
  template <class T> static Array of(const std::vector<T> &values) {
    Array result{dtype_of<T>(), {static_cast<std::int64_t>(values.size())}, {}};
    result.bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
    return result;
  }

  /// The elements, when the array is of exactly this type (checked).
  template <class T> const T *data() const {
    check_type(dtype_of<T>());
    return reinterpret_cast<const T *>(bytes.data());
  }
  template <class T> T *data() {
    check_type(dtype_of<T>());
    return reinterpret_cast<T *>(bytes.data());
  }

  /// Whether the elements are integers or booleans.
  bool is_integer() const { return value::is_integer(dtype); }
  /// Element k of an array of integers (checked). UInt64 beyond 2^63 - 1 wraps around.
  std::int64_t integer(std::size_t k) const;
  /// Element k of an array of any type, converted; of complex numbers the real part.
  double real(std::size_t k) const { return number_at(dtype, bytes.data(), k).number(); }
  /// 0 of real ones.
  double imaginary(std::size_t k) const { return number_at(dtype, bytes.data(), k).imaginary; }
  bool is_complex() const { return value::is_complex(dtype); }

  friend bool operator==(const Array &, const Array &) = default;

private:
  void check_type(DType wanted) const;
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

/// The type of elements, of what a .npy file begins with; none where that isn't told.
std::optional<DType> npy_type(std::string_view beginning);

/// Writes a .npy file of version 1, complete or not at all. Throws cannot_write.
void write_npy(const std::string &path, const Array &array);
/// What the file begins with, before the elements. `type`: as NumPy writes it, "<f8", "|S3".
std::string npy_header(const std::string &type, const std::vector<std::int64_t> &shape);
std::string npy_header(const Array &array);

} // namespace unravel::data
