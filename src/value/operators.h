#pragma once

#include <array>
#include <cstddef>
#include <string_view>

/// The operators that values are made by, with their laws.
namespace unravel::value {

enum class Operator {
  Negate,
  Add,
  Multiply,
  Divide,
  Stored, // the operand as a map of values keeps it: zero is -0.0, and differs from 0.0, what isn't stored
};

/// Some of an operator's arguments.
enum class Arguments { None, First, All };

struct Laws {
  Operator op;
  std::string_view name;   // "product"; what is written in front of the brackets of a call
  std::string_view symbol; // "*", between its arguments; none: a call, `stored(x)`
  std::size_t least;       // number of arguments; those with a symbol have more
  bool is_associative;     // then it may have any number of arguments, from `least` on
  /// In which the value is linear: it is zero where they are, and of a sum the sum of the values.
  Arguments linear;
};

const Laws &laws_of(Operator op);

/// Every operator, in the order of the enumeration.
extern const std::array<Laws, 5> all_operators;

/// Is the value linear in that argument?
bool is_linear_in(Operator op, std::size_t argument);

/// Of numbers, one for each argument, from left to right.
template <class Number, class Arguments> Number evaluate(Operator op, const Arguments &arguments) {
  auto next = arguments.begin();
  Number result = *next++;
  switch (op) {
  case Operator::Negate: return -result;
  case Operator::Stored: return result == 0 ? Number(-0.0) : result;
  case Operator::Add:
    for (; next != arguments.end(); ++next)
      result += *next;
    return result;
  case Operator::Multiply:
    for (; next != arguments.end(); ++next)
      result *= *next;
    return result;
  case Operator::Divide: return result / *next;
  }
  return result;
}

} // namespace unravel::value
