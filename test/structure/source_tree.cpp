#include "structure/source_tree.h"
#include "places.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace unravel::structure {

Path project_folder() {
  return unravel::test::source_folder();
}

std::vector<Path> files_below(const Path &folder, const std::vector<std::string> &endings) {
  std::vector<Path> files;
  if (!std::filesystem::exists(project_folder() / folder)) return files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(project_folder() / folder)) {
    std::string name = entry.path().filename().string();
    bool wanted =
        endings.empty() || std::any_of(endings.begin(), endings.end(),
                                       [&](const std::string &ending) { return name.ends_with(ending); });
    if (entry.is_regular_file() && wanted) files.push_back(entry.path().lexically_relative(project_folder()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const Path &file) {
  std::ifstream stream(project_folder() / file, std::ios::binary);
  EXPECT_TRUE(stream) << "can't read " << file;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::map<std::string, std::set<std::string>> allowed_rooms() {
  std::map<std::string, std::set<std::string>> allowed;
  for (const std::string &line : lines_of(read("CMakeLists.txt"))) {
    constexpr std::string_view call = "unravel_room(";
    if (line.compare(0, call.size(), call) != 0) continue;
    std::istringstream names(line.substr(call.size(), line.find(')') - call.size()));
    std::string room, used;
    names >> room;
    std::set<std::string> &rooms = allowed[room];
    rooms.insert(room);
    while (names >> used)
      if (auto at = allowed.find(used); at != allowed.end())
        rooms.insert(at->second.begin(), at->second.end());
  }
  return allowed;
}

std::string room_of(const Path &file) {
  Path inside = file.lexically_relative("src");
  return inside.begin() == std::prev(inside.end()) ? inside.stem().string() : inside.begin()->string();
}

std::vector<Include> includes_of(const std::string &text) {
  std::vector<Include> includes;
  std::size_t number = 0;
  for (const std::string &line : lines_of(text)) {
    ++number;
    if (line.compare(0, 8, "#include") != 0) continue;
    std::size_t begin = line.find_first_of("\"<", 8);
    std::size_t end = begin == std::string::npos ? begin : line.find_first_of("\">", begin + 1);
    if (end == std::string::npos) continue;
    includes.push_back({line.substr(begin + 1, end - begin - 1), line[begin] == '<', number});
  }
  return includes;
}

namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Walks over a C++ text; good enough for ours (no trigraphs, no line continued inside a // comment).
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Word> scan() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//")
        skip_to(text_.find('\n', at_));
      else if (text_.substr(at_, 2) == "/*")
        skip_past("*/");
      else if (text_.substr(at_, 2) == "R\"")
        raw_literal();
      else if (text_[at_] == '"' || text_[at_] == '\'')
        literal(text_[at_]);
      else if (is_letter(text_[at_]))
        identifier();
      else
        skip_to(at_ + 1);
    }
    return std::move(words_);
  }

private:
  void skip_to(std::size_t end) {
    end = std::min(end, text_.size());
    line_ += static_cast<std::size_t>(std::count(text_.begin() + at_, text_.begin() + end, '\n'));
    at_ = end;
  }

  void skip_past(std::string_view end) {
    std::size_t found = text_.find(end, at_);
    skip_to(found == std::string_view::npos ? found : found + end.size());
  }

  void identifier() {
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end]))
      ++end;
    // 1'000'000: the marks are no character literals.
    while (std::isdigit(static_cast<unsigned char>(text_[at_])) && end < text_.size() &&
           (is_letter(text_[end]) || text_[end] == '\''))
      ++end;
    words_.push_back({std::string(text_.substr(at_, end - at_)), false, line_});
    at_ = end;
  }

  void literal(char quote) {
    std::size_t begin = at_ + 1, end = begin;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    words_.push_back({std::string(text_.substr(begin, end - begin)), true, line_});
    skip_to(end + 1);
  }

  void raw_literal() {
    std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return skip_to(at_ + 2);
    std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    std::size_t close = std::min(text_.find(end, open), text_.size());
    words_.push_back({std::string(text_.substr(open + 1, close - open - 1)), true, line_});
    skip_to(close + end.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<Word> words_;
};

} // namespace

std::vector<Word> words_of(std::string_view text) {
  return Scanner(text).scan();
}

bool has_word(std::string_view text, std::string_view word) {
  auto joins = [&](std::size_t at) { return at < text.size() && (is_letter(text[at]) || text[at] == '-'); };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !joins(at - 1)) && !joins(at + word.size())) return true;
  return false;
}

} // namespace unravel::structure
