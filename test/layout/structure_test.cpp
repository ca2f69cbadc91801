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

} // namespace
} // namespace unravel::test
