#pragma once

#include <string>

/// What obligations say, in words.
namespace unravel::find {

/// Without what it is about: "O-stop(up, >)", "O-persist{i}" and "O-stop not proved" are "O-stop",
/// "O-persist", "O-stop".
std::string kind_of(const std::string &obligation);

/// What holds where the obligation is proved, as half a sentence: "a target is at no more than one position".
/// For each that docs/find-synthesis.md lists, and for those of dependences and searches; empty for others.
std::string meaning_of(const std::string &obligation);

} // namespace unravel::find
