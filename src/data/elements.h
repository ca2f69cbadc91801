#pragma once

#include "data/coordinates.h"
#include "value/exact.h"

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

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

/// The elements of one array of a tensor: numbers of one type in one piece of memory, which compiled kernels
/// are given as it is. Copying copies the numbers. Long ones lie in huge pages where the system has them:
/// packing writes at random places.
class Elements {
public:
  Elements() = default;
  /// `size` elements, their values not set.
  Elements(DType type, std::size_t size);
  Elements(const Elements &other);
  Elements(Elements &&) noexcept = default;
  Elements &operator=(const Elements &other);
  Elements &operator=(Elements &&) noexcept = default;
  /// The same memory, not a copy of it: what is written to one of them is read from the other.
  Elements shared() const;
  /// Elements that lie in somebody else's memory, which `owner` keeps alive; without one the caller does.
  /// `writable`: may they be written to, and those that share them?
  static Elements over(DType type, void *memory, std::size_t size, std::shared_ptr<void> owner = {},
                       bool writable = true);

  /// A vector of numbers of a type that arrays have.
  template <class T> static Elements of(const std::vector<T> &values) {
    Elements result(dtype_of<T>(), values.size());
    if (!values.empty()) std::memcpy(result.data(), values.data(), values.size() * sizeof(T));
    return result;
  }

  DType type() const { return type_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * item_size(type_); }
  bool is_integer() const { return value::is_integer(type_); }
  bool is_complex() const { return value::is_complex(type_); }
  bool is_writable() const { return writable_; }

  /// For kernels; not null, also where there are no elements.
  void *data() { return memory_ ? static_cast<void *>(memory_.get()) : &nothing_; }
  const void *data() const { return memory_ ? static_cast<const void *>(memory_.get()) : &nothing_; }
  /// The elements when they are of exactly this type (checked).
  template <class T> std::span<T> as() {
    check_type(dtype_of<T>());
    return {static_cast<T *>(data()), size_};
  }
  template <class T> std::span<const T> as() const {
    check_type(dtype_of<T>());
    return {static_cast<const T *>(data()), size_};
  }

  /// Element k as an integer; of an array of integers (checked).
  std::int64_t integer(std::size_t k) const {
    if (type_ == DType::Int32) return static_cast<const std::int32_t *>(data())[k];
    if (type_ == DType::Int64) return static_cast<const std::int64_t *>(data())[k];
    return other_integer(k);
  }
  /// Element k of any type.
  value::Scalar number(std::size_t k) const { return number_at(type_, data(), k); }
  /// The same, converted: rounded where a double doesn't hold it. Of complex numbers the real part.
  double real(std::size_t k) const {
    if (type_ == DType::Float64) return static_cast<const double *>(data())[k];
    return number(k).number();
  }
  /// Precondition: the value fits (integers: checked by who computes it).
  void set_integer(std::size_t k, std::int64_t value) {
    if (type_ == DType::Int32)
      static_cast<std::int32_t *>(data())[k] = static_cast<std::int32_t>(value);
    else
      as<std::int64_t>()[k] = value;
  }
  void set_real(std::size_t k, double value) {
    if (type_ == DType::Float32)
      static_cast<float *>(data())[k] = static_cast<float>(value);
    else if (type_ == DType::Float64)
      static_cast<double *>(data())[k] = value;
    else
      set_number(k, {DType::Float64, value, 0});
  }
  /// Of any type; 0 of real ones.
  double imaginary(std::size_t k) const { return is_complex() ? number(k).imaginary : 0; }
  /// Converted to the type, as value::converted does.
  void set_number(std::size_t k, value::Scalar number);

  /// Sets all of them to the number; a zero has no sign then.
  void fill(double number);
  /// Keeps the first `size` elements. Precondition: size <= size().
  void shrink(std::size_t size) { size_ = size; }

  friend bool operator==(const Elements &a, const Elements &b);

private:
  void check_type(DType wanted) const;
  std::int64_t other_integer(std::size_t k) const;

  DType type_ = DType::Float64;
  std::size_t size_ = 0;
  std::shared_ptr<std::byte> memory_;
  std::int64_t nothing_ = 0;
  bool writable_ = true;
};

/// Calls `use` with the elements as a span of their type, integers only: use(std::span<const std::int32_t>),
/// or use(std::span<std::int32_t>) of elements that may be written.
template <class Some, class Use>
requires std::same_as<std::remove_const_t<Some>, Elements>
decltype(auto) with_integers(Some &elements, Use use) {
  if (elements.type() == DType::Int32) return use(elements.template as<std::int32_t>());
  return use(elements.template as<std::int64_t>());
}

/// Memory that is not set, in huge pages where it is long. Null for 0 bytes. Throws std::bad_alloc.
std::byte *take_memory(std::size_t bytes);

/// An uninitialised array of plain data for the time of a computation.
template <class T> class Scratch {
public:
  explicit Scratch(std::size_t size) : data_(reinterpret_cast<T *>(take_memory(size * sizeof(T)))) {}
  ~Scratch() { std::free(data_); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  T &operator[](std::size_t k) { return data_[k]; }
  const T &operator[](std::size_t k) const { return data_[k]; }
  T *data() { return data_; }

private:
  T *data_;
};

/// The value of an entry; of an integer that is in halves the type says which it is.
inline value::Scalar number_of(const Coordinates &tensor, std::size_t entry,
                               value::Type wide = value::Type::Int64) {
  if (!tensor.is_complex()) return {DType::Float64, tensor.value[entry], 0};
  if (tensor.in_halves) return value::whole_of({tensor.value[entry], tensor.imaginary[entry]}, wide).value();
  return {DType::Complex128, tensor.value[entry], 0, tensor.imaginary[entry]};
}

} // namespace unravel::data
