// `drop zeros`: entries of sparse results that are computed, and are 0.
#include "pipeline/request_text.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;

namespace {

std::string loops_of(const std::string &text) {
  return loop::to_text(compile_text(text + "\n-s drop zeros").program.body, 0);
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(DropZeros, a_product_is_tested_before_it_is_appended) {
  const std::string loops = loops_of("C(i,j) = A(i,j) * d(j)\n-f A=csr\n-f C=csr");
  EXPECT_TRUE(has(loops, "if differs C.value from 0 speculative {")) << loops;
  EXPECT_FALSE(has(loops, ".old")) << loops;
}

TEST(DropZeros, entries_of_a_local_and_of_merged_loops_are_tested_too) {
  for (const char *line : {"C(i,j) = A(i,k) * B(k,j)", "C(i,j) = A(i,j) + B(i,j)"}) {
    const std::string loops = loops_of(std::string(line) + "\n-f A=csr\n-f B=csr\n-f C=csr");
    EXPECT_TRUE(has(loops, "if differs ")) << loops;
    EXPECT_FALSE(has(loops, ".old")) << loops;
  }
}

TEST(DropZeros, what_more_may_be_added_to_is_taken_out_behind) {
  const std::string loops = loops_of("y(i) = A(i,j)\n-f A=csr\n-f y=sv");
  EXPECT_TRUE(has(loops, "for y.p.old in 0 .. y.p.all {")) << loops;
}

TEST(DropZeros, nothing_is_what_a_reduction_begins_with) {
  const std::string product = "C(i,j) = A(i,k) * B(k,j) in ", layouts = "\n-f A=csr\n-f B=csr\n-f C=csr";
  EXPECT_TRUE(has(loops_of(product + "min.+" + layouts), " from inf"));
  EXPECT_TRUE(has(loops_of(product + "max.+" + layouts), " from -inf"));
  EXPECT_TRUE(has(loops_of(product + "or.and" + layouts), " from 0"));
  EXPECT_TRUE(has(loops_of("C(i,j) = A(i,j) * d(j) in min.+\n-f A=coo\n-f C=csc"), " from inf"));
}

/// Values of one coordinate that several entries stand for add up: another reduction may not be taken apart
/// so.
TEST(DropZeros, parts_of_values_are_sums) {
  const std::string product = "C(i,j) = A(i,k) * B(k,j) in max.times\n-f A=csr\n-f B=csr\n-f C=";
  const pipeline::Compilation made = compile_text(product + "coo_dup"); // a local has each coordinate once
  ASSERT_EQ(made.combination.locals.size(), 1u);
  EXPECT_TRUE(made.combination.locals.front().insertion);
  EXPECT_EQ(message_of(product + "coo"), "no error");
  EXPECT_EQ(message_of("C(i,j) = A(i,j) * d(j) in max.times\n-f A=csr\n-f C=coo_dup"), "no error");
}

TEST(DropZeros, without_it_they_stay) {
  const std::string loops =
      loop::to_text(compile_text("C(i,j) = A(i,j) * d(j)\n-f A=csr\n-f C=csr").program.body, 0);
  EXPECT_FALSE(has(loops, "differs")) << loops;
}

TEST(DropZeros, what_it_is_not_for) {
  EXPECT_TRUE(has(message_of("C(i,j) = A(i,j)\n-f A=csr\n-f C=csr\n-s reuse; drop zeros"),
                  "`drop zeros` with `reuse`: which values are 0 may change from call to call"));
  EXPECT_TRUE(has(message_of("y(i) = A(i,j) * x(j)\n-f A=csr\n-s drop zeros"),
                  "`drop zeros`: each element of `y` is stored"));
  EXPECT_TRUE(has(message_of("D(i,j) = A(i,j) * X(i,j)\n-f A=csr\n-f D=like:A\n-s drop zeros"),
                  "`drop zeros`: the entries of `D` are those of `A`"));
  EXPECT_TRUE(has(message_of("C(i,j) = A(i,j)\n-f A=csr\n-f C=csr\n-s drop zeros; drop zeros"), "twice"));
}
