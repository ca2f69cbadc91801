#pragma once

#include "term/term.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A scanned iteration space: its variables from the outermost to the innermost, each with the way its values
/// are obtained. This is what find synthesis reasons about.
namespace unravel::scan {

/// One condition of a find at position q: 0 <= target - key(q) < width. Width 1 is an equality; blocks have
/// larger widths, and the width may depend on q (the row of an entry p: rowptr(q) <= p < rowptr(q + 1)).
/// `key` mentions the level's variable, `target` doesn't.
struct Component {
  term::Term key;
  term::Term target;
  term::Term width = term::Term(1);

  bool is_equality() const { return width == term::Term(1); }
};

/// One variable of the nest.
struct Level {
  enum class Kind {
    Loop, // lower <= variable < upper, every value
    Let,  // variable = value
    Find, // lower <= variable < upper and all components hold: to be found
  };
  Kind kind = Kind::Loop;
  std::string variable; // "A.p", "i"
  std::string tensor;   // whose position the variable is ("A", "A#2"); empty for a coordinate
  term::Term lower, upper;
  term::Term value;
  std::vector<Component> components;
  /// Conditions that must hold from here on, over this and outer variables (checked once the variable has its
  /// value, after the components of a find).
  std::vector<term::Term> guards;

  bool is_loop() const { return kind == Kind::Loop; }
  bool is_let() const { return kind == Kind::Let; }
  bool is_find() const { return kind == Kind::Find; }
};

/// Levels refer to outer variables, sizes, counts, and applications over these, only. An instance of the nest
/// is executed exactly once for each point of the iteration space.
struct Nest {
  std::vector<Level> levels;
  /// So many levels visit instances; the others look for an element at each of them, and the instance stands
  /// where there is none, too.
  std::optional<std::size_t> instances = {};
  /// What can be read as soon as the variables in it have their values and the guards of these levels hold:
  /// applications of index arrays, and of value arrays to their row-major slot.
  std::set<term::Term> safe_loads;
  /// The extents of all arrays, as in combine::Combination.
  std::map<std::string, std::vector<term::Term>> arrays;
  /// Index arrays and counts that iterations of so many first levels change: of tensors that other statements
  /// in these loops make.
  std::map<std::string, std::size_t> changed = {};
};

/// All terms of a level.
std::vector<term::Term> terms_of(const Level &level);
/// The term over the variables of loops and of finds alone: in place of those of Lets, from that level on,
/// their values.
term::Term through_lets(term::Term term, const std::vector<Level> &levels, std::size_t from = 0);
/// The number of loops among the levels [from, to).
std::size_t loops_between(const std::vector<Level> &levels, std::size_t from, std::size_t to);

std::string to_text(const Nest &nest);
/// One level without its guards: "loop i in [0, A.M)".
std::string to_text(const Level &level);

} // namespace unravel::scan
