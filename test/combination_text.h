#pragma once

#include "combine/space.h"
#include "combine/structure.h"
#include "odd_layouts.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "term/read.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

/// Iteration spaces from text, through the real front end: what the rooms behind it are tested with.
namespace unravel::test {

/// A computation, then options, one per line: -f A=LAYOUT; --where FORMULA, a condition more on every point;
/// -s SCHEDULE; --count NAME=NUMBER; --scan TEXT, TEXT (a find known to be a scan); --find x=METHOD.
struct CombinationText {
  std::string expression;
  std::map<std::string, std::string> formats;
  std::vector<std::string> conditions;
  std::string schedule;
  std::map<std::string, double> counts;
  std::set<std::vector<std::string>> scans;
  std::map<std::string, std::string> finds;
};

inline CombinationText read_combination_text(const std::string &text) {
  CombinationText result;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, result.expression);
  while (std::getline(lines, line)) {
    std::size_t space = std::min(line.find(' '), line.size()), equals = std::min(line.find('='), line.size());
    std::string option = line.substr(0, space), value = line.substr(std::min(space + 1, line.size()));
    std::string name = equals > space ? line.substr(space + 1, equals - space - 1) : "";
    std::string right = line.substr(std::min(equals + 1, line.size()));
    if (option == "-f")
      result.formats[name] = layout_reference(right);
    else if (option == "--where")
      result.conditions.push_back(value);
    else if (option == "-s")
      result.schedule = value;
    else if (option == "--count")
      result.counts[name] = std::stod(right);
    else if (option == "--scan")
      result.scans.insert({value});
    else if (option == "--find")
      result.finds[name] = right;
    else
      throw std::runtime_error("no option of a combination: " + line);
  }
  return result;
}

inline std::shared_ptr<const text::Source> source_named(const std::string &name, const std::string &content) {
  return std::make_shared<const text::Source>(name, content);
}

inline combine::Combination combine_text(const CombinationText &text) {
  const auto expression = source_named("expression", text.expression);
  compute::Fills fills;
  for (const auto &[tensor, format] : text.formats)
    if (const auto fill = parse::parse_layout_reference(source_named("-f " + tensor, format)).values.fill)
      fills.emplace(tensor, *fill);
  compute::Computation computation =
      parse::is_program(text.expression)
          ? compute::make_computation(parse::parse_program(expression), fills)
          : compute::make_computation(parse::parse_assignment(expression), fills);
  std::map<std::string, layout::Layout> layouts;
  parse::LayoutReference like;
  for (const compute::TensorUse &use : computation.tensors) {
    auto format = text.formats.find(use.name);
    auto source = source_named("-f " + use.name, format == text.formats.end() ? "dense" : format->second);
    parse::LayoutReference reference = parse::parse_layout_reference(source);
    if (use.is_result && !reference.like.empty())
      like = reference;
    else
      layouts.emplace(use.name, layout::load_layout(reference, use.order).layout);
  }
  std::string structure;
  if (!like.like.empty()) {
    combine::Structure made = combine::structure_like(computation, layouts, like);
    structure = made.operand;
    layouts.emplace(computation.tensors.front().name, made.layout);
  }
  combine::Combination combination = combine::combine(computation, layouts, structure);
  for (combine::IterationSpace &leaf : combination.leaves)
    for (const std::string &condition : text.conditions)
      leaf.relation = term::conjunction({leaf.relation, term::read_term(condition)});
  return combination;
}

inline combine::Combination combine_text(const std::string &text) {
  return combine_text(read_combination_text(text));
}

/// What `work` returns, or the message as a user sees it.
template <class Work> std::string text_or_message(Work work) {
  try {
    return work();
  } catch (const report::Error &error) {
    return error.what();
  }
}

} // namespace unravel::test
