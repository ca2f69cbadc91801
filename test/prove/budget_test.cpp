// Optional questions, and a budget that is spent.
#include "prove/prover.h"

#include <gtest/gtest.h>

namespace unravel::prove {
namespace {

using term::less;
using term::variable;

const std::vector<term::Term> impossible{less(variable("x"), variable("y")),
                                         less(variable("y"), variable("x"))};

TEST(ProveBudget, WithoutALimitEverythingIsTried) {
  Budget budget;
  EXPECT_FALSE(budget.is_limited());
  EXPECT_TRUE(budget.allows("a plan"));
  EXPECT_TRUE(budget.left_out().empty());
  EXPECT_EQ(budget.seconds_left(), 0);
}

TEST(ProveBudget, NotesWhatIsLeftOut) {
  Budget budget(1e-9);
  EXPECT_FALSE(budget.allows("b"));
  EXPECT_FALSE(budget.allows("a"));
  EXPECT_FALSE(budget.allows("b"));
  EXPECT_EQ(budget.left_out(), (std::vector<std::string>{"a", "b (2 questions)"}));
  EXPECT_GT(budget.seconds_left(), 0); // a budget within this one has a limit, too
}

TEST(ProveBudget, OnlyOptionalQuestionsAreLeftOut) {
  auto budget = std::make_shared<Budget>(1e-9);
  Prover prover({}, default_rlimit, budget);
  {
    const Prover::Optional optional(prover, "something faster");
    EXPECT_EQ(prover.refute("", "", impossible), Answer::Unknown);
    EXPECT_EQ(prover.last(), 0u);
    {
      const Prover::Optional needed(prover, "");
      EXPECT_EQ(prover.refute("", "", impossible), Answer::Refuted);
    }
    EXPECT_EQ(prover.purpose(), "something faster");
    EXPECT_EQ(prover.refute("", "", impossible), Answer::Unknown);
  }
  EXPECT_EQ(prover.refute("", "", impossible), Answer::Refuted);
  EXPECT_EQ(budget->left_out(), std::vector<std::string>{"something faster (2 questions)"});
}

} // namespace
} // namespace unravel::prove
