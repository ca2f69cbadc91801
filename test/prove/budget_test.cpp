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

TEST(ProveBudget, TheNoticeIsShortHoweverMuchIsLeftOut) {
  std::vector<std::string> left_out(300, "how many loops are parallel");
  left_out[0] = std::string(9000, 'x');
  const report::Diagnostic notice = notice_of(left_out, 2);
  EXPECT_TRUE(notice.message.ends_with("; how many loops are parallel; and 295 more")) << notice.message;
  EXPECT_LT(notice.message.size(), 400u);
  EXPECT_TRUE(notice_of({"a", "b"}, 2).message.ends_with("not tried: a; b"));
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
