#pragma once

#include "compute/computation.h"
#include "layout/insertion.h"
#include "layout/layout.h"
#include "packing/append.h"
#include "prove/prover.h"
#include "term/term.h"
#include "value/tree.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Iteration spaces: layouts and a computation met (Zhao et al., sections 3 and 4).
///
/// Names: a size, count or array of tensor A is "A.M", "A.NNZ", "A.col"; a position of its second occurrence
/// is "A#2.p"; coordinates keep the names of the index notation. Sizes that the computation makes equal are
/// one variable, that of the first operand which has it.
namespace unravel::combine {

/// Has a tensor in this layout exactly one slot per coordinate, computed from the coordinate alone?
bool has_slot_of_each(const layout::Layout &layout);

/// A tensor with its layout, as a kernel's parameter.
struct Binding {
  std::string tensor;
  layout::Layout layout;
  bool is_result = false;
  std::string structure; // of a result: the tensor whose index arrays it borrows, or empty

  /// Is it a result of which only the sizes are given?
  bool is_assembled() const { return is_result && structure.empty() && !has_slot_of_each(layout); }
};

/// A value reads the operand of that name.
struct Read {
  std::string operand; // "A#2"
};
/// The terms are over the space's variables and sizes.
using Value = value::Tree<Read, term::Term>;

/// What the entries of an assembled result are ordered by first: threads that come to different ones can
/// append to arrays of their own (loop::Appended).
struct FirstNode {
  term::Term value;                      // over the subscripts
  std::optional<term::Term> extent = {}; // of nodes whose position it is; of counted ones none
};

/// One access to a tensor through one piece of its layout.
struct Operand {
  std::string name;   // "A#2"
  std::string tensor; // "A"
  bool is_result = false;
  std::string structure; // of a target: the operand whose positions it has, "S#2"; empty: only its own
  std::vector<std::string> positions;  // "A#2.p"; of a target with a structure the operand's, then its own
  std::vector<term::Term> coordinates; // the subscripts, over index variables
  bool is_linear = true;  // several entries of a coordinate add up: the value is linear in it, and added
  std::string local;      // a scalar variable of a program, which has no array, or a tensor
                          // that iterations of loops have for themselves: its name
  std::size_t around = 0; // of a local: the number of these loops, its first coordinates
  bool inserts = false;   // a target that may not be stored yet, and is then (LocalTensor)
  bool appends = false;   // a target that comes behind what is stored (AssembledResult): it
                          // has no slots yet, `slot` is the coordinate's number. So too
                          // where each insertion is another entry
  std::optional<FirstNode> first_node; // of a target that appends to an assembled result
  std::string array;                   // "A.val"; empty: the piece has a constant value
  std::vector<term::Term> slots;       // one per extent of the array, over variables of the space
  term::Term slot;                     // the same, row-major

  bool is_scalar() const { return !local.empty() && array.empty(); }
};

/// Where one piece of a layout has an element that is looked for.
struct Place {
  Operand operand;
  Value value;         // what is read there, of the operand
  term::Term relation; // over its positions and the space's variables
};

/// An element that is looked for at each point of a space, for it may not be stored.
struct Lookup {
  enum class Wanted {
    Element,  // the sum of all that is found, its fill where that is nothing
    Divisor,  // the same, but the kernel fails where nothing is found
    Absence,  // the point counts only if nothing is found
    Presence, // the point counts only if something is found
  };
  static bool is_mask(Wanted wanted) { return wanted == Wanted::Absence || wanted == Wanted::Presence; }
  Wanted wanted = Wanted::Element;
  std::string name;   // of the access, "A#2"
  std::string tensor; // "A"
  std::vector<Place> places;
  double fill = 0;

  bool is_mask() const { return is_mask(wanted); }
};

/// Points of a statement whose target's layout doesn't store every element: those for which it has no place.
struct Unplaced {
  term::Term points;  // over the space's variables, without the target's positions
  double nothing = 0; // the value of an element that has no place
};

/// A variable that a transformation has added to an iteration space: its value at each point.
struct AddedVariable {
  std::string name; // "j.tile"
  std::string of;   // the variable that it was made of, "j"
  term::Term value; // floor(j / 64), j + 2*i, j + 1
  bool outermost =
      false; // its place in an order that doesn't say: outside all others, or directly outside `of`
  std::int64_t tile = 0; // not 0: it numbers tiles of so many values
};

/// The iteration space of one statement: a relation over all positions and coordinates, from which nothing is
/// projected, and what is done at each of its points:
/// target(slot) += value, or min= and the like, or of a program's statement = as well.
struct IterationSpace {
  std::vector<std::string> coordinates; // index variables, those of the result first
  std::vector<std::string> positions;   // of all operands, result last
  std::vector<AddedVariable> added;     // by transformations, in their order
  std::vector<Operand> operands;        // what the value reads, from left to right
  Operand target;
  Value value{value::Number{1}};
  term::Term relation;
  term::Term places; // the part of it that says where the target has its slots
  std::optional<Unplaced>
      unplaced;                // of a target in arrays of its own; there may be none (choose/statements.h)
  std::vector<Lookup> lookups; // what the value reads besides, and what decides whether a point counts

  bool sets = false;                         // = instead of a reduction
  value::Operator by = value::Operator::Add; // what the target is reduced by
  std::vector<int> place;                    // compute::Statement's
  value::Type type = value::Type::Float64;   // likewise
  std::map<std::string, value::Type> types;  // of tensors and scalars (compute::Computation)
  std::vector<std::string> loops; // the variables of the loops around it, outermost first: of a free one none
                                  // (both as a schedule for loops that statements share has left them)
  text::Span span;

  /// coordinates, positions and what was added
  std::vector<std::string> variables() const;
  /// Is the tensor, or scalar variable, among the operands, or looked for?
  bool reads(const std::string &tensor) const;
  /// The operand that a value reads; the lookup, or null.
  const Operand &operand(const Read &read) const;
  const Lookup *lookup(const Read &read) const;
  /// Of what the target's elements hold.
  value::Type target_type() const { return compute::type_of(types, target.tensor); }
  /// May the kernel fail at a point, for want of a divisor?
  bool may_miss() const;
  /// A product of operands, coordinates and a constant, not divided, that is added at each point?
  bool is_product() const;
  /// Are there coordinates in its value?
  bool has_coordinates() const;
  /// Does it add its value to the target?
  bool adds() const { return !sets && by == value::Operator::Add; }
  /// May its points be visited in any order? No loops of the source bind it, and it only adds, to elements of
  /// a tensor that it doesn't read.
  bool adds_in_any_order() const;
};

/// What must hold of sizes when the kernel is called: that two agree, for instance.
struct SizeCondition {
  term::Term formula;
  std::string message;
  text::Span span = {}; // of a program: the access or size that asks for it
  /// Of a program's access, which lies inside its tensor then: the mode's condition, for people.
  std::string range = {};
  term::Term in_program = term::truth(); // the formula over the program's own sizes, where there is a span
};

/// All elements of a result are set to a number, outside of all loops, before the leaf of that number or, of
/// as many as there are leaves, behind the last.
struct Clear {
  std::string tensor;
  std::string array; // "y.val"
  std::size_t before = 0;
  double number = 0; // the identity of what is done to the result then, as a rule
};

/// A tensor that each iteration of some loops has for itself. Its index arrays, too, are written in each of
/// them, though formulas have one function for all: a model of two iterations in which each coordinate has
/// one position is as good as one in which it has two, since nothing else is said of positions.
struct LocalTensor {
  std::string tensor;
  std::size_t around = 0; // the number of these loops
  std::string array;      // "w.val"
  std::vector<term::Term> extents;
  std::vector<std::string> modes; // variables that stand for an element's coordinates
  std::vector<term::Term> slots;  // of the element, over these; read only where it is stored. Where each
                                  // insertion is another entry: of the last one
  /// Of one without a place for each element: what an element is when it gets one.
  double initial = 0;
  /// compute::Program::zero_once_read: its array holds zeros when an iteration begins.
  bool is_zero_once_read = false;
  bool is_masked = false; // compute::Program::masked_locals
  /// Unless every element has a place: how one gets it, over modes and qualified names. A statement of the
  /// combination that sets the local as a whole, as if it were a scalar, takes all entries out.
  std::optional<layout::Insertion> insertion;

  std::set<std::string> hashed = {}; // those of its index arrays that lie in hash tables

  /// Is each insertion another entry, so that no number of them is enough?
  bool repeats() const { return insertion && insertion->repeats(); }
  /// Have its arrays room for as many entries as there are, and not for all elements? In loops others have.
  bool grows() const { return repeats() || (insertion && around == 0 && !hashed.empty()); }
};

/// A result of which only the sizes are given: its entries are appended, and have no positions before.
struct AssembledResult {
  std::string tensor;
  std::vector<std::string> modes; // variables that stand for an entry's coordinates
  packing::Append append;         // over these and qualified names

  /// The coordinates of the target's entry in place of the modes.
  term::Substitution entry_of(const Operand &target) const;
  /// None where threads can't append apart.
  std::optional<FirstNode> first_node(const Operand &target) const;
};

struct Combination {
  std::vector<Binding> bindings; // the results first
  std::vector<LocalTensor> locals;
  std::vector<AssembledResult> assembled;
  /// Of each statement, in the order of the text, one for each combination of pieces; empty ones left out.
  std::vector<IterationSpace> leaves;
  std::vector<Clear> clears; // in the order of the text
  /// The scalars that end rounds, by the variables of their loops (compute::Loop::until).
  std::map<std::string, std::string> rounds;
  std::vector<prove::Axiom> axioms; // of all layouts, with qualified names
  std::vector<SizeCondition> conditions;
  std::vector<std::string> sizes;            // of a program, which no tensor tells: variables, of any sign
  std::map<std::string, value::Type> types;  // of tensors and scalars
  std::map<std::string, term::Term> extents; // of index variables that a plain subscript fixes
  std::map<std::string, std::vector<term::Term>> arrays; // qualified name -> extents

  /// The local tensor of that name, or null.
  const LocalTensor *local(const std::string &tensor) const;
  /// The assembled result of that name, or null.
  const AssembledResult *assembly(const std::string &tensor) const;
  /// The number of a statement's outermost loops, the last of which are rounds that it may not leave; else 0.
  std::size_t loops_of_rounds(const IterationSpace &leaf) const;
  /// Has some statement loops of the source, whose order matters?
  bool has_loops() const;
  /// Are its elements set before any leaf touches it? Then what it held before doesn't matter.
  bool is_cleared(const std::string &tensor) const;
  /// The clear of what the leaf writes, where the leaf may do it itself: no leaf in between touches the
  /// tensor, this one is all of its statement, and adds in any order. Else null.
  const Clear *clear_of(std::size_t leaf) const;
};

/// Meets a computation with the layouts of its tensors. A program's statement with sparse factors is taken
/// apart, where its value isn't zero wherever one of them is: each part adds one product. Results that are
/// not dense are assembled (packing::append_of, which throws limits), unless `structure` names the operand
/// ("S#2") whose positions the result has, its layout being one that structure_like has made: then what lies
/// at the operand's positions lies at the result's, no further relation is needed, and the result's arrays
/// but for the values are the operand's.
Combination combine(const compute::Computation &computation,
                    const std::map<std::string, layout::Layout> &layouts, const std::string &structure = "");

/// The space with what its accesses imply: every slot of an operand lies within its array. Then positions
/// have bounds without what leads to them. `arrays`: as in Combination.
IterationSpace with_slots_in_range(IterationSpace space,
                                   const std::map<std::string, std::vector<term::Term>> &arrays);

/// Has it no points? Pieces may exclude each other under the subscripts: a mirrored half without its diagonal
/// at A(i,i). Where an access has positions, its `copies` may have the same, so they make nothing empty.
bool is_empty(const IterationSpace &space, const std::set<std::string> &copies);

/// The value, where `text_of` is the text of an operand; what is looked for is called by its access's name.
std::string value_text(const IterationSpace &space,
                       const std::function<std::string(const Operand &)> &text_of);

std::string to_text(const IterationSpace &space);
std::string to_text(const Combination &combination);

} // namespace unravel::combine
