// One word per thing: the words that docs/where.md says are not used.
#include "structure/source_tree.h"

#include <cctype>
#include <gtest/gtest.h>

namespace unravel::structure {
namespace {

/// Lower-case words with a space around each; names are taken apart at `_` and before capitals.
std::string words_in(const std::string &text) {
  std::string words = " ";
  for (std::size_t k = 0; k < text.size(); ++k) {
    auto c = static_cast<unsigned char>(text[k]);
    const bool begins = std::isupper(c) && k > 0 && std::islower(static_cast<unsigned char>(text[k - 1]));
    if ((begins || !std::isalpha(c)) && words.back() != ' ') words += ' ';
    if (std::isalpha(c)) words += static_cast<char>(std::tolower(c));
  }
  return words + " ";
}

/// What is banned, and the word that is used for it.
std::map<std::string, std::string> banned_words() {
  std::map<std::string, std::string> banned;
  for (const std::string &line : lines_of(read("docs/where.md"))) {
    const std::size_t last = line.rfind(" | ");
    if (!line.starts_with("| ") || last == line.find(" | ") || last + 5 > line.size()) continue;
    std::string cell = line.substr(last + 3, line.size() - last - 5) + ",";
    for (std::size_t at = 0, end; (end = cell.find(',', at)) != std::string::npos; at = end + 2)
      banned[cell.substr(at, end - at)] = line.substr(2, line.find(" | ") - 2);
  }
  banned.erase("not");
  return banned;
}

/// Names and comments of a C++ file. Literals are for users, or are names of others.
std::string names_and_comments(const std::string &text) {
  std::string result;
  for (const Word &word : words_of(text))
    if (!word.in_literal) result += words_in(word.text) + "\n";
  std::string comments;
  for (const std::string &line : lines_of(text))
    if (std::size_t at = line.find("//"); at != std::string::npos) comments += line.substr(at) + "\n";
  return result + words_in(comments);
}

TEST(Words, ThereIsOnePerThing) {
  const std::map<std::string, std::string> banned = banned_words();
  ASSERT_GE(banned.size(), 20u);
  for (const char *folder : {"src", "include"})
    for (const Path &file : files_below(folder, {".h", ".cpp", ".def"})) {
      const std::string text = names_and_comments(read(file));
      for (const auto &[word, instead] : banned)
        for (const std::string ending : {" ", "s "})
          EXPECT_EQ(text.find(" " + word + ending), std::string::npos)
              << file.string() << " says `" << word << "`, not one of: " << instead;
    }
}

} // namespace
} // namespace unravel::structure
