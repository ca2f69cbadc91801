#pragma once

#include "loop/loop.h"

#include <optional>
#include <string>

/// Maps from keys to their places in a list, which rows fill one after the other.
namespace unravel::loop {

struct ListedMap {
  std::string map, list, count;  // arrays of the workspace, and the variable that counts the keys
  term::Term key;                // of which it is asked where it is, at one place,
  term::Term position;           // into this variable,
  const If *insertion = nullptr; // and inserted there if it is new
  std::size_t reset = 0;         // which statement takes all keys out
};

/// The one that the block fills and resets, if nothing else in the program is about the map, and nothing
/// else in the block changes the list. So of keys that are in the list the map has their places.
std::optional<ListedMap> listed_map(const Block &block, const Program &program);

} // namespace unravel::loop
