// Integers that no double holds: exact, or refused.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {

namespace {

constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
using Numbers = std::vector<std::int64_t>;

/// x is a folder of arrays with these numbers.
void write_folder(const Desk &desk, const Numbers &numbers) {
  ASSERT_EQ(desk.unravel({"convert", "ones:" + std::to_string(numbers.size()), "x", "-f", "dense", "--type",
                          "int64"})
                .code,
            0);
  desk.write("x/val.npy", npy("<i8", numbers));
}

void expect_refused(const Outcome &outcome, const std::string &message) {
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.error.find(message), std::string::npos) << outcome.error;
}

} // namespace

TEST(ToolLargeIntegers, FoldersAreExact) {
  const Desk desk;
  write_folder(desk, {large, (std::int64_t{1} << 62) + 1, -3});
  const Outcome outcome = desk.unravel({"run", "y(i) = x(i) + 2", "-i", "x=x", "-o", "y=y"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(desk.read("y/val.npy"), npy("<i8", Numbers{large + 2, (std::int64_t{1} << 62) + 3, -1}));
}

TEST(ToolLargeIntegers, FilesAndChecksRefuse) {
  const Desk desk;
  write_folder(desk, {0, large});
  expect_refused(
      desk.unravel({"run", "y(i) = x(i)", "-i", "x=x", "-o", "y=y.mtx"}),
      "`y.mtx` holds the values of `y` as doubles, but val[1] is 9007199254740993, which no double "
      "holds exactly [value-width]");
  EXPECT_FALSE(desk.has("y.mtx"));
  expect_refused(desk.unravel({"run", "y(i) = x(i)", "-i", "x=x", "--check"}),
                 "`--check` computes with `x` as doubles, but val[1] is 9007199254740993");
  expect_refused(desk.unravel({"convert", "x", "z", "-f", "sv"}),
                 "values of `x` are converted as doubles, but val[1] is 9007199254740993");
  desk.write("x.npy", npy("<i8", Numbers{large}));
  expect_refused(desk.unravel({"run", "y(i) = x(i)", "-f", "x=dense int64", "-i", "x=x.npy"}),
                 "the value 9007199254740993 is no double");
  desk.write("u.npy", npy("<u8", std::vector<std::uint64_t>{~std::uint64_t{1}}));
  expect_refused(desk.unravel({"run", "y(i) = x(i)", "-f", "x=dense uint64", "-i", "x=u.npy"}),
                 "the value 18446744073709551614 is no double");
}

TEST(ToolLargeIntegers, NumbersInTheText) {
  const Desk desk;
  expect_refused(desk.unravel({"compile", "y(i) = x(i) + 9007199254740993"}),
                 "`9007199254740993` is no double, as numbers in the text are");
  EXPECT_EQ(desk.unravel({"compile", "y(i) = x(i) + 9007199254740994"}).code, 0);
  expect_refused(desk.unravel({"run", "y(i) = a * x(i)", "-i", "x=ones:3", "-i", "a=9007199254740993"}),
                 "`9007199254740993` is an integer that no double holds exactly");
}

TEST(ToolLargeIntegers, TheGreatestOneIsWritten) {
  const Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n");
  for (const auto &[type, greatest] :
       {std::pair{"int64", "9223372036854775807"}, std::pair{"uint64", "18446744073709551615"}}) {
    const Outcome outcome =
        desk.unravel({"run", "y(i) min= A(i,j) in min.*", "-f", std::string("A=csr ") + type, "-i", "A=A.mtx",
                      "-o", "y=y.mtx", "--check"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(desk.read("y.mtx").find(std::string("\n5\n") + greatest + "\n"), std::string::npos)
        << desk.read("y.mtx");
  }
}

} // namespace unravel::tool::test
