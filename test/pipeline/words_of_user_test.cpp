// Messages say what the user wrote, and not what a request was made into.
#include "pipeline/request_text.h"
#include "pipeline/words_of_user.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;

namespace {

/// A front with the local C_now, which stands for C, and best, which stands for nothing; the loops i2 and
/// round.
Front front_with_locals() {
  Front front;
  front.own_words = words_in("for i { for j { C(i,j) *= A(i,j); } }");
  front.computation.indices = {"i", "j", "i2", "round"};
  for (const char *tensor : {"C", "A", "C_now", "best"})
    front.computation.tensors.push_back({tensor});
  front.stands_for = {{"C_now", "C"}};
  return front;
}

std::string said(const std::string &text) {
  return in_words_of_user(text, Request{}, front_with_locals());
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(WordsOfUser, what_stands_for_a_tensor_is_called_that) {
  EXPECT_EQ(said("`C(i,j) *= A(i,j)` reads `C_now`"), "`C(i,j) *= A(i,j)` reads `C`");
  EXPECT_EQ(said("better ways to find `C_now#4.p` (4 questions)"),
            "better ways to find `C#4.p` (4 questions)");
  EXPECT_EQ(said("by i2 - j"), "by i - j");
  EXPECT_EQ(said("subscript 1 must be in [0, i2.extent)"), "subscript 1 must be in [0, its extent)");
}

TEST(WordsOfUser, what_stands_for_nothing_is_a_local_tensor) {
  EXPECT_EQ(said("which iterations touch an element of best()"),
            "which iterations touch an element of a local tensor");
  EXPECT_EQ(said("`best` is read"), "a local tensor is read");
  EXPECT_EQ(said("this way is best, round numbers are none"), "this way is best, round numbers are none");
  EXPECT_EQ(said("add them up: `let best(j) = 0;`"), "add them up: `let best(j) = 0;`");
}

TEST(WordsOfUser, what_the_user_names_has_that_name) {
  Request request;
  request.formats["C_now"] = "csr";
  EXPECT_EQ(in_words_of_user("`C_now` grows", request, front_with_locals()), "`C_now` grows");
  request = {};
  request.schedules.push_back("parallel best.p");
  EXPECT_EQ(in_words_of_user("the loops are i, best.p", request, front_with_locals()),
            "the loops are i, best.p");
}

TEST(WordsOfUser, refusals_of_requests) {
  const std::string refused = message_of("C(i,j) *= A(i,j)\n-f C=ell\n-f A=csr");
  EXPECT_TRUE(has(refused, "give it one, as -f 'C=ell fill 1'")) << refused;
  const std::string read =
      message_of("for i { for j { C(i,j) = C(j,i)*x(j) + A(i,j); } }\n-f C=csr\n-f A=csr");
  EXPECT_TRUE(has(read, "reads `C`, of which")) << read;
  const std::string loops =
      message_of("C(i,j) = A(i,j) + A(j,i)\n-f C=sell<2>\n-f A=coo_dup\n-s unroll j by 2");
  EXPECT_TRUE(has(loops, "hint: the loops are i, C#4.p")) << loops;
  const std::string best = message_of("z = argmax(j, v(j) * x(j))\n-f v=sv\n-s wavefront j");
  EXPECT_TRUE(has(best, "touch an element of a local tensor")) << best;
}
