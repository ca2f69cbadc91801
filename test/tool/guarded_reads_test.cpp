// Kernels read no array outside of it, where one condition of an entry keeps the reads of another one inside:
// with numbers that lead far away wherever they must not be used.
#include "tool.h"

#include "odd_layouts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

using Arguments = std::vector<std::string>;
using Indices = std::vector<std::int32_t>;

constexpr std::int32_t far_away = 400000000;

std::string reference(const std::string &name) {
  return unravel::test::layout_reference("@guarded/" + name);
}

/// A folder with a tensor in that layout: values 1, 2, ...
void write_tensor(const Desk &desk, const std::string &folder, const std::string &layout,
                  const std::string &sizes, const std::string &counts,
                  const std::map<std::string, Indices> &arrays, std::size_t values) {
  desk.write(folder + "/layout.json",
             fmt::format(R"({{"layout": "{}", "parameters": [], "sizes": {{{}}}, "counts": {{{}}}}})",
                         reference(layout), sizes, counts));
  for (const auto &[name, indices] : arrays)
    desk.write(fmt::format("{}/{}.npy", folder, name), npy("<i4", indices));
  std::vector<double> numbers;
  for (std::size_t k = 1; k <= values; ++k)
    numbers.push_back(static_cast<double>(k));
  desk.write(folder + "/val.npy", npy("<f8", numbers));
}

void expect_right(const Desk &desk, const std::string &expression, const Arguments &arguments) {
  Arguments all{"run", expression, "--check"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = desk.unravel(all);
  EXPECT_EQ(outcome.code, 0) << expression << "\n" << outcome.out << outcome.error;
  EXPECT_NE(outcome.out.find("check ok"), std::string::npos) << outcome.out;
}

/// A search would read the key at every position.
TEST(GuardedReads, BySearches) {
  const Desk desk;
  write_tensor(desk, "x", "handles", R"("M": 3)", R"("W": 3, "K": 2)",
               {{"handle", {-far_away, 0, 1}}, {"idx", {2, 0}}}, 2);
  const std::string layout = "x=" + reference("handles");
  expect_right(desk, spmv, {"-f", "A=csr", "-f", layout, "-i", "A=random:50x3,density=1", "-i", "x=x"});
  expect_right(desk, "y(i) = x(i) * z(i)",
               {"-f", "z=sv", "-f", layout, "-i", "z=random:3,density=1", "-i", "x=x"});
}

/// What stands first in the layout need not be tested first.
TEST(GuardedReads, ByConditionsInAnyOrder) {
  const Desk desk;
  write_tensor(desk, "x", "flagged", R"("M": 3)", R"("K": 2)",
               {{"flag", {1, 0}}, {"pointer", {-far_away, 0, 1}}}, 2);
  expect_right(desk, "y = x(i)", {"-f", "x=" + reference("flagged"), "-i", "x=x"});
}

/// What no position tells could be read first of all.
TEST(GuardedReads, AtFixedPlaces) {
  const Desk desk;
  write_tensor(desk, "empty", "first_length", R"("M": 0)", "", {{"len", {}}}, 0);
  write_tensor(desk, "short", "first_length", R"("M": 4)", "", {{"len", {2, 4, 4, 4}}}, 4);
  for (const char *tensor : {"empty", "short"})
    expect_right(desk, "y = x(i)",
                 {"-f", "x=" + reference("first_length"), "-i", fmt::format("x={}", tensor)});
  write_tensor(desk, "far", "far_length", R"("M": 3)", "", {{"len", {3, 3, 3}}}, 3);
  const Outcome outcome =
      desk.unravel({"run", "y = x(i)", "-f", "x=" + reference("far_length"), "-i", "x=far"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("y = 0"), std::string::npos) << outcome.out;
}

/// A map would be written at every key of the first row, where the loop inside it has no iterations.
TEST(GuardedReads, ByMaps) {
  const Desk desk;
  const std::string sizes = R"("M": 3, "N": 3)";
  write_tensor(desk, "A", "below", sizes, R"("NNZ": 2)", {{"rowptr", {0, 0, 1, 2}}, {"col", {0, 1}}}, 2);
  write_tensor(desk, "B", "first_row_free", sizes, R"("NNZ": 4)",
               {{"rowptr", {0, 1, 2, 4}}, {"col", {far_away, 0, 0, 1}}}, 4);
  const Arguments data{
      "-f", "A=" + reference("below"), "-f", "B=" + reference("first_row_free"), "-i", "A=A", "-i", "B=B"};
  expect_right(desk, "y(i) = A(i,j) * B(i,j)", data);
  Arguments map{"run", "y(i) = A(i,j) * B(i,j)", "--find", "B=map"};
  map.insert(map.end(), data.begin(), data.end());
  const Outcome refused = desk.unravel(map);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("O-range not proved"), std::string::npos) << refused.error;
}

/// Where a flag of the column says that the row's pointers are set, the row isn't hashed before.
TEST(GuardedReads, ByHashMaps) {
  const Desk desk;
  write_tensor(desk, "B", "flagged_columns", R"("M": 2, "N": 3)", R"("NNZ": 1)",
               {{"rowptr", {-far_away, 0, 1}}, {"col", {0}}, {"flag", {0, 0, 0}}}, 1);
  const Outcome outcome = desk.unravel({"run", "y(i) = A(i,j) * B(i,j) * x(j)", "-f", "A=csr", "-f", "x=sv",
                                        "-f", "B=" + reference("flagged_columns"), "-i",
                                        "A=random:2x3,density=1", "-i", "x=random:3,density=1", "-i", "B=B",
                                        "-s", "order i, A.p, j, x.p, B.p", "--find", "B=hash"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("y(0) = 0, y(1) = 0"), std::string::npos) << outcome.out;
}

} // namespace
} // namespace unravel::tool::test
