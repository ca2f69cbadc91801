// Workspaces: the programs that assignments become.
#include "compute/precompute.h"
#include "compute/result_local.h"

#include "combination_text.h"
#include "parse/parse.h"

#include <gtest/gtest.h>

namespace unravel::test {

using compute::make_computation;
using compute::Program;

namespace {

std::string program_of(const std::string &assignment, const std::string &workspace,
                       std::optional<value::Type> factors_in = {}) {
  return text_or_message([&] {
    return parse::to_text(
        compute::with_workspace(parse::parse_assignment(source_named("expression", assignment)),
                                *parse::parse_schedule(source_named("-s", workspace)).workspace, factors_in));
  });
}

std::string message_of(const std::string &assignment, const std::string &workspace) {
  const std::string text = program_of(assignment, workspace);
  return text.substr(0, text.find('\n'));
}

TEST(Precompute, ARowOfAProduct) {
  EXPECT_EQ(program_of("C(i,j) = A(i,k) * B(k,j) * d(j)", "workspace w(j) for A(i,k) * B(k,j)"),
            "for i {\n"
            "  let w(j) = 0;\n"
            "  for k {\n"
            "    for j {\n"
            "      w(j) += A(i, k) * B(k, j);\n"
            "    }\n"
            "  }\n"
            "  for j {\n"
            "    C(i, j) = w(j) * d(j);\n"
            "  }\n"
            "}\n");
}

TEST(Precompute, AFactorIsConverted) {
  EXPECT_EQ(program_of("y = A(i,j) * x(j)", "workspace s for A(i,j) * x(j)", value::Type::Float64),
            "let s = 0;\n"
            "for i {\n"
            "  for j {\n"
            "    s += f64(A(i, j)) * x(j);\n"
            "  }\n"
            "}\n"
            "y = s;\n");
}

TEST(Precompute, AVectorInBetween) {
  EXPECT_EQ(program_of("y(i) = A(i,k) * B(k,j) * x(j)", "workspace t(k) for B(k,j) * x(j)"),
            "for i {\n"
            "  y(i) = 0;\n"
            "}\n"
            "let t(k) = 0;\n"
            "for j {\n"
            "  for k {\n"
            "    t(k) += B(k, j) * x(j);\n"
            "  }\n"
            "}\n"
            "for i {\n"
            "  for k {\n"
            "    y(i) += t(k) * A(i, k);\n"
            "  }\n"
            "}\n");
}

TEST(Precompute, AScalarThatIsAddedToTheResult) {
  EXPECT_EQ(program_of("y(i) += 2 * A(i,j) * x(j)", "workspace s for A(i,j) * x(j)"),
            "for i {\n"
            "  let s = 0;\n"
            "  for j {\n"
            "    s += A(i, j) * x(j);\n"
            "  }\n"
            "  y(i) += s * 2;\n"
            "}\n");
}

TEST(Precompute, ReducesAsTheLineDoes) {
  EXPECT_EQ(program_of("C(i,j) = A(i,k) * B(k,j) * d(j) in min.+", "workspace w(j) for A(i,k) * B(k,j)"),
            "for i {\n"
            "  let w(j) = inf;\n"
            "  for k {\n"
            "    for j {\n"
            "      w(j) min= A(i, k) * B(k, j) in min.+;\n"
            "    }\n"
            "  }\n"
            "  for j {\n"
            "    C(i, j) = w(j) * d(j) in min.+;\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(program_of("y(i) *= A(i,j)", "workspace s for A(i,j)"), "for i {\n"
                                                                    "  let s = 1;\n"
                                                                    "  for j {\n"
                                                                    "    s *= A(i, j);\n"
                                                                    "  }\n"
                                                                    "  y(i) *= s;\n"
                                                                    "}\n");
  EXPECT_EQ(message_of("y(i) max= 2 * A(i,j)", "workspace s for A(i,j)"),
            "expression:1:1: error: a workspace needs that `*` distributes over `max`, by which is reduced "
            "[not-supported]");
  EXPECT_EQ(message_of("y(i) = A(i,j) * x(j) in +.second", "workspace s for x(j) * A(i,j)"),
            "expression:1:1: error: the factors of `second` can't change places, as a workspace asks for "
            "[not-supported]");
}

TEST(Precompute, MistakesAreSaid) {
  const std::string product = "C(i,j) = A(i,k) * B(k,j)";
  EXPECT_EQ(message_of(product, "workspace w(j) for A(i,k) * D(k,j)"),
            "-s:1:29: error: `D(k,j)` is not a factor of `A(i,k) * B(k,j)` [unknown-tensor]");
  EXPECT_EQ(message_of(product, "workspace w(k) for A(i,k) * B(k,j)"),
            "-s:1:13: error: only the workspace's factors have the index `k` [unknown-variable]");
  EXPECT_EQ(message_of(product, "workspace w(r) for A(i,k) * B(k,j)"),
            "-s:1:13: error: the workspace's factors have no index `r` [unknown-variable]");
  EXPECT_EQ(message_of(product, "workspace C(j) for A(i,k) * B(k,j)"),
            "-s:1:11: error: `C` is a name in the assignment [duplicate-name]");
  EXPECT_EQ(message_of("y(i) = b(i) - A(i,j) * x(j)", "workspace w(i) for A(i,j)"),
            "expression:1:8: error: `b(i) - A(i,j) * x(j)` is not a product, so a workspace can't hold a "
            "part of it "
            "[not-supported]");
}

TEST(ResultLocal, EachTermInLoopsOfItsOwn) {
  const Program line =
      make_computation(parse::parse_assignment(source_named(
                           "expression", "C(i,j) = A(i,j) - 2.5 * B(j,i) / d(j) + 3 * E(i,k) * F(k,j)")))
          .program;
  ASSERT_TRUE(compute::may_have_result_local(line));
  EXPECT_EQ(parse::to_text(compute::with_result_local(line, {"w", {"i"}, {"j"}})),
            "for i {\n"
            "  let w(j) = 0;\n"
            "  for j {\n"
            "    w(j) += A(i, j);\n"
            "  }\n"
            "  for j {\n"
            "    w(j) += -(2.5 * B(j, i) / d(j));\n"
            "  }\n"
            "  for k {\n"
            "    for j {\n"
            "      w(j) += 3 * E(i, k) * F(k, j);\n"
            "    }\n"
            "  }\n"
            "  for j {\n"
            "    C(i, j) = w(j);\n"
            "  }\n"
            "}\n");
}

TEST(ResultLocal, AroundAllLoops) {
  const Program line =
      make_computation(parse::parse_assignment(source_named("expression", "y(i) = A(i,j) * x(j)"))).program;
  EXPECT_EQ(parse::to_text(compute::with_result_local(line, {"t", {}, {"i"}})),
            "let t(i) = 0;\n"
            "for j {\n"
            "  for i {\n"
            "    t(i) += A(i, j) * x(j);\n"
            "  }\n"
            "}\n"
            "for i {\n"
            "  y(i) = t(i);\n"
            "}\n");
}

TEST(ResultLocal, NotWithShiftedSubscripts) {
  const auto may = [](const std::string &assignment) {
    return compute::may_have_result_local(
        make_computation(parse::parse_assignment(source_named("expression", assignment))).program);
  };
  EXPECT_TRUE(may("C(i,j) = A(j,i)"));
  EXPECT_FALSE(may("C(i,j) = A(i,j+1)"));
  EXPECT_FALSE(may("C(i,j+1) = A(i,j)"));
  EXPECT_FALSE(may("C(i,i) = A(i,i)"));
}

} // namespace
} // namespace unravel::test
