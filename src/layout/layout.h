#pragma once

#include "parse/tree.h"
#include "prove/prover.h"
#include "report/diagnostic.h"
#include "term/term.h"
#include "text/embedded.h"
#include "value/type.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a layout means: a relation from physical positions to logical coordinates, its arrays, and the
/// properties of the index arrays as formulas. (docs/layout-language.md)
namespace unravel::layout {

/// An index or value array; extents are terms over sizes and counts, row-major.
struct Array {
  std::string name;
  bool is_value = false;
  std::vector<term::Term> extents;
  std::string element; // as declared ("int64") or said of the tensor, or empty: the kernel's default
  text::Span span;
  /// Where a kernel keeps the array itself, of a local tensor: in a hash table that has the elements of the
  /// entries. Elsewhere it says nothing.
  bool is_hashed = false;
};

/// A number that goes with the arrays: bound by an equation, or an input.
struct Count {
  std::string name;
  std::optional<term::Term> definition;
  text::Span span;
};

/// What an entry holds: [-] array(slots...) or a literal.
struct EntryValue {
  bool negative = false;
  std::string array;             // empty: the literal
  std::vector<term::Term> slots; // one per extent of the array
  double literal = 1;
  text::Span span;
};

/// One piece: { positions -> coordinates : relation } at value. The relation is a formula over the positions,
/// the layout's coordinates, sizes, counts and applications of index arrays.
struct Piece {
  std::vector<std::string> positions;
  term::Term relation;
  EntryValue value;
  text::Span span;
  std::map<term::Term, text::Span> places; // of the applications in the relation
};

/// A stated or derived property: the formula is what the prover sees; form, functions and within only serve
/// the linear check on data.
struct Property {
  prove::Axiom axiom;
  parse::PropertyTree tree;
  bool derived = false;
  std::string derivation; // for lemmas: from what
};

struct Layout {
  std::string name;      // with parameters: "bcsr<4, 4>"
  std::string base_name; // "bcsr"
  std::vector<std::int64_t> parameters;
  std::string comment;
  std::vector<std::string> coordinates; // one per mode of the tensor, in the tensor's order
  std::vector<std::string> sizes;       // the mode's extent, same order
  std::vector<Array> arrays;
  std::vector<Count> counts;
  std::vector<Piece> pieces;
  std::vector<Property> properties;
  std::vector<Property> lemmas;
  std::optional<value::Type>
      values; // that a tensor's arrays have where the layout leaves it open (with_values)
  text::Span span;

  std::size_t order() const { return coordinates.size(); }
  const Array *array(const std::string &name) const;
  const Count *count(const std::string &name) const;
  /// Everything the prover may use: sizes and counts not negative, count equations, properties, lemmas.
  std::vector<prove::Axiom> axioms() const;
};

/// The layout of a tensor whose values are of that type: of the arrays of values that have none declared.
Layout with_values(Layout layout, value::Type type);
/// What the types of its arrays of values have in common, `open` being that of those that have none; none
/// where it has no such array.
std::optional<value::Type> type_of_values(const Layout &layout, value::Type open);
/// What the types of the arrays of values that have none declared have in common, as far as they are known by
/// the arrays' names; none where none is.
std::optional<value::Type>
type_of_open_values(const Layout &layout,
                    const std::function<std::optional<value::Type>(const std::string &array)> &known);

/// Gives a layout tree its meaning for the given parameters. Throws a mistake with its place for unknown
/// names, wrong arities, malformed properties; runs no prover. `order` is the number of modes wanted (a
/// permutable layout's parameters are then the order of the modes).
Layout make_layout(const parse::LayoutTree &tree, const std::vector<std::int64_t> &parameters);

/// Derives lemmas that follow from the properties by proof and appends them to `lemmas`: where a formula says
/// it of neighbours only, the order of all pairs, by induction; then ranges 0 <= f(i) <= count. One query per
/// candidate.
void derive_lemmas(Layout &layout);

/// Checks a layout with lemmas: vacuity (contradictory properties), every argument of an index array and
/// every value slot in its extents, positions bounded, coordinates in range. Contradictions and unbounded
/// positions throw; what can't be proved to be in range is returned, with a case where the prover has one.
/// Coordinates that can't be proved in range get an explicit condition in the relation.
std::vector<report::Diagnostic> check_layout(Layout &layout);

/// Throws bad_structure for `like:S`, which only a kernel's result may have.
void require_by_itself(const parse::LayoutReference &reference);

/// Reads, instantiates, derives lemmas and checks: what other rooms call. Results are kept per process.
struct CheckedLayout {
  Layout layout;
  std::vector<report::Diagnostic> findings;
};
CheckedLayout load_layout(const parse::LayoutReference &reference, std::size_t order);

/// The shipped layout files, by file name without extension.
const std::vector<text::EmbeddedFile> &shipped_files();
/// The layouts of a shipped file: all have the file's name.
std::vector<parse::LayoutTree> trees_of(const text::EmbeddedFile &file);

/// The layout as it was understood: relation, arrays, properties as formulas, lemmas.
std::string to_text(const Layout &layout);

} // namespace unravel::layout
