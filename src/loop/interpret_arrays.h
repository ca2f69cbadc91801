#pragma once

#include "loop/interpret_code.h"
#include "report/diagnostic.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

/// The arrays of one run of the interpreter.
namespace unravel::loop {

struct Array {
  std::vector<std::int64_t> *indices = nullptr; // one of the two is not null
  std::vector<double> *values = nullptr;
  std::vector<double> *imaginary = nullptr; // of complex values
  std::vector<std::int64_t> extents;
  std::int64_t total = 1; // their product
  /// Of a hashed one: the elements that were set, and how many there is room for.
  std::set<std::int64_t> entered = {};
  std::int64_t reserved = 0;
};

/// The run ends before the program does.
struct Ended {
  int code = 0;
};

/// What elements hold that may hold anything.
constexpr std::int64_t odd_number = -123456789;

template <class... Parts> [[noreturn]] void refuse(fmt::format_string<Parts...> message, Parts &&...parts) {
  report::fail(report::Kind::internal, fmt::format(message, std::forward<Parts>(parts)...));
}

/// All but 0.0: the sign of -0.0 says that it is stored.
inline bool is_stored(double value) {
  return value != 0 || std::signbit(value);
}

/// The same of a number of any type; and other tests of it.
inline bool is_stored(const value::Scalar &number) {
  return is_stored(number.number()) || number.imaginary != 0;
}
inline bool is_nan(const value::Scalar &number) {
  return std::isnan(number.number()) || std::isnan(number.imaginary);
}
inline bool differs(const value::Scalar &number, double from) {
  return number.number() != from || number.imaginary != 0;
}

/// Of what the run is given.
template <class T> T *look_up(std::map<std::string, T> &arrays, const std::string &name) {
  auto found = arrays.find(name);
  if (found == arrays.end()) refuse("array `{}` is not given", name);
  return &found->second;
}

/// The elements are those that the memory has; or are made there, none yet.
void bind(const ArrayCode &code, Memory &memory, Array &array);
void make(const ArrayCode &code, Memory &memory, Array &array);

/// An element of an array of values, of that type. A number that is written has the array's type.
value::Scalar read(const Array &array, ElementType type, std::size_t slot);
void write(const Array &array, std::size_t slot, const value::Scalar &number);
/// The first `count` of them become 0.
void clear(const Array &array, std::int64_t count);

/// As many elements as its extents say; ends the run where there is no memory for them.
void resize(Array &array);

/// An array of the workspace holds what the kernel may expect: odd values where it may expect nothing.
void fill(const ArrayCode &code, const Array &array);

/// Makes room for so many elements in an array of the workspace; ends the run where there is no memory for
/// them.
void reserve(const ArrayCode &code, Array &array, std::int64_t least);

/// Calls visit(slot) for the elements below `count` that a Zero of an array of integers sets: of a hashed one
/// those that were set.
template <class Visit>
void each_to_zero(const ArrayCode &code, const Array &array, std::int64_t count, const Visit &visit) {
  if (code.workspace->hashed)
    std::for_each(array.entered.begin(), array.entered.lower_bound(count), visit);
  else
    for (std::int64_t slot = 0; slot < count; ++slot)
      visit(slot);
}

/// An element of the array is about to be set: of a hashed one, room for it was reserved.
void enter(const ArrayCode &code, Array &array, std::int64_t element);

/// The first `count` elements by their keys, which move with them, stably. Both may be one array.
void sort_by_keys(std::vector<std::int64_t> &order, std::vector<std::int64_t> &keys, std::int64_t count);

} // namespace unravel::loop
