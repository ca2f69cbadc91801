#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Words that a message names.
namespace unravel::report {

/// "did you mean `x`?" for the nearest of `candidates` to a misspelt `name`; `otherwise` where there is none.
std::string suggest(std::string_view name, const std::vector<std::string> &candidates,
                    const std::string &otherwise = "");

/// "`a`, `b` or `c`"
std::string list_words(const std::vector<std::string> &words);

} // namespace unravel::report
