#include "data/elements.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace unravel::data {

value::Scalar number_at(DType dtype, const void *elements, std::size_t k) {
  const auto *at = static_cast<const std::byte *>(elements) + k * item_size(dtype);
  auto load = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  auto integer = [&](auto kind) { return value::Scalar{dtype, 0, static_cast<std::int64_t>(load(kind))}; };
  switch (dtype) {
  case DType::Bool: return {dtype, 0, *at != std::byte{0}};
  case DType::Int8: return integer(std::int8_t{});
  case DType::Int16: return integer(std::int16_t{});
  case DType::Int32: return integer(std::int32_t{});
  case DType::Int64: return integer(std::int64_t{});
  case DType::UInt8: return integer(std::uint8_t{});
  case DType::UInt16: return integer(std::uint16_t{});
  case DType::Bit:
  case DType::UInt32: return integer(std::uint32_t{});
  case DType::UInt64: return integer(std::uint64_t{});
  case DType::Float32: return {dtype, load(0.0F), 0};
  case DType::Float64: return {dtype, load(0.0), 0};
  case DType::Complex64: {
    const auto number = load(std::complex<float>());
    return {dtype, number.real(), 0, number.imag()};
  }
  case DType::Complex128: {
    const auto number = load(std::complex<double>());
    return {dtype, number.real(), 0, number.imag()};
  }
  }
  return {};
}

std::byte *take_memory(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  constexpr std::size_t huge = std::size_t{2} << 20;
  constexpr std::size_t line = 64; // of the cache: no vector lies in two
  void *memory = nullptr;
  if (bytes < 2 * huge) {
    memory = std::aligned_alloc(line, (bytes + line - 1) / line * line);
  } else if (bytes < SIZE_MAX - huge) {
    memory = std::aligned_alloc(huge, (bytes + huge - 1) / huge * huge);
    if (memory) madvise(memory, bytes, MADV_HUGEPAGE); // advice: no harm where it isn't taken
  }
  if (!memory) throw std::bad_alloc();
  return static_cast<std::byte *>(memory);
}

Elements::Elements(DType type, std::size_t size) : type_(type), size_(size) {
  report::require(type != DType::Bit, "arrays of tensors have elements of whole bytes");
  if (size > SIZE_MAX / item_size(type)) throw std::bad_alloc();
  memory_ = std::shared_ptr<std::byte>(take_memory(bytes()), [](std::byte *memory) { std::free(memory); });
}

Elements::Elements(const Elements &other) : Elements(other.type_, other.size_) {
  std::copy_n(other.memory_.get(), bytes(), memory_.get());
}

Elements &Elements::operator=(const Elements &other) {
  if (this != &other) *this = Elements(other);
  return *this;
}

std::int64_t Elements::other_integer(std::size_t k) const {
  report::require(is_integer(), "an array of a tensor is read as the type it has");
  return number(k).integer;
}

void Elements::set_number(std::size_t k, value::Scalar number) {
  const value::Scalar own = value::converted(number, type_);
  auto *at = static_cast<std::byte *>(data()) + k * item_size(type_);
  const auto single = static_cast<float>(own.real);
  if (type_ == DType::Float64)
    std::memcpy(at, &own.real, sizeof own.real);
  else if (type_ == DType::Float32)
    std::memcpy(at, &single, sizeof single);
  else if (type_ == DType::Complex128) {
    std::memcpy(at, &own.real, sizeof own.real);
    std::memcpy(at + sizeof own.real, &own.imaginary, sizeof own.imaginary);
  } else if (type_ == DType::Complex64) {
    const auto other = static_cast<float>(own.imaginary);
    std::memcpy(at, &single, sizeof single);
    std::memcpy(at + sizeof single, &other, sizeof other);
  } else
    std::memcpy(at, &own.integer, item_size(type_)); // the low bytes come first
}

Elements Elements::shared() const {
  Elements result;
  result.type_ = type_;
  result.size_ = size_;
  result.memory_ = memory_;
  result.writable_ = writable_;
  return result;
}

Elements Elements::over(DType type, void *memory, std::size_t size, std::shared_ptr<void> owner,
                        bool writable) {
  Elements result;
  result.type_ = type;
  result.size_ = size;
  result.writable_ = writable;
  if (memory) result.memory_ = std::shared_ptr<std::byte>(std::move(owner), static_cast<std::byte *>(memory));
  return result;
}

void Elements::fill(double number) {
  if (number == 0) {
    std::fill_n(memory_.get(), bytes(), std::byte{0});
    return;
  }
  for (std::size_t k = 0; k < size_; ++k)
    set_number(k, value::Scalar::of(number, type_)); // of infinities the type's ends
}

void Elements::check_type(DType wanted) const {
  report::require(type_ == wanted, "an array of a tensor is read as the type it has");
}

bool operator==(const Elements &a, const Elements &b) {
  return a.type_ == b.type_ && a.size_ == b.size_ &&
         (a.size_ == 0 || std::memcmp(a.memory_.get(), b.memory_.get(), a.bytes()) == 0);
}

} // namespace unravel::data
