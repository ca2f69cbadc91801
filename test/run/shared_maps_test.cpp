// Maps of several leaves, or of alternatives, whose finds have one name: they share an array where they keep
// it in the same way, and only there.
#include "run/sweep.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// The workspace arrays of a kernel: name, elements, whether each thread has one.
std::string workspace_of(const Interpreted &kernel) {
  std::string text;
  for (const loop::WorkspaceArray &array : kernel.compilation().program.workspace)
    text +=
        array.name + "[" + term::to_text(array.extent) + "]" + (array.per_thread ? " per thread; " : "; ");
  return text;
}

} // namespace

/// In rows the keys are columns, in columns rows.
TEST(SharedMaps, are_as_large_as_their_keys) {
  std::mt19937_64 random(51);
  std::size_t runs = 0;
  for (const std::string method : {"map", "hash"}) {
    Interpreted kernel({"s = A(i,j) * B(i,j)",
                        {{"A", "@rows_and_columns"}, {"B", "@rows_and_columns"}},
                        {},
                        {"B=" + method}});
    EXPECT_TRUE(check_on_small_inputs(kernel, 40, false, random, runs));
    EXPECT_EQ(workspace_of(kernel),
              method == "map" ? "B.p.values[A.N] per thread; B.p.values_2[A.M] per thread; "
                              : "B.p.first[2*B.LOWER + 1] per thread; B.p.next[B.LOWER] per thread; "
                                "B.p.first_2[2*B.UPPER + 1] per thread; B.p.next_2[B.UPPER] per thread; ");
  }
}

/// Below the diagonal the loop that fills the map runs in parallel, on the diagonal in one thread.
TEST(SharedMaps, are_each_threads_or_of_all) {
  std::mt19937_64 random(52);
  std::size_t runs = 0;
  Interpreted kernel(
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "dcsc"}, {"B", "lower_diagonal"}}, {"shift C.a by 1"}, {}});
  EXPECT_EQ(workspace_of(kernel), "A.p.values[A.M]; A.p.values_2[A.M] per thread; ");
  EXPECT_TRUE(check_on_small_inputs(kernel, 40, false, random, runs));
}

/// Both pieces fill it by rows: one array serves both.
TEST(SharedMaps, kept_in_one_way_are_one) {
  Interpreted kernel({"s = A(i,j) * B(i,j)", {{"A", "symmetric_csr"}, {"B", "csr"}}, {}, {"B=map"}});
  EXPECT_EQ(workspace_of(kernel), "B.p.values[A.N] per thread; ");
}

/// What a coordinate is found by has the coordinate's name in each statement of a loop.
TEST(SharedMaps, of_statements_in_one_loop_are_apart) {
  std::mt19937_64 random(53);
  std::size_t runs = 0;
  for (const std::string method : {"map", "hash"})
    for (const char *layout : {"@permuted/numbered_csr", "@permuted/column_values"}) {
      SCOPED_TRACE(method + " " + layout);
      Interpreted kernel({"for i { for j { y(i) += A(i,j) * x(j); } for j { z(i) += B(i,j) * x(j); } }",
                          {{"A", layout}, {"B", layout}},
                          {},
                          {"j=" + method}});
      EXPECT_TRUE(check_on_small_inputs(kernel, 40, false, random, runs));
    }
}

/// Links of chains are found by the position, whatever the first position is.
TEST(SharedMaps, chains_have_links_up_to_the_last_position) {
  std::mt19937_64 random(54);
  std::size_t runs = 0;
  Interpreted kernel({"y(i) = B(i,j) * A(i,j)",
                      {{"A", "@unusual/coo_from_two"}, {"B", "csr"}},
                      {"order i, B.p; find A by hash"},
                      {}});
  EXPECT_EQ(workspace_of(kernel), "A.p.first[2*A.NNZ + 5]; A.p.next[A.NNZ + 2]; ");
  EXPECT_TRUE(check_on_small_inputs(kernel, 40, false, random, runs));
}
