// Parallel loops whose threads append to arrays of their own.
#include "appending_kernels.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <gtest/gtest.h>
#include <random>

using namespace unravel;
using namespace unravel::loop;

namespace {

/// Random rows, some of them without entries, and with zeros among the values.
Memory random_rows(std::int64_t rows, std::mt19937 &random) {
  Memory memory;
  std::vector<std::int64_t> pointers{0}, columns;
  std::vector<double> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto count = static_cast<std::int64_t>(random() % 4);
    for (std::int64_t k = 0; k < count; ++k) {
      columns.push_back(k);
      values.push_back(static_cast<double>(random() % 3));
    }
    pointers.push_back(static_cast<std::int64_t>(columns.size()));
  }
  memory.sizes = {{"A.M", rows}, {"A.N", 4}, {"C.M", rows}, {"C.N", 4}, {"A.NNZ", pointers.back()}};
  memory.indices = {{"A.rowptr", pointers}, {"A.col", columns}};
  memory.values = {{"A.val", values}};
  return memory;
}

std::string refusal(const std::string &text, const std::string &from, const std::string &to) {
  std::string changed = text;
  changed.replace(changed.find(from), from.size(), to);
  try {
    verify(parse_program(changed));
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
  return "no error";
}

} // namespace

TEST(Appended, its_text_is_read_back) {
  for (const std::string &text : {test::rows_in_parallel, test::stored_rows_in_parallel}) {
    const Program program = parse_program(text);
    EXPECT_NO_THROW(verify(program));
    EXPECT_EQ(to_text(program), to_text(parse_program(to_text(program))));
    EXPECT_NE(to_text(program).find(" appends C.N"), std::string::npos);
  }
}

TEST(Appended, iterations_in_any_order_append_what_those_in_order_do) {
  std::mt19937 random(3);
  std::string in_steps = test::rows_in_parallel; // an iteration begins all nodes before the next one
  in_steps.insert(in_steps.find("parallel"), "step 3 ");
  for (const std::string &text : {test::rows_in_parallel, test::stored_rows_in_parallel, in_steps})
    for (std::int64_t rows = 0; rows < 12; ++rows)
      for (unsigned seed = 0; seed < 4; ++seed) {
        const Memory given = random_rows(rows, random);
        const Program program = parse_program(text);
        Memory in_order = given;
        ASSERT_EQ(interpret(program, in_order), 0);
        for (const Program &each : {program, improve(program)}) {
          Memory permuted = given;
          InterpretOptions options;
          options.permute_parallel = true;
          options.seed = seed;
          ASSERT_EQ(interpret(each, permuted, options), 0);
          EXPECT_EQ(permuted.sizes, in_order.sizes);
          EXPECT_EQ(permuted.indices, in_order.indices) << text;
          EXPECT_EQ(permuted.values, in_order.values);
        }
      }
}

TEST(Appended, a_loop_that_reads_what_others_append_is_found) {
  std::string text = test::rows_in_parallel;
  text.replace(text.find("C.col(n) := A.col(p)"), 20, "C.col(n) := n");
  std::mt19937 random(3);
  Memory in_order = random_rows(9, random), permuted = in_order;
  InterpretOptions options;
  options.permute_parallel = true;
  interpret(parse_program(text), in_order);
  interpret(parse_program(text), permuted, options);
  EXPECT_NE(in_order.indices.at("C.col"), permuted.indices.at("C.col"));
}

TEST(Appended, what_is_malformed_is_refused) {
  const std::string before = "malformed loop program: ";
  const std::string &rows = test::rows_in_parallel, &stored = test::stored_rows_in_parallel;
  const std::string appends = " appends C.NNZ at n, C.rowptr at r into n";
  EXPECT_EQ(refusal(rows, appends, ""), before + "iterations of a parallel loop race for `C.rowptr[r]`");
  EXPECT_EQ(refusal(rows, appends, " appends C.NNZ at n"),
            before + "iterations of a parallel loop race for `r`");
  EXPECT_EQ(refusal(rows, "C.rowptr at r into n", "C.col at r into n"),
            before + "the pointers `C.col` don't point from nodes to nodes");
  EXPECT_EQ(refusal(rows, "C.rowptr at r into n", "C.val at r into n"),
            before + "`C.val` is no array of pointers of `C`");
  EXPECT_EQ(refusal(stored, "C.NR at q, ", ""),
            before + "the loop over `i` doesn't append all counts of `C`, once each");
  EXPECT_EQ(refusal(stored, "C.rowptr at q into n", "C.rowptr at n into q"),
            before + "the pointers `C.rowptr` don't point from nodes to nodes");
}
