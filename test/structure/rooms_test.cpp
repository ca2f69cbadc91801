// Rooms: who may include whom.
#include "structure/source_tree.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::structure {
namespace {

const std::vector<std::string> code = {".h", ".cpp"};

TEST(Rooms, TableNamesRoomsInOrder) {
  // A room that is used before its own line would not be known, and the table not free of circles.
  std::set<std::string> known;
  for (const std::string &line : lines_of(read("CMakeLists.txt"))) {
    if (line.compare(0, 13, "unravel_room(") != 0) continue;
    for (const Word &word : words_of(line.substr(13))) {
      if (!std::filesystem::is_directory(project_folder() / "src" / word.text)) continue;
      bool is_own = line.compare(13, word.text.size(), word.text) == 0;
      EXPECT_TRUE(is_own || known.count(word.text)) << word.text << " is used before its line: " << line;
    }
    known.insert(words_of(line.substr(13)).front().text);
  }
}

TEST(Rooms, EveryFolderIsARoom) {
  auto allowed = allowed_rooms();
  for (const Path &file : files_below("src", code)) {
    std::string room = room_of(file);
    EXPECT_TRUE(room == "tool" || allowed.count(room)) << file << " is in no room of CMakeLists.txt";
  }
}

TEST(Rooms, IncludeOnlyTheRoomsTheyMay) {
  auto allowed = allowed_rooms();
  for (const Path &file : files_below("src", code)) {
    std::string room = room_of(file);
    if (room == "tool") continue; // may use all
    for (const Include &include : includes_of(read(file))) {
      if (include.angle_brackets) continue;
      EXPECT_TRUE(std::filesystem::exists(project_folder() / "src" / include.name) ||
                  std::filesystem::exists(project_folder() / "include" / include.name))
          << file.string() << ":" << include.line << ": " << include.name << " is not written from src/ on";
      std::string used = room_of(Path("src") / include.name);
      if (used == "unravel") continue; // public headers
      EXPECT_TRUE(allowed[room].count(used))
          << file.string() << ":" << include.line << ": room " << room << " may not include room " << used;
    }
  }
}

using Graph = std::map<std::string, std::vector<std::string>>;

/// The first circle found from `file` on, or empty.
std::string find_circle(const Graph &graph, const std::string &file, std::set<std::string> &done,
                        std::vector<std::string> &path) {
  if (done.count(file)) return {};
  for (const std::string &above : path)
    if (above == file) return file;
  path.push_back(file);
  if (auto at = graph.find(file); at != graph.end())
    for (const std::string &next : at->second)
      if (std::string circle = find_circle(graph, next, done, path); !circle.empty())
        return file + " -> " + circle;
  path.pop_back();
  done.insert(file);
  return {};
}

TEST(Rooms, NoCircularIncludes) {
  Graph graph;
  for (const Path &file : files_below("src", code))
    for (const Include &include : includes_of(read(file)))
      if (!include.angle_brackets) graph[file.lexically_relative("src").string()].push_back(include.name);
  std::set<std::string> done;
  for (const auto &[file, used] : graph) {
    std::vector<std::string> path;
    EXPECT_EQ(find_circle(graph, file, done, path), "");
  }
}

/// Headers that begin with `prefix` are included below `homes` only.
void expect_only_in(const std::string &prefix, const std::vector<std::string> &homes) {
  for (const char *folder : {"src", "include"})
    for (const Path &file : files_below(folder, code))
      for (const Include &include : includes_of(read(file))) {
        if (include.name.compare(0, prefix.size(), prefix) != 0) continue;
        bool at_home = std::any_of(homes.begin(), homes.end(),
                                   [&](const std::string &home) { return file.string().starts_with(home); });
        EXPECT_TRUE(at_home) << file.string() << ":" << include.line << ": <" << include.name
                             << "> belongs in " << homes.front();
      }
}

TEST(Rooms, ForeignLibrariesHaveOneHome) {
  expect_only_in("z3", {"src/prove/"});
  expect_only_in("isl/", {"src/space/"});
  // The module's two parts.
  for (const char *prefix : {"clang/", "clang-c/", "llvm/", "llvm-c/", "lld/"})
    expect_only_in(prefix, {"src/build/clang/", "src/cfront/clang/"});
}

TEST(Rooms, NothingAfterLayoutKnowsALayoutsName) {
  const std::set<std::string> layouts = {"csr",          "csc",     "dcsr", "coo",
                                         "coo_unsorted", "coo_dup", "sv",   "dense"};
  const std::vector<std::string> rooms = {"combine", "depend", "schedule", "scan",  "plan",  "find",
                                          "lower",   "loop",   "emit",     "build", "data",  "tensor",
                                          "packing", "check",  "convert",  "prove", "space", "term"};
  // A message may show one as an example; a literal without a space is compared with something.
  auto is_prose = [](const Word &word) { return word.text.find(' ') != std::string::npos; };
  for (const std::string &room : rooms)
    for (const Path &file : files_below(Path("src") / room, code)) {
      if (file == Path("src/data/npz.cpp")) continue; // SciPy's files name their formats
      for (const Word &word : words_of(read(file))) {
        // A variable may well be called dense; nothing is compared with it.
        bool named = layouts.count(word.text) > 0 && (word.in_literal || word.text != "dense");
        if (word.in_literal && !is_prose(word))
          for (const std::string &layout : layouts)
            named = named || has_word(word.text, layout);
        EXPECT_FALSE(named) << file.string() << ":" << word.line << ": a layout's name in `" << word.text
                            << "`; decide by relation and properties";
      }
    }
}

} // namespace
} // namespace unravel::structure
