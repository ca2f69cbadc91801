// docs/tutorial.md: its commands do what the page shows, in its order, in one folder.
#include "places.h"
#include "tool.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

namespace unravel::tool::test {
namespace {

struct Block {
  std::string file; // that it is the content of; empty: commands, with what they print
  std::vector<std::string> lines;
};

/// The indented blocks of a page. One behind a line that ends in "`name`:" is a file.
std::vector<Block> blocks_of(const std::string &page) {
  std::ifstream file(unravel::test::source_folder() + "/docs/" + page);
  EXPECT_TRUE(file.good()) << page;
  static const std::regex named("(^|.* )`([^` ]+\\.[a-z]+)`:");
  std::vector<Block> blocks;
  std::string name;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("    ")) {
      std::smatch match;
      if (std::regex_match(line, match, named))
        name = match[2];
      else if (!line.empty())
        name.clear();
      inside = inside && line.empty();
      continue;
    }
    if (!inside) blocks.push_back({name, {}});
    inside = true;
    blocks.back().lines.push_back(line.substr(4));
  }
  return blocks;
}

/// Numbers that are measured, and blanks, don't matter.
std::string shape_of(const std::string &line) {
  static const std::regex number("[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?"), blanks(" +");
  return std::regex_replace(std::regex_replace(line, number, "#"), blanks, " ");
}

/// Does the output have the lines that are shown? "..." stands for any number of lines, at a line's end for
/// the rest of it.
bool is_like(const std::vector<std::string> &shown, std::size_t s, const std::vector<std::string> &printed,
             std::size_t p) {
  if (s == shown.size()) return p == printed.size();
  if (shape_of(shown[s]) == "..." || shape_of(shown[s]) == " ...") {
    for (std::size_t next = p; next <= printed.size(); ++next)
      if (is_like(shown, s + 1, printed, next)) return true;
    return false;
  }
  if (p == printed.size()) return false;
  std::string wanted = shape_of(shown[s]), found = shape_of(printed[p]);
  if (wanted.ends_with("...")) {
    wanted.resize(wanted.size() - 3);
    found.resize(std::min(found.size(), wanted.size()));
  }
  return wanted == found && is_like(shown, s + 1, printed, p + 1);
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

TEST(Tutorial, ItsCommandsDoWhatItShows) {
  const std::string folder = std::filesystem::path(unravel::test::tool_path()).parent_path().string();
  Desk desk;
  std::size_t commands = 0;
  for (const Block &block : blocks_of("tutorial.md")) {
    if (!block.file.empty()) {
      desk.write(block.file, fmt::format("{}\n", fmt::join(block.lines, "\n")));
      continue;
    }
    for (std::size_t k = 0; k < block.lines.size();) {
      ASSERT_TRUE(block.lines[k].starts_with("$ ")) << block.lines[k];
      const std::string command = block.lines[k].substr(2);
      std::vector<std::string> shown;
      for (++k; k < block.lines.size() && !block.lines[k].starts_with("$ "); ++k)
        shown.push_back(block.lines[k]);
      const Outcome ran =
          desk.execute({"sh", "-c", "export PATH=" + folder + ":$PATH; { " + command + "; } 2>&1"});
      EXPECT_EQ(ran.code, 0) << command << "\n" << ran.out;
      EXPECT_TRUE(is_like(shown, 0, lines_of(ran.out), 0)) << command << "\n" << ran.out;
      ++commands;
    }
  }
  EXPECT_GE(commands, 15u);
}

} // namespace
} // namespace unravel::tool::test
