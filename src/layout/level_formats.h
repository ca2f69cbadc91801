#pragma once

#include "parse/tree.h"
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

/// A level format per mode, and what the layout's parts are called.
struct Composition {
  std::string name;                            // of the layout
  std::string comment;                         // one or more lines
  std::vector<std::string> coordinates, sizes; // one per mode of the tensor
  std::vector<LevelFormat> levels;             // outermost first
  std::vector<std::size_t> modes;              // of each level: each mode once
};

/// The composition that letters and the order of the modes (empty: in order) mean; nothing where the letters
/// aren't level formats. Throws wrong_arity, at `span`, where the order is none of the modes.
std::optional<Composition> composition_of(const std::string &letters,
                                          const std::vector<std::int64_t> &mode_order,
                                          const text::Span &span = {});
/// That of a layout with `levels`. Throws syntax_error where it has other statements too, unknown_name,
/// wrong_arity where not every coordinate has one level.
Composition composition_of(const parse::LayoutTree &tree);

/// The text of the layout that a composition stands for: relation, arrays, properties. Throws not_supported,
/// at `span`, where the relation would need the product of a position and a size (a compressed level below
/// two positions), or where levels can't follow each other.
///
/// Unlike in TACO a compressed level at the root has a count instead of an array of two pointers.
std::string layout_text(const Composition &composition, const text::Span &span = {});

} // namespace unravel::layout
