// What may only fall: ideas that are written several times, fields that say what a stage knows (counts.txt).
#include "structure/source_tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>

namespace unravel::structure {
namespace {

std::string trimmed(const std::string &text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The files that are named, and all those in the folders that are.
std::vector<Path> files_of(const std::string &names) {
  std::vector<Path> files;
  std::istringstream parts(names);
  for (std::string name; parts >> name;) {
    if (!std::filesystem::is_directory(project_folder() / name)) {
      if (std::filesystem::exists(project_folder() / name)) files.push_back(name);
      continue;
    }
    for (const Path &file : files_below(name))
      files.push_back(file);
  }
  return files;
}

/// Neither empty nor a comment; pages for people (Markdown) aren't code.
std::size_t lines_of_code(const std::string &names) {
  std::size_t count = 0;
  for (const Path &file : files_of(names))
    if (file.extension() != ".md")
      for (const std::string &line : lines_of(read(file)))
        count += !trimmed(line).empty() && trimmed(line).compare(0, 2, "//") != 0;
  return count;
}

std::size_t matching_lines(const std::string &pattern, const std::string &names) {
  const std::regex wanted(pattern);
  std::size_t count = 0;
  for (const Path &file : files_of(names))
    for (const std::string &line : lines_of(read(file)))
      count += std::regex_search(line, wanted);
  return count;
}

/// How many members a declaration declares: none of a function, of a type and the like.
std::size_t declared_by(std::string text) {
  static const std::regex no_member(
      R"(^\s*(using|enum|friend|static|template|typedef)\b|^\s*(struct|class)\s+\w+\s*$)");
  text = std::regex_replace(text, std::regex(R"(\b(public|private|protected):)"), "");
  if (trimmed(std::regex_replace(text, std::regex("\n"), " ")).empty() || std::regex_search(text, no_member))
    return 0;
  std::size_t count = 1;
  int depth = 0;
  for (char c : text.substr(0, text.find('='))) {
    if (c == '(' && depth == 0) return 0;
    depth += c == '<' || c == '{' || c == '[' ? 1 : c == '>' || c == '}' || c == ']' ? -1 : 0;
    count += c == ',' && depth == 0;
  }
  return count;
}

/// The data members of a struct, and of those that are nested in it.
std::size_t members_of(const std::string &name, const std::string &file) {
  std::string text;
  for (const std::string &line : lines_of(read(file)))
    text += line.substr(0, line.find("//")) + "\n";
  std::smatch head;
  if (!std::regex_search(text, head, std::regex("\n(struct|class) " + name + "[^;{]*\\{"))) return 0;
  std::size_t count = 0;
  std::string declaration;
  std::vector<bool> is_type; // of the braces around
  for (auto at = head.suffix().first; at != text.end(); ++at) {
    if (*at == '{') {
      is_type.push_back(std::regex_search(declaration, std::regex(R"(\b(struct|class)\s+\w+\s*$)")));
      if (is_type.back())
        declaration.clear();
      else
        declaration += '{';
    } else if (*at == '}') {
      if (is_type.empty()) break;
      const bool was_type = is_type.back(), was_function = declaration.find('(') != std::string::npos;
      is_type.pop_back();
      if (was_type || was_function)
        declaration.clear();
      else
        declaration += '}';
    } else if (*at == ';') {
      if (!std::ranges::all_of(is_type, [](bool type) { return type; })) continue; // in a function
      count += declared_by(declaration);
      declaration.clear();
    } else {
      declaration += *at;
    }
  }
  return count;
}

/// Sets of files, a header and its .cpp as one, each of which includes itself through the others.
std::size_t circles() {
  std::map<std::string, std::set<std::string>> reached;
  const auto stem = [](Path file) { return file.replace_extension().string(); };
  for (const Path &file : files_below("src", {".h", ".cpp"}))
    for (const Include &include : includes_of(read(file)))
      if (!include.angle_brackets && stem(include.name) != stem(file.lexically_relative("src")))
        reached[stem(file.lexically_relative("src"))].insert(stem(include.name));
  for (bool grows = true; grows;) {
    grows = false;
    for (auto &[file, all] : reached) {
      std::set<std::string> more = all;
      for (const std::string &next : all)
        if (const auto found = reached.find(next); found != reached.end())
          more.insert(found->second.begin(), found->second.end());
      grows = grows || more.size() > all.size();
      all = std::move(more);
    }
  }
  std::set<std::set<std::string>> found;
  for (const auto &[file, all] : reached) {
    if (!all.contains(file)) continue;
    std::set<std::string> circle;
    for (const std::string &other : all)
      if (reached.contains(other) && reached.at(other).contains(file)) circle.insert(other);
    found.insert(circle);
  }
  return found.size();
}

TEST(Counts, DoNotRise) {
  std::size_t counted = 0;
  for (const std::string &line : lines_of(read("test/structure/counts.txt"))) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '\t');)
      if (!trimmed(cell).empty()) cells.push_back(trimmed(cell));
    ASSERT_GE(cells.size(), 3u) << line;
    const std::string &name = cells[1], &how = cells[2];
    const std::size_t limit = std::stoul(cells[0]);
    std::size_t now = 0;
    if (how == "circles")
      now = circles();
    else if (how == "code")
      now = lines_of_code(cells.at(3));
    else if (how == "lines")
      now = matching_lines(cells.at(4), cells.at(3));
    else if (how == "members")
      now = members_of(cells.at(4), cells.at(3));
    else
      ADD_FAILURE() << "how is it counted? " << line;
    EXPECT_LE(now, limit) << name << " rose to " << now << ": " << line;
    if (now < limit && how != "code")
      ADD_FAILURE() << name << " fell to " << now << ": write that into test/structure/counts.txt";
    ++counted;
  }
  EXPECT_GT(counted, 8u);
}

} // namespace
} // namespace unravel::structure
