// What assignments mean, and which are refused. A golden case is an assignment; a new one needs no code.
#include "compute/computation.h"
#include "golden.h"
#include "parse/parse.h"
#include "report/diagnostic.h"

namespace unravel::test {
namespace {

compute::Computation computation_of(const std::string &text) {
  auto source = std::make_shared<const text::Source>("expression", text);
  return parse::is_program(text) ? compute::make_computation(parse::parse_program(source))
                                 : compute::make_computation(parse::parse_assignment(source));
}

std::string outcome_of(const std::string &text) {
  try {
    compute::Computation computation = computation_of(text);
    std::string result = compute::to_text(computation.program) + "indices";
    for (const std::string &index : computation.indices)
      result += " " + index;
    result += "\ntensors";
    for (const compute::TensorUse &use : computation.tensors)
      result += " " + use.name + "/" + std::to_string(use.order);
    if (!computation.program.extents.empty()) {
      result += "\nsizes";
      for (const std::string &size : computation.program.sizes)
        result += " " + size;
      return result + "\n";
    }
    result += "\naccesses";
    for (const compute::Statement &statement : computation.program.statements)
      compute::each_access(statement, [&](const compute::Access &access) { result += " " + access.name(); });
    return result + "\n";
  } catch (const report::Error &error) {
    return error.what();
  }
}

TEST(ComputeGolden, EveryFilePrintsAsRecorded) {
  for (const std::string &name : golden_names("compute", "")) {
    SCOPED_TRACE(name);
    golden_run("compute", name, outcome_of);
    for (const std::string &input : golden_inputs("compute", name))
      EXPECT_EQ(outcome_of(input).find("error: ") != std::string::npos, name.compare(0, 5, "fail_") == 0)
          << input;
  }
}

/// What is printed means the same.
TEST(ComputeGolden, PrintedTextMeansTheSame) {
  for (const std::string &input : golden_inputs("compute", "products")) {
    std::string printed = compute::to_text(computation_of(input).program);
    EXPECT_EQ(compute::to_text(computation_of(printed.substr(0, printed.find('\n'))).program), printed)
        << input;
  }
}

TEST(ComputeMeaning, ConstantsMultiply) {
  auto constant = [](const std::string &text) {
    return value::quotient_of(computation_of(text).program.statements.at(0).value).constant;
  };
  EXPECT_EQ(constant("y(i) = x(i)"), 1);
  EXPECT_EQ(constant("y(i) = 2 * x(i) * 3.5"), 7);
  EXPECT_EQ(constant("y(i) = -x(i)"), -1);
  EXPECT_EQ(constant("y(i) = -(2 * -x(i))"), 2);
  EXPECT_EQ(constant("y(i) = x(i) / 4"), 0.25);
  EXPECT_EQ(constant("y(i) = (x(i) / 0.5) / 4"), 0.5);
  EXPECT_EQ(constant("s = 6"), 6);
}

TEST(ComputeMeaning, AnAssignmentIsAFreeStatement) {
  const compute::Program program = computation_of("y(i) += A(i,j) * x(j)").program;
  ASSERT_EQ(program.statements.size(), 1u);
  EXPECT_TRUE(program.statements[0].is_free);
  EXPECT_TRUE(program.statements[0].loops.empty());
  EXPECT_EQ(program.statements[0].indices, (std::vector<std::string>{"i", "j"}));
  EXPECT_EQ(compute::free_statement_of(program, "y"), &program.statements[0]);
  EXPECT_EQ(compute::free_statement_of(program, "A"), nullptr);
}

TEST(ComputeMessage, BadSubscript) {
  EXPECT_EQ(
      outcome_of("y(i) = A(i, 2*j) * x(j)"),
      "expression:1:13: error: `2*j` is not an index variable plus a constant [bad-subscript]\n"
      "  1 | y(i) = A(i, 2*j) * x(j)\n"
      "    |             ^~~\n"
      "  hint: subscripts are i, i+1, i-1 and the like; other affine subscripts are not supported yet\n");
}

TEST(ComputeMessage, ResultIsOperand) {
  EXPECT_EQ(
      outcome_of("y(i) = A(i,j) * y(j)"),
      "expression:1:17: error: `y(i)` is computed from another element of `y` [result-is-operand]\n"
      "  1 | y(i) = A(i,j) * y(j)\n"
      "    |                 ^~~~\n"
      "  hint: compute into a tensor of another name, or write a program, whose loops say which of them "
      "is set first\n");
}

TEST(ComputeMessage, OrderMismatch) {
  EXPECT_EQ(outcome_of("y(i) = A(i,j) * A(i)"),
            "expression:1:17: error: `A` has 1 subscript here, but 2 before [order-mismatch]\n"
            "  1 | y(i) = A(i,j) * A(i)\n"
            "    |                 ^~~~\n");
}

TEST(ComputeMessage, NotAProduct) {
  EXPECT_EQ(outcome_of("y(i) = x(i) / (a - b)"),
            "expression:1:15: error: division by the sum `(a - b)` [not-a-product]\n"
            "  1 | y(i) = x(i) / (a - b)\n"
            "    |               ^~~~~~~\n"
            "  hint: compute the sum by itself first (in a program `let d = ...;`), and divide by that\n");
}

/// (a0 + b0) * (a1 + b1) * ...: 2^11 terms.
TEST(ComputeMessage, TooManyTerms) {
  std::string value = "(a + b)";
  for (int k = 0; k < 10; ++k)
    value += " * (a + b)";
  EXPECT_NE(outcome_of("s = " + value + " in min.+").find("has 2048 terms: no more than 1024 are supported"),
            std::string::npos);
}

} // namespace
} // namespace unravel::test
