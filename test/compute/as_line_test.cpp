// Programs whose loops say a line of tensor index notation.
#include "compute/as_line.h"

#include "parse/parse.h"
#include "value/typed.h"

#include <gtest/gtest.h>

namespace unravel::compute {
namespace {

/// The line, one term after the other, or "none".
std::string line_of(const std::string &program, const std::map<std::string, value::Type> &types = {}) {
  const auto source = std::make_shared<const text::Source>("program", program);
  Computation computation = make_computation(parse::parse_program(source));
  for (Statement &statement : computation.program.statements)
    statement.type = value::computed_in(statement.value, [&](const Value &leaf) {
                       const auto *access = leaf.as<Access>(); // else a number, a coordinate
                       return access ? std::optional(type_of(types, access->tensor)) : std::nullopt;
                     }).value_or(type_of(types, statement.target.tensor));
  const std::optional<Computation> line = as_line(computation, types);
  return line ? to_text(line->program) : "none";
}

TEST(AsLine, what_is_set_once) {
  EXPECT_EQ(line_of("for i { for j { C(i,j) = A(i,j) + 2*B(j,i); } }"),
            "C(i, j) = A(i, j)\nC(i, j) += 2 * B(j, i)\n");
  // A line leaves out what lies outside; loops must keep it inside.
  EXPECT_EQ(
      line_of("tensor A(m, n), C(n, m + 1); for i in [0, m) { for j in [0, n) { C(j,i+1) = A(i,j); } }"),
      "none");
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

TEST(AsLine, sums_of_integers) {
  const std::string sum = "for i { y(i) = 0.5 * a(i) + 0.5 * b(i); }";
  EXPECT_EQ(line_of(sum, {{"y", value::Type::Int64}}), "none"); // each half would be cut
  EXPECT_EQ(line_of(sum, {{"y", value::Type::Float32}}), "y(i) = 0.5 * a(i)\ny(i) += 0.5 * b(i)\n");
}

/// Loops convert what each statement computes.
TEST(AsLine, statements_of_other_types) {
  const std::string sum = "for i { y(i) = a(i); } for i { y(i) += b(i); }";
  std::map<std::string, value::Type> types{
      {"a", value::Type::Int32}, {"b", value::Type::Int32}, {"y", value::Type::Int64}};
  EXPECT_EQ(line_of(sum, types), "none"); // a line's sum would wrap around
  types["y"] = value::Type::Int32;
  EXPECT_EQ(line_of(sum, types), "y(i) = a(i)\ny(i) += b(i)\n");
  const std::string product = "for i { y(i) = a(i) * a(i); } for i { y(i) += b(i); }";
  EXPECT_EQ(line_of(product, types), "y(i) = a(i) * a(i)\ny(i) += b(i)\n");
  types["b"] = types["y"] = value::Type::Int64;
  EXPECT_EQ(line_of(product, types), "none"); // a line's product wouldn't wrap around
  EXPECT_EQ(line_of(sum, types), "y(i) = a(i)\ny(i) += b(i)\n");
}

TEST(AsLine, parts_of_extents) {
  EXPECT_EQ(line_of("tensor A(n, n), L(n, n); for i in [0, n) { for j in [0, i) { L(i,j) = A(i,j); } }"),
            "tensor A(n, n), L(n, n);\nif j < i: L(i, j) = A(i, j)\n");
  EXPECT_EQ(line_of("tensor A(n, n), L(n, n); for i in [0, n) { for j in [i, n) { if j < i + 2 { L(i,j) = "
                    "A(i,j); } } }"),
            "tensor A(n, n), L(n, n);\nif j <= i + 1 and i <= j: L(i, j) = A(i, j)\n");
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
  EXPECT_EQ(line_of("for i { let s = x(i); y(i) = s * s; }"), "none"); // combine::forward_sums leaves it
  // Terms of a line have one target, and what they subscript one extent.
  EXPECT_EQ(line_of("for i { for j { C(i,j) = A(i,j); } for k { C(i,k) += 2*A(i,k); } }"), "none");
  EXPECT_EQ(line_of("tensor A(n, n), C(n, n); for i { for j { C(i,j) = A(i,j); } } for i { for j { C(j,i) += "
                    "A(i,j); } }"),
            "none");
  EXPECT_EQ(line_of("tensor C(n + 5, m), A(n, m); for i in [0, n) { for j { C(i,j) = A(i,j); } }"), "none");
  EXPECT_EQ(line_of("size n >= 8; tensor A(n, m), C(n, m); for i { for j { C(i,j) = A(i,j); } }"), "none");
  EXPECT_EQ(line_of("tensor q(5); for i { for j { for p { C(i,j) += A(i,j) * q(p); } } }"), "none");
  EXPECT_EQ(line_of("tensor x(n), y(n); for i in [0, n) { y(i) = n * x(i); }"), "none");
  EXPECT_EQ(line_of("for i { y(i) min= x(i); }"), "none");
  EXPECT_EQ(line_of("tensor x(n), y(n); repeat 3 { for i in [0, n) { y(i) += x(i); } }"), "none");
}

} // namespace
} // namespace unravel::compute
