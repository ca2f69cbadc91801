#include "value/text.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

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
    EXPECT_EQ(static_cast<std::size_t>(all_operators[k].op.kind()), k);
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
      if (is_linear_in(laws.op, argument)) {
        EXPECT_TRUE(is_linear) << laws.name << argument;
      } else if (laws.op == Operator::Add || laws.op == Operator::Divide) {
        EXPECT_FALSE(is_linear) << laws.name << argument;
      }
    }
  EXPECT_TRUE(std::signbit(evaluate<double>(Operator::Stored, std::vector<double>{0})));
}

/// So are the other laws, at pairs of them.
TEST(ValueLaws, AreWhatNumbersSayOfReductions) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> samples{-inf, -2, 0, 0.5, 1, 3, inf};
  auto both = [](Operator op, double x, double y) { return evaluate<double>(op, std::vector<double>{x, y}); };
  for (const Laws &laws : all_operators) {
    if (laws.least != 2) continue;
    // Operators of truth make 1 of what is true.
    const bool is_truth = laws.op == Operator::And || laws.op == Operator::Or || laws.op == Operator::Xor;
    for (double x : samples) {
      if (laws.identity) {
        EXPECT_EQ(both(laws.op, *laws.identity, x), is_truth ? x != 0 : x) << laws.name << x;
        EXPECT_EQ(both(laws.op, x, *laws.identity), is_truth ? x != 0 : x) << laws.name << x;
      }
      if (laws.is_idempotent) {
        EXPECT_EQ(both(laws.op, x, x), is_truth ? x != 0 : x) << laws.name << x;
      }
      for (double y : samples) {
        if (std::isinf(x) && std::isinf(y)) continue;
        for (std::size_t argument = 0; argument < 2; ++argument) {
          const std::optional<double> all = absorbed(laws.op, argument, x);
          const double made = argument == 0 ? both(laws.op, x, y) : both(laws.op, y, x);
          if (all && !std::isnan(made)) { // 0 times an infinity that meets nothing is 0
            EXPECT_EQ(made, *all) << laws.name << x << " " << y;
          }
        }
        if (!laws.is_commutative || laws.op == Operator::Any) continue;
        EXPECT_TRUE(both(laws.op, x, y) == both(laws.op, y, x) || std::isnan(both(laws.op, x, y)))
            << laws.name << x << " " << y;
      }
    }
  }
}

/// `any` may choose: each value that it may have outside must be one that it may have inside.
TEST(ValueLaws, SayWhatMayBeMultipliedOutOfAny) {
  const std::vector<double> samples{-2, 0, 0.5, 1, 3};
  const auto choices = [](double one, double other) {
    return one == 0 ? std::vector{other} : other == 0 ? std::vector{one} : std::vector{one, other};
  };
  for (const Laws &inside : all_operators)
    for (std::size_t argument = 0; inside.least == 2 && argument < 2; ++argument) {
      if (!distributes(inside.op, argument, Operator::Any)) continue;
      for (double x : samples)
        for (double y : samples)
          for (double z : samples) {
            const auto with_z = [&](double here) {
              const std::vector<double> both{here, z}, turned{z, here};
              return evaluate<double>(inside.op, argument == 0 ? both : turned);
            };
            std::vector<double> may_be;
            for (double choice : choices(x, y))
              may_be.push_back(with_z(choice));
            for (double choice : choices(with_z(x), with_z(y)))
              EXPECT_NE(std::ranges::find(may_be, choice), may_be.end()) << inside.name << argument;
          }
    }
}

TEST(ValueLaws, SayWhatMayBeMultipliedOut) {
  const std::vector<double> samples{-2, 0, 0.5, 1, 3};
  auto both = [](Operator op, double x, double y) { return evaluate<double>(op, std::vector<double>{x, y}); };
  for (const Laws &inside : all_operators)
    for (const Laws &over : all_operators) {
      if (inside.least != 2 || !over.identity || over.op == Operator::Any) continue;
      for (std::size_t argument = 0; argument < 2; ++argument) {
        if (!distributes(inside.op, argument, over.op)) continue;
        for (double x : samples)
          for (double y : samples)
            for (double z : samples) {
              auto with_z = [&](double here) {
                return argument == 0 ? both(inside.op, here, z) : both(inside.op, z, here);
              };
              const double out = both(over.op, with_z(x), with_z(y));
              EXPECT_EQ(with_z(both(over.op, x, y)), out) << inside.name << argument << over.name;
            }
      }
    }
}

TEST(ValueText, OfCallsAndComparisons) {
  EXPECT_EQ(text(apply(Operator::Minimum, std::vector{a, sum(std::vector{b, c})})), "min(a, b + c)");
  const Value less = apply(Operator::Less, std::vector{a, sum(std::vector{b, c})});
  EXPECT_EQ(text(less), "a < b + c");
  EXPECT_EQ(text(product(std::vector{less, d})), "(a < b + c) * d");
}

TEST(ValueTree, NumbersThatNoDoubleHoldsStayApart) {
  EXPECT_EQ(text(product(std::vector{number(94906267), a, number(94906267)})), "94906267 * a * 94906267");
  EXPECT_EQ(text(product(std::vector{number(0.5), a, number(1e300)})), "5e+299 * a");
}

TEST(ValueTree, ProductsHaveOneNumberInFront) {
  EXPECT_EQ(text(product(std::vector{number(2), a, number(3), product(std::vector{b, c})})), "6 * a * b * c");
  EXPECT_EQ(text(product(std::vector{negated(a), b})), "-a * b");
  EXPECT_EQ(text(product(std::vector{negated(a), negated(b)})), "a * b");
  EXPECT_EQ(text(product(std::vector{number(0.5), number(2)})), "1");
  EXPECT_EQ(text(product(std::vector{number(0.5), number(2), a})), "a");
  EXPECT_EQ(text(negated(number(2))), "-2");
}

/// Quotients of integers are cut, so that each one divides what it is written with.
TEST(ValueTree, QuotientsStayWhereTheyAreWritten) {
  EXPECT_EQ(text(quotient(quotient(a, b), c)), "a / b / c");
  EXPECT_EQ(text(quotient(a, quotient(b, c))), "a / (b / c)");
  EXPECT_EQ(text(quotient(a, product(std::vector{number(4), b}))), "a / (4 * b)");
  EXPECT_EQ(text(quotient(a, number(4))), "0.25 * a");
  EXPECT_EQ(text(quotient(sum(std::vector{a, negated(b)}), c)), "(a - b) / c");
  EXPECT_EQ(text(product(std::vector{quotient(a, b), c})), "a / b * c");
  EXPECT_EQ(text(product(std::vector{quotient(a, b), quotient(c, d)})), "a / b * (c / d)");
  EXPECT_EQ(text(product(std::vector{number(2), quotient(a, b)})), "2 * (a / b)");
  EXPECT_EQ(text(product(std::vector{a, product(std::vector{b, negated(quotient(c, d))})})), "-a * b * (c / d)");
}

/// Of integers without a sign -(a / b) is another number than -a / b.
TEST(ValueTree, SignsStandWhereTheyAreWritten) {
  EXPECT_EQ(text(negated(quotient(a, b))), "-(a / b)");
  EXPECT_EQ(text(quotient(negated(a), b)), "-a / b");
  EXPECT_EQ(text(negated(negated(quotient(a, b)))), "a / b");
}

TEST(ValueTree, FactorsOfNestedQuotients) {
  const Value tree = product(std::vector{number(3), quotient(product(std::vector{a, negated(b)}), quotient(c, d)), b});
  const auto made = quotient_of(tree);
  EXPECT_EQ(made.constant, -3);
  ASSERT_EQ(made.factors.size(), 3u);
  ASSERT_EQ(made.divisors.size(), 1u);
  EXPECT_EQ(text(made.divisors[0]), "c / d");
  std::string visited;
  const Value mapped = map_factors(tree, [&](const Value &factor) {
    visited += text(factor);
    return visited.size() == 2 ? number(2) : factor;
  });
  EXPECT_EQ(visited, "abb");
  EXPECT_EQ(text(mapped), "3 * (-2 * a / (c / d)) * b");
}

TEST(ValueTree, NumbersWithoutReciprocalDivide) {
  EXPECT_EQ(text(quotient(a, number(1e-310))), "a / 1e-310");
  EXPECT_EQ(text(quotient(a, number(1e-40))), "a / 1e-40"); // 1e+40 is infinite in single precision
  EXPECT_EQ(text(quotient(a, product(std::vector{number(1e300), b}))), "a / (1e+300 * b)");
  EXPECT_EQ(text(quotient(a, number(std::numeric_limits<double>::infinity()))), "0 * a");
}

TEST(ValueTree, TermsOfWhatIsLinearInSums) {
  auto texts = [](const Value &value) {
    std::vector<std::string> all;
    for (const Value &term : multiplied_out(value))
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
