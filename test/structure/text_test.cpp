// Texts: sizes of files, marks of unfinished work, paths that documents name, tests that diagnostics need.
#include "structure/source_tree.h"

#include <gtest/gtest.h>

namespace unravel::structure {
namespace {

constexpr std::size_t longest_file = 600;

TEST(Texts, NoFileIsTooLong) {
  for (const char *folder : {"src", "include", "test", "bench"})
    for (const Path &file : files_below(folder, {".h", ".cpp", ".def", ".c", ".css", ".js"})) {
      std::size_t lines = lines_of(read(file)).size();
      EXPECT_LE(lines, longest_file) << file.string() << " has " << lines << " lines: divide it by subject";
    }
}

/// A golden file is read by people, too. The C of one kernel stays in one piece.
TEST(Texts, NoGoldenFileIsTooLong) {
  constexpr std::size_t longest_golden = 300;
  const std::set<Path> kernels = {"emit/kernel_columns",      "emit/kernel_products",
                                  "emit/kernel_team",         "emit/kernel_tiles",
                                  "pipeline/c_dealt",         "pipeline/c_inner_dcsr_dcsr",
                                  "pipeline/c_mttkrp_copies", "pipeline/c_solve_wavefronts",
                                  "pipeline/c_spmspv_csr",    "pipeline/c_ttmc"};
  for (const Path &file : files_below("test/golden")) {
    std::size_t lines = lines_of(read(file)).size();
    bool is_kernel = kernels.count(file.lexically_relative("test/golden").replace_extension()) > 0;
    EXPECT_EQ(lines > longest_golden, is_kernel) << file.string() << " has " << lines << " lines";
  }
}

TEST(Texts, NothingIsMarkedUnfinished) {
  // Written in parts, or this file would be found.
  const std::vector<std::string> marks = {"TO"
                                          "DO",
                                          "FIX"
                                          "ME",
                                          "XX"
                                          "X"};
  for (const char *folder : {"src", "include", "layouts", "scripts", "cmake", "bench", "test", "docs"})
    for (const Path &file : files_below(folder)) {
      std::string text = read(file);
      for (const std::string &mark : marks)
        EXPECT_FALSE(has_word(text, mark)) << file.string() << " says " << mark;
    }
}

TEST(Texts, NoFolderIsADrawer) {
  const std::set<std::string> drawers = {"util", "utils", "common", "misc", "helper", "helpers", "core"};
  for (const char *folder : {"src", "include", "test"})
    for (const Path &file : files_below(folder))
      for (const Path &part : file)
        EXPECT_FALSE(drawers.count(part.stem().string())) << file.string() << ": name it after what it holds";
}

// ---- paths in documents

bool is_path_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '/' || c == '-';
}

/// Words that name files: with a source file's ending; in back quotes with a slash.
std::vector<std::string> paths_in(const std::string &text) {
  const std::vector<std::string> endings = {".h", ".cpp", ".def", ".md", ".cmake", ".layout"};
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_path_character(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && is_path_character(text[end]))
      ++end;
    bool quoted = at > 0 && text[at - 1] == '`' && end < text.size() && text[end] == '`';
    // `test/golden/<room>`, `src/*/x.cpp`: a pattern and no path.
    bool pattern = (at > 0 && std::string_view("<*>$").find(text[at - 1]) != std::string_view::npos) ||
                   (end < text.size() && std::string_view("<*>").find(text[end]) != std::string_view::npos);
    std::string word = text.substr(at, end - at);
    while (!word.empty() && word.back() == '.')
      word.pop_back();
    at = end;
    bool named = (quoted && word.find('/') != std::string::npos);
    for (const std::string &ending : endings)
      named = named || (word.size() > ending.size() && word.ends_with(ending));
    if (named && !pattern) paths.push_back(word);
  }
  return paths;
}

bool exists_in(const Path &folder, const std::string &path) {
  return std::filesystem::exists(project_folder() / folder / path);
}

/// In a room's page, files of the room and of folders in it go by their names alone.
bool exists_for_room(const Path &room, const std::string &path) {
  if (exists_in(room, path) || exists_in("src", path) || exists_in("", path) ||
      exists_in("test" / room.filename(), path))
    return true;
  for (const Path &file : files_below(room))
    if (file.string().ends_with("/" + path)) return true;
  return false;
}

TEST(Texts, PathsInWhereExist) {
  for (const std::string &path : paths_in(read("docs/where.md")))
    EXPECT_TRUE(exists_in("", path) || exists_in("docs", path)) << "docs/where.md names " << path;
}

TEST(Texts, EveryRoomHasAPageWhosePathsExist) {
  for (const auto &[room, used] : allowed_rooms()) {
    Path folder = Path("src") / room;
    if (files_below(folder, {".cpp"}).empty()) continue;
    EXPECT_TRUE(exists_in(folder, "ROOM.md")) << folder.string() << " has no ROOM.md";
    if (!exists_in(folder, "ROOM.md")) continue;
    std::string page = read(folder / "ROOM.md");
    for (const std::string &path : paths_in(page))
      EXPECT_TRUE(exists_for_room(folder, path)) << folder.string() << "/ROOM.md names " << path;
    EXPECT_LE(lines_of(page).size(), 25u) << folder.string() << "/ROOM.md: a page of 10 to 20 lines is read";
  }
}

TEST(Texts, LinksInDocumentsLeadSomewhere) {
  std::vector<Path> pages = files_below("docs", {".md"});
  pages.push_back("README.md");
  for (const Path &page : pages) {
    std::string text = read(page);
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      target = target.substr(0, target.find('#'));
      if (target.empty() || target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(exists_in(page.parent_path(), target)) << page.string() << " links to " << target;
    }
  }
}

// ---- diagnostics

TEST(Texts, EveryDiagnosticHasATest) {
  std::vector<std::string> kinds;
  for (const std::string &line : lines_of(read("src/report/kinds.def"))) {
    if (line.compare(0, 5, "KIND(") != 0) continue;
    std::size_t begin = line.find('"');
    kinds.push_back(line.substr(begin + 1, line.find('"', begin + 1) - begin - 1));
  }
  ASSERT_GT(kinds.size(), 30u);
  std::string tests;
  for (const Path &file : files_below("test"))
    tests += read(file);
  // As a name in a test's text, or at the beginning or end of a message that it pins.
  for (const std::string &kind : kinds)
    EXPECT_TRUE(tests.find('"' + kind + '"') != std::string::npos ||
                tests.find('[' + kind + ']') != std::string::npos ||
                tests.find('"' + kind + ": ") != std::string::npos)
        << "no test pins a message of kind " << kind;
}

} // namespace
} // namespace unravel::structure
