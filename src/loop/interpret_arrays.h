#pragma once

#include "loop/interpret_code.h"
#include "report/diagnostic.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>

/// The arrays of one run of the interpreter.
namespace unravel::loop {

struct Array {
  std::vector<std::int64_t> *indices = nullptr; // one of the two is not null
  std::vector<double> *values = nullptr;
  std::vector<std::int64_t> extents;
  std::int64_t total = 1; // their product
};

/// The run ends before the program does.
struct Ended {
  int code = 0;
};

/// What elements hold that may hold anything.
constexpr std::int64_t odd_number = -123456789;

[[noreturn]] inline void refuse(const std::string &message) {
  report::fail(report::Kind::internal, message);
}

/// All but 0.0: the sign of -0.0 says that it is stored.
inline bool is_stored(double value) {
  return value != 0 || std::signbit(value);
}

/// Of what the run is given.
template <class T> T *look_up(std::map<std::string, T> &arrays, const std::string &name) {
  auto found = arrays.find(name);
  if (found == arrays.end()) refuse(fmt::format("array `{}` is not given", name));
  return &found->second;
}

/// As many elements as its extents say; ends the run where there is no memory for them.
void resize(Array &array);

/// An array of the workspace holds what the kernel may expect: odd values where it may expect nothing.
void fill(const ArrayCode &code, const Array &array);

/// The first `count` elements by their keys, which move with them, stably. Both may be one array.
void sort_by_keys(std::vector<std::int64_t> &order, std::vector<std::int64_t> &keys, std::int64_t count);

} // namespace unravel::loop
