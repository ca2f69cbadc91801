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

/// How a position of an entry is found by the entry's coordinates.
struct FindAnswer {
  std::size_t piece = 0;
  std::string position;
  std::vector<std::string> methods;  // those that are proved
  std::vector<std::string> walk_per; // sequential: a walk for each value of these
};

/// The positions that have to be found where the coordinates come in an order, outermost first.
struct OrderAnswer {
  std::vector<std::string> order;
  std::vector<FindAnswer> finds;
  std::string refused; // why there is no such loop order, else empty
  bool tried = true;
};

struct LayoutAnswers {
  Answer functional; // each position has at most one coordinate
  Answer injective;  // each coordinate has at most one position
  Answer packable;
  Answer insertable; // entries in any order, as into a local tensor
  std::string plan;  // of packing, as text
  std::vector<OrderAnswer> orders;
  std::vector<std::string> not_tried; // since the budget was spent
};

/// Asks the prover, looks for small arrays where it doesn't know, and compiles an access in each order of the
/// coordinates (of more than three only the first and the last one). `reference` is what the layout was
/// loaded by; `seconds` its budget of CPU time, 0: no limit. Precondition: the layout is checked.
LayoutAnswers answers_of(const layout::Layout &layout, const parse::LayoutReference &reference,
                         double seconds);

/// A few lines, each indented by two.
std::string to_text(const LayoutAnswers &answers);
nlohmann::json to_json(const LayoutAnswers &answers);

} // namespace unravel::tool
