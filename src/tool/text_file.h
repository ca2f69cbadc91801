#pragma once

#include "data/output_file.h"

#include <string>

namespace unravel::tool {

/// Writes a whole text, or nothing. Throws cannot_write.
inline void write_text_file(const std::string &path, const std::string &text) {
  data::OutputFile file(path);
  file.write(text);
  file.commit();
}

} // namespace unravel::tool
