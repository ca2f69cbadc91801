#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/loop.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// The C text of a merge around its bodies, of which each is written once, however many ranges there are:
///
///     { cursors  over_keys { take_key  holds_key[k] { body of range k  advance[k] } ...  body } }
///
/// The key at each cursor stands in a variable, which holds more than any key behind the range's end.
struct MergeText {
  std::string over_keys; // head of a loop
  std::vector<std::string> cursors, take_key;
  std::vector<std::string> holds_key; // heads of tests, one per range
  std::vector<std::vector<std::string>> advance;
};

MergeText merge_text(const loop::Merge &loop, Names &names, Expressions &expressions);

} // namespace unravel::emit
