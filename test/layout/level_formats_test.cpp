// Compositions of level formats: what they expand to, and what can't follow what.
#include "golden.h"
#include "layout/level_formats.h"
#include "layout_text.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

std::string text_of(const std::string &letters, const std::vector<std::int64_t> &mode_order = {}) {
  return layout::layout_text(layout::composition_of(letters, mode_order).value());
}

std::string message_of(const std::string &reference, std::size_t order) {
  try {
    return layout::load_layout(reference_of(reference), order).layout.name;
  } catch (const report::Error &error) {
    return error.what();
  }
}

TEST(LevelFormats, Expansions) {
  std::string all;
  for (const char *letters :
       {"d", "s", "u", "dd", "ds", "sd", "ss", "uq", "du", "dss", "sss", "ucq", "dsd", "suq", "sdd", "duq"})
    all += text_of(letters) + std::string(golden_dashes) + "\n";
  all += text_of("ds", {1, 0}) + std::string(golden_dashes) + "\n" + text_of("sss", {2, 0, 1});
  golden_check("level_formats", "expansions", all);
}

/// Each is a layout without a finding, the same as a shipped one where there is such.
TEST(LevelFormats, AreSound) {
  for (const char *letters :
       {"d", "s", "u", "dd", "ds", "sd", "ss", "uq", "du", "dss", "sss", "ucq", "dsd", "suq", "sdd", "duq"})
    EXPECT_EQ(layout::load_layout(reference_of(letters), std::string(letters).size()).findings.size(), 0u)
        << letters;
  EXPECT_EQ(message_of("ss:1,0", 2), "ss_1_0");
  EXPECT_EQ(message_of("ss<0,1>", 2), "ss");
}

TEST(LevelFormats, Refusals) {
  EXPECT_EQ(
      message_of("dds", 3),
      "-f A:1:1: error: level 3 of `dds` (compressed) comes below two positions that number its segments "
      "together "
      "[not-supported]\n"
      "  1 | dds\n"
      "    | ^~~\n"
      "  hint: their number would be a product of a position and a size, which is not affine; put the dense "
      "levels inside\n");
  auto first_line = [](const std::string &text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(message_of("dq", 2)),
            "-f A:1:1: error: level 2 of `dq` (singleton) has no compressed or singleton "
            "level before it [not-supported]");
  EXPECT_EQ(first_line(message_of("sq", 2)),
            "-f A:1:1: error: level 2 of `sq` (singleton) comes below a level whose "
            "coordinates don't repeat [not-supported]");
  EXPECT_EQ(first_line(message_of("ud", 2)),
            "-f A:1:1: error: level 1 of `ud` (compressed not unique) has coordinates that repeat, and "
            "no singleton level after it tells them apart [not-supported]");
  EXPECT_EQ(first_line(message_of("ds:1,1", 2)),
            "-f A:1:1: error: `1,1` is no order of the 2 modes of `ds` [wrong-arity]");
  EXPECT_EQ(first_line(message_of("ds", 3)),
            "-f A:1:1: error: the level formats `ds` are for tensors of order 2, but "
            "the tensor has order 3 [unknown-layout]");
}

/// In a layout file, under the user's own names.
TEST(LevelFormats, InALayoutFile) {
  layout::Layout mine =
      layout_of("layout mine(a: N2, b: W) { levels b: compressed not unique, a: singleton; }");
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.sizes, (std::vector<std::string>{"N2", "W"}));
  EXPECT_EQ(mine.arrays.size(), 3u);
  layout::Layout clash = layout_of("layout mine(p2: N2, p1: r1) { levels p2: dense, p1: compressed; }");
  EXPECT_EQ(clash.counts.at(0).name, "N2_");
  auto outcome = [](const std::string &levels) {
    std::string text = outcome_of("layout mine(i: M, j: N) {\n" + levels + "\n}\n");
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(outcome("levels i: dense, k: compressed;"),
            "input:2:18: error: `k` is no coordinate of layout `mine` [unknown-name]");
  EXPECT_EQ(outcome("levels i: dense, i: compressed;"),
            "input:2:18: error: `i` has a level already [duplicate-name]");
  EXPECT_EQ(outcome("levels i: dense;"),
            "input:2:8: error: 1 of the 2 coordinates of layout `mine` have a level [wrong-arity]");
  EXPECT_EQ(outcome("levels i: dense, j: hashed;"),
            "input:2:21: error: the level format `hashed` is not supported yet [not-supported]");
  EXPECT_EQ(outcome("levels i: dens, j: compressed;"),
            "input:2:11: error: expected a level format (`dense`, `compressed` or `singleton`), saw `dens` "
            "[syntax-error]");
  EXPECT_EQ(outcome("levels i: dense, j: compressed; value val[M];"),
            "input:2:8: error: layout `mine` has level formats and other statements [syntax-error]");
  EXPECT_EQ(outcome("levels i: dense not unique, j: compressed;"),
            "input:2:11: error: a dense level has each coordinate once [wrong-arity]");
  EXPECT_EQ(outcome("levels i: dense, j: dense; levels i: dense;"),
            "input:2:28: error: layout `mine` has level formats already [syntax-error]");
  EXPECT_EQ(
      outcome("levels i: compressed, j: singleton;"),
      "input:2:8: error: level 2 of `mine` (singleton) comes below a level whose coordinates don't repeat "
      "[not-supported]");
}

TEST(LevelFormats, OtherNamesAreNone) {
  EXPECT_FALSE(layout::read_level_formats("dx"));
  EXPECT_FALSE(layout::read_level_formats(""));
}

} // namespace
} // namespace unravel::test
