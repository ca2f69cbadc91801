// Compositions of level formats: what they expand to, and what can't follow what.
#include "golden.h"
#include "layout/level_formats.h"
#include "layout_text.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

std::string text_of(const std::string &letters, const std::vector<std::int64_t> &mode_order = {}) {
  return layout::layout_text(letters, layout::read_level_formats(letters).value(), mode_order);
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
      "-f A:1:1: error: level 3 of `dds` (`s`) comes below two positions that number its segments together "
      "[not-supported]\n"
      "  1 | dds\n"
      "    | ^~~\n"
      "  hint: their number would be a product of a position and a size, which is not affine; put the dense "
      "levels inside\n");
  auto first_line = [](const std::string &text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(message_of("dq", 2)),
            "-f A:1:1: error: level 2 of `dq` (`q`) has no compressed or singleton "
            "level before it [not-supported]");
  EXPECT_EQ(first_line(message_of("sq", 2)),
            "-f A:1:1: error: level 2 of `sq` (`q`) comes below a level whose "
            "coordinates don't repeat [not-supported]");
  EXPECT_EQ(first_line(message_of("ud", 2)),
            "-f A:1:1: error: level 1 of `ud` (`u`) has coordinates that repeat, and "
            "no singleton level after it tells them apart [not-supported]");
  EXPECT_EQ(first_line(message_of("ds:1,1", 2)),
            "-f A:1:1: error: `1,1` is no order of the 2 modes of `ds` [wrong-arity]");
  EXPECT_EQ(first_line(message_of("ds", 3)),
            "-f A:1:1: error: the level formats `ds` are for tensors of order 2, but "
            "the tensor has order 3 [unknown-layout]");
}

TEST(LevelFormats, OtherNamesAreNone) {
  EXPECT_FALSE(layout::read_level_formats("dx"));
  EXPECT_FALSE(layout::read_level_formats(""));
}

} // namespace
} // namespace unravel::test
