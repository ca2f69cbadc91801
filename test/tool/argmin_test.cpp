// argmin and argmax on data of which the answers are known.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {

namespace {

constexpr const char *matrix = "%%MatrixMarket matrix coordinate integer general\n4 5 7\n"
                               "1 2 7\n1 4 3\n1 5 3\n2 1 9\n2 2 9\n4 3 0\n4 4 5\n";

/// The values of a result, with spaces between.
std::string values_of(const std::string &line, const std::string &layout,
                      std::vector<std::string> more = {}) {
  Desk desk;
  desk.write("A.mtx", matrix);
  std::vector<std::string> arguments{"run",     line, "-f",      "A=" + layout, "-i",
                                     "A=A.mtx", "-o", "p=p.mtx", "--check"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << line << " " << layout << ": " << outcome.error;
  if (!desk.has("p.mtx")) return "";
  const std::string text = desk.read("p.mtx");
  std::string values;
  std::size_t line_end = text.find('\n', text.find("\n") + 1);
  for (std::size_t at = line_end + 1; at < text.size(); at = line_end + 1) {
    line_end = text.find('\n', at);
    values += (values.empty() ? "" : " ") + text.substr(at, line_end - at);
  }
  return values;
}

} // namespace

TEST(ToolArgmin, OfRowsAndColumns) {
  for (const char *layout :
       {"csr int32", "csc uint64", "coo", "bcsr<2,2>", "dense f32", "dcsr int64", "ell"}) {
    EXPECT_EQ(values_of("p(i) = argmin(j, A(i,j))", layout), "0 2 0 0") << layout;
    EXPECT_EQ(values_of("p(i) = argmax(j, A(i,j))", layout), "1 0 0 3") << layout;
    EXPECT_EQ(values_of("p(j) = argmax(i, A(i,j))", layout), "1 1 0 3 0") << layout;
  }
  for (const char *layout : {"csr int32", "csc uint64", "coo", "dcsr int64"}) { // without padding
    const std::string rows = values_of("p(i) = argmin(j, A(i,j)) in min.*", layout);
    EXPECT_EQ(rows, "3 0 9223372036854775807 2") << layout;
    EXPECT_EQ(values_of("p(j) = argmin(i, A(i,j)) in min.*", layout), "1 0 3 0 0") << layout;
    EXPECT_EQ(values_of("p = argmax(10*i + j, A(i,j)) mask A(i,j)", layout), "10") << layout;
  }
  EXPECT_EQ(values_of("p(i) = argmin(j, A(i,j))", "csr fill inf"), "3 0 0 2");
}

/// What isn't stored counts by the least coordinate of it: of rows that are full, empty, or begin with
/// entries.
TEST(ToolArgmin, WhatIsNotStored) {
  Desk desk;
  const std::string head = "%%MatrixMarket matrix coordinate real ";
  desk.write("A.mtx", head + "general\n5 4 13\n4 4 -1\n1 1 -3\n1 2 -1\n3 3 -2\n1 3 -1\n1 4 -2\n3 1 -5\n"
                             "5 2 2\n3 2 -2\n4 1 -2\n5 4 2\n4 2 0\n5 1 -1\n");
  desk.write("twice.mtx", head + "general\n2 3 6\n1 1 -2\n1 2 -1\n1 1 4\n1 2 -1\n2 1 1\n2 1 -1\n");
  desk.write("symmetric.mtx", head + "symmetric\n3 3 4\n1 1 -1\n2 1 -4\n2 2 5\n3 2 -3\n");
  const auto values = [&](const std::string &line, const std::string &layout, const std::string &file) {
    const Outcome made =
        desk.unravel({"run", line, "-f", "A=" + layout, "-i", "A=" + file, "-o", "p=p.txt", "--check"});
    EXPECT_EQ(made.code, 0) << line << " " << layout << ": " << made.error;
    return desk.read("p.txt");
  };
  // -3 -1 -1 -2 | . . . . | -5 -2 -2 . | -2 0 . -1 | -1 2 . 2
  for (const char *layout : {"csr", "csc", "dcsr", "coo_unsorted", "hash_matrix<4>", "bcsr<2,2>", "dense"}) {
    EXPECT_EQ(values("p(i) = argmax(j, A(i,j))", layout, "A.mtx"), "1\n0\n3\n1\n1\n") << layout;
    EXPECT_EQ(values("p(i) = argmin(j, A(i,j))", layout, "A.mtx"), "0\n0\n0\n0\n0\n") << layout;
    EXPECT_EQ(values("p(j) = argmax(i, A(i,j))", layout, "A.mtx"), "1\n4\n1\n4\n") << layout;
    EXPECT_EQ(values("p = argmax(10*i + 3*j, -abs(A(i,j)))", layout, "A.mtx"), "10\n") << layout;
    EXPECT_EQ(values("p(i) min= select(A(i,j) = 0, j, inf)", layout, "A.mtx"), "inf\n0\n3\n1\n2\n") << layout;
  }
  EXPECT_EQ(values("p(i) = argmax(j, A(i,j))", "coo_dup", "twice.mtx"), "0\n0\n");
  EXPECT_EQ(values("p(i) = argmin(j, A(i,j))", "coo_dup", "twice.mtx"), "1\n0\n");
  EXPECT_EQ(values("p(j) max= A(i,j)", "coo_dup", "twice.mtx"), "2\n0\n0\n");
  EXPECT_EQ(values("p(i) = argmax(j, A(i,j))", "symmetric_csr", "symmetric.mtx"), "2\n1\n0\n");
}

TEST(ToolArgmin, CoordinatesOfManyColumns) { // more than f32 holds
  Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 16777220 3\n"
                      "1 16777218 1.5\n2 16777220 -1\n2 1 0.5\n");
  const Outcome outcome = desk.unravel({"run", "p(i) = argmin(j, A(i,j)) in min.*", "-f", "A=csr f32", "-i",
                                        "A=A.mtx", "-o", "p=p.mtx", "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(desk.read("p.mtx").substr(desk.read("p.mtx").find('\n')), "\n2 1\n16777217\n16777219\n");
}

TEST(ToolArgmin, AResultOfAnotherType) { // is the same by rows and by columns
  for (const char *layout : {"csr", "csc"})
    EXPECT_EQ(values_of("p(i) = argmin(j, A(i,j)) in min.*", layout, {"-f", "p=dense f64"}), "3 0 inf 2")
        << layout;
}

TEST(ToolArgmin, RowsAreReadWhereTheyLie) {
  const auto program_of = [](const std::string &layout) {
    const Outcome outcome =
        Desk().unravel({"explain", "p(i) = argmin(j, A(i,j)) in min.*", "-f", "A=" + layout});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome.out;
  };
  EXPECT_NE(program_of("csr").find("let best = inf"), std::string::npos);
  EXPECT_NE(program_of("csc").find("let best(i) = inf"), std::string::npos);
}

TEST(ToolArgmin, AResultThatListsEntries) {
  const Outcome outcome =
      Desk().unravel({"compile", "p(i) = argmin(j, A(i,j)) in min.*", "-f", "A=csr", "-f", "p=sv"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("`p` has a layout that lists its entries, but `argmin` gives each element a "
                               "coordinate"),
            std::string::npos)
      << outcome.error;
}

} // namespace unravel::tool::test
