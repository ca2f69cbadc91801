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

/// All of C = A * A: rows are walked through by `walk`, and appended by `entries`.
std::string assembled(const std::string &workspace, const std::string &walk, const std::string &entries) {
  return R"(kernel product
expression C(i,j) = A(i,k) * A(k,j)
result C : csr(M, N)
  assembled
  count NNZ
  index rowptr[C.M + 1] : int32
  index row[C.NNZ] : int32
  index col[C.NNZ] : int32
  value val[C.NNZ] : float64
operand A : csr(M, N)
  count NNZ
  index rowptr[A.M + 1] : int32 nonnegative
  index col[A.NNZ] : int32 nonnegative
  value val[A.NNZ] : float64
)" + workspace +
         R"({
  var C.p.end = 0
  reserve C.NNZ >= 0 : C.row, C.col, C.val
  var C.rowptr.end = 0
  for i in 0 .. A.M parallel 32 appends C.NNZ at C.p.end, C.rowptr at C.rowptr.end into C.p.end {
    var count = 0
    for p in A.rowptr(i) .. A.rowptr(i + 1) {
      let k = A.col(p)
      for q in A.rowptr(k) .. A.rowptr(k + 1) {
        let j = A.col(q)
)" + walk +
         R"(      }
    }
    if C.rowptr.end <= i {
      C.rowptr(C.rowptr.end) := C.p.end
      C.rowptr.end := C.rowptr.end + 1
    }
)" + entries +
         R"(  }
  while C.rowptr.end <= A.M {
    C.rowptr(C.rowptr.end) := C.p.end
    C.rowptr.end := C.rowptr.end + 1
  }
  count C.NNZ = C.p.end
}
)";
}

/// In the order in which columns come, which a map finds.
const std::string listed = assembled(R"(workspace w.val[A.N] : float64 per thread
workspace w.idx[A.N] : int32 per thread
workspace w.map[A.N] : int32 = -1 per thread
)",
                                     R"(        var w.p = w.map(j)
        if w.p + 1 <= 0 {
          w.idx(count) := j
          w.map(j) := count
          w.p := count
          count := count + 1
          w.val[w.p] = A.val[p] * A.val[q]
        } else {
          w.val[w.p] += A.val[p] * A.val[q]
        }
)",
                                     R"(    for s in 0 .. count {
      reserve C.NNZ >= C.p.end + 1 : C.row, C.col, C.val
      C.row(C.p.end) := i
      C.col(C.p.end) := w.idx(s)
      C.p.end := C.p.end + 1
      C.val[C.p.end - 1] = 2 * w.val[s]
    }
    for t in 0 .. count {
      w.map(w.idx(t)) := -1
    }
)");

/// By increasing columns: few are sorted, many found by their bits.
const std::string marked = assembled(R"(workspace w.val[A.N] : float64 = 0 per thread
workspace w.present[A.N] : bit = 0 per thread
workspace w.list[A.N] : int32 per thread
workspace w.room[A.N] : int64 per thread
)",
                                     R"(        if w.present(j) != 1 {
          w.present(j) := 1
          w.list(count) := j
          count := count + 1
          w.val[j] = A.val[p] * A.val[q]
        } else {
          w.val[j] += A.val[p] * A.val[q]
        }
)",
                                     R"(    if count <= 9 {
      sort w.list in w.room, count
      for s in 0 .. count {
        let j = w.list(s)
        reserve C.NNZ >= C.p.end + 1 : C.row, C.col, C.val
        C.row(C.p.end) := i
        C.col(C.p.end) := j
        C.p.end := C.p.end + 1
        C.val[C.p.end - 1] = w.val[j]
        w.val[j] = 0
        w.present(j) := 0
      }
    } else {
      for j in 0 .. A.N together 64 {
        if w.present(j) = 1 {
          reserve C.NNZ >= C.p.end + 1 : C.row, C.col, C.val
          C.row(C.p.end) := i
          C.col(C.p.end) := j
          C.p.end := C.p.end + 1
          C.val[C.p.end - 1] = w.val[j]
          w.val[j] = 0
        }
      }
      zero w.present, A.N
    }
)");

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

/// The program gives the same with rows put together as without, by that pass and by all, its iterations in
/// any order.
void expect_same(const Program &program, const Memory &given, unsigned seed, const std::string &what) {
  Memory expected = given;
  ASSERT_EQ(interpret(program, expected), 0);
  for (const Program &each : {group_rows(program, known(30)), improve(program, known(30))}) {
    Memory found = given;
    InterpretOptions options;
    options.permute_parallel = seed % 2 == 0;
    options.seed = seed;
    ASSERT_EQ(interpret(each, found, options), 0);
    EXPECT_EQ(found.values, expected.values) << what;
    EXPECT_EQ(found.indices, expected.indices) << what;
  }
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
    for (unsigned seed = 0; seed < 4; ++seed)
      expect_same(parse_program(product), nodes(rows, random), seed, std::to_string(rows));
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

TEST(GroupRows, appended_rows_are_repeated) {
  const std::string text = to_text(group_rows(parse_program(listed), known(30)));
  for (const char *line :
       {"workspace w.val_of_rows[4*A.N] : float64 per thread\n",
        "workspace w.idx_of_rows[A.N] : int32 per thread\n", "for i.strip in 0 .. A.M step 32 parallel",
        "w.val_of_rows[i.row + 4*j] += A.val_of_rows[i.row] * A.val[q]\n",
        "C.row(C.p.end + i.entry) := i + i.row\n", "C.col(C.p.end + i.entry) := C.col(i.begin + i.entry)\n",
        "C.p.end := C.p.end + i.length\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(GroupRows, appended_rows_are_the_same) {
  const std::string by_place =
      replaced(listed, "      w.map(w.idx(t)) := -1\n", "      let j = w.idx(t)\n      w.map(j) := -1\n");
  std::mt19937 random(12);
  for (const std::string &text : {listed, by_place, marked})
    for (std::int64_t rows : {0, 1, 2, 5, 13, 31, 32, 33, 70})
      for (unsigned seed = 0; seed < 4; ++seed) {
        Memory given = nodes(rows, random);
        given.sizes.erase("C.NNZ"), given.indices.erase("C.rowptr"), given.indices.erase("C.col");
        given.values.erase("C.val");
        expect_same(parse_program(text), given, seed, std::to_string(rows) + text);
      }
}

TEST(GroupRows, other_loops_that_append_stay) {
  EXPECT_TRUE(is_grouped(listed));
  EXPECT_TRUE(is_grouped(marked));
  EXPECT_FALSE(is_grouped(listed, 8)); // short rows
  // What the row does depends on its number, on the position, or on rows before.
  EXPECT_FALSE(is_grouped(replaced(listed, "A.val[p] * A.val[q]\n", "A.val[p] * A.val[q] * [i]\n")));
  EXPECT_FALSE(is_grouped(replaced(listed, "A.val[p] * A.val[q]\n", "A.val[p] * A.val[q] * [p]\n")));
  EXPECT_FALSE(is_grouped(replaced(listed, "let k = A.col(p)\n", "let k = A.col(A.NNZ - p - 1)\n")));
  EXPECT_FALSE(is_grouped(replaced(listed, "w.val[w.p] +=", "w.val[p] +=")));
  EXPECT_FALSE(is_grouped(replaced(listed, "C.row(C.p.end) := i\n", "C.row(C.p.end) := i + 1\n")));
  EXPECT_FALSE(is_grouped(replaced(listed, "2 * w.val[s]", "w.val[s] * [s]")));
  EXPECT_FALSE(is_grouped(replaced(listed, "2 * w.val[s]", "2 * w.val[count - s - 1]")));
  // Not all sums are zero afterwards.
  EXPECT_FALSE(is_grouped(replaced(marked, "        w.val[j] = 0\n        w.present", "        w.present")));
  // Another value is written.
  EXPECT_FALSE(is_grouped(replaced(listed, "          w.p := count\n",
                                   "          w.p := count\n          value s = A.val[p]\n")));
}
