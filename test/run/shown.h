#pragma once

#include <map>
#include <string>
#include <vector>

/// What pages of docs/ show.
namespace unravel::run::test {

/// The indented blocks of a page, and what stands between backquotes in the lines outside of them.
struct Shown {
  std::vector<std::string> blocks, inlines;
};
Shown shown_in(const std::string &page);

/// A line of index notation, and what the page says to give with it.
struct ShownLine {
  std::string text;
  std::map<std::string, std::string> fills; // by tensor: "fill inf"
  std::string lender;                       // the operand whose structure the result D has, or empty
};

/// The lines of index notation; a block's line has several of them.
std::vector<ShownLine> lines_in(const std::string &page);

} // namespace unravel::run::test
