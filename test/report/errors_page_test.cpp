// docs/errors.md is made from kinds.def; UNRAVEL_UPDATE_GOLDEN=1 writes it.
#include "golden.h"
#include "report/diagnostic.h"

namespace unravel::report {
namespace {

struct Entry {
  Category category;
  const char *name;
  const char *meaning;
};

constexpr Entry entries[] = {
#define KIND(identifier, category, name, meaning) {Category::category, name, meaning},
#include "places.h"
#include "report/kinds.def"
#undef KIND
};

std::string section(Category category, const std::string &title, const std::string &about) {
  std::string text = "\n## " + title + "\n\n" + about + "\n\n| kind | what it means |\n| --- | --- |\n";
  std::size_t count = 0;
  for (const Entry &entry : entries)
    if (entry.category == category)
      text += "| `" + std::string(entry.name) + "` | " + entry.meaning + " |\n", ++count;
  return count ? text : "";
}

std::string page() {
  return "# Diagnostics\n\n"
         "Made from `src/report/kinds.def` by `test/report/errors_page_test.cpp`; don't edit.\n\n"
         "A message names the place, says what was seen and what was expected, and ends in its kind in "
         "brackets;\n"
         "`--json` gives the kind as `error.kind`. If a solver can't decide a question, that is not an "
         "error: the compiler\n"
         "then takes what needs no proof, and `unravel explain` says so.\n" +
         section(Category::Mistake, "Mistakes", "The text or the data given is wrong. Exit code 1.") +
         section(Category::Limit, "Limits",
                 "Right in principle, but not done yet or not provable; the hint says what works instead. "
                 "Exit code 1.") +
         section(Category::Usage, "Usage", "A wrong option or command. Exit code 2.") +
         section(Category::Bug, "Bugs", "Ours. These checks stay on in release builds. Exit code 3.");
}

TEST(ErrorsPage, IsCurrent) {
  std::filesystem::path file = std::filesystem::path(unravel::test::source_folder()) / "docs" / "errors.md";
  if (test::is_updating_golden()) {
    std::ofstream(file, std::ios::binary) << page();
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  EXPECT_EQ(content.str(), page())
      << "kinds.def has changed: UNRAVEL_UPDATE_GOLDEN=1 rewrites docs/errors.md";
}

} // namespace
} // namespace unravel::report
