#pragma once

#include "layout/layout.h"
#include "parse/tree.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// What can be said of a layout beyond its being consistent, bounded and in range: for `layout check`.
namespace unravel::tool {

struct Answer {
  enum class Verdict { Yes, No, Unknown };
  Verdict verdict = Verdict::Unknown;
  std::string why; // a proof in a word, or an example; may be empty
};

/// How the positions of an entry are found by its coordinates, which come in some loop order.
struct FindAnswer {
  std::vector<std::string> order;   // the coordinates, outermost first
  std::string position;             // empty: nothing has to be found
  std::vector<std::string> methods; // those that are proved
  std::string refused;              // why there is no such loop order, else empty
};

struct LayoutAnswers {
  Answer functional; // each position has at most one coordinate
  Answer injective;  // each coordinate has at most one position
  Answer packable;
  std::string plan; // of packing, as text
  std::vector<FindAnswer> finds;
};

/// Asks the prover, looks for small arrays where it doesn't know, and compiles an access in each order of the
/// coordinates (of more than three only the first and the last one). `reference` is what the layout was
/// loaded by. Precondition: the layout is checked.
LayoutAnswers answers_of(const layout::Layout &layout, const parse::LayoutReference &reference);

/// A few lines, each indented by two.
std::string to_text(const LayoutAnswers &answers);
nlohmann::json to_json(const LayoutAnswers &answers);

} // namespace unravel::tool
