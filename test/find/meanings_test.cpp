// Every obligation is said in words.
#include "find/counterexample.h"
#include "places.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace unravel::find {
namespace {

TEST(Meanings, AreThereForAllThatTheDocumentLists) {
  std::ifstream document(unravel::test::source_folder() + "/docs/find-synthesis.md");
  std::set<std::string> listed;
  for (std::string line; std::getline(document, line);)
    if (line.starts_with("| O-")) listed.insert(kind_of(line.substr(2, line.find_first_of(" (", 2) - 2)));
  EXPECT_GT(listed.size(), 15u);
  for (const std::string &obligation : listed)
    EXPECT_NE(meaning_of(obligation), "") << obligation;
}

TEST(Meanings, DontDependOnWhatAnObligationIsAbout) {
  EXPECT_EQ(kind_of("O-stop(up, >)"), "O-stop");
  EXPECT_EQ(meaning_of("O-persist{i}"), meaning_of("O-persist"));
  EXPECT_EQ(meaning_of("small example"), "");
}

} // namespace
} // namespace unravel::find
