#pragma once

#include "layout/layout.h"
#include "parse/parse.h"
#include "report/diagnostic.h"

#include <memory>
#include <string>
#include <vector>

/// Layouts from text, as they are understood or refused, for the tests of this room.
namespace unravel::test {

inline std::vector<parse::LayoutTree> trees_of(const std::string &content) {
  return parse::parse_layout_file(std::make_shared<const text::Source>("input", content)).layouts;
}

/// Everything that load_layout does, for one tree.
inline layout::CheckedLayout check_tree(const parse::LayoutTree &tree,
                                        const std::vector<std::int64_t> &parameters = {}) {
  layout::CheckedLayout checked;
  checked.layout = layout::make_layout(tree, parameters);
  layout::derive_lemmas(checked.layout);
  checked.findings = layout::check_layout(checked.layout);
  return checked;
}

inline layout::Layout layout_of(const std::string &content,
                                const std::vector<std::int64_t> &parameters = {}) {
  return check_tree(trees_of(content).at(0), parameters).layout;
}

inline parse::LayoutReference reference_of(const std::string &text) {
  return parse::parse_layout_reference(std::make_shared<const text::Source>("-f A", text));
}

/// Printed layouts and warnings of a file, or the mistake as a user sees it. A first line `with 4, 4` gives
/// the parameters.
inline std::string outcome_of(const std::string &input) {
  std::string content = input;
  std::vector<std::int64_t> parameters;
  if (content.compare(0, 5, "with ") == 0) {
    std::string list = content.substr(5, content.find('\n') - 5);
    parameters = reference_of("a<" + list + ">").parameters;
    content.erase(0, content.find('\n') + 1);
  }
  std::string text;
  try {
    for (const parse::LayoutTree &tree : trees_of(content)) {
      layout::CheckedLayout checked = check_tree(tree, parameters);
      text += layout::to_text(checked.layout);
      for (const report::Diagnostic &finding : checked.findings)
        text += report::render(finding, "warning");
    }
  } catch (const report::Error &error) {
    text += error.what();
  }
  return text;
}

} // namespace unravel::test
