// Which nests may be run for some of their columns at a time.

#include "loop/vector_sums.h"
#include "loop/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::loop {
namespace {

const char *const head = "kernel k\nexpression e\nresult Y : y(M, N)\n  value val[Y.M, Y.N] : float64\n"
                         "operand A : a(M)\n  count NF\n  count NNZ\n  index ptr[A.M + 1] : int32\n"
                         "  index fib[A.NF + 1] : int32\n  index col[A.NF] : int32\n"
                         "  index tube[A.NNZ] : int32\n  value val[A.NNZ] : float64\n"
                         "operand U : u(M, N)\n  value val[U.M, U.N] : float64\n"
                         "operand V : v(M, N)\n  value val[V.M, V.N] : float64\n"
                         "workspace w[V.N] : float64 per thread\n{\n  for i in 0 .. A.M {\n";

/// Of the loop over fibres in the body of a loop over i.
std::optional<Columns> columns_of(const std::string &inside, const std::string &behind = "") {
  Program program =
      parse_program(head + ("for f in A.ptr(i) .. A.ptr(i + 1) {\n" + inside + "}\n" + behind) + "  }\n}\n");
  verify(program);
  return columns(std::get<For>(std::get<For>(program.body[0].kind).body.at(0).kind), program);
}

const std::string row =
    "let j = A.col(f)\nfor r in 0 .. V.N {\nw[r] = U.val[i*V.N + r] * V.val[j*V.N + r]\n}\n";
const std::string entries = "for p in A.fib(f) .. A.fib(f + 1) {\nlet k = A.tube(p)\n";

std::string scatter(const std::string &statement = "Y.val[k*V.N + r] += w[r] * A.val[p]",
                    const std::string &range = "0 .. V.N") {
  return entries + "for r in " + range + " {\n" + statement + "\n}\n}\n";
}

TEST(Columns, Found) {
  const std::optional<Columns> last = columns_of(row + scatter());
  ASSERT_TRUE(last);
  EXPECT_EQ(last->inner.size(), 2u);
  EXPECT_EQ(last->kept, std::vector<std::string>{"w"});
  EXPECT_TRUE(last->sums.empty()); // other rows of Y for each entry
  const std::optional<Columns> first =
      columns_of("let j = A.col(f)\nfor r in 0 .. V.N {\nw[r] = 0\n}\n" +
                 scatter("w[r] += -(A.val[p] * V.val[k*V.N + r])") +
                 "for r in 0 .. V.N {\nY.val[i*V.N + r] += w[r] * U.val[j*V.N + r]\n}\n");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->sums, std::vector<std::string>{"Y.val"});
  EXPECT_TRUE(columns_of(row + "if 1 <= j {\n" + scatter() + "}\n"));
}

/// MTTKRP of the last mode, all multiplied at the entry: rows that are read for each fibre may stay.
TEST(Columns, OneLoopThatScatters) {
  const std::string product = "Y.val[k*V.N + r] += A.val[p] * U.val[i*V.N + r] * V.val[j*V.N + r]";
  const std::optional<Columns> found = columns_of("let j = A.col(f)\n" + scatter(product));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->scatters);
  EXPECT_EQ(found->inner.size(), 1u);
  EXPECT_FALSE(columns_of(row + scatter())->scatters);
  EXPECT_FALSE(columns_of(scatter("Y.val[k*V.N + r] = A.val[p]")));
  EXPECT_FALSE(columns_of(scatter("Y.val[i*V.N + r] += A.val[p] * V.val[k*V.N + r]"))); // one row: a stretch
  EXPECT_FALSE(columns_of(scatter("Y.val[k*V.N + r] += A.val[p]", "0 .. A.fib(f)")));
}

/// An inner product of w for each entry, which is added to Y: TTTP.
std::string product(const std::string &sum = "s += w[r] * V.val[k*V.N + r]",
                    const std::string &added = "Y.val[p] += s * A.val[p]",
                    const std::string &first = "value s = 0") {
  return row + entries + first + "\nfor r in 0 .. V.N {\n" + sum + "\n}\n" + added + "\n}\n";
}

TEST(Columns, InnerProductsThatAreAdded) {
  const std::optional<Columns> found = columns_of(product());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kept, std::vector<std::string>{"w"});
  EXPECT_EQ(found->inner.size(), 2u);
  EXPECT_TRUE(columns_of(product("s += -(2 * w[r] * V.val[k*V.N + r])", "Y.val[p] += -(s * 2)")));
  EXPECT_FALSE(columns_of(product("s += w[r] * w[r]"))); // not 0 behind the last column
  EXPECT_FALSE(columns_of(product("s += w[r] * V.val[k]")));
  EXPECT_FALSE(columns_of(product("s max= w[r] * V.val[k*V.N + r]")));
  EXPECT_FALSE(columns_of(product("s = w[r] * V.val[k*V.N + r]")));
  const std::string along = "s += w[r] * V.val[k*V.N + r]";
  EXPECT_FALSE(columns_of(product(along, "Y.val[p] += s * s")));
  EXPECT_FALSE(columns_of(product(along, "Y.val[p] += A.val[p]"))); // once for each part
  EXPECT_FALSE(columns_of(product(along, "Y.val[p] += s + 1")));
  EXPECT_FALSE(columns_of(product(along, "Y.val[p] max= s")));
  EXPECT_FALSE(columns_of(product(along, "Y.val[p] = s")));
  EXPECT_FALSE(columns_of(product(along, "Y.val[p] += s * Y.val[k]")));
  EXPECT_FALSE(columns_of(product(along, "value t = s * s\nY.val[p] += s * t")));
  EXPECT_FALSE(columns_of(product(along, "Y.val[p] += s", "value s = 1")));
  EXPECT_FALSE(columns_of(product("s += w[r] * Y.val[k*V.N + r]")));
  EXPECT_FALSE(columns_of(product(along, "for r in 0 .. V.N {\nY.val[k*V.N + r] += s * w[r]\n}")));
}

TEST(Columns, Refused) {
  EXPECT_FALSE(columns_of(row + scatter(), "Y.val[i] += w[0]\n"));                // read behind it
  EXPECT_FALSE(columns_of(row + scatter("Y.val[k*V.N + r] += w[0] * A.val[p]"))); // of another column
  EXPECT_FALSE(columns_of(row + scatter("Y.val[k*V.N + 2*r] += w[r]")));
  EXPECT_FALSE(columns_of(row + scatter("Y.val[k*V.N + r] = w[r]"))); // which is last?
  EXPECT_FALSE(columns_of(row + scatter("Y.val[k*V.N + r] += w[r] * Y.val[r]")));
  EXPECT_FALSE(columns_of(row + scatter("Y.val[k*V.N + r] += w[r]", "0 .. U.N"))); // more columns
  EXPECT_FALSE(columns_of(row + scatter("Y.val[k*V.N + r] += w[r]", "1 .. V.N")));
  EXPECT_FALSE(columns_of(row + entries + "Y.val[k] += 1\nfor r in 0 .. V.N {\nY.val[r] += w[r]\n}\n}\n"));
  EXPECT_FALSE(columns_of(scatter("Y.val[k*V.N + r] += A.val[p] * V.val[k*V.N + r]"))); // keeps no row
  EXPECT_FALSE(columns_of("value t = 0\n" + row + entries +
                          "t += A.val[p]\nfor r in 0 .. V.N {\nY.val[r] += w[r]\n}\n}\n"));
}

} // namespace
} // namespace unravel::loop
