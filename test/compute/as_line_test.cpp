// Programs whose loops say a line of tensor index notation.
#include "compute/as_line.h"

#include "parse/parse.h"

#include <gtest/gtest.h>

namespace unravel::compute {
namespace {

/// The line, one term after the other, or "none".
std::string line_of(const std::string &program, const std::map<std::string, value::Type> &types = {}) {
  const auto source = std::make_shared<const text::Source>("program", program);
  const std::optional<Computation> line = as_line(make_computation(parse::parse_program(source)), types);
  return line ? to_text(line->program) : "none";
}

TEST(AsLine, what_is_set_once) {
  EXPECT_EQ(line_of("for i { for j { C(i,j) = A(i,j) + 2*B(j,i); } }"),
            "C(i, j) = A(i, j)\nC(i, j) += 2 * B(j, i)\n");
  EXPECT_EQ(
      line_of("tensor A(m, n), C(n, m + 1); for i in [0, m) { for j in [0, n) { C(j,i+1) = A(i,j); } }"),
      "C(j, i+1) = A(i, j)\n");
}

TEST(AsLine, what_is_cleared_and_added_to) {
  const std::string product = "C(i, j) = A(i, k) * B(k, j)\n";
  EXPECT_EQ(line_of("for i { for j { C(i,j) = 0; for k { C(i,j) += A(i,k) * B(k,j); } } }"), product);
  EXPECT_EQ(
      line_of("for i { for j { C(i,j) = 0; } } for i { for k { for j { C(i,j) += A(i,k) * B(k,j); } } }"),
      product);
  EXPECT_EQ(line_of("for i { for j { C(i,j) = 0; } for k { for j { C(i,j) += A(i,k) * B(k,j); } } }"),
            product);
  EXPECT_EQ(line_of("for i { for k { for j { C(i,j) += A(i,k) * B(k,j); } } }"), product);
  EXPECT_EQ(line_of("for i { y(i) = b(i); for j { y(i) -= A(i,j) * x(j); } }"),
            "y(i) = b(i)\ny(i) += -A(i, j) * x(j)\n");
}

TEST(AsLine, what_is_added_up_in_a_scalar) {
  EXPECT_EQ(line_of("for i { for j { let s = 0; for k { s += A(i,k) * B(k,j); } C(i,j) = 2*s; } }"),
            "C(i, j) = 2 * A(i, k) * B(k, j)\n");
  EXPECT_EQ(line_of("for i { let s = b(i); for j { s += A(i,j); } y(i) = s * d(i) + c(i); }"),
            "y(i) = b(i) * d(i)\ny(i) += A(i, j) * d(i)\ny(i) += c(i)\n");
  using value::Type;
  const std::string sum = "for i { let s = 0; for j { s += A(i,j); } y(i) = s; }";
  EXPECT_EQ(line_of(sum, {{"s", Type::Float64}, {"y", Type::Float32}}), "none"); // rounded once
  EXPECT_EQ(line_of(sum, {{"s", Type::Int64}, {"y", Type::Int64}}), "none");
}

TEST(AsLine, parts_of_extents) {
  EXPECT_EQ(line_of("tensor A(n, n), L(n, n); for i in [0, n) { for j in [0, i) { L(i,j) = A(i,j); } }"),
            "if j < i: L(i, j) = A(i, j)\n");
  EXPECT_EQ(line_of("tensor A(n, n), L(n, n); for i in [0, n) { for j in [i, n) { if j < i + 2 { L(i,j) = "
                    "A(i,j); } } }"),
            "if j <= i + 1 and i <= j: L(i, j) = A(i, j)\n");
  // A size isn't known in a line.
  EXPECT_EQ(line_of("tensor A(n, n), L(n, n); for i in [0, n - 1) { for j in [0, n) { L(i,j) = A(i,j); } }"),
            "none");
}

TEST(AsLine, what_no_line_says) {
  EXPECT_EQ(line_of("for i { for j { y(i) = A(i,j); } }"), "none"); // the last one stays
  EXPECT_EQ(line_of("for i { for j { y(j) = 0; y(j) += A(i,j); } }"), "none");
  EXPECT_EQ(line_of("for i { for j { y(i) += A(i,j); } y(i) = 0; }"), "none");
  EXPECT_EQ(line_of("for i { y(i) = x(i); y(i) += 2*y(i); }"), "none");
  EXPECT_EQ(line_of("for i { y(i) = x(i); z(i) = 2*x(i); }"), "none");
  EXPECT_EQ(line_of("for i { let s = x(i); y(i) = s * s; }"), "none");
  EXPECT_EQ(line_of("for i { let s = 0; for j { s += A(i,j); } y(i) = sqrt(s); }"), "none");
  EXPECT_EQ(line_of("for i { let s = 0; for j { s += A(i,j); } for j { C(i,j) = s; } }"), "none");
  EXPECT_EQ(line_of("tensor x(n), y(n); for i in [0, n) { y(i) = n * x(i); }"), "none");
  EXPECT_EQ(line_of("for i { y(i) min= x(i); }"), "none");
  EXPECT_EQ(line_of("tensor x(n), y(n); repeat 3 { for i in [0, n) { y(i) += x(i); } }"), "none");
}

} // namespace
} // namespace unravel::compute
