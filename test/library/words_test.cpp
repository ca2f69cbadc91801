// Messages of the library don't speak of the command line.
#include "library/border.h"
#include "places.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

namespace unravel {
namespace {

report::Diagnostic diagnostic(std::string message, std::string hint = "", std::string file = "") {
  return {report::Kind::bad_option, text::Place::of_file(std::move(file)), std::move(message),
          std::move(hint)};
}

TEST(Words, OptionsHaveOtherNames) {
  const auto said = [](const std::string &text) { return in_words_of_library(diagnostic(text)).message; };
  EXPECT_EQ(said("choose a layout that has each once, as -f C=csr"),
            "choose a layout that has each once, as format C=csr");
  EXPECT_EQ(said("give the tensor another type, as in -f 'A=csr f64'"),
            "give the tensor another type, as in format 'A=csr f64'");
  EXPECT_EQ(said("use --index int64"), "use the index type int64");
  EXPECT_EQ(said("raise the limit with --max-memory"), "");
  EXPECT_EQ(said("choose a layout for sparse tensors with -f, or raise the limit with --max-memory"),
            "choose a layout for sparse tensors by its format");
  EXPECT_EQ(said("add --size k=N"), "give `k` as a number");
  EXPECT_EQ(said("rows - 1"), "rows - 1");
  EXPECT_EQ(said("`unravel layout list` shows the shipped ones; ./file.layout:name names your own"),
            "docs/layout-language.md names the shipped ones; ./file.layout:name names your own");
  EXPECT_EQ(said("`unravel deps` shows the dependence"), "`explain` shows the dependence");
  EXPECT_EQ(in_words_of_library(diagnostic("", "", "-f A")).place.file, "format of A");
  EXPECT_EQ(in_words_of_library(diagnostic("", "", "./mine.layout")).place.file, "./mine.layout");
}

/// Every literal of the sources that the library may throw.
TEST(Words, NoMessageNamesAnOption) {
  // Of commands, and of functions in C, which the library doesn't read.
  const std::set<std::string> others = {"src/run/session.cpp", "src/run/operand.cpp", "src/run/tiling.cpp",
                                        "src/run/tiling_text.cpp", "src/machine/facts.cpp"};
  const std::filesystem::path root = unravel::test::source_folder();
  const std::regex literal(R"re("(?:[^"\\]|\\.)*")re");
  const std::regex option(R"((^|[\s`(])-{1,2}[a-zA-Z][\w-]*|`unravel [a-z])"); // or a command
  std::size_t found = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root / "src")) {
    const std::string name = entry.path().lexically_relative(root).generic_string();
    if (entry.path().extension() != ".cpp" || name.starts_with("src/tool/") ||
        name.starts_with("src/build/") || name.starts_with("src/cfront/") ||
        name.starts_with("src/library/") || others.contains(name))
      continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line.find_first_not_of(' ') != std::string::npos &&
          line.substr(line.find_first_not_of(' ')).starts_with("//"))
        continue;
      for (std::sregex_iterator next(line.begin(), line.end(), literal), end; next != end; ++next) {
        std::string text = next->str();
        text = text.substr(1, text.size() - 2);
        if (!std::regex_search(text, option) || text.find(' ') == std::string::npos) continue;
        ++found;
        const std::string said = in_words_of_library(diagnostic(text)).message;
        EXPECT_FALSE(std::regex_search(said, option)) << name << ": " << said;
      }
    }
  }
  EXPECT_GT(found, 15u);
}

} // namespace
} // namespace unravel
