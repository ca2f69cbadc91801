#pragma once

#include "text/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Layouts as compositions of level formats (Chou, Kjolstad and Amarasinghe, 2018, "Format abstraction for
/// sparse tensor algebra compilers", section 3): one format per mode, outermost first, written as in the
/// command line of TACO.
namespace unravel::layout {

/// One level.
enum class LevelFormat {
  Dense,             // d: every coordinate has a position
  Compressed,        // s: the coordinates that occur, each once per segment, sorted
  CompressedRepeats, // u: sorted, a coordinate may occur several times: the next level tells them apart
  Singleton,         // q: one coordinate per position of the level before; with those, each once
  SingletonRepeats,  // c: the same, and the next level tells them apart
};

/// "ds", "uq": a letter per level; nothing where another character occurs.
std::optional<std::vector<LevelFormat>> read_level_formats(std::string_view letters);

/// The layout file's text that a composition stands for: relation, arrays, properties. `mode_order`: the mode
/// of each level, outermost first; empty: in order. `span`: where the user wrote it. Throws wrong_arity where
/// it is no permutation of the levels, not_supported where the relation would need the product of a position
/// and a size (a compressed level below two positions), or where levels can't follow each other.
///
/// Unlike in TACO a compressed level at the root has a count instead of an array of two pointers.
std::string layout_text(const std::string &letters, const std::vector<LevelFormat> &levels,
                        const std::vector<std::int64_t> &mode_order, const text::Span &span = {});

} // namespace unravel::layout
