#include "value/text.h"

#include <cmath>
#include <gtest/gtest.h>

namespace unravel::value {
namespace {

struct Name {
  std::string text;
};
using Value = Tree<Name>;

Value leaf(const std::string &name) {
  return {Name{name}};
}

Value number(double value) {
  return {Number{value}};
}

std::string text(const Value &value) {
  return to_text(value, [](const Value &each) { return std::get<Name>(each.kind).text; });
}

const Value a = leaf("a"), b = leaf("b"), c = leaf("c"), d = leaf("d");

TEST(ValueLaws, OfEveryOperatorOnce) {
  for (std::size_t k = 0; k < all_operators.size(); ++k)
    EXPECT_EQ(static_cast<std::size_t>(all_operators[k].op), k);
}

/// The table says what numbers say, at a few of them.
TEST(ValueLaws, AreWhatNumbersSay) {
  const std::vector<double> samples{-2, 0.5, 3};
  for (const Laws &laws : all_operators)
    for (std::size_t argument = 0; argument < laws.least; ++argument) {
      bool is_linear = true;
      for (double x : samples)
        for (double y : samples) {
          auto at = [&](double here) {
            std::vector<double> arguments(laws.least, 2);
            arguments[argument] = here;
            return evaluate<double>(laws.op, arguments);
          };
          is_linear = is_linear && at(x + y) == at(x) + at(y) && at(0) == 0;
        }
      if (laws.op == Operator::Stored) continue; // which is linear but for the sign of zero
      EXPECT_EQ(is_linear_in(laws.op, argument), is_linear) << laws.name << argument;
    }
  EXPECT_TRUE(std::signbit(evaluate<double>(Operator::Stored, std::vector<double>{0})));
}

TEST(ValueTree, ProductsHaveOneNumberInFront) {
  EXPECT_EQ(text(product(std::vector{number(2), a, number(3), product(std::vector{b, c})})), "6 * a * b * c");
  EXPECT_EQ(text(product(std::vector{negated(a), b})), "-a * b");
  EXPECT_EQ(text(product(std::vector{negated(a), negated(b)})), "a * b");
  EXPECT_EQ(text(product(std::vector{number(0.5), number(2)})), "1");
  EXPECT_EQ(text(product(std::vector{number(0.5), number(2), a})), "a");
  EXPECT_EQ(text(negated(number(2))), "-2");
}

TEST(ValueTree, QuotientsHaveOneDivisor) {
  EXPECT_EQ(text(quotient(quotient(a, b), c)), "a / (b * c)");
  EXPECT_EQ(text(quotient(a, quotient(b, c))), "a * c / b");
  EXPECT_EQ(text(quotient(a, product(std::vector{number(4), b}))), "0.25 * a / b");
  EXPECT_EQ(text(quotient(sum(std::vector{a, negated(b)}), c)), "(a - b) / c");
  EXPECT_EQ(text(product(std::vector{quotient(a, b), quotient(c, d)})), "a * c / (b * d)");
}

TEST(ValueTree, TermsOfWhatIsLinearInSums) {
  auto texts = [](const Value &value) {
    std::vector<std::string> all;
    for (const Value &term : terms_of(value))
      all.push_back(text(term));
    return all;
  };
  using Texts = std::vector<std::string>;
  const Value left = sum(std::vector{a, negated(b)}), right = sum(std::vector{c, d});
  EXPECT_EQ(texts(left), (Texts{"a", "-b"}));
  EXPECT_EQ(texts(product(std::vector{left, right})), (Texts{"a * c", "-b * c", "a * d", "-b * d"}));
  EXPECT_EQ(texts(quotient(left, c)), (Texts{"a / c", "-b / c"}));
  EXPECT_EQ(texts(quotient(a, right)), (Texts{"a / (c + d)"})); // not linear in the divisor
  EXPECT_EQ(texts(sum(std::vector<Value>{})), (Texts{"0"}));
}

TEST(ValueTree, RolesOfLeaves) {
  std::string roles;
  auto note = [&](const Name &name, Role role) {
    roles += name.text + (role == Role::Factor ? "* " : role == Role::InTerm ? "+ " : "? ");
  };
  each_role<Name>(quotient(product(std::vector{a, sum(std::vector{b, c})}), d), note);
  EXPECT_EQ(roles, "a* b+ c+ d? ");
}

TEST(ValueTree, LeavesAreMappedFromLeftToRight) {
  std::string order;
  const Value mapped = map_leaves<Value>(quotient(product(std::vector{a, b}), c), [&](const Name &name) {
    order += name.text;
    return name.text == "b" ? number(-1) : Value{name};
  });
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(text(mapped), "-a / c"); // in the form that products have
}

} // namespace
} // namespace unravel::value
