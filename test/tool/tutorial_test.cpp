// docs/tutorial: the commands of each page do what it shows, in its order, in a folder where those of page 1
// were given before.
#include "places.h"
#include "sanitized.h"
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

std::string path_of(const std::string &page) {
  return unravel::test::source_folder() + "/docs/tutorial/" + page;
}

/// The indented blocks of a page. One behind a line that ends in "`name`:" is a file.
std::vector<Block> blocks_of(const std::string &page) {
  std::ifstream file(path_of(page));
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

/// What is measured, and blanks, don't matter.
std::string shape_of(const std::string &line) {
  static const std::regex measured("[0-9.]+ ms|least [0-9.]+|relative error [-0-9.e]+"), blanks(" +");
  return std::regex_replace(std::regex_replace(line, measured, "#"), blanks, " ");
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

/// Without empty ones, as in blocks.
std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

/// Reads pages in a folder, with a home beside it.
class Reader {
public:
  /// The tool that was built comes first in the path, then Debian's programs: its Python is the one with
  /// NumPy.
  Outcome execute(const std::string &command) const {
    return desk_.execute({"sh", "-c",
                          fmt::format("export PATH={}:/usr/bin:$PATH HOME={}; {{ {}; }} </dev/null 2>&1",
                                      build_folder(), desk_.path("home").string(), command)});
  }

  void install() const {
    const Outcome done = execute("cmake --install " + build_folder() + " --prefix ~/.local");
    ASSERT_EQ(done.code, 0) << done.out;
  }

  /// Writes the page's files, gives its commands, and compares. How many commands there are.
  std::size_t read(const std::string &page) const {
    std::size_t commands = 0;
    std::string last, python; // how Python was started for what follows
    for (const auto &[file, lines] : blocks_of(page)) {
      if (!file.empty()) {
        desk_.write(file, fmt::format("{}\n", fmt::join(lines, "\n")));
        continue;
      }
      if (lines.front().starts_with(">>> ")) {
        python = last;
        continue;
      }
      for (std::size_t k = 0; k < lines.size(); ++commands) {
        EXPECT_TRUE(lines[k].starts_with("$ ")) << lines[k];
        last = lines[k].substr(2);
        std::vector<std::string> shown;
        for (++k; k < lines.size() && !lines[k].starts_with("$ "); ++k)
          shown.push_back(lines[k]);
        const Outcome ran = execute(last);
        EXPECT_EQ(ran.code, 0) << last << "\n" << ran.out;
        EXPECT_TRUE(is_like(shown, 0, lines_of(ran.out), 0)) << last << "\n" << ran.out;
      }
    }
    if (!python.empty()) {
      const Outcome ran = execute(python + " -m doctest -o ELLIPSIS " + path_of(page));
      EXPECT_EQ(ran.code, 0) << ran.out;
    }
    return commands;
  }

private:
  static std::string build_folder() {
    return std::filesystem::path(unravel::test::tool_path()).parent_path().string();
  }

  Desk desk_;
};

const std::string first = "1-layout.md";

TEST(Tutorial, ALayoutOfYourOwn) {
  EXPECT_GE(Reader().read(first), 7u);
}

TEST(Tutorial, InYourCppProgram) {
  const Reader reader;
  if (unravel::test::is_sanitized) GTEST_SKIP() << "the library with sanitizers is for our own tests";
  if (reader.execute("cmake --version && make --version && c++ --version && cc --version").code != 0)
    GTEST_SKIP() << "CMake, make or a C++ compiler is not here";
  reader.install();
  reader.read(first);
  EXPECT_GE(reader.read("2-cpp.md"), 9u);
}

TEST(Tutorial, InPython) {
  const Reader reader;
  if (unravel::test::is_sanitized) GTEST_SKIP() << "Python has no sanitizers, which the library would need";
  if (reader.execute("cmake --version && python3 -c 'import numpy, scipy'").code != 0)
    GTEST_SKIP() << "CMake, or Python with NumPy and SciPy, is not here";
  reader.install();
  reader.read(first);
  EXPECT_GE(reader.read("3-python.md"), 1u);
}

TEST(Tutorial, WhatExplainSays) {
  const Reader reader;
  reader.read(first);
  EXPECT_GE(reader.read("4-explain.md"), 4u);
}

TEST(Tutorial, MakingItFast) {
  const Reader reader;
  reader.read(first);
  EXPECT_GE(reader.read("5-fast.md"), 7u);
}

} // namespace
} // namespace unravel::tool::test
