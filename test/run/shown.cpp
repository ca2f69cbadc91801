#include "run/shown.h"

#include "places.h"

#include <fstream>
#include <regex>
#include <sstream>

namespace unravel::run::test {

namespace {

bool is_line(const std::string &text) {
  static const std::regex form(R"re([A-Za-z]\w*(\([^()"]*\))? ([A-Za-z+*]\w*)?= [^"{;]*[^".{;])re");
  return std::regex_match(text, form) && text.find("...") == std::string::npos;
}

/// The operand whose structure a line `D(...) = ...` of the table gives its result: the mask, else the first
/// factor.
std::string lender_of(const std::string &text) {
  if (!text.starts_with("D(")) return {};
  const std::size_t mask = text.find(" mask ");
  return text.substr(mask != std::string::npos ? mask + 6 : text.find("= ") + 2, 1);
}

/// Lines with what follows them: `-f 'A=csr fill inf'`.
void add_lines(const std::string &row, std::vector<ShownLine> &lines) {
  static const std::regex gap(" {2,}"), fill(R"re(-f '(\w+)=[^' ]+ (fill \w+)')re");
  for (std::sregex_token_iterator next(row.begin(), row.end(), gap, -1), end; next != end; ++next)
    if (is_line(*next)) lines.push_back({*next, {}, {}});
  for (std::sregex_iterator next(row.begin(), row.end(), fill), end; next != end && !lines.empty(); ++next)
    lines.back().fills[(*next)[1]] = (*next)[2];
}

} // namespace

Shown shown_in(const std::string &page) {
  std::ifstream file(unravel::test::source_folder() + "/docs/" + page);
  Shown shown;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    const bool is_indented = line.starts_with("    ");
    if (is_indented && !inside) shown.blocks.emplace_back();
    if (is_indented) shown.blocks.back() += line.substr(4) + "\n";
    inside = is_indented;
    static const std::regex quoted("`([^`]*)`");
    for (std::sregex_iterator next(line.begin(), line.end(), quoted), end; next != end && !is_indented;
         ++next)
      shown.inlines.push_back((*next)[1]);
  }
  return shown;
}

std::vector<ShownLine> lines_in(const std::string &page) {
  const Shown shown = shown_in(page);
  std::vector<ShownLine> lines;
  for (const std::string &text : shown.inlines)
    if (is_line(text)) lines.push_back({text, {}, lender_of(text)});
  for (const std::string &block : shown.blocks) {
    if (block.starts_with("operator ")) {
      lines.push_back({block, {}, {}});
      continue;
    }
    std::istringstream rows(block);
    for (std::string row; std::getline(rows, row);)
      add_lines(row, lines);
  }
  return lines;
}

} // namespace unravel::run::test
