#pragma once

#include "parse/tree.h"

/// Text to trees. All functions throw report::Error with the place of the first mistake.
namespace unravel::parse {

LayoutFileTree parse_layout_file(const std::shared_ptr<const text::Source> &source);
AssignmentTree parse_assignment(const std::shared_ptr<const text::Source> &source);
ProgramTree parse_program(const std::shared_ptr<const text::Source> &source);
/// Is it a program rather than an assignment: has it, behind operators' definitions, a `{` or `;`, or does it
/// begin with `for`, `let` or `tensor` and a name?
bool is_program(const std::string &text);
ScheduleTree parse_schedule(const std::shared_ptr<const text::Source> &source);
/// What stands after `--find`: "x=binary", "x.p=scan".
ScheduleTree::Find parse_find(const std::shared_ptr<const text::Source> &source);
/// The right side of `-f A=...`; or the text of a layout itself, which becomes the `file`: `layout x(i: M) {
/// ...
/// }`, with `:name` where it has several, parameters and what is said of values behind it.
LayoutReference parse_layout_reference(const std::shared_ptr<const text::Source> &source);
/// Is it the text of layouts, and not the name of one or of a file?
bool is_layout_text(std::string_view text);

/// Trees as text that parses to the same tree: golden tests and `explain`.
std::string to_text(const Expression &expression);
std::string to_text(const AssignmentTree &assignment);
std::string to_text(const ProgramTree &program);

} // namespace unravel::parse
