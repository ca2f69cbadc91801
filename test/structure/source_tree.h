#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The project's own files, as the tests of its structure see them. Paths are relative to the project's
/// folder.
namespace unravel::structure {

using Path = std::filesystem::path;

Path project_folder();

/// The files below a folder, recursively and sorted, whose name ends with one of the endings (none: all
/// files).
std::vector<Path> files_below(const Path &folder, const std::vector<std::string> &endings = {});
std::string read(const Path &file);
std::vector<std::string> lines_of(const std::string &text);

/// The rooms' table of CMakeLists.txt: per room the rooms that it may include, itself and indirect ones among
/// them.
std::map<std::string, std::set<std::string>> allowed_rooms();

/// `src/loop/walk.cpp` -> loop, `src/pipeline.cpp` -> pipeline.
std::string room_of(const Path &file);

/// What stands in quotes or in angle brackets after #include.
struct Include {
  std::string name;
  bool angle_brackets = false;
  std::size_t line = 0;
};
std::vector<Include> includes_of(const std::string &text);

/// A C++ text taken apart: identifiers and the contents of string literals, without comments.
struct Word {
  std::string text;
  bool in_literal = false; // then `text` is the whole literal
  std::size_t line = 0;
};
std::vector<Word> words_of(std::string_view text);

/// Whether `word` occurs in `text` with no letter, digit, `_` or `-` before and after it.
bool has_word(std::string_view text, std::string_view word);

} // namespace unravel::structure
