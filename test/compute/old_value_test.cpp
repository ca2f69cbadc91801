// Lines whose elements are computed from their own old values, as programs.
#include "compute/as_program.h"

#include "parse/parse.h"
#include "report/diagnostic.h"

#include <gtest/gtest.h>

namespace unravel::compute {
namespace {

/// The program, or "none".
std::string program_of(const std::string &line) {
  const auto source = std::make_shared<const text::Source>("expression", line);
  const std::optional<AsProgram> program = as_program(parse::parse_assignment(source), {});
  return program ? parse::to_text(program->tree) : "none";
}

std::string message_of(const std::string &line) {
  try {
    return program_of(line);
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
}

/// What --check evaluates.
std::string line_of(const std::string &line) {
  const auto source = std::make_shared<const text::Source>("expression", line);
  const std::optional<AsProgram> program = as_program(parse::parse_assignment(source), {});
  return program && program->line ? to_text(program->line->line.program) : "none";
}

TEST(OldValue, of_the_line_as_it_is_written_is_an_operand) {
  EXPECT_EQ(line_of("y(i) = 2 * y(i) + A(i,j) * x(j)"), "y(i) = 2 * old(i)\ny(i) += A(i, j) * x(j)\n");
  EXPECT_EQ(line_of("y(i) = old(i) + 2 * y(i) * A(i,j)"), "y(i) = old(i)\ny(i) += 2 * old2(i) * A(i, j)\n");
  EXPECT_EQ(line_of("y(i) += A(i,j) * x(j)"), "none");
}

TEST(OldValue, is_scaled_in_place) {
  EXPECT_EQ(program_of("y(i) = b(i) - y(i) * c(i)"), "for i {\n"
                                                     "  let new = 0;\n"
                                                     "  new += -(y(i) * c(i));\n"
                                                     "  y(i) = new;\n"
                                                     "}\n"
                                                     "for i {\n"
                                                     "  y(i) += b(i);\n"
                                                     "}\n");
  EXPECT_EQ(program_of("t = 2 * t"), "let new = 0;\nnew += 2 * t;\nt = new;\n");
  EXPECT_EQ(program_of("new(i) = 2 * new(i)"),
            "for i {\n  let new2 = 0;\n  new2 += 2 * new(i);\n  new(i) = new2;\n}\n");
}

TEST(OldValue, is_copied_where_it_is_summed_or_masked) {
  EXPECT_EQ(program_of("y(i) = y(i) * A(i,j)"), "let old(i) = y(i);\n"
                                                "for i {\n"
                                                "  y(i) = 0;\n"
                                                "}\n"
                                                "for i {\n"
                                                "  for j {\n"
                                                "    y(i) += old(i) * A(i, j);\n"
                                                "  }\n"
                                                "}\n");
  EXPECT_EQ(program_of("y(i) += 2 * y(i) mask i < 3"), "let old(i) = y(i);\n"
                                                       "for i {\n"
                                                       "  y(i) += 2 * old(i) mask i <= 2;\n"
                                                       "}\n");
}

TEST(OldValue, beside_shifted_subscripts) {
  EXPECT_EQ(program_of("y(i) = 2 * y(i) + x(i+1) * z(j-2)"),
            "tensor y(n2), x(n), z(n3);\n"
            "for i {\n"
            "  let new = 0;\n"
            "  new += 2 * y(i);\n"
            "  y(i) = new;\n"
            "}\n"
            "for i {\n"
            "  for j in [0, 2 + n3) {\n"
            "    y(i) += x(1 + i) * z(-2 + j) mask n >= 2 + i and j >= 2 and 1 + n3 >= j;\n"
            "  }\n"
            "}\n");
}

TEST(OldValue, other_lines_are_none) {
  for (const char *line :
       {"y(i) = A(i,j) * x(j)", "y(i) = y(i) + x(i)", "y(i) += x(i)", "y(i) = max(y(i), x(i))"})
    EXPECT_EQ(program_of(line), "none") << line;
}

TEST(OldValue, of_other_elements) {
  EXPECT_EQ(message_of("y(i) = y(i+1) + x(i)"), "`y(i)` is computed from another element of `y`");
  EXPECT_EQ(message_of("A(i,j) = A(j,i)"), "`A(i,j)` is computed from another element of `A`");
  EXPECT_EQ(message_of("y(i+1) = 2 * y(i+1)"),
            "the old value `y(i+1)` of the result, whose subscripts aren't an index each");
}

} // namespace
} // namespace unravel::compute
