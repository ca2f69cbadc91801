// README: the layout and the commands of "A layout of your own" and of "What it does" work as they stand
// there, and what is said of them holds.
#include "places.h"
#include "tool.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace unravel::tool::test {
namespace {

/// A section's indented blocks, without the indent.
std::vector<std::string> blocks_of(const std::string &title) {
  std::ifstream file(unravel::test::source_folder() + "/README.md");
  std::vector<std::string> blocks;
  bool inside = false, in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## " + title;
    const bool is_code = inside && line.starts_with("    ");
    if (is_code && !in_block) blocks.emplace_back();
    if (is_code) blocks.back() += line.substr(4) + "\n";
    in_block = is_code;
  }
  return blocks;
}

/// A command's words as a shell has them; a comment ends it.
std::vector<std::string> words_of(const std::string &command) {
  std::vector<std::string> words{""};
  bool quoted = false;
  for (char c : command) {
    if (c == '#' && !quoted && words.back().empty()) break;
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  return words;
}

/// Each line is a command that succeeds without a warning; how many there are.
std::size_t expect_commands_work(const Desk &desk, const std::string &block) {
  std::istringstream commands(block);
  std::size_t count = 0;
  for (std::string line; std::getline(commands, line); ++count) {
    const std::vector<std::string> words = words_of(line);
    EXPECT_EQ(words.at(0), "unravel") << line;
    const Outcome done = desk.unravel({words.begin() + 1, words.end()});
    EXPECT_EQ(done.code, 0) << line << "\n" << done.error;
    EXPECT_EQ(done.error, "") << line;
    const bool is_checked = line.find("--check") != std::string::npos;
    EXPECT_EQ(done.out.find("check ok") != std::string::npos, is_checked) << done.out;
  }
  return count;
}

TEST(Readme, ALayoutOfYourOwn) {
  const std::vector<std::string> blocks = blocks_of("A layout of your own");
  ASSERT_EQ(blocks.size(), 2u);
  Desk desk;
  desk.write("deletable.layout", blocks[0]);
  ASSERT_EQ(desk.unravel({"generate", "random:60x60,density=0.1", "-o", "matrix.mtx"}).code, 0);
  EXPECT_GE(expect_commands_work(desk, blocks[1]), 5u);
  EXPECT_TRUE(desk.has("c.mtx") && desk.has("dot.c") && desk.has("A"));
  std::string weak = blocks[0];
  const std::string last = "  property strictly increasing col within rowptr;\n";
  weak.erase(weak.find(last), last.size());
  desk.write("deletable.layout", weak);
  const Outcome refused = desk.unravel(
      {"compile", "s = A(i,j) * B(i,j)", "-f", "A=deletable.layout", "-f", "B=csr", "--find", "A=seq"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("[find-not-proved]"), std::string::npos) << refused.error;
  EXPECT_NE(refused.error.find("a counterexample"), std::string::npos) << refused.error;
}

TEST(Readme, WhatItDoes) {
  const std::vector<std::string> blocks = blocks_of("What it does");
  ASSERT_EQ(blocks.size(), 1u);
  const Desk desk;
  std::filesystem::copy(unravel::test::source_folder() + "/examples", desk.path("examples"));
  EXPECT_EQ(expect_commands_work(desk, blocks[0]), 1u);
  const Outcome product =
      desk.unravel({"run", spmv, "-f", "A=csr", "-i", "A=poisson2d:100x100", "-i", "x=x.mtx"});
  EXPECT_NE(product.out.find("norm 100: y(0) = 1, y(1) = 1,"), std::string::npos) << product.out;
}

} // namespace
} // namespace unravel::tool::test
