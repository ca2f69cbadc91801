#pragma once

#include "data/npy.h"

#include <map>
#include <string>

/// The raw arrays of a tensor in some layout, as a folder: one .npy file per array, named as the array, and
/// layout.json. It is how arrays get in and out of other programs:
///   { "layout": "bcsr", "parameters": [4, 4], "sizes": {"M": 8, "N": 8}, "counts": {"NB": 3} }
namespace unravel::data {

struct ArrayFolder {
  std::string layout; // as -f has it, perhaps with a type or a fill: "L fill 7"
  std::vector<std::int64_t> parameters;
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, std::int64_t> counts;
  std::map<std::string, Array> arrays;
  /// Where it was read from, for messages; empty for one made in memory.
  std::string path;

  /// The layout with its parameters behind its name: "L<4, 4> fill 7".
  std::string reference() const;

  /// The array of that name. Throws bad_array_folder when there is none.
  const Array &array(const std::string &name) const;
};

/// Reads a folder. "parameters" and "counts" may be missing in layout.json; all .npy files are read.
/// Throws cannot_read, bad_array_folder, bad_array_file, number_too_large, unsupported_file, memory_limit.
ArrayFolder read_folder(const std::string &path, const ReadOptions &options = {});

/// Writes a folder, complete or not at all. One that exists is replaced, but only when it holds nothing, or
/// layout.json and nothing but arrays. Throws cannot_write.
void write_folder(const std::string &path, const ArrayFolder &folder);

} // namespace unravel::data
