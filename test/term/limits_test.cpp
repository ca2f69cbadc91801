#include "term/limits.h"

#include "report/diagnostic.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

using term::largest_constant;
using term::largest_factor;
using term::Term;

std::string refusal(const Term &term) {
  const text::Span span{std::make_shared<const text::Source>("input", "i"), 0, 1};
  try {
    EXPECT_EQ(term::with_small_numbers(term, span), term);
    return "";
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::number_too_large);
    return error.diagnostic().message;
  }
}

TEST(TermLimits, are_of_factors_and_constants) {
  const Term i = term::variable("i"), j = term::variable("j");
  for (const std::int64_t sign : {1, -1}) {
    EXPECT_EQ(refusal(term::scale(sign * largest_factor, i) + j), "");
    EXPECT_NE(refusal(term::scale(sign * (largest_factor + 1), i) + j), "");
    EXPECT_EQ(refusal(Term(sign * largest_constant)), "");
    EXPECT_EQ(refusal(i + Term(sign * largest_constant)), "");
    EXPECT_NE(refusal(i + Term(sign * (largest_constant + 1))), "");
  }
  EXPECT_EQ(refusal(term::scale(std::int64_t{1} << 62, i)),
            "`4611686018427387904` is too large for a factor of coordinates and sizes");
  EXPECT_EQ(refusal(Term(INT64_MIN)),
            "`-9223372036854775808` is too large for a constant in a sum of coordinates and sizes");
}

} // namespace
} // namespace unravel::test
