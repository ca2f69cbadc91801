#pragma once

#include "parse/parse.h"
#include "print_trees.h"
#include "report/diagnostic.h"

#include <memory>
#include <string>

/// Texts to printed trees or rendered mistakes, for the tests of this room.
namespace unravel::test {

inline std::shared_ptr<const text::Source> source_of(const std::string &content) {
  return std::make_shared<const text::Source>("input", content);
}

/// What `parse` makes of a text, printed; a mistake is rendered as a user sees it.
template <typename Parse> std::string outcome(Parse parse, const std::string &content) {
  try {
    return parse::to_text(parse(source_of(content)));
  } catch (const report::Error &error) {
    return error.what();
  }
}

inline std::string outcome_of_layouts(const std::string &content) {
  return outcome(parse::parse_layout_file, content);
}
inline std::string outcome_of_assignment(const std::string &content) {
  return outcome(parse::parse_assignment, content);
}
inline std::string outcome_of_program(const std::string &content) {
  return outcome(parse::parse_program, content);
}
inline std::string outcome_of_schedule(const std::string &content) {
  return outcome(parse::parse_schedule, content);
}
inline std::string outcome_of_reference(const std::string &content) {
  return outcome(parse::parse_layout_reference, content);
}

} // namespace unravel::test
