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
/// command line of TACO, or by `levels` in a layout file.
namespace unravel::layout {

enum class LevelFormat {
  Dense,      // every coordinate has a position
  Compressed, // the coordinates that occur in a segment; or the diagonals, where a range level follows
  Singleton,  // one coordinate per position of the level before
  Range,      // below diagonals: a position for every coordinate, those that the diagonal meets count
  Offset,     // below a range: its coordinate plus the diagonal's offset, without a position
  Hashed,     // a table of slots per position of the level before, searched from hash(coordinate) on
};

/// One level, with those of its properties that are not the format's own.
struct Level {
  LevelFormat format = LevelFormat::Dense;
  bool unique = true; // else the level behind tells equal coordinates apart, or their entries add up
  bool ordered = true;
  std::string buckets; // Hashed: the hash of c is c mod this; a parameter's name or a number
};

/// Letters, one per level: d dense, s compressed, u compressed not unique, q singleton, c singleton not
/// unique, `ro` behind s the range and the offset of diagonals. Nothing where another character occurs.
std::optional<std::vector<Level>> read_level_formats(std::string_view letters);
/// How many of the levels have a coordinate: all but those over diagonals.
std::size_t order_of(const std::vector<Level> &levels);

/// Levels, the mode of each, and what the layout's parts are called.
struct Composition {
  std::string name;                              // of the layout
  std::string comment;                           // one or more lines
  bool permutable = false;                       // its parameters may name the order of the modes
  std::vector<std::string> parameters;           // of the layout
  std::vector<std::string> coordinates, sizes;   // one per mode of the tensor
  std::vector<Level> levels;                     // outermost first
  std::vector<std::optional<std::size_t>> modes; // of each level: each mode once; none: diagonals
};

/// The composition that letters and the order of the modes (empty: in order) mean; nothing where the letters
/// aren't level formats. Throws wrong_arity, at `span`, where the order is none of the modes.
std::optional<Composition> composition_of(const std::string &letters,
                                          const std::vector<std::int64_t> &mode_order,
                                          const text::Span &span = {});
/// That of a layout with `levels`. Throws syntax_error where it has other statements too, unknown_name,
/// wrong_arity where not every coordinate has one level, bad_property where a property of a level
/// contradicts its format.
Composition composition_of(const parse::LayoutTree &tree);

/// The text of the layout that a composition stands for: relation, arrays, properties. Throws not_supported,
/// at `span`, where the relation would need the product of a position and a size (a compressed level below
/// two positions), or where levels can't follow each other.
///
/// Unlike in TACO a compressed level at the root has a count instead of an array of two pointers.
std::string layout_text(const Composition &composition, const text::Span &span = {});

} // namespace unravel::layout
