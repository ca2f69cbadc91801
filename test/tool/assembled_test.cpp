// Results of which only the sizes are given: kernels append their entries.
#include "tool/tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace unravel::tool::test {
namespace {

const std::vector<std::string> by_rows = {"csr",          "dcsr",    "coo",       "csf",
                                          "coo_unsorted", "coo_dup", "bcsr<1, 4>"};
const std::vector<std::string> by_columns = {"csc", "dcsc", "csf<1, 0>", "coo_unsorted", "coo_dup"};

std::vector<std::string> run_of(const std::string &expression, const std::vector<std::string> &formats,
                                const std::string &shape) {
  std::vector<std::string> arguments = {"run", expression, "--check", "-o", "C=C.mtx"};
  for (const std::string &format : formats)
    arguments.insert(arguments.end(), {"-f", format});
  for (const char *input : {"A=random:{},density=0.2,seed=1", "B=random:{},density=0.3,seed=2"})
    arguments.insert(arguments.end(), {"-i", fmt::format(fmt::runtime(input), shape)});
  return arguments;
}

/// The result, checked by the tool: against the reference, and its arrays against its layout's properties.
std::string result_of(const Desk &desk, const std::vector<std::string> &arguments) {
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << outcome.error;
  return outcome.code == 0 ? desk.read("C.mtx") : "";
}

TEST(ToolAssembled, WhereTheOrderIsProved) {
  const Desk desk;
  for (const char *shape : {"13x11", "1x1", "5x40"}) {
    std::set<std::string> results;
    for (const std::string &layout : by_rows) {
      const std::string result =
          result_of(desk, run_of("C(i,j) = 2 * A(i,j) * B(i,j)", {"A=csr", "B=coo", "C=" + layout}, shape));
      if (!layout.starts_with("bcsr")) results.insert(result); // blocks store zeros, too
    }
    EXPECT_EQ(results.size(), 1u) << shape;
    for (const std::string &layout : by_columns)
      result_of(desk, run_of("C(i,j) = 2 * A(i,j) * B(i,j)", {"A=csc", "B=csc", "C=" + layout}, shape));
  }
}

/// Rows of A*B in a local tensor; what is stored there is an entry, though it may be zero.
TEST(ToolAssembled, ProductsThroughALocalTensor) {
  const Desk desk;
  const std::string product = "for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } "
                              "for j { C(i,j) = w(j); } }";
  std::set<std::string> results;
  for (const char *local : {"w=bitmap", "w=listed"})
    for (const std::string layout : {"csr", "dcsr", "coo", "csf"})
      results.insert(result_of(desk, run_of(product, {"A=csr", "B=csr", local, "C=" + layout}, "12x12")));
  EXPECT_EQ(results.size(), 1u);
}

TEST(ToolAssembled, SumsThroughALocalTensor) {
  const Desk desk;
  const std::string sum = "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { w(j) += 3*B(i,j); } "
                          "for j { C(i,j) = w(j); } }";
  for (const std::string layout : {"csr", "coo"})
    result_of(desk, run_of(sum, {"A=csr", "B=dcsr", "w=bitmap", "C=" + layout}, "9x14"));
}

/// Sums over what the result doesn't have come one after the other: one entry for each row that has any.
TEST(ToolAssembled, EntriesThatFollowEachOtherAreOne) {
  const Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 3\n2 1 1.5\n2 3 2\n4 2 -1\n");
  const Outcome outcome = desk.unravel(
      {"run", "s(i) = A(i,j)", "-f", "A=csr", "-f", "s=sv", "-i", "A=A.mtx", "-o", "s=s.mtx", "--check"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(desk.read("s.mtx"), "%%MatrixMarket matrix coordinate real general\n4 1 2\n2 1 3.5\n4 1 -1\n");
}

TEST(ToolAssembled, OfNothing) {
  const Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  for (const std::string &layout : by_rows) {
    const Outcome outcome = desk.unravel({"run", "C(i,j) = 2 * A(i,j)", "-f", "A=csr", "-f", "C=" + layout,
                                          "-i", "A=A.mtx", "-o", "C=C.mtx", "--check"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(desk.read("C.mtx"), "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  }
}

/// Without the property of the operand the order isn't proved; the refusal has a case.
TEST(ToolAssembled, RefusedWhereItIsNot) {
  const Desk desk;
  auto refusal = [&](const std::string &expression, const std::vector<std::string> &formats) {
    std::vector<std::string> arguments = {"compile", expression};
    for (const std::string &format : formats)
      arguments.insert(arguments.end(), {"-f", format});
    const Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 1) << expression;
    return outcome.error;
  };
  auto expect_in = [](const std::string &error, const std::string &part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  const std::string unsorted = refusal("C(i,j) = 2 * A(i,j)", {"A=coo_unsorted", "C=coo"});
  expect_in(unsorted,
            "doesn't make the entries of C in the order of its layout, by i, j, as far as is proved "
            "[entries-out-of-order]");
  expect_in(unsorted, "two entries that would change places");
  expect_in(refusal("C(i,j) = A(i,j) + B(i,j)", {"A=csr", "B=csr", "C=csr"}),
            "several products are added to `C`, which is not dense [sparse-result]");
  expect_in(refusal("C(i,j) = 2 * A(i,j)", {"A=csr", "C=csr_lower"}),
            "may make entries that the layout of C has no place for");
  expect_in(refusal("C(i,j) = 2 * A(i,j)", {"A=csr", "C=ell"}), "[cannot-append]");
  expect_in(refusal("C(i,j) += A(i,j)", {"A=csr", "C=csr"}), "begins without entries");
}

} // namespace
} // namespace unravel::tool::test
