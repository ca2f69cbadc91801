// What is known of values where elements aren't stored: as the types compute it.
#include "compute/known.h"

#include <gtest/gtest.h>

namespace unravel::compute::test {
namespace {

using value::Operator;
using value::Type;

Value access(const std::string &tensor) {
  Access made;
  made.tensor = tensor;
  return {made};
}
Value number(double number) {
  return {value::Number{number}};
}
Value of(Operator op, std::vector<Value> arguments) {
  return value::apply(op, std::move(arguments));
}

const Value a = access("a"), b = access("b");

/// Of a value in which only `a` is known: "?", "nothing" or the number.
std::string known(const Value &value, const Known &of_a, Type type = Type::Float64,
                  Type of_tensors = Type::Float64) {
  const Known made = known_value(value, type, {{"a", of_tensors}, {"b", of_tensors}},
                                 [&](const Access &read) { return read.tensor == "a" ? of_a : Known(); });
  if (made.kind == Known::Kind::Unknown) return "?";
  if (made.kind == Known::Kind::Nothing) return "nothing";
  return value::is_integer(made.number.type) ? std::to_string(made.number.integer)
                                             : std::to_string(made.number.real);
}

Known zero(Type type = Type::Float64) {
  return Known::of(value::Scalar::of(0, type));
}

/// Nothing makes nothing of all; what absorbs is known whatever the rest is.
TEST(ComputeKnown, WhereSomethingIsNotStored) {
  EXPECT_EQ(known(of(Operator::Multiply, {a, b}), zero()), "0.000000");
  EXPECT_EQ(known(of(Operator::Add, {a, b}), zero()), "?");
  EXPECT_EQ(known(of(Operator::Add, {a, b}), Known::nothing()), "nothing");
  EXPECT_EQ(known(of(Operator::Minimum, {a, b}), zero()), "?");
  EXPECT_EQ(known(of(Operator::SquareRoot, {a}), zero()), "0.000000");
  EXPECT_EQ(known(of(Operator::Exponential, {a}), zero()), "1.000000");
}

/// Integers wrap around, and those without a sign have no -1.
TEST(ComputeKnown, InTheTypesThatItIsComputedIn) {
  const Value less = of(Operator::Less, {a, number(-1)});
  EXPECT_EQ(known(less, zero()), "0.000000");
  EXPECT_EQ(known(less, zero(Type::UInt32), Type::UInt32, Type::UInt32), "1");
  const Value below = of(Operator::Add, {a, number(-1)});
  EXPECT_EQ(known(below, zero(Type::UInt32), Type::UInt32, Type::UInt32), "4294967295");
  EXPECT_EQ(
      known(of(value::conversion_to(Type::UInt8), {below}), zero(Type::Int32), Type::UInt8, Type::Int32),
      "255");
  EXPECT_EQ(
      known(of(value::conversion_to(Type::Int64), {below}), zero(Type::UInt32), Type::Int64, Type::UInt32),
      "4294967295");
  EXPECT_EQ(known(of(Operator::Divide, {of(Operator::Add, {a, number(7)}), number(2)}), zero(Type::Int32),
                  Type::Int32, Type::Int32),
            "3");
}

} // namespace
} // namespace unravel::compute::test
