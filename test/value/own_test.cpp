// Operators of the user's own: their values, the laws that are stated of them, and how these are tested.
#include "value/own.h"

#include <cmath>
#include <gtest/gtest.h>

namespace unravel::value {
namespace {

const Definition a{Argument{0}}, b{Argument{1}};

Definition made(Operator op, std::vector<Definition> arguments) {
  return apply(std::move(op), std::move(arguments));
}

Definition number(double value) {
  return {Number{value}};
}

OwnOperator of_two(Definition definition) {
  OwnOperator made;
  made.name = "f";
  made.arguments = {"a", "b"};
  made.definition = std::move(definition);
  return made;
}

/// min(a + b, 1), for numbers from 0 to 1.
OwnOperator clamped() {
  OwnOperator f = of_two(made(Operator::Minimum, {made(Operator::Add, {a, b}), number(1)}));
  f.least = 0, f.greatest = 1;
  f.laws.is_associative = f.laws.is_commutative = true;
  f.laws.identity = 0;
  f.absorbing = 1;
  return f;
}

TEST(OwnOperators, have_the_value_of_their_definition) {
  const Operator f = own_operator(clamped());
  EXPECT_EQ(evaluate<double>(f, std::vector<double>{0.25, 0.5}), 0.75);
  EXPECT_EQ(evaluate<double>(f, std::vector<double>{0.75, 0.5}), 1);
  EXPECT_EQ(evaluate<long double>(f, std::vector<long double>{0.25L, 0.25L, 0.25L}), 0.75L);
  EXPECT_EQ(
      evaluate_exactly(f, Type::Int32, {Scalar::of(5, Type::Int32), Scalar::of(-7, Type::Int32)}).integer,
      -2);
}

/// Of int8 numbers, as C does it, in an int.
TEST(OwnOperators, compute_in_the_promoted_type) {
  const Operator f =
      own_operator(of_two(made(Operator::Minimum, {made(Operator::Add, {a, b}), number(100)})));
  const Scalar large = Scalar::of(127, Type::Int8);
  EXPECT_EQ(evaluate_exactly(f, Type::Int8, {large, large}).integer, 100);
}

/// Numbers wrap around, as in other values.
TEST(OwnOperators, have_numbers_of_the_type) {
  OwnOperator shift;
  shift.name = "f";
  shift.arguments = {"a"};
  const auto with = [&](double added, Type type, double argument) {
    shift.definition = made(Operator::Add, {a, number(added)});
    return evaluate_exactly(own_operator(shift), type, {Scalar::of(argument, type)}).number();
  };
  EXPECT_EQ(with(-1, Type::UInt32, 2), 1);
  EXPECT_EQ(with(-1, Type::UInt32, 0), 4294967295);
  EXPECT_EQ(with(3000000000, Type::Int32, 1), -1294967295);
  EXPECT_EQ(with(0.1, Type::Float32, 0), 0.1F);
  EXPECT_EQ(with(16777216, Type::Float32, 1), 16777216);
}

TEST(OwnOperators, answer_as_those_of_the_table) {
  OwnOperator definition = clamped();
  definition.distributes_over = {Operator::Maximum};
  const Operator f = own_operator(definition);
  EXPECT_TRUE(is_reduction(f));
  EXPECT_EQ(identity_of(f), 0);
  EXPECT_EQ(absorbed(f, 0, 1), 1);
  EXPECT_EQ(absorbed(f, 1, 1), 1);
  EXPECT_EQ(absorbed(f, 0, 0), std::nullopt);
  EXPECT_TRUE(distributes(f, 0, Operator::Maximum));
  EXPECT_FALSE(distributes(f, 0, Operator::Minimum));
  EXPECT_FALSE(is_linear_in(f, 0));
  EXPECT_EQ(reduction_text(f), "f=");
  EXPECT_FALSE(is_reduction(own_operator(of_two(made(Operator::Add, {a, b})))));
}

TEST(OwnOperators, are_equal_where_they_are_written_alike) {
  const Operator f = own_operator(clamped()), again = own_operator(clamped());
  OwnOperator other = clamped();
  other.absorbing.reset();
  EXPECT_EQ(f, again);
  EXPECT_FALSE(f == own_operator(other));
  EXPECT_FALSE(f == Operator::Minimum);
}

TEST(OwnOperators, keep_laws_that_hold) {
  EXPECT_FALSE(broken_law(own_operator(clamped()), Type::Float64));
  EXPECT_FALSE(broken_law(own_operator(clamped()), Type::UInt8));
  // log(exp(a) + exp(b)), as it is computed without large numbers
  OwnOperator soft = of_two(
      made(Operator::Add,
           {made(Operator::Maximum, {a, b}),
            made(Operator::Logarithm,
                 {made(Operator::Add,
                       {number(1),
                        made(Operator::Exponential,
                             {made(Operator::Negate,
                                   {made(Operator::Absolute,
                                         {made(Operator::Add, {a, made(Operator::Negate, {b})})})})})})})}));
  soft.laws.is_associative = soft.laws.is_commutative = true;
  soft.least = -1000, soft.greatest = INFINITY;
  EXPECT_FALSE(broken_law(own_operator(soft), Type::Float64));
  // as the table has them
  for (const Laws &laws : all_operators) {
    if (laws.least != 2 || laws.op == Operator::Divide) continue;
    OwnOperator same = of_two(made(laws.op, {a, b}));
    same.laws.is_associative = laws.is_associative && laws.op != Operator::Any;
    same.laws.is_commutative = laws.is_commutative && laws.op != Operator::Any;
    same.laws.is_idempotent = laws.is_idempotent && laws.op != Operator::And && laws.op != Operator::Or;
    for (const Laws &over : all_operators)
      if (over.identity && over.op != Operator::Any && distributes(laws.op, 0, over.op) &&
          distributes(laws.op, 1, over.op))
        same.distributes_over.push_back(over.op);
    if (const auto broken = broken_law(own_operator(same), Type::Float64))
      ADD_FAILURE() << laws.name << ": " << broken->law << ": " << broken->sample;
  }
}

std::string broken(const OwnOperator &own, Type type = Type::Float64) {
  const auto found = broken_law(own_operator(own), type);
  return found ? found->law + ": " + found->sample : "none";
}

TEST(OwnOperators, show_laws_that_do_not_hold) {
  OwnOperator f = of_two(made(Operator::Add, {a, made(Operator::Negate, {b})}));
  f.laws.is_commutative = true;
  EXPECT_EQ(broken(f), "commutative: f(0, 1) is -1, but f(1, 0) is 1");
  f.laws.is_commutative = false, f.laws.is_associative = true;
  EXPECT_EQ(broken(f), "associative: f(f(0, 0), 1) is -1, but f(0, f(0, 1)) is 1");
  f.laws.is_associative = false, f.laws.is_idempotent = true;
  EXPECT_EQ(broken(f), "idempotent: f(1, 1) is 0, not 1");
  f.laws.is_idempotent = false, f.laws.identity = 0;
  EXPECT_EQ(broken(f), "identity 0: f(0, 1) is -1, not 1");
  f.laws.identity.reset(), f.absorbing = 0;
  EXPECT_EQ(broken(f), "absorbs 0: f(0, 1) is -1, not 0");
  f.absorbing.reset(), f.distributes_over = {Operator::Add};
  EXPECT_EQ(broken(f), "distributes over +: f((0 + 0), 1) is -1, but (f(0, 1) + f(0, 1)) is -2");
  OwnOperator everywhere = clamped();
  everywhere.least = -INFINITY, everywhere.greatest = INFINITY;
  EXPECT_EQ(broken(everywhere), "identity 0: f(0, 2) is 1, not 2");
  OwnOperator outside = of_two(made(Operator::Add, {a, b}));
  outside.least = 0, outside.greatest = 1;
  EXPECT_EQ(broken(outside), "on [0, 1]: f(1, 1) is 2");
}

/// What holds of real numbers need not hold of integers, which wrap around.
TEST(OwnOperators, are_tested_in_the_type_they_are_for) {
  OwnOperator mean = of_two(made(Operator::Divide, {made(Operator::Add, {a, b}), number(2)}));
  mean.laws.is_idempotent = true;
  EXPECT_EQ(broken(mean), "none");
  OwnOperator product = of_two(made(Operator::Multiply, {a, b}));
  product.distributes_over = {Operator::Maximum};
  product.least = 0;
  EXPECT_EQ(broken(product), "none");
  EXPECT_EQ(broken(product, Type::Int32), "on [0, inf]: f(2, 2147483647) is -2");
}

/// Where an identity meets itself the value is no number: sums of threads begin with it.
TEST(OwnOperators, an_identity_must_be_a_number_with_itself) {
  OwnOperator f = of_two(made(
      Operator::Add, {made(Operator::Maximum, {a, b}),
                      made(Operator::Multiply,
                           {number(0), made(Operator::Absolute,
                                            {made(Operator::Add, {a, made(Operator::Negate, {b})})})})}));
  f.laws.identity = -INFINITY;
  EXPECT_NE(broken(f).find("identity -inf"), std::string::npos) << broken(f);
}

} // namespace
} // namespace unravel::value
