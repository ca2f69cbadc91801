// argmin and argmax: the programs that lines become, and what is refused.
#include "compute/argmin.h"

#include "combination_text.h"
#include "parse/parse.h"

#include <gtest/gtest.h>

namespace unravel::test {

namespace {

std::string program_of(const std::string &line, bool by_rows) {
  return text_or_message([&] {
    return parse::to_text(
        compute::with_argmin(parse::parse_assignment(source_named("expression", line)), by_rows));
  });
}

std::string rows_of_program(const std::string &program) {
  return text_or_message([&] {
    return parse::to_text(compute::with_argmin(parse::parse_program(source_named("program", program))));
  });
}

std::string message_of(const std::string &line) {
  const std::string text = program_of(line, true);
  return text.substr(0, text.find('\n'));
}

TEST(Argmin, ByRows) {
  EXPECT_EQ(program_of("p(i) = argmin(j, A(i,j) * x(j)) in min.+ mask M(i,j)", true),
            "for i {\n"
            "  let best = inf;\n"
            "  for j {\n"
            "    best min= A(i, j) * x(j) in min.+ mask M(i, j);\n"
            "  }\n"
            "  p(i) = inf;\n"
            "  for j {\n"
            "    p(i) min= select(bool(A(i, j) * x(j) = best), j, inf) in min.+ mask M(i, j);\n"
            "  }\n"
            "}\n");
}

TEST(Argmin, InAnyOrder) {
  EXPECT_EQ(program_of("p(j) = argmax(2*i + 1, A(i,j) * best(i))", false),
            "let best2(j) = -inf;\n"
            "for j {\n"
            "  for i {\n"
            "    best2(j) max= A(i, j) * best(i);\n"
            "  }\n"
            "}\n"
            "for j {\n"
            "  p(j) = inf;\n"
            "}\n"
            "for j {\n"
            "  for i {\n"
            "    p(j) min= select(bool(A(i, j) * best(i) = best2(j)), 2 * i + 1, inf);\n"
            "  }\n"
            "}\n");
}

TEST(Argmin, InPrograms) {
  EXPECT_EQ(rows_of_program("tensor x(n), at; let k = argmax(n * i + 1, x(i)); at = k;"),
            "tensor x(n), at;\n"
            "let best = -inf;\n"
            "for i {\n"
            "  best max= x(i);\n"
            "}\n"
            "let k = inf;\n"
            "for i {\n"
            "  k min= select(bool(x(i) = best), n * i + 1, inf);\n"
            "}\n"
            "at = k;\n");
}

TEST(Argmin, Refusals) {
  EXPECT_EQ(message_of("p(i) = argmin(j, A(i,k) * B(k,j))"),
            "expression:1:22: error: `k` is neither an index of the result nor in `j` [unknown-variable]");
  EXPECT_EQ(message_of("p(i) = argmin(i, A(i,j))"),
            "expression:1:15: error: `i` has no index that subscripts something in `A(i,j)` and is not the "
            "result's [unknown-variable]");
  EXPECT_EQ(
      message_of("p(i) = argmin(A(i,j))"),
      "expression:1:8: error: `argmin` takes a coordinate and a value, not 1 argument [unknown-operator]");
  EXPECT_EQ(message_of("p(i) += argmin(j, A(i,j))"),
            "expression:1:9: error: a coordinate that `argmin` finds is assigned by `=` [unknown-operator]");
  EXPECT_EQ(message_of("p(i) = argmax(j, A(i,j)) in min.*"),
            "expression:1:29: error: `argmax` reduces by `max`, not by `min` [unknown-operator]");
  EXPECT_EQ(
      message_of("p(i) = argmin(j, A(i,j) + B(i,j)) in min.*"),
      "expression:1:18: error: `A(i,j) + B(i,j)` is a sum: with `in` the value that `argmin` looks at is "
      "one product [not-a-product]");
  EXPECT_EQ(
      message_of("p(i+1) = argmin(j, A(i,j))"),
      "expression:1:3: error: `p(i+1)`: what a result of coordinates is subscripted by are indices, each "
      "once [bad-subscript]");
  EXPECT_EQ(
      message_of("p = argmin(10*i + j, A(i,j)) in min.*"),
      "expression:1:12: error: `10*i + j` is no index: with `in` the coordinate of `argmin` is one index "
      "[not-a-product]");
  const auto message_of_any = [](const std::string &line) {
    const std::string text = text_or_message([&] {
      return compute::make_computation(parse::parse_assignment(source_named("expression", line))).text;
    });
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(message_of_any("p(i) = 1 + argmin(j, A(i,j))"),
            "expression:1:12: error: `argmin` stands alone as a value that is assigned [unknown-operator]");
  EXPECT_EQ(message_of_any("argmax(i) = A(i,j)"),
            "expression:1:1: error: `argmax` is an operator, so no tensor can have that name "
            "[unknown-operator]");
  const std::string local = rows_of_program("for i { let w(j) = argmin(k, A(j,k)); y(i) = w(i); }");
  EXPECT_EQ(local.substr(0, local.find('\n')),
            "program:1:9: error: `argmin` as the first value of a local tensor [not-supported]");
}

} // namespace

} // namespace unravel::test
