#include "parse_text.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

// The many messages about grammar are in test/golden/parse/fail_*.txt; here is one of each kind, and what a
// text file cannot show well: bytes and depths.

std::string message_of(const std::string &rendered) {
  return rendered.substr(0, rendered.find('\n'));
}

TEST(ParseMessage, SyntaxError) {
  EXPECT_EQ(outcome_of_layouts("layout a(i: M) {\n  index a[M]\n  value v[M];\n}\n"),
            "input:2:13: error: missing `;` before `value` [syntax-error]\n"
            "  2 |   index a[M]\n"
            "    |             ^\n");
}

TEST(ParseMessage, NotSupported) {
  EXPECT_EQ(outcome_of_assignment("d(i) -= W(i,j)"),
            "input:1:6: error: `-=` is not supported yet [not-supported]\n"
            "  1 | d(i) -= W(i,j)\n"
            "    |      ^~\n"
            "  hint: results are reduced with `=` or `+=`, which add, as `y(i) += 0 - x(i)` does, or with "
            "`*=`, `min=` and the like\n");
}

TEST(ParseMessage, NumberTooLarge) {
  EXPECT_EQ(outcome_of_schedule("chunk 9223372036854775808"),
            "input:1:7: error: `9223372036854775808` does not fit in a 64-bit integer [number-too-large]\n"
            "  1 | chunk 9223372036854775808\n"
            "    |       ^~~~~~~~~~~~~~~~~~~\n"
            "  hint: the largest one is 9223372036854775807\n");
  EXPECT_EQ(outcome_of_schedule("parallel i; chunk 2147483648"),
            "input:1:19: error: `2147483648` is too large for a schedule [number-too-large]\n"
            "  1 | parallel i; chunk 2147483648\n"
            "    |                   ^~~~~~~~~~\n"
            "  hint: the largest number is 2147483647\n");
  EXPECT_EQ(outcome_of_schedule("chunk 2147483647"), "chunk 2147483647");
}

TEST(ParseMessage, StrayCharacter) {
  EXPECT_EQ(outcome_of_assignment("y(i) = x(i) @ 2"),
            "input:1:13: error: stray character `@` [stray-character]\n"
            "  1 | y(i) = x(i) @ 2\n"
            "    |             ^\n"
            "  hint: a product of matrices has indices: `A(i,k) * B(k,j)`\n");
  EXPECT_EQ(outcome_of_assignment("C(i,j) = A(i,j) .* B(i,j)"),
            "input:1:17: error: stray character `.` [stray-character]\n"
            "  1 | C(i,j) = A(i,j) .* B(i,j)\n"
            "    |                 ^\n"
            "  hint: elements with the same indices are multiplied and divided by `*` and `/`: `A(i,j) * "
            "B(i,j)`\n");
  EXPECT_EQ(message_of(outcome_of_assignment("y = x \xE2\x89\xA4 2")),
            "input:1:7: error: stray character `\xE2\x89\xA4` (U+2264) [stray-character]");
  EXPECT_EQ(message_of(outcome_of_assignment(std::string("y = \0 2", 7))),
            "input:1:5: error: stray character U+0000 [stray-character]");
  EXPECT_EQ(message_of(outcome_of_assignment("y = \x1B[31m")),
            "input:1:5: error: stray character U+001B [stray-character]");
  // A right-to-left override would turn the message itself around.
  EXPECT_EQ(message_of(outcome_of_assignment("y = \xE2\x80\xAE")),
            "input:1:5: error: stray character U+202E [stray-character]");
  for (const char *malformed : {"\xC0\x80", "\xC0", "\xC0 x"})
    EXPECT_EQ(message_of(outcome_of_assignment(std::string("y = ") + malformed)),
              "input:1:5: error: byte 0xC0 is not UTF-8 text [stray-character]");
  EXPECT_EQ(message_of(outcome_of_assignment("y = \xED\xA0\x80")),
            "input:1:5: error: byte 0xED is not UTF-8 text [stray-character]");
}

TEST(ParseMessage, TextOfOtherSystemsIsRead) {
  EXPECT_EQ(outcome_of_layouts("\xEF\xBB\xBF# caf\xC3\xA9 \r\nlayout a() {\r\n}\r\n"),
            "# caf\xC3\xA9\nlayout a() {\n}\n");
}

TEST(ParseMessage, TheFirstMistakeIsReported) {
  EXPECT_EQ(message_of(outcome_of_assignment("y(i) x y = $")),
            "input:1:6: error: expected `=` or `+=`, saw `x` [syntax-error]");
}

TEST(ParseMessage, EmptyTexts) {
  EXPECT_EQ(outcome_of_assignment(""),
            "input:1:1: error: expected the name of the result, saw the end of the text [syntax-error]\n"
            "  hint: write an assignment such as `y(i) = A(i,j) * x(j)`\n");
  EXPECT_EQ(outcome_of_layouts(" \n"), "input: error: this file holds no layout [syntax-error]\n"
                                       "  hint: a layout begins with `layout name(i: M, j: N) {`\n");
  EXPECT_EQ(outcome_of_reference(" "), "input:1:1: error: expected a layout, saw nothing [syntax-error]\n"
                                       "  1 |  \n"
                                       "    | ^\n"
                                       "  hint: write `csr`, `bcsr<4,4>`, `./mine.layout:name`, `like:S` or "
                                       "`csr int32 fill inf`\n");
  EXPECT_EQ(outcome_of_schedule(""), "");
}

/// What stands after --find, pointed at in the user's own text.
TEST(ParseMessage, Finds) {
  auto message = [](const std::string &content) -> std::string {
    try {
      parse::parse_find(source_of(content));
    } catch (const report::Error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("x.p=hash"), "");
  EXPECT_EQ(message("x.p=magic"),
            "input:1:5: error: expected a way to find (`direct`, `probe`, `seq`, `gallop`, "
            "`binary`, `hash`, `map`, `scan` or `auto`), saw `magic` [syntax-error]\n"
            "  1 | x.p=magic\n"
            "    |     ^~~~~\n");
  EXPECT_EQ(message("x=seq, y=map"),
            "input:1:6: error: expected the end of the text, saw `,` [syntax-error]\n"
            "  1 | x=seq, y=map\n"
            "    |      ^\n"
            "  hint: give one --find per find\n");
  EXPECT_EQ(message("x by seq"), "input:1:3: error: expected `=` after `x`, saw `by` [syntax-error]\n"
                                 "  1 | x by seq\n"
                                 "    |   ^~\n"
                                 "  hint: write `x=binary`\n");
}

std::string repeated(const std::string &piece, int times) {
  std::string result;
  for (int k = 0; k < times; ++k)
    result += piece;
  return result;
}

std::string property_text(const std::string &formula) {
  return "layout a(i: M) { property " + formula + "; }";
}

TEST(ParseMessage, NestingIsLimited) {
  const std::string expected = "this expression nests deeper than 200 levels [expression-too-large]";
  auto refused = [&](const std::string &rendered) {
    return message_of(rendered).find(expected) != std::string::npos ? "" : message_of(rendered);
  };
  for (int depth : {201, 100000}) {
    EXPECT_EQ(refused(outcome_of_assignment("y = " + repeated("(", depth))), "");
    EXPECT_EQ(refused(outcome_of_assignment("y = " + repeated("-", depth))), "");
    EXPECT_EQ(refused(outcome_of_assignment("y = " + repeated("f(", depth))), "");
    EXPECT_EQ(refused(outcome_of_layouts(property_text(repeated("(", depth)))), "");
    EXPECT_EQ(refused(outcome_of_layouts(property_text(repeated("f(", depth)))), "");
    EXPECT_EQ(refused(outcome_of_layouts(property_text(repeated("not ", depth)))), "");
    EXPECT_EQ(refused(outcome_of_layouts(property_text(repeated("floor(", depth)))), "");
    EXPECT_EQ(refused(outcome_of_layouts(property_text(repeated("a = b => ", depth)))), "");
  }
  EXPECT_EQ(outcome_of_assignment("y = " + repeated("(", 200) + "x" + repeated(")", 200)), "y = x");
  EXPECT_TRUE(outcome_of_assignment("y = " + repeated("(", 201) + "x").starts_with("input:1:205: error: "));
}

TEST(ParseMessage, WrongSort) {
  EXPECT_EQ(outcome_of_layouts("layout a(i: M) { property i + 1; }"),
            "input:1:27: error: expected a condition, saw the number `i + 1` [wrong-sort]\n"
            "  1 | layout a(i: M) { property i + 1; }\n"
            "    |                           ^~~~~\n"
            "  hint: conditions compare numbers, as in `0 <= i < M`\n");
}

TEST(ParseMessage, OperatorsAreLimited) {
  std::string expected = "this expression has more than 2000 operators [expression-too-large]";
  EXPECT_NE(outcome_of_assignment("y = x" + repeated(" + x", 2001)).find(expected), std::string::npos);
  EXPECT_NE(outcome_of_layouts(property_text("0 = x" + repeated(" * x", 2001))).find(expected),
            std::string::npos);
  std::string longest = "y = x" + repeated(" + x", 2000);
  EXPECT_EQ(outcome_of_assignment(longest), longest);
  // Flat chains are one node and need no limit.
  std::string flat = property_text("a = b" + repeated(" and a = b", 5000));
  EXPECT_NE(outcome_of_layouts(flat).find(" and a = b and "), std::string::npos);
}

} // namespace
} // namespace unravel::test
