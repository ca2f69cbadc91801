#pragma once

#include "value/type.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The operators that values are made by, with their laws.
namespace unravel::value {

struct OwnOperator;

/// An operator: one of the table's, or one of the user's own with its definition (own.h).
class Operator {
public:
  enum Kind : std::uint8_t {
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
    Sine,
    Cosine,
    Tangent,
    HyperbolicTangent,
    Floor,
    Ceiling,
    // complex numbers
    Conjugate,
    RealPart,
    ImaginaryPart,
    Complex, // a + bi of two numbers: a constant
    // choice
    First,
    Second,
    Pair, // 1, whatever the arguments are
    Any,  // an argument that isn't 0, whichever, if there is one
    Select,
    // conversions, in the order of the types (type.h)
    ToInt32,
    ToInt64,
    ToFloat32,
    ToFloat64,
    ToBool,
    ToInt8,
    ToInt16,
    ToUInt8,
    ToUInt16,
    ToUInt32,
    ToUInt64,
    ToComplex64,
    ToComplex128,
    // the user's own
    Own,
  };

  constexpr Operator(Kind kind) : kind_(kind) {} // NOLINT: a kind is an operator, but for Own
  explicit Operator(std::shared_ptr<const OwnOperator> own) : kind_(Own), own_(std::move(own)) {}

  Kind kind() const { return kind_; }
  /// The definition; null of one of the table's.
  const OwnOperator *own() const { return own_.get(); }

  friend bool operator==(const Operator &one, const Operator &other) {
    return one.kind_ == other.kind_ && (one.own_ == other.own_ || is_same_own(one, other));
  }
  friend bool operator==(const Operator &one, Kind other) { return one.kind_ == other; }

private:
  static bool is_same_own(const Operator &one, const Operator &other);

  Kind kind_;
  std::shared_ptr<const OwnOperator> own_;
};
inline constexpr std::size_t operator_count = 48; // of the table

/// The operator that makes a number one of that type.
inline Operator conversion_to(Type type) {
  return static_cast<Operator::Kind>(static_cast<int>(Operator::ToInt32) + static_cast<int>(type));
}
/// What a conversion makes; none of another operator.
inline std::optional<Type> made_by_conversion(const Operator &op) {
  if (op.kind() < Operator::ToInt32 || op.own()) return std::nullopt;
  return static_cast<Type>(op.kind() - Operator::ToInt32);
}
/// Is it computed with floating point, whatever its arguments are: a root and the like?
bool is_real(const Operator &op);
/// Is it a real number of a complex one: a part, or the absolute value?
bool takes_part(const Operator &op);
/// Is it defined for complex numbers? Of the user's own: do all that its definition uses, and the laws that
/// are stated of it, hold for them?
bool holds_for_complex(const Operator &op);

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

const Laws &laws_of(const Operator &op);

/// Every operator, in the order of the enumeration.
extern const std::array<Laws, operator_count> all_operators;

/// The operator that is written as a call of that name, or none: `min`, and the types of values, which
/// convert.
std::optional<Operator> operator_called(std::string_view name);
/// As users call it: "min", "f64".
std::string name_in_call(const Operator &op);

/// Is the value linear in that argument?
bool is_linear_in(const Operator &op, std::size_t argument);

/// Of an operator that has one.
double identity_of(const Operator &op);

/// The first operator that reduces from that number on.
std::optional<Operator> reduction_from(double identity);

/// Is the value 1 or 0, for true and false? As reductions such operators have their identity among these.
bool is_truth(const Operator &op);

/// May values be combined by it in any order, from its identity on?
bool is_reduction(const Operator &op);

/// "+=", "min=".
std::string reduction_text(const Operator &op);
/// As `in min.+` has it.
std::string name_in_semiring(const Operator &op);

/// Is inside(over(x, y), z) the same as over(inside(x, z), inside(y, z)), with the argument of that number
/// taken apart, and the others as they are? Then brackets may be multiplied out.
bool distributes(const Operator &inside, std::size_t argument, const Operator &over);

/// The value, whatever the other arguments are, where the argument of that number is `given`; or none.
std::optional<double> absorbed(const Operator &op, std::size_t argument, double given);

/// Of an operator of the user's own.
double evaluate_own(const OwnOperator &own, const std::vector<double> &arguments);
long double evaluate_own(const OwnOperator &own, const std::vector<long double> &arguments);
Scalar evaluate_own(const OwnOperator &own, Type type, const std::vector<Scalar> &arguments);

/// Of numbers, one for each argument, from left to right.
template <class Number, class Arguments> Number evaluate(const Operator &op, const Arguments &arguments) {
  auto next = arguments.begin();
  Number result = *next++;
  const auto truth = [](bool holds) { return Number(holds ? 1 : 0); };
  switch (op.kind()) {
  case Operator::Negate: return -result;
  case Operator::Conjugate:
  case Operator::RealPart: return result;
  case Operator::ImaginaryPart: return Number(0);
  case Operator::Complex: return std::numeric_limits<Number>::quiet_NaN(); // no real number
  case Operator::Stored: return result == 0 ? Number(-0.0) : result;
  case Operator::Not: return truth(result == 0);
  case Operator::Absolute: return std::fabs(result);
  case Operator::SquareRoot: return std::sqrt(result);
  case Operator::Exponential: return std::exp(result);
  case Operator::Logarithm: return std::log(result);
  case Operator::Sine: return std::sin(result);
  case Operator::Cosine: return std::cos(result);
  case Operator::Tangent: return std::tan(result);
  case Operator::HyperbolicTangent: return std::tanh(result);
  case Operator::Floor: return std::floor(result);
  case Operator::Ceiling: return std::ceil(result);
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
  case Operator::Own: return evaluate_own(*op.own(), std::vector<Number>(arguments.begin(), arguments.end()));
  default: return Number(Scalar::of(static_cast<double>(result), made_by_conversion(op).value()).number());
  }
  return result;
}

/// Exactly, in the type that C computes with: integers wrap around, and what is divided by 0 is 0; in single
/// precision each step is rounded. Where an argument or the type is complex: as complex.h says.
Scalar evaluate_exactly(const Operator &op, Type type, std::vector<Scalar> arguments);

} // namespace unravel::value
