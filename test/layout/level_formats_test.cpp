// Compositions of level formats: what they expand to, and what can't follow what.
#include "golden.h"
#include "layout/level_formats.h"
#include "layout_text.h"

#include <gtest/gtest.h>
#include <set>

namespace unravel::test {
namespace {

std::string text_of(const std::string &letters, const std::vector<std::int64_t> &mode_order = {}) {
  return layout::layout_text(layout::composition_of(letters, mode_order).value());
}

std::size_t order_of(const std::string &letters) {
  return layout::order_of(layout::read_level_formats(letters).value());
}

std::string message_of(const std::string &reference, std::size_t order) {
  try {
    return layout::load_layout(reference_of(reference), order).layout.name;
  } catch (const report::Error &error) {
    return error.what();
  }
}

std::string first_line(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

TEST(LevelFormats, Expansions) {
  std::map<std::string, std::string> texts;
  auto add = [&](const std::string &file, const std::string &text) {
    texts[file] += (texts[file].empty() ? "" : std::string(golden_dashes) + "\n") + text;
  };
  for (const char *letters : {"d",   "s",   "u",   "dd",  "ds",  "sd",  "ss", "uq",  "du",   "dss",
                              "sss", "ucq", "dsd", "suq", "sdd", "duq", "uc", "sro", "dsro", "srod"})
    add("order_" + std::to_string(order_of(letters)), text_of(letters));
  add("permuted", text_of("ds", {1, 0}));
  add("permuted", text_of("sss", {2, 0, 1}));
  add("permuted", text_of("sro", {1, 0}));
  golden_check_each("level_formats", "expansions", texts);
}

/// Each is a layout without a finding, the same as a shipped one where there is such.
TEST(LevelFormats, AreSound) {
  for (const char *letters : {"d",   "s",   "u",   "dd",  "ds",  "sd", "ss",  "uq",   "du",   "dss",   "sss",
                              "ucq", "dsd", "suq", "sdd", "duq", "uc", "sro", "dsro", "srod", "ssssss"})
    EXPECT_EQ(layout::load_layout(reference_of(letters), order_of(letters)).findings.size(), 0u) << letters;
  EXPECT_EQ(message_of("ss:1,0", 2), "ss<1, 0>");
  EXPECT_EQ(message_of("ss:0,1", 2), "ss");
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
            "-f A:1:1: error: `1,1` is not an order of the 2 modes of `ds` [wrong-arity]");
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
            "input:2:18: error: `k` is not a coordinate of layout `mine` [unknown-name]");
  EXPECT_EQ(outcome("levels i: dense, i: compressed;"),
            "input:2:18: error: `i` already has a level [duplicate-name]");
  EXPECT_EQ(outcome("levels i: dense;"),
            "input:2:8: error: 1 of the 2 coordinates of layout `mine` have a level [wrong-arity]");
  EXPECT_EQ(
      outcome("levels i: dens, j: compressed;"),
      "input:2:11: error: expected a level format (`dense`, `compressed`, `singleton`, `range`, `offset` "
      "or `hashed`), saw `dens` [syntax-error]");
  EXPECT_EQ(outcome("levels i: dense, j: compressed; value val[M];"),
            "input:2:8: error: layout `mine` has level formats and other statements [syntax-error]");
  EXPECT_EQ(outcome("levels i: dense, j: dense; levels i: dense;"),
            "input:2:28: error: layout `mine` has level formats already [syntax-error]");
  EXPECT_EQ(
      outcome("levels i: compressed, j: singleton;"),
      "input:2:8: error: level 2 of `mine` (singleton) comes below a level whose coordinates don't repeat "
      "[not-supported]");
}

/// Every property of a level that can be chosen, diagonals, hashes, parameters.
TEST(LevelFormats, PropertiesOfLevels) {
  std::string all;
  const std::string matrix = "mine(i: M, j: N)";
  for (const auto &[head, levels] : std::vector<std::pair<std::string, std::string>>{
           {matrix, "i: dense, j: compressed not ordered"},
           {matrix, "i: dense, j: compressed not unique"},
           {matrix, "i: dense, j: compressed not ordered not unique"},
           {matrix, "i: compressed not unique, j: singleton not ordered"},
           {matrix, "i: compressed not unique not ordered, j: singleton not ordered"},
           {matrix, "i: compressed not unique not ordered, j: singleton not ordered not unique"},
           {matrix, "i: dense full ordered unique not branchless compact, j: compressed not full"},
           {matrix, "k: compressed, j: range, i: offset"},
           {matrix, "k: compressed not ordered, i: range, j: offset"},
           {"mine<B>(i: M)", "i: hashed(B)"},
           {"mine<B, p2>(i: M, j: N)", "i: dense, j: hashed(B)"},
           {matrix, "i: hashed(8), j: hashed(4) not unique"},
           {matrix, "i: compressed, j: hashed(4)"},
           {"permutable " + matrix, "i: hashed(8), j: compressed"}}) {
    std::string text = head[0] == 'p' ? "permutable layout mine(i: M, j: N)" : "layout " + head;
    auto source = std::make_shared<const text::Source>("input", text + " { levels " + levels + "; }");
    parse::LayoutTree tree = parse::parse_layout_file(source).layouts.front();
    all += layout::layout_text(layout::composition_of(tree)) + std::string(golden_dashes) + "\n";
    layout::CheckedLayout made;
    made.layout = layout::make_layout(tree, std::vector<std::int64_t>(tree.parameters.size(), 4));
    layout::derive_lemmas(made.layout);
    EXPECT_EQ(layout::check_layout(made.layout).size(), 0u) << levels;
  }
  golden_check("level_formats", "properties", all);
}

/// Diagonals as levels say them are those of the shipped file.
TEST(LevelFormats, DiagonalsAreDia) {
  layout::Layout mine = layout_of("layout mine(i: M, j: N) { levels k: compressed, i: range, j: offset; }");
  layout::Layout shipped = layout::load_layout(reference_of("dia"), 2).layout;
  auto conditions = [](const term::Term &relation) {
    std::vector<term::Term> parts = term::conjuncts(relation);
    return std::set<term::Term>(parts.begin(), parts.end());
  };
  EXPECT_EQ(conditions(term::rename(mine.pieces[0].relation, {{"p1", "d"}, {"r2", "r"}, {"N1", "ND"}},
                                    {{"off1", "off"}})),
            conditions(shipped.pieces[0].relation));
  EXPECT_EQ(mine.properties.size(), shipped.properties.size());
}

/// What a format always or never has can't be chosen.
TEST(LevelFormats, PropertiesThatContradict) {
  auto outcome = [](const std::string &levels) {
    std::string text = outcome_of("layout mine<B>(i: M, j: N) {\n  levels " + levels + ";\n}\n");
    std::size_t hint = text.find("  hint: ");
    return text.substr(0, text.find('\n') + 1) + (hint == std::string::npos ? "" : text.substr(hint));
  };
  const std::string diagonals = "  hint: write `levels k: compressed, i: range, j: offset`, where k is not a "
                                "coordinate; in letters `sro`\n";
  EXPECT_EQ(outcome("i: dense not unique, j: compressed"),
            "input:2:23: error: a dense level is always unique [bad-property]\n"
            "  hint: leave out the property\n");
  EXPECT_EQ(outcome("i: dense, j: compressed full"),
            "input:2:34: error: a compressed level is never full [bad-property]\n"
            "  hint: write `not ordered` and `not unique`, or leave out the property\n");
  EXPECT_EQ(outcome("i: dense, j: hashed(8) ordered"),
            "input:2:33: error: a hashed level is never ordered [bad-property]\n"
            "  hint: write `not unique`, or leave out the property\n");
  EXPECT_EQ(outcome("i: dense, j: compressed not sorted"),
            "input:2:38: error: expected a property of levels (`full`, `ordered`, `unique`, `branchless` or "
            "`compact`), saw `sorted` [syntax-error]\n");
  EXPECT_EQ(
      outcome("i: compressed not ordered not unique, j: singleton"),
      "input:2:10: error: level 2 of `mine` (singleton) is ordered below a level that isn't [not-supported]\n"
      "  hint: write `singleton not ordered`\n");
  EXPECT_EQ(outcome("i: dense, j: hashed"),
            "input:2:29: error: expected `(` and the number of buckets, saw `;` [syntax-error]\n"
            "  hint: write `hashed(64)`, or a parameter: `hashed(B)`\n");
  EXPECT_EQ(outcome("i: dense, j: hashed(M)"),
            "input:2:30: error: `M` is not a number of buckets [bad-property]\n"
            "  hint: write a positive integer, or a parameter of the layout\n");
  EXPECT_EQ(outcome("i: dense, j: hashed(0)"),
            "input:2:30: error: `0` is not a number of buckets [bad-property]\n"
            "  hint: write a positive integer, or a parameter of the layout\n");
  EXPECT_EQ(
      outcome("i: dense, j: range"),
      "input:2:10: error: level 2 of `mine` (range) has no level over diagonals before it [not-supported]\n" +
          diagonals);
  EXPECT_EQ(outcome("i: dense, j: offset"),
            "input:2:10: error: level 2 of `mine` (offset) has no range level before it [not-supported]\n" +
                diagonals);
  EXPECT_EQ(outcome("k: compressed, i: range, j: dense"),
            "input:2:10: error: level 1 of `mine` (compressed) is over diagonals, but no range and offset "
            "level follow [not-supported]\n" +
                diagonals);
  EXPECT_EQ(outcome("k: dense, i: range, j: offset"),
            "input:2:10: error: `k` is not a coordinate of layout `mine` [unknown-name]\n" + diagonals);
  EXPECT_EQ(outcome("k: compressed not unique, i: range, j: offset"),
            "input:2:10: error: level 1 of `mine` (compressed not unique) has coordinates that repeat, and "
            "no singleton level after it tells them apart [not-supported]\n"
            "  hint: leave out `not unique`; in letters write `s` or `q`\n");
}

/// A shipped layout of every order, the parameters an order of the modes.
TEST(LevelFormats, FibresOfEveryOrder) {
  for (std::size_t order = 2; order <= 8; ++order) {
    layout::CheckedLayout csf = layout::load_layout(reference_of("csf"), order);
    EXPECT_EQ(csf.layout.name, "csf");
    EXPECT_EQ(csf.layout.order(), order);
    EXPECT_EQ(csf.layout.arrays.size(), 2 * order);
    EXPECT_EQ(csf.layout.properties.size(), 4 * order - 2);
  }
  layout::Layout turned = layout::load_layout(reference_of("csf<2,0,1>"), 3).layout;
  EXPECT_EQ(turned.coordinates, (std::vector<std::string>{"j", "k", "i"}));
  EXPECT_EQ(first_line(message_of("csf", 9)), "-f A:1:1: error: layout `csf` is for tensors of order 2, 3, "
                                              "4, 5, 6, 7, 8, but the tensor has order 9 [unknown-layout]");
}

TEST(LevelFormats, OtherNamesAreNone) {
  for (const char *letters : {"r", "ro", "dro", "sr", "so", "crs"})
    EXPECT_FALSE(layout::read_level_formats(letters)) << letters;
  EXPECT_FALSE(layout::read_level_formats("dx"));
  EXPECT_FALSE(layout::read_level_formats(""));
}

} // namespace
} // namespace unravel::test
