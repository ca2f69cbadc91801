// What layouts mean: relation, arrays, properties as formulas, lemmas, warnings, mistakes. A case is a layout
// file; a new one needs no code.
#include "golden.h"
#include "layout_text.h"
#include "places.h"

#include <numeric>

namespace unravel::test {
namespace {

TEST(LayoutGolden, EveryFilePrintsAsRecorded) {
  for (const std::string &name : golden_names("layout", "")) {
    if (name == "shipped") continue; // written by code, below
    SCOPED_TRACE(name);
    golden_run("layout", name, outcome_of);
  }
}

/// A file named fail_ holds only layouts that are refused; one named warn_ only such that are accepted with
/// warnings; the others neither.
TEST(LayoutGolden, NamesSayWhatAFileHolds) {
  for (const std::string &name : golden_names("layout", ""))
    for (const std::string &input :
         name == "shipped" ? std::vector<std::string>{} : golden_inputs("layout", name)) {
      std::string text = outcome_of(input);
      EXPECT_EQ(text.find(": error: ") != std::string::npos, name.compare(0, 5, "fail_") == 0)
          << name << ": " << input;
      EXPECT_EQ(text.find(": warning: ") != std::string::npos, name.compare(0, 5, "warn_") == 0)
          << name << ": " << input;
    }
}

/// The parameters with which a shipped layout can be used: none, and every order of its modes (of many level
/// formats the reverse one); of blocks, some sides.
std::vector<std::vector<std::int64_t>> uses_of(const parse::LayoutTree &tree) {
  std::vector<std::vector<std::int64_t>> uses{std::vector<std::int64_t>(tree.parameters.size(), 3)};
  if (!tree.parameters.empty()) {
    uses.emplace_back(tree.parameters.size(), 2);
    uses.emplace_back(tree.parameters.size(), 8);
    std::iota(uses.back().begin(), uses.back().end(), 7);
  }
  if (!tree.permutable) return uses;
  std::vector<std::int64_t> modes(tree.coordinates.size());
  std::iota(modes.begin(), modes.end(), 0);
  if (modes.size() > (tree.levels.empty() ? 4 : 3)) {
    std::reverse(modes.begin(), modes.end());
    uses.push_back(modes);
    return uses;
  }
  do
    uses.push_back(modes);
  while (std::next_permutation(modes.begin(), modes.end()));
  return uses;
}

/// The library relies on this test: shipped layouts are not checked when they are loaded.
TEST(LayoutGolden, ShippedLayoutsHaveNoFindings) {
  std::map<std::string, std::string> texts; // by name and order
  std::size_t instances = 0;
  for (const text::EmbeddedFile &file : layout::shipped_files())
    for (const parse::LayoutTree &tree : trees_of(file.content))
      for (const std::vector<std::int64_t> &parameters : uses_of(tree)) {
        layout::CheckedLayout checked = check_tree(tree, parameters);
        EXPECT_TRUE(checked.findings.empty())
            << layout::to_text(checked.layout) << report::render(checked.findings[0]);
        texts[tree.name.text + "_" + std::to_string(tree.coordinates.size())] +=
            layout::to_text(checked.layout);
        ++instances;
        // Checking adds nothing to the relation, so leaving the check out changes nothing.
        layout::Layout unchecked = layout::make_layout(tree, parameters);
        layout::derive_lemmas(unchecked);
        EXPECT_EQ(layout::to_text(unchecked), layout::to_text(checked.layout));
      }
  // dense: 1 scalar, and for the orders 1 to 4 the plain name and 1, 2, 6, 24 orders of the modes, for
  // 5 to 8 one; 45 others without parameters, 11 with; csf: orders 2 to 8.
  EXPECT_EQ(instances, 1u + (1 + 1) + (1 + 2) + (1 + 6) + (1 + 24) + 4 * 2 + 45u + 2u + 11u * 3 + (1 + 2) +
                           (1 + 6) + 5 * 2);
  golden_check_each("layout", "shipped", texts);
}

/// The layouts with which the other rooms are tested.
TEST(LayoutGolden, OddLayoutsAreAccepted) {
  std::filesystem::path path =
      std::filesystem::path(unravel::test::source_folder()) / "test" / "layouts" / "odd.layout";
  for (const parse::LayoutTree &tree :
       parse::parse_layout_file(text::Source::from_file(path.string())).layouts)
    EXPECT_TRUE(check_tree(tree).findings.empty()) << tree.name.text;
}

TEST(LayoutGolden, ShippedFilesAreThoseOfTheFolder) {
  std::vector<std::string> names, files;
  for (const text::EmbeddedFile &file : layout::shipped_files()) {
    names.push_back(file.name);
    EXPECT_FALSE(trees_of(file.content).at(0).comment.empty()) << file.name << " has no comment above it";
  }
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(unravel::test::source_folder()) / "layouts"))
    files.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  std::sort(files.begin(), files.end());
  EXPECT_EQ(names, files);
}

} // namespace
} // namespace unravel::test
