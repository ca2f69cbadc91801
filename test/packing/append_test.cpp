#include "packing/append.h"

#include "layout/layout_text.h"
#include "packing/pack_layouts.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::packing {
namespace {

layout::Layout shipped(const std::string &name, std::size_t order) {
  return layout::load_layout(unravel::test::reference_of(name), order).layout;
}

std::string shift_text(std::int64_t shift) {
  return shift == 0 ? "" : fmt::format("{:+}", shift);
}

std::string text_of(const layout::Layout &layout) {
  const Append append = append_of(layout);
  std::string text;
  for (const AppendLevel &level : append.levels) {
    text += level.is_counted() ? fmt::format("{} counted by {}", level.position, level.count)
                               : fmt::format("{} = {}", level.position, term::to_text(level.value));
    for (const layout::IndexElement &key : level.keys)
      text += fmt::format(", {} holds {}", key.array, term::to_text(key.value));
    if (!level.pointer.empty())
      text += fmt::format(", in {} of {}", level.pointer, append.levels[level.parent].position);
    if (level.bounds)
      text += fmt::format(", from {}{} to {}{}", level.bounds->begin, shift_text(level.bounds->begin_offset),
                          level.bounds->end, shift_text(level.bounds->end_offset));
    text += "\n";
  }
  text += "by";
  for (std::size_t k = 0; k < append.order.size(); ++k)
    text +=
        fmt::format(" {}{}{}", k == append.loose ? "(or once) " : "", term::to_text(append.order[k].value),
                    append.order[k].descending ? " descending" : "");
  return text + (append.merges ? "\n" : ", repeated\n");
}

std::string text_of(const std::string &name, std::size_t order) {
  return text_of(shipped(name, order));
}

std::string refusal_of(const layout::Layout &layout) {
  try {
    append_of(layout);
  } catch (const report::Error &error) {
    return fmt::format("{} [{}]", error.diagnostic().message, report::name_of(error.diagnostic().kind));
  }
  return "none";
}

std::string refusal_of(const std::string &name, std::size_t order) {
  return refusal_of(shipped(name, order));
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

/// Packing has pointers in place of the two arrays; appending writes both.
TEST(Append, SegmentsThatTwoArraysBound) {
  EXPECT_EQ(text_of("csr4", 2),
            "r = i\np counted by NNZ, col holds j, in pntrb of r, from pntrb to pntre\nby i j\n");
  EXPECT_EQ(text_of(layout_in("segments.layout", "dcsr4", 2)),
            "k counted by NR, rowidx holds i\n"
            "p counted by NNZ, col holds j, in begin of k, from begin to end\nby i j\n");
  EXPECT_EQ(text_of(layout_in("segments.layout", "csr4_one", 2)),
            "r = i\np counted by NNZ, indx holds j + 1, in pntrb of r, from pntrb-1 to pntre-1\nby i j\n");
  EXPECT_EQ(text_of(layout_in("segments.layout", "csr_from_one", 2)),
            "r = i\np counted by NNZ, indx holds j + 1, in ptr of r, from ptr-1 to ptr-1\nby i j\n");
  EXPECT_EQ(refusal_of(layout_in("segments.layout", "bcsr4", 2, {2, 3})),
            "entries can't be appended to layout `bcsr4<2, 3>`: `first` has elements for more than the "
            "positions `b` [cannot-append]");
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
  EXPECT_EQ(refusal_of("pattern_csr", 2), "entries can't be appended to layout `pattern_csr`: it doesn't "
                                          "store an entry's value unchanged [cannot-append]");
}

} // namespace
} // namespace unravel::packing
