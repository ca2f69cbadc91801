#pragma once

#include "loop/loop.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// A part of the C text, whole lines of it, and what the statement that it was written for was made for.
struct Span {
  std::size_t begin = 0, end = 0;
  loop::Origins origins;
};

/// Spans that lie in others come before these.
struct SpannedText {
  std::string text;
  std::vector<Span> spans;
  std::size_t kernel = 0; // where its comment begins, behind what it needs
};

} // namespace unravel::emit
