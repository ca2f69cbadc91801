// Results in arrays that don't store every element: what a statement makes must have a place.
#include "layout_file.h"
#include "pipeline/request_text.h"

#include <gtest/gtest.h>

using namespace unravel::pipeline::test;
using unravel::test::LayoutFile;

namespace {

/// "no error", or what is wrong. Y is a lower triangle in dense rows.
std::string message_for(const std::string &text) {
  static const LayoutFile lower(
      "layout lower(i: N, j: N) {\n  value val[N, N];\n  stored { [r, c] -> [i, j] : i = r "
      "and j = c and 0 <= c <= r < N } at val(r, c);\n}\n");
  std::string request = text + "\n-f Y=" + lower.path() + ":lower";
  for (const std::string format : {"A=csr", "B=csr_lower"})
    if (text.find(format.substr(0, 1) + "(") != std::string::npos) request += "\n-f " + format;
  const std::string message = message_of(request);
  return message.substr(0, message.find('\n'));
}

const std::string no_place =
    "` may make entries that the layout of Y has no place for [entries-out-of-order]";

} // namespace

TEST(Places, what_has_none_is_refused) {
  for (const std::string line :
       {"Y(i,j) = A(i,j) + B(i,j)", "Y(i,j) = X(i,j) * B(i,j) + 1", "Y(i,j) = B(j,i)",
        "Y(i,j) = B(i,k) * A(k,j)", "Y(j,i) = B(i,j)", "Y(i,j) = i + j * B(i,j)"})
    EXPECT_EQ(message_for(line), "expression:1:1: error: `" + line + no_place);
  EXPECT_EQ(message_for("for i { for j { Y(i,j) += A(i,j) * B(j,i); } }"),
            "expression:1:17: error: `Y(i,j) += A(i,j) * B(j,i)" + no_place);
}

TEST(Places, what_is_proved_to_have_one_is_not) {
  for (const std::string text :
       {"Y(i,j) = A(i,j) * B(i,j)", "Y(i,j) = 2 * B(i,j)", "Y(i,j) = B(i,k) * B(k,j)", "Y(i,i) = A(i,i)",
        "Y(i,j) = A(i,j) mask B(i,j)", "for i { for j { if j <= i { Y(i,j) = A(i,j) + 1; } } }",
        "for j { for i { if i > j { Y(i,j) = 0; Y(i,j) += A(j,i); } } }",
        "for i { for j { Y(i,j) = B(i,j); } }", "for i { for j { Y(i,j) = 3 * B(i,j) * A(i,j); } }"})
    EXPECT_EQ(message_for(text), "no error") << text;
}
