#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

/// The operators that values are made by, with their laws.
namespace unravel::value {

enum class Operator {
  Negate,
  Add,
  Multiply,
  Divide,
  Stored, // the operand as a map of values keeps it: zero is -0.0, and differs from 0.0, what isn't stored
  // order
  Minimum,
  Maximum,
  // truth: a number is true unless it is 0; the answer is 1 or 0
  And,
  Or,
  Xor,
  Not,
  Equal,
  NotEqual,
  AtMost,
  Less,
  // functions
  Absolute,
  SquareRoot,
  Exponential,
  Logarithm,
  Power,
  // choice
  First,
  Second,
  Pair, // 1, whatever the arguments are
  Any,  // an argument that isn't 0, whichever, if there is one
  Select,
};
inline constexpr std::size_t operator_count = 25;

/// Some of an operator's arguments.
enum class Arguments { None, First, All };

struct Laws {
  Operator op;
  std::string_view name;   // "min", as calls are written; of those with a symbol "sum" and the like
  std::string_view symbol; // "*", between its arguments; none: a call, `min(x, y)`
  std::size_t least;       // number of arguments; those with a symbol have more
  bool is_associative;     // then it may have any number of arguments, from `least` on
  bool is_commutative;     // of two arguments
  bool is_idempotent;      // x op x is x, as far as a reduction goes
  /// In which the value is linear: it is zero where they are, and of a sum the sum of the values.
  Arguments linear;
  /// Of two arguments, each: with it, the value is the other one. What a reduction begins with, so that only
  /// operators that have one reduce.
  std::optional<double> identity;
};

const Laws &laws_of(Operator op);

/// Every operator, in the order of the enumeration.
extern const std::array<Laws, operator_count> all_operators;

/// The operator that is written as a call of that name, or none.
std::optional<Operator> operator_called(std::string_view name);

/// Is the value linear in that argument?
bool is_linear_in(Operator op, std::size_t argument);

/// Of an operator that has one.
double identity_of(Operator op);

/// The first operator that reduces from that number on.
std::optional<Operator> reduction_from(double identity);

/// Is the value 1 or 0, for true and false? As reductions such operators have their identity among these.
bool is_truth(Operator op);

/// May values be combined by it in any order, from its identity on?
bool is_reduction(Operator op);

/// "+=", "min=".
std::string reduction_text(Operator op);
/// As `in min.+` has it.
std::string name_in_semiring(Operator op);

/// Is inside(over(x, y), z) the same as over(inside(x, z), inside(y, z)), with the argument of that number
/// taken apart, and the others as they are? Then brackets may be multiplied out.
bool distributes(Operator inside, std::size_t argument, Operator over);

/// The value, whatever the other arguments are, where the argument of that number is `given`; or none.
std::optional<double> absorbed(Operator op, std::size_t argument, double given);

/// Of numbers, one for each argument, from left to right.
template <class Number, class Arguments> Number evaluate(Operator op, const Arguments &arguments) {
  auto next = arguments.begin();
  Number result = *next++;
  const auto truth = [](bool holds) { return Number(holds ? 1 : 0); };
  switch (op) {
  case Operator::Negate: return -result;
  case Operator::Stored: return result == 0 ? Number(-0.0) : result;
  case Operator::Not: return truth(result == 0);
  case Operator::Absolute: return std::fabs(result);
  case Operator::SquareRoot: return std::sqrt(result);
  case Operator::Exponential: return std::exp(result);
  case Operator::Logarithm: return std::log(result);
  case Operator::Add:
    for (; next != arguments.end(); ++next)
      result += *next;
    return result;
  case Operator::Multiply:
    for (; next != arguments.end(); ++next)
      result *= *next;
    return result;
  case Operator::Minimum:
    for (; next != arguments.end(); ++next)
      result = *next < result ? *next : result;
    return result;
  case Operator::Maximum:
    for (; next != arguments.end(); ++next)
      result = *next > result ? *next : result;
    return result;
  case Operator::And:
    for (result = truth(result != 0); next != arguments.end(); ++next)
      result = truth(result != 0 && *next != 0);
    return result;
  case Operator::Or:
    for (result = truth(result != 0); next != arguments.end(); ++next)
      result = truth(result != 0 || *next != 0);
    return result;
  case Operator::Xor:
    for (result = truth(result != 0); next != arguments.end(); ++next)
      result = truth((result != 0) != (*next != 0));
    return result;
  case Operator::Divide: return result / *next;
  case Operator::Equal: return truth(result == *next);
  case Operator::NotEqual: return truth(result != *next);
  case Operator::Less: return truth(result < *next);
  case Operator::AtMost: return truth(result <= *next);
  case Operator::Power: return std::pow(result, *next);
  case Operator::First: return result;
  case Operator::Second: return *next;
  case Operator::Any:
    for (; next != arguments.end(); ++next)
      result = result != 0 ? result : *next;
    return result;
  case Operator::Pair: return Number(1);
  case Operator::Select: {
    const Number then = *next++;
    return result != 0 ? then : *next;
  }
  }
  return result;
}

} // namespace unravel::value
