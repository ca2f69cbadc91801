#pragma once

#include "pipeline.h"

#include <set>
#include <string>
#include <string_view>

/// Messages in the user's words. A request is made into others, whose locals, loops and lists have names that
/// nobody wrote.
namespace unravel::pipeline {

/// The names, and other words, in a text.
std::set<std::string> words_in(std::string_view text);

/// The text without names that the front was made to have. What stands for something of the user's is called
/// that (Front::stands_for).
std::string in_words_of_user(const std::string &text, const Request &request, const Front &front);
report::Diagnostic in_words_of_user(report::Diagnostic said, const Request &request, const Front &front);
/// The same for all warnings and notes.
void say_in_words_of_user(Compilation &made, const Request &request, const Front &front);

} // namespace unravel::pipeline
