#pragma once

#include "loop/loop.h"

#include <cstdint>
#include <string>
#include <vector>

/// Results that the kernel assembles (TensorParameter::assembled).
namespace unravel::loop {

/// The assembled result that a qualified name, of an array, a size or a count, belongs to; or null.
const TensorParameter *assembled_result(const std::string &qualified, const Program &program);

/// The arrays of a parameter whose extents mention the count, qualified as it is, in the parameter's order.
std::vector<std::string> arrays_of_count(const TensorParameter &parameter, const std::string &count);
/// The count of a parameter that the array's extents mention, qualified; or empty.
std::string count_of_array(const TensorParameter &parameter, const ArrayParameter &array);

/// The most that a count may be: what the index arrays of an assembled result hold.
std::int64_t most_counted(const TensorParameter &parameter);
/// Nobody has memory for more than so many elements; sizes of arrays of so many don't overflow.
constexpr std::int64_t most_in_memory = std::int64_t{1} << 48;

/// What verify asks for about assembled results.
void verify_assembled(const Program &program);

} // namespace unravel::loop
