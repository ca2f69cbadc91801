// The layouts of tensors that borrow another one's index arrays, and what can't be lent.
#include "layout/structure.h"

#include "golden.h"
#include "odd_layouts.h"
#include "parse/parse.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

using layout::SharedMode;

layout::Layout loaded(const std::string &name, std::size_t order) {
  auto source = std::make_shared<const text::Source>("-f S", layout_reference(name));
  return layout::load_layout(parse::parse_layout_reference(source), order).layout;
}

layout::Layout shared(const std::string &name, std::size_t order, const std::vector<SharedMode> &modes) {
  auto source = std::make_shared<const text::Source>("-f D", "like:S");
  return layout::structure_of(loaded(name, order), modes, {source, 0, 6});
}

std::string message(const std::string &name, std::size_t order, const std::vector<SharedMode> &modes) {
  try {
    return layout::to_text(shared(name, order, modes));
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
}

constexpr std::nullopt_t dense = std::nullopt;

TEST(LayoutStructure, of_all_modes_is_the_layout_itself) {
  for (const char *name :
       {"csr", "csc", "coo", "coo_dup", "dcsr", "bcsr<2,3>", "ell", "ellr", "dia", "banded", "dense<1,0>"})
    EXPECT_EQ(layout::to_text(shared(name, 2, {0, 1})), layout::to_text(loaded(name, 2))) << name;
}

TEST(LayoutStructure, of_some_modes) {
  std::string text;
  auto add = [&](const std::string &name, std::size_t order, const std::vector<SharedMode> &modes) {
    text += layout::to_text(shared(name, order, modes)) + "\n";
  };
  add("csr", 2, {1, 0});
  add("csr", 2, {0});
  add("csc", 2, {0});
  add("dcsr", 2, {0});
  add("coo_dup", 2, {0, dense});
  add("bcsr<2,3>", 2, {0});
  add("dia", 2, {1});
  add("csf3", 3, {0, 1});
  add("csf3", 3, {0, 1, dense});
  add("csf3", 3, {dense, 0, dense});
  add("csf4", 4, {0, 1, 2});
  golden_check("structure", "layouts", text);
}

TEST(LayoutStructure, slots_must_be_told_apart) {
  EXPECT_EQ(message("run_length", 2, {0, 1}),
            "the structure of layout `run_length` can't be shared: it isn't "
            "proved that each of its values is that of one entry");
  EXPECT_EQ(message("csb<2>", 2, {1, 0}), "the structure of layout `csb<2>` can't be shared: it isn't "
                                          "proved that each of its values is that of one entry");
}

TEST(LayoutStructure, coordinates_must_be_told_by_what_is_kept) {
  EXPECT_EQ(message("@derived/anti_back", 2, {1}),
            "in layout `anti_back` nothing determines `j` without the modes that the result lacks");
}

TEST(LayoutStructure, one_piece_with_values) {
  EXPECT_EQ(message("symmetric_csr", 2, {0, 1}),
            "the structure of layout `symmetric_csr` can't be shared: it has several pieces");
  EXPECT_EQ(message("pattern_csr", 2, {0, 1}),
            "the structure of layout `pattern_csr` can't be shared: it stores no values");
}

TEST(LayoutStructure, values_of_one_element) {
  const auto has_own = [](const std::string &text, std::size_t order) {
    return layout::has_values_of_one_element(loaded("layout t" + text, order));
  };
  for (std::size_t order = 0; order <= 6; ++order)
    EXPECT_TRUE(layout::has_values_of_one_element(loaded("dense", order))) << order;
  EXPECT_TRUE(has_own("(i: M) { value val[M]; "
                      "stored { [a] -> [i] : i = M - 1 - a and 0 <= a < M } at val(a); }",
                      1));
  EXPECT_TRUE(has_own("(i: M) { value val[4, ceil(M / 4)]; stored { [c, b] -> [i] : "
                      "0 <= i < M and c = i mod 4 and b = floor(i / 4) } at val(c, b); }",
                      1));
  EXPECT_TRUE(has_own("(i: M) { value val[4, ceil(M / 4)]; stored { [a] -> [i] : "
                      "i = a and 0 <= a < M } at val(a mod 4, floor(a / 4)); }",
                      1));
  EXPECT_FALSE(has_own("(i: M) { value val[ceil(M / 2)]; "
                       "stored { [a] -> [i] : i = a and 0 <= a < M } at val(floor(a / 2)); }",
                       1))
      << "two elements have one slot";
  EXPECT_FALSE(has_own("(i: M) { value val[ceil(M / 2)]; stored { [p] -> [i] : "
                       "0 <= p < ceil(M / 2) and 2*p <= i < 2*p + 2 and 0 <= i < M } at val(p); }",
                       1))
      << "a position has two coordinates";
  EXPECT_FALSE(has_own("(i: M, j: N) { value val[M]; "
                       "stored { [r] -> [i, j] : i = r and 0 <= r < M and 0 <= j < N } at val(r); }",
                       2))
      << "a row has one value";
  EXPECT_FALSE(has_own("(i: M) { value val[M, 2]; "
                       "stored { [a, b] -> [i] : i = a and 0 <= a < M and 0 <= b < 2 } at val(a, b); }",
                       1))
      << "an element has two slots";
}

} // namespace
} // namespace unravel::test
