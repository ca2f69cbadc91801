#include "layout/insertion.h"

#include "layout_text.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::layout {
namespace {

CheckedLayout shipped(const std::string &name, std::size_t order) {
  return load_layout(test::reference_of(name), order);
}

std::string text_of(const IndexElement &element) {
  std::vector<std::string> slots;
  for (const term::Term &slot : element.slots)
    slots.push_back(term::to_text(slot));
  return fmt::format("{}({}) = {}", element.array, fmt::join(slots, ", "), term::to_text(element.value));
}

std::string text_of(const Insertion &insertion) {
  std::string text = "stored: " + term::to_text(insertion.stored) + "\n";
  for (const auto &[position, value] : insertion.found)
    text += fmt::format("found: {} = {}\n", position, term::to_text(value));
  for (const IndexElement &element : insertion.sets)
    text += fmt::format("set: {}\n", text_of(element));
  if (!insertion.count.empty()) text += fmt::format("grows: {}\n", insertion.count);
  for (const auto &[array, value] : insertion.nothing)
    text += fmt::format("nothing: {} = {}\n", array, value);
  for (const IndexElement &element : insertion.resets)
    text += fmt::format("reset: {}\n", text_of(element));
  return text;
}

/// What is the same of lists with a map, whatever their properties.
std::string of_list(const std::string &stored) {
  return "stored: " + stored + R"(
found: p = map(i)
set: idx(NNZ) = i
set: map(i) = NNZ
grows: NNZ
nothing: map = -1
reset: map(idx(p)) = -1
)";
}

TEST(Insertion, ListsAppend) {
  EXPECT_EQ(text_of(insertion_of(shipped("listed", 1).layout)), of_list("0 <= map(i)"));
  EXPECT_EQ(text_of(insertion_of(shipped("listed", 2).layout)), R"(stored: 0 <= map(i, j)
found: p = map(i, j)
set: row(NNZ) = i
set: col(NNZ) = j
set: map(i, j) = NNZ
grows: NNZ
nothing: map = -1
reset: map(row(p), col(p)) = -1
)");
}

/// Where an array lies says nothing about how an entry gets in.
TEST(Insertion, HashedListsAppendAsOthersDo) {
  for (const std::size_t order : {1, 2})
    EXPECT_EQ(text_of(insertion_of(shipped("hashed", order).layout)),
              text_of(insertion_of(shipped("listed", order).layout)));
  EXPECT_FALSE(insertion_of(shipped("hashed", 3).layout).repeats());
}

/// Nothing has to be found where each coordinate may be stored several times.
TEST(Insertion, ListsWithRepeatedEntriesAppend) {
  const Insertion insertion = insertion_of(shipped("coo_dup", 2).layout);
  EXPECT_TRUE(insertion.repeats());
  EXPECT_EQ(text_of(insertion), R"(stored: false
set: row(NNZ) = i
set: col(NNZ) = j
grows: NNZ
)");
  for (const std::size_t order : {1, 3, 4})
    EXPECT_TRUE(insertion_of(shipped("coo_dup", order).layout).repeats());
}

TEST(Insertion, BitmapsSetFlags) {
  EXPECT_EQ(text_of(insertion_of(shipped("bitmap", 1).layout)), R"(stored: present(i) = 1
found: a = i
set: present(i) = 1
nothing: present = 0
)");
}

TEST(Insertion, DenseLayoutsHaveAPlaceForEach) {
  EXPECT_EQ(text_of(insertion_of(shipped("dense<1, 0>", 2).layout)), R"(stored: true
found: a = i
found: b = j
)");
}

std::string refusal(const layout::Layout &layout) {
  try {
    return text_of(insertion_of(layout));
  } catch (const report::Error &error) {
    return fmt::format("{} [{}]", error.diagnostic().message, report::name_of(error.diagnostic().kind));
  }
}

/// A list with some of the properties of the shipped one.
std::string refusal_of_list(const std::string &properties) {
  return refusal(test::layout_of(R"(layout list(i: M) {
  index idx[NNZ], map[M];
  count NNZ;
  value val[NNZ];
  stored { [p] -> [i] : 0 <= p < NNZ and i = idx(p) and map(i) = p } at val(p);
)" + properties + "}\n"));
}

TEST(Insertion, IsRefusedWithoutAWayToThePosition) {
  EXPECT_EQ(refusal(shipped("sv", 1).layout),
            "entries can't be inserted into a `sv` in any order: nothing determines the position `p` of "
            "coordinates (i), "
            "and with another entry `strictly increasing idx` isn't proved to hold then [cannot-insert]");
  EXPECT_EQ(refusal(shipped("csr", 2).layout),
            "entries can't be inserted into a `csr` in any order: nothing determines the position `p` of "
            "coordinates (i, j) [cannot-insert]");
  EXPECT_EQ(refusal(shipped("banded", 2).layout),
            "entries can't be inserted into a `banded` in any order: nothing determines the position `s` of "
            "coordinates (i, j) [cannot-insert]");
  EXPECT_EQ(refusal(shipped("symmetric_csr", 2).layout),
            "entries can't be inserted into a `symmetric_csr` in any order: its entries aren't in one piece "
            "with an array of values [cannot-insert]");
}

TEST(Insertion, IsRefusedWhereTheNewPositionHasNoEntry) {
  EXPECT_EQ(refusal(test::layout_of("layout headed(i: M) { index idx[K]; count K; value val[K];"
                                    " stored { [p] -> [i] : 1 <= p < K and i = idx(p) } at val(p);"
                                    " property range idx in [0, M); property strictly increasing idx; }")),
            "entries can't be inserted into a `headed` in any order: the new entry isn't proved to satisfy "
            "`1 <= p`; a case: K = 0, M = 1, i = 0, p = 0 [cannot-insert]");
}

TEST(Insertion, IsRefusedWhereAPropertyMayBreak) {
  EXPECT_EQ(
      refusal_of_list("property range idx in [0, M);\nproperty forall i : -1 <= map(i) < NNZ;\n"
                      "property forall i : 0 <= map(i) => idx(map(i)) = i;\n"
                      "property strictly increasing idx;\n"),
      "entries can't be inserted into a `list` in any order: `strictly increasing idx` isn't proved to hold "
      "then; a case: M = 1, NNZ = 1, i = 0, idx(p)' = 0, idx(q)' = 0, p = 0, q = 1, map(i) = -1, idx(p) = 0, "
      "idx(q) = 0 [cannot-insert]");
  EXPECT_EQ(refusal_of_list("property range idx in [0, M);\nproperty forall i : -1 <= map(i) < NNZ;\n"
                            "property NNZ <= 3;\n"),
            "entries can't be inserted into a `list` in any order: `NNZ <= 3` isn't proved to hold then; a "
            "case: M = "
            "2, NNZ = 3, i = 0, map(i) = 0, idx(map(i)) = 1 [cannot-insert]");
}

/// A place for each entry isn't enough: it must be its own, and known.
TEST(Insertion, IsRefusedWhereDensePlacesAreSharedOrUnknown) {
  const auto refusal_of_dense = [](const std::string &arrays, const std::string &slot) {
    return refusal(test::layout_of("layout d(i: M) {\n" + arrays +
                                   "  value val[M];\n  stored { [a] -> [i] : i = a and 0 <= a < M } at val(" +
                                   slot + ");\n}\n"));
  };
  EXPECT_EQ(refusal_of_dense("", "M - 1 - a"), "stored: true\nfound: a = i\n");
  EXPECT_EQ(refusal_of_dense("", "floor(a / 2)"),
            "entries can't be inserted into a `d` in any order: an entry isn't proved to have a value of its "
            "own; a case: @i = 0, M = 2, a = 0, i = 1 [cannot-insert]");
  EXPECT_EQ(refusal_of_dense("  index place[M];\n", "place(a)"),
            "entries can't be inserted into a `d` in any order: `place` says where they are, and no entry "
            "sets it [cannot-insert]");
}

TEST(Insertion, TestsWhatNoPropertySays) {
  EXPECT_EQ(refusal_of_list("property range idx in [0, M);\nproperty forall i : -1 <= map(i) < NNZ;\n"),
            of_list("0 <= map(i) and i = idx(map(i))"));
  EXPECT_EQ(refusal_of_list("property range idx in [0, M);\n"),
            of_list("0 <= map(i) and map(i) < NNZ and i = idx(map(i))"));
}

} // namespace
} // namespace unravel::layout
