#pragma once

#include "text/characters.h"

#include <string>

namespace unravel::text {

/// A value of a JSON file as it may be shown in a message: what it is where it holds others, which may be
/// nested as deeply as a file is long; else the value, shortened. `Json` is one of nlohmann's types.
template <class Json> std::string shown_value(const Json &value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return printable(value.dump());
}

} // namespace unravel::text
