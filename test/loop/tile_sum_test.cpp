// Which nests add products of a column and a row to a matrix, and may be run once for each tile of it; which
// loops compute the rows of such products first.

#include "loop/vector_sums.h"
#include "golden.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"

#include <gtest/gtest.h>
#include <random>

namespace unravel::loop {
namespace {

/// Of the first loop in the body of a loop over i.
bool is_tile_sum(const std::string &inside, const std::string &element = "float64") {
  Program program =
      parse_program("kernel k\nexpression e\nresult Y : y(M, N, K)\n  value val[Y.M, Y.N, Y.K] : " + element +
                    "\noperand A : a(M)\n  count NNZ\n  index ptr[A.M + 1] : int32\n"
                    "  index col[A.NNZ] : int32\n  value val[A.NNZ] : float64\n"
                    "operand U : u(M, N)\n  value val[U.M, U.N] : float64\n"
                    "operand V : v(M, N)\n  value val[V.M, V.N] : float64\n{\n"
                    "  for i in 0 .. A.M {\n    var t = 0\n" +
                    inside + "  }\n}\n");
  verify(program);
  return tile_sum(std::get<For>(std::get<For>(program.body[0].kind).body.at(1).kind), program).has_value();
}

const std::string target = "Y.val[(i*U.N + r)*V.N + s] += ";
const std::string product = target + "A.val[p] * U.val[j*U.N + r] * V.val[j*V.N + s]";

std::string nest(const std::string &statement, const std::string &before = "",
                 const std::string &rows = "0 .. U.N", const std::string &columns = "0 .. V.N") {
  return "for p in A.ptr(i) .. A.ptr(i + 1) {\n let j = A.col(p)\n" + before + "for r in " + rows +
         " {\nfor s in " + columns + " {\n" + statement + "\n}\n}\n}\n";
}

TEST(TileSum, Found) {
  EXPECT_TRUE(is_tile_sum(nest(product)));
  EXPECT_TRUE(is_tile_sum(nest(target + "-(U.val[j*U.N + r] * V.val[j*V.N + s])")));
  EXPECT_TRUE(is_tile_sum(nest(target + "U.val[r*U.M + j] * V.val[s]"))); // a column's elements lie anywhere
  EXPECT_TRUE(is_tile_sum("for q in 0 .. 3 {\n" + nest(product) + "}\n"));
  EXPECT_TRUE(is_tile_sum("for p in A.ptr(i) .. A.ptr(i + 1) {\nlet j = A.col(p)\nif 1 <= j {\n"
                          "for r in 0 .. U.N {\nvalue u = U.val[j*U.N + r]\nfor s in 0 .. V.N {\n" +
                          target + "u * V.val[s]\n}\n}\n}\n}\n"));
}

TEST(TileSum, Refused) {
  EXPECT_FALSE(is_tile_sum(nest(product), "float32"));
  EXPECT_FALSE(is_tile_sum(nest(product, "t := 1\n"))); // would be assigned once for each tile
  EXPECT_FALSE(is_tile_sum(nest(product, "Y.val[j] += 1\n")));
  EXPECT_FALSE(is_tile_sum(nest(product, "", "1 .. U.N")));
  EXPECT_FALSE(is_tile_sum(nest(product, "", "0 .. A.ptr(i)")));
  EXPECT_FALSE(is_tile_sum(nest(product, "", "0 .. U.N", "0 .. V.N - 1")));             // rows that overlap
  EXPECT_FALSE(is_tile_sum(nest("Y.val[(j*U.N + r)*V.N + s] += U.val[r] * V.val[s]"))); // another matrix
  EXPECT_FALSE(is_tile_sum(nest("Y.val[(i*U.N + s)*V.N + r] += U.val[r] * V.val[s]"))); // in columns
  EXPECT_FALSE(is_tile_sum(nest(target + "U.val[r] * Y.val[s]")));
  EXPECT_FALSE(is_tile_sum(nest(target + "U.val[r]")));              // nothing along the columns
  EXPECT_FALSE(is_tile_sum(nest(target + "A.val[p] * V.val[s]")));   // the same in all rows
  EXPECT_FALSE(is_tile_sum(nest(target + "V.val[r*V.N + s]")));      // no product
  EXPECT_FALSE(is_tile_sum(nest(target + "U.val[r] * V.val[2*s]"))); // not neighbours
  // Nothing around the matrix' loops.
  EXPECT_FALSE(
      is_tile_sum("for r in 0 .. U.N {\nfor s in 0 .. V.N {\n" + target + "U.val[r] * V.val[s]\n}\n}\n"));
}

std::string ttmc() {
  return test::golden_inputs("loop", "multiply_in_tiles").at(0);
}

std::string changed(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

bool is_collected(const std::string &text, const Counts &counts = {}) {
  const Program program = parse_program(text);
  verify(program);
  const Program made = multiply_in_tiles(program, {{}, counts});
  verify(made);
  return to_text(made) != to_text(program);
}

TEST(MultiplyInTiles, OnlyWhereNothingElseIsInTheWay) {
  EXPECT_TRUE(is_collected(ttmc()));
  EXPECT_TRUE(is_collected(ttmc(), {{"T.rowptr", 2}}));
  EXPECT_FALSE(is_collected(ttmc(), {{"T.rowptr", 1.5}})); // a block would have one row
  const auto refused = [](const std::string &from, const std::string &to) {
    EXPECT_FALSE(is_collected(changed(ttmc(), from, to))) << to;
  };
  refused("Y.part[s] = 0", "Y.part[s] += 0"); // goes on with the row before
  refused("for s in 0 .. V.N {\n        Y.part[s] = 0", "for s in 0 .. V.N - 1 {\n        Y.part[s] = 0");
  refused("Y.val[s + (r + i*U.N)", "Y.val[s + (r + j*U.N)"); // another matrix for each row
  refused("T.val[p] * V.val", "Y.val[0] * V.val");
  refused("parallel 32 {", "parallel 32 copies Y.val {"); // each addition marks a block
  refused("float64 per thread", "float64 = 0 per thread");
  // Read where the loop has ended.
  refused("    }\n  }\n}", "    }\n    Y.val[i*Y.N*Y.K] += Y.part[0]\n  }\n}");
}

/// A tree with 70 fibres in one slice, and some empty ones.
Memory memory_of(std::mt19937_64 &random, std::int64_t rows, std::int64_t columns) {
  Memory memory;
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::int64_t> fibres{3, 0, 70, 32};
  auto &rowptr = memory.indices["T.rowptr"], &fibptr = memory.indices["T.fibptr"];
  rowptr = fibptr = {0};
  for (std::int64_t count : fibres) {
    rowptr.push_back(rowptr.back() + count);
    for (std::int64_t f = 0; f < count; ++f) {
      memory.indices["T.col"].push_back(below(5));
      for (std::int64_t p = below(4); p > 0; --p)
        memory.indices["T.tube"].push_back(below(6));
      fibptr.push_back(static_cast<std::int64_t>(memory.indices["T.tube"].size()));
    }
  }
  memory.sizes = {
      {"T.M", 4},    {"T.N", 5},      {"T.K", 6}, {"T.NF", rowptr.back()}, {"T.NNZ", fibptr.back()},
      {"U.M", 5},    {"U.N", rows},   {"V.M", 6}, {"V.N", columns},        {"Y.M", 4},
      {"Y.N", rows}, {"Y.K", columns}};
  const auto fill = [&](const char *array, std::int64_t count) {
    std::vector<double> &values = memory.values[array];
    for (std::int64_t k = 0; k < count; ++k)
      values.push_back(static_cast<double>(below(9) - 4));
  };
  fill("T.val", fibptr.back()), fill("U.val", 5 * rows), fill("V.val", 6 * columns);
  fill("Y.val", 4 * rows * columns);
  return memory;
}

TEST(MultiplyInTiles, KeepsTheEffect) {
  std::mt19937_64 random(3);
  const Program program = parse_program(ttmc());
  for (const Program &made : {multiply_in_tiles(program), improve(program)})
    for (const auto &[rows, columns] : {std::pair(0, 3), std::pair(1, 1), std::pair(5, 17)}) {
      Memory expected = memory_of(random, rows, columns), got = expected;
      EXPECT_EQ(interpret(program, expected), 0);
      InterpretOptions options;
      options.permute_parallel = true;
      EXPECT_EQ(interpret(made, got, options), 0);
      EXPECT_EQ(got.values.at("Y.val"), expected.values.at("Y.val")) << rows << " x " << columns;
    }
}

} // namespace
} // namespace unravel::loop
