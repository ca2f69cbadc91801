#include "packing/append.h"

#include "layout/layout_text.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::packing {
namespace {

layout::Layout shipped(const std::string &name, std::size_t order) {
  return layout::load_layout(unravel::test::reference_of(name), order).layout;
}

std::string text_of(const std::string &name, std::size_t order) {
  const Append append = append_of(shipped(name, order));
  std::string text;
  for (const AppendLevel &level : append.levels) {
    text += level.is_counted() ? fmt::format("{} counted by {}", level.position, level.count)
                               : fmt::format("{} = {}", level.position, term::to_text(level.value));
    for (const layout::IndexElement &key : level.keys)
      text += fmt::format(", {} holds {}", key.array, term::to_text(key.value));
    if (!level.pointer.empty())
      text += fmt::format(", in {} of {}", level.pointer, append.levels[level.parent].position);
    text += "\n";
  }
  text += "by";
  for (std::size_t k = 0; k < append.order.size(); ++k)
    text +=
        fmt::format(" {}{}{}", k == append.loose ? "(or once) " : "", term::to_text(append.order[k].value),
                    append.order[k].descending ? " descending" : "");
  return text + (append.merges ? "\n" : ", repeated\n");
}

std::string refusal_of(const std::string &name, std::size_t order) {
  try {
    append_of(shipped(name, order));
  } catch (const report::Error &error) {
    return fmt::format("{} [{}]", error.diagnostic().message, report::name_of(error.diagnostic().kind));
  }
  return "none";
}

TEST(Append, RowsOfEntries) {
  EXPECT_EQ(text_of("csr", 2), "r = i\np counted by NNZ, col holds j, in rowptr of r\nby i j\n");
  EXPECT_EQ(text_of("csc", 2), "c = j\np counted by NNZ, row holds i, in colptr of c\nby j i\n");
  EXPECT_EQ(text_of("dcsr", 2),
            "r counted by NR, rowidx holds i\np counted by NNZ, col holds j, in rowptr of r\nby i j\n");
}

TEST(Append, Lists) {
  EXPECT_EQ(text_of("sv", 1), "p counted by NNZ, idx holds i\nby i\n");
  EXPECT_EQ(text_of("coo", 2), "p counted by NNZ, row holds i, col holds j\nby i j\n");
  EXPECT_EQ(text_of("coo_dup", 2), "p counted by NNZ, row holds i, col holds j\nby, repeated\n");
  EXPECT_EQ(text_of("coo_unsorted", 2), "p counted by NNZ, row holds i, col holds j\nby (or once) i j\n");
}

TEST(Append, Blocks) {
  EXPECT_EQ(text_of("bcsr<2, 3>", 2),
            "b = floor(i / 2)\np counted by NB, bcol holds floor(j / 3), in rowptr of b\n"
            "r = i mod 2\nc = j mod 3\nby floor(i / 2) floor(j / 3)\n");
}

TEST(Append, Refused) {
  EXPECT_EQ(refusal_of("dense", 2),
            "entries can't be appended to layout `dense`: each coordinate has a place: nothing is appended "
            "[cannot-append]");
  EXPECT_EQ(refusal_of("ell", 2),
            "entries can't be appended to layout `ell`: how many positions `s` there are "
            "depends on all entries [cannot-append]");
  EXPECT_EQ(refusal_of("symmetric_csr", 2),
            "entries can't be appended to layout `symmetric_csr`: it has several pieces [cannot-append]");
  EXPECT_EQ(refusal_of("pattern_csr", 2),
            "entries can't be appended to layout `pattern_csr`: it doesn't hold an "
            "entry's value as it is [cannot-append]");
}

} // namespace
} // namespace unravel::packing
