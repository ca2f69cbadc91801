// Rows with the same columns are done at once.
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace unravel;
using namespace unravel::loop;

namespace {

/// The values of C = A * A, whose columns are there.
const std::string product = R"(kernel product
expression C(i,j) = A(i,k) * A(k,j)
result C : csr(M, N)
  count NNZ
  index rowptr[C.M + 1] : int32 nonnegative
  index col[C.NNZ] : int32 nonnegative
  value val[C.NNZ] : float64
operand A : csr(M, N)
  count NNZ
  index rowptr[A.M + 1] : int32 nonnegative
  index col[A.NNZ] : int32 nonnegative
  value val[A.NNZ] : float64
workspace w.val[A.N] : float64 = 0 per thread
{
  for i in 0 .. A.M parallel 32 {
    for p in A.rowptr(i) .. A.rowptr(i + 1) {
      let k = A.col(p)
      for q in A.rowptr(k) .. A.rowptr(k + 1) {
        w.val[A.col(q)] += A.val[p] * A.val[q]
      }
    }
    for c in C.rowptr(i) .. C.rowptr(i + 1) {
      let j = C.col(c)
      C.val[c] = w.val[j]
      w.val[j] = 0
    }
  }
}
)";

/// Nodes of 1 to 6 rows, which have the same columns; some have the same number of others.
Memory nodes(std::int64_t rows, std::mt19937 &random) {
  const auto size = static_cast<std::size_t>(rows);
  std::vector<std::vector<std::int64_t>> columns(size), of_square(size);
  for (std::size_t row = 0; row < size;) {
    std::vector<std::int64_t> same;
    for (std::int64_t column = 0; column < rows; ++column)
      if (random() % 4 == 0) same.push_back(column);
    for (std::size_t end = std::min(row + 1 + random() % 6, size); row < end; ++row)
      columns[row] = same;
  }
  Memory memory;
  const auto add = [&](const char *tensor, const std::vector<std::vector<std::int64_t>> &all) {
    std::vector<std::int64_t> pointers{0}, every;
    for (const auto &row : all) {
      every.insert(every.end(), row.begin(), row.end());
      pointers.push_back(static_cast<std::int64_t>(every.size()));
    }
    memory.sizes[tensor + std::string(".M")] = memory.sizes[tensor + std::string(".N")] = rows;
    memory.sizes[tensor + std::string(".NNZ")] = pointers.back();
    std::vector<double> values(every.size());
    for (double &value : values)
      value = static_cast<double>(random() % 7);
    memory.values[tensor + std::string(".val")] = values;
    memory.indices[tensor + std::string(".rowptr")] = pointers;
    memory.indices[tensor + std::string(".col")] = every;
  };
  for (std::size_t row = 0; row < size; ++row) {
    std::set<std::int64_t> found;
    for (std::int64_t k : columns[row])
      found.insert(columns[static_cast<std::size_t>(k)].begin(), columns[static_cast<std::size_t>(k)].end());
    of_square[row].assign(found.begin(), found.end());
    // In another order the columns aren't the same, though there are as many.
    if (row % 5 == 0) std::reverse(of_square[row].begin(), of_square[row].end());
  }
  add("A", columns), add("C", of_square);
  return memory;
}

Known known(double mean) {
  Known made;
  made.counts["A.rowptr"] = mean;
  return made;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

bool is_grouped(const std::string &text, double mean = 30) {
  const Program program = parse_program(text);
  verify(program);
  const Program made = group_rows(program, known(mean));
  verify(made);
  return made.workspace.size() > program.workspace.size();
}

} // namespace

TEST(GroupRows, sums_lie_beside_each_other) {
  const std::string text = to_text(group_rows(parse_program(product), known(30)));
  for (const char *line : {"workspace w.val_of_rows[4*A.N] : float64 = 0 per thread\n",
                           "w.val_of_rows[i.row + 4*A.col(q)] += A.val_of_rows[i.row] * A.val[q]\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(GroupRows, the_result_is_the_same) {
  std::mt19937 random(11);
  for (std::int64_t rows : {0, 1, 2, 5, 13, 31, 32, 33, 70})
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Memory given = nodes(rows, random);
      const Program program = parse_program(product);
      Memory expected = given;
      ASSERT_EQ(interpret(program, expected), 0);
      for (const Program &each : {group_rows(program, known(30)), improve(program, known(30))}) {
        Memory found = given;
        InterpretOptions options;
        options.permute_parallel = seed % 2 == 0;
        options.seed = seed;
        ASSERT_EQ(interpret(each, found, options), 0);
        EXPECT_EQ(found.values, expected.values) << rows;
      }
    }
}

TEST(GroupRows, other_loops_stay) {
  EXPECT_TRUE(is_grouped(product));
  EXPECT_FALSE(is_grouped(product, 8)); // short rows
  // What the row does depends on its number, or on the position.
  EXPECT_FALSE(is_grouped(replaced(product, "A.val[p] * A.val[q]\n", "A.val[p] * A.val[q] * [i]\n")));
  EXPECT_FALSE(is_grouped(replaced(product, "A.val[p] * A.val[q]\n", "A.val[p] * A.val[q] * [p]\n")));
  EXPECT_FALSE(is_grouped(replaced(product, "let k = A.col(p)\n", "let k = A.col(A.NNZ - p - 1)\n")));
  EXPECT_FALSE(is_grouped(replaced(product, "let k = A.col(p)\n", "let k = A.col(p)\n      let at = p\n")));
  EXPECT_FALSE(is_grouped(replaced(product, "w.val[A.col(q)] +=", "w.val[p] +=")));
  EXPECT_FALSE(is_grouped(replaced(product, "C.val[c] = w.val[j]\n", "C.val[c] = w.val[c]\n")));
  // Sums aren't taken out, or something else is stored.
  EXPECT_FALSE(is_grouped(replaced(product, "      w.val[j] = 0\n", "")));
  EXPECT_FALSE(is_grouped(replaced(product, "C.val[c] = w.val[j]\n", "C.val[j] = w.val[j]\n")));
  EXPECT_FALSE(is_grouped(replaced(product, "C.val[c] = w.val[j]\n", "C.val[c] = A.val[c]\n")));
}
