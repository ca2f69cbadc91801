// Programs of several statements on the command line: results, refusals with their places, exit codes.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string solve = "tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); "
                          "for j in [0,i) { s -= L(i,j)*x(j); } x(i) = s / L(i,i); }";

/// Code 1, and that message.
void expect_refused(const Desk &desk, const std::vector<std::string> &arguments, const std::string &message) {
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_EQ(outcome.error, message);
}

TEST(ToolProgram, ATriangularSolve) {
  Desk desk;
  desk.write("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 1 1\n2 2 4\n3 2 3\n3 3 5\n");
  desk.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n2\n9\n16\n");
  Outcome outcome = desk.unravel(
      {"run", solve, "-f", "L=csr", "-i", "L=L.mtx", "-i", "b=b.mtx", "-o", "x=x.mtx", "--check"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("x.mtx").find("\n1\n2\n2\n"), std::string::npos) << desk.read("x.mtx");
}

TEST(ToolProgram, ADivisorThatIsNotStoredIsNamed) {
  Desk desk;
  desk.write("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 1 1\n3 3 5\n");
  expect_refused(desk, {"run", solve, "-f", "L=csr", "-i", "L=L.mtx", "-i", "b=ones", "-o", "x=x.mtx"}, "");
  EXPECT_FALSE(desk.has("x.mtx"));
}

TEST(ToolProgram, ASubscriptOutside) {
  expect_refused(Desk(), {"compile", "tensor x(n), y(n); for i in [0,n) { y(i) = x(i+1); }"}, "");
}

TEST(ToolProgram, AnOrderThatTurnsADependenceRound) {
  expect_refused(Desk(),
                 {"compile",
                  "tensor A(n,m), y(n+m); for i in [0,n) { for j in [0,m) { y(i+j+1) += A(i,j)*y(i+j); } }", "-f",
                  "A=csc", "-s", "order j, A.p"},
                 "");
}

TEST(ToolProgram, WhatMayBeStoredTwiceCannotDivide) {
  expect_refused(Desk(), {"compile", "for i { y(i) = x(i) / A(i,i); }", "-f", "A=coo_dup"}, "");
}

TEST(ToolProgram, TransformationsAreALimit) {
  expect_refused(Desk(), {"compile", solve, "-f", "L=csr", "-s", "tile i by 4"}, "");
}

TEST(ToolProgram, SizesByName) {
  Desk desk;
  Outcome outcome = desk.unravel({"run", "for i { y(i) += 2; }", "--size", "i=4", "-o", "y=y.mtx"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("y.mtx").find("\n2\n2\n2\n2\n"), std::string::npos) << desk.read("y.mtx");
  expect_refused(desk, {"run", "for i { y(i) += 2; }"}, "");
  expect_refused(desk, {"run", solve, "-i", "L=random:3x4", "-i", "b=ones"}, "");
}

} // namespace
} // namespace unravel::tool::test
