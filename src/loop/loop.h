#pragma once

#include "term/term.h"
#include "value/tree.h"
#include "value/type.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The loop IR: what is left of a computation when every loop, find and assignment is explicit. It is
/// printed, read back, interpreted, improved by small passes and emitted as C.
///
/// Meaning. Integer expressions are terms: a variable is a size or count of a parameter (named `A.M`) or a
/// variable declared by a statement (named `A.p`, `i`); an application `A.col(e)` reads the index array `col`
/// of the parameter A at slot e (row-major over the declared extents for several arguments). Arithmetic is on
/// 64-bit integers and doesn't overflow (the caller's sizes guarantee it). Conditions are formulas; And and
/// Or evaluate from left to right and stop early, so a read may be guarded by an earlier part. Values are
/// numbers of the arrays' types (types.h), of which integers wrap around; sums may be reassociated. `hash(n,
/// k, ...)` is a built-in function of integers into [0, n), for n < 2^31, which reads no array (hash.h).
namespace unravel::loop {

using ElementType = value::Type;

// ---- values

/// The element of a value array: parameter "A", array "val", slot (a term, linear in memory).
struct Element {
  std::string array; // qualified: "A.val"
  term::Term slot;
};

/// A local value declared by DeclareValue.
struct Local {
  std::string name;
};

/// A term is an integer of 64 bits. Sums are added from left to right; of a negative part its operand is
/// subtracted.
using Value = value::Tree<Element, Local, term::Term>;
using value::Number;
using value::Operator;

// ---- statements

struct Statement;
using Block = std::vector<Statement>;

/// What the iterations of a parallel loop append to an assembled result: each thread to arrays of its own,
/// which are joined behind the loop in the order of the iterations. A thread counts from 0: what it keeps in
/// pointers is raised when they are joined. Each iteration begins nodes of its own, and what it does with its
/// entries doesn't depend on those of others. Nothing is appended before the loop.
struct Appended {
  /// A count of the result, and the variable that says how many there are so far.
  struct Counter {
    std::string count; // "C.NNZ"
    std::string end;   // "C.p.end"
  };
  /// An array of pointers: `into`, the variable of a counter, as it was when the node began. `end`: how many
  /// of them are set, the variable of the counter that counts the nodes; or of none: then iteration k begins
  /// node k, those up to iteration k + step, and before it those for which there was no iteration.
  struct Pointers {
    std::string array; // "C.rowptr"
    std::string end;   // "C.rowptr.end"
    std::string into;  // "C.p.end"
  };
  std::vector<Counter> counters; // all of the result's
  std::vector<Pointers> pointers;

  const Counter *counter(const std::string &end) const;
  /// The variables of counters, and of pointers that have one of their own.
  std::vector<std::string> variables() const;
};

/// How the iterations of a parallel loop are shared out: `#pragma omp parallel for schedule(dynamic, chunk)`.
struct Parallel {
  /// Dynamic: a thread takes the next chunk when it has done one. Static: chunks are dealt to threads in
  /// turn. Guided: as dynamic, with chunks that are large at first.
  enum class Schedule { Dynamic, Static, Guided };

  int chunk = 32; // Static: 0 is one chunk per thread
  /// With fewer iterations the loop runs in one thread: waking a team costs more (`if (...)`). 0: always a
  /// team. Never: it is known to do too little; cut_strips takes the iterations' independence for its
  /// purpose, and leaves no such loop parallel.
  std::int64_t least = 0;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  /// What `least` is compared with: the work of the whole loop, a term where the loop stands. None: the
  /// number of its iterations.
  std::optional<term::Term> work;
  /// A local value, declared outside, that the iterations reduce by one operator and don't read: each thread
  /// has a copy, which are combined in no certain order. Empty: none.
  std::string sum;
  /// A value array of the result, which iterations add to and don't touch otherwise: each thread adds to a
  /// copy, and the copies are added to the array, in no certain order (copies.h). Empty: none.
  std::string copied = {};
  /// Not 0: a chunk has more iterations than `chunk`, by as many as do so much of the work on average.
  /// Dynamic only.
  std::int64_t share = 0;
  Schedule schedule = Schedule::Dynamic;
  /// Then the loop stands in no other one, and it has neither sum, copies nor simd.
  std::optional<Appended> appended = std::nullopt;

  /// Chunks do `part` of the work on average, if that is not 0. An iteration that does more is a chunk by
  /// itself: few heavy ones are shared out evenly, too.
  void cut_by_work(std::int64_t part) {
    if (part > 0) share = part, chunk = 1;
  }
};

/// When a loop over segments takes masked steps.
struct Masked {
  /// Over sizes and counts: segments are long enough for them.
  term::Term when;
  /// An array of pointers of one extent, over sizes and counts, or empty. Where the lengths of its segments
  /// vary, masked steps pay for shorter ones too: the end of a short loop is then mispredicted.
  std::string pointers;
  /// Behind a segment the keys of the sum name elements too, as far as their array goes. So these may be
  /// read, and are masked afterwards. Nothing writes to the elements while the loop runs.
  bool reads_on = false;

  friend bool operator==(const Masked &, const Masked &) = default;
};

/// What a loop is whose sums may be kept in vectors while it runs; the meaning is the same. The pass
/// sums_in_vectors says so, and verify.h that the loop is such a one.
enum class VectorSum {
  None,
  Stretch,       // a nest that adds to a stretch of neighbouring elements (vector_sums.h)
  ClearsStretch, // sets the stretch that the next statement, a Stretch, adds to to zero
  Lanes,         // a nest of lanes with an element each (vector_sums.h); `in_lanes`
  Pairs,         // a short loop that adds neighbouring elements to locals (vector_sums.h)
  Gathered,      // a loop over lanes that add gathered elements: simd, or that inside Lanes (vector_sums.h)
  Tiles,         // a nest that adds products of a column and a row to a matrix (vector_sums.h)
  Columns,       // a nest whose innermost loops all run over the same columns (vector_sums.h)
};

/// for (variable = lower; variable < upper; variable += step) body. The variable is the loop's own and is not
/// assigned in the body; lower and upper are evaluated once. step > 0. `comment`, where not empty, says what
/// the loop iterates over and why it may (one line of prose, no delimiters).
///
/// `together` > 1 (at most 64): the body is an If without else, behind Lets, whose condition may be evaluated
/// for any iteration (it reads nothing that the body writes, and no break leaves the loop). It is emitted so
/// that the condition is tested for that many iterations at once; the meaning is the same. step is 1 and the
/// loop not parallel. Passes keep the form, or set `together` to 1 (may_test_together in walk.h).
///
/// `simd`: no iteration reads or writes an element that another one writes, and no loop stands inside:
/// `#pragma omp simd`. To locals from outside it does nothing but add. step is 1, `together` too.
///
/// `brief`: the data are known to make it so short that vectors don't pay.
/// `masked`: the loop may take steps of many iterations at once, the last of them masked: it is a sum of
/// products as vector_sums.h says; the meaning is the same. step is 1 and the loop neither parallel,
/// tested together nor simd.
///
/// `team`: the body is Lets and then one parallel loop. One team of threads runs all iterations, one after
/// the other, and shares out the parallel loop in each; the meaning is the same. The loop is not parallel and
/// stands in no parallel one. The parallel loop inside has neither `least`, work, sum nor copies.
///
/// `in_lanes`: where the loop is a nest that vector_sums.h knows, all elements that its lanes add to exist
/// wherever it stands, even if it has no iteration. Otherwise it says nothing.
struct For {
  std::string variable;
  term::Term lower;
  term::Term upper;
  std::int64_t step = 1;
  std::optional<Parallel> parallel;
  Block body;
  std::string comment;
  int together = 1;
  bool simd = false;
  bool brief = false;
  std::optional<Masked> masked = std::nullopt;
  bool team = false;
  bool in_lanes = false;
  VectorSum sums = VectorSum::None;
};

/// while (condition) body.
struct While {
  term::Term condition;
  Block body;
  std::string comment;
  VectorSum sums = VectorSum::None; // or Stretch
};

/// A range of positions with their keys: key(variable) for lower <= variable < upper. The key is an index
/// array of one extent, and strictly increases over the range.
struct KeyedRange {
  std::string variable;
  term::Term lower;
  term::Term upper;
  std::string key; // qualified: "A.col"
};

/// The intersection of two sets of keys: body for every pair of a position of `first` and one of `second`
/// that have the same key, by increasing key. The variables are the loop's own; the bounds are evaluated
/// once, and the keys read only where neither range is empty. The body writes no keys, and no break leaves
/// the loop.
struct Intersect {
  KeyedRange first, second;
  Block body;
  std::string comment;
};

/// One range of a merge, and what is done for its keys.
struct MergedRange {
  KeyedRange range;
  Block body;
};

/// The union of sets of keys: for every key that occurs in one of the ranges, by increasing key, the bodies
/// of those ranges that hold it, in their order, and then `body`. The variables are the loop's own: the key's
/// is known in all of these, a position in its range's body alone. The bounds are evaluated once, before the
/// first key. Nothing in it writes keys, and no break leaves the loop.
struct Merge {
  std::string variable; // the key
  std::vector<MergedRange> ranges;
  Block body;
  std::string comment;
};

/// `speculative`: it only appends (appends_to in walk.h), and all but the last statement may be executed
/// where the condition doesn't hold, too: what they read exists, and so do the elements that they set, behind
/// the last. It is emitted without a branch; the meaning is the same.
struct If {
  term::Term condition;
  Block then;
  std::string comment;
  Block otherwise; // may be empty
  bool speculative = false;
};

/// A constant integer from here to the end of the block: const int64_t variable = value.
struct Let {
  std::string variable;
  term::Term value;
};

/// An integer variable that Assign may change.
struct Declare {
  std::string variable;
  term::Term initial;
};

struct Assign {
  std::string variable;
  term::Term value;
};

/// Two integers, constant from here to the end of the block: in how many parts `total` is shared out among the
/// threads of a team, and how much a part has: total / parts, rounded up. At most one part for each thread,
/// with `each` (more than 0) or more, but one at least. Stands in no parallel loop.
struct ShareOut {
  std::string parts, share;
  term::Term total, each;
};

/// A local variable that holds a value. Without a type it has that of its initial value, or, where that is a
/// number, the one that types.h says.
struct DeclareValue {
  std::string name;
  Value initial;
  std::optional<ElementType> type = std::nullopt;
};

/// Where a value goes: an element of the result or a local.
using Target = std::variant<Element, Local>;

/// target = value
struct Store {
  Target target;
  Value value;
};

/// target += value, or target = by(target, value) with another operator that has an identity; as sums are,
/// these may be reassociated. `atomic`: iterations of the parallel loop around may reduce into the same
/// element at the same time.
struct Accumulate {
  Target target;
  Value value;
  bool atomic = false;
  Operator by = Operator::Add;
};

/// Sets the first `count` elements of a value array, or of a workspace array of bits, to zero; all elements
/// of a hashed array to what it is initially.
struct Zero {
  std::string array;
  term::Term count;
};

/// An element of an array of integers, of the workspace or the result's, or of a workspace array of bits:
/// array(slot) = value; a bit's value is the constant 0 or 1. Not of bits in a parallel loop, unless each
/// thread has its own: 64 share a word. `whole_word`: all 64 are set to 0, at once or by the loop around.
struct SetElement {
  std::string array;
  term::Term slot;
  term::Term value;
  bool whole_word = false;
};

/// Sorts the first `count` elements of `order` by the keys of the same slots, from the least on; the keys
/// move with them, and those of one key stay as they are (stably). Without keys they are their own. All are
/// arrays of the workspace: order and keys of one type of integers, `room` of 64 bits, whose first
/// room_to_sort(type) * count elements hold anything afterwards.
struct Sort {
  std::string order;
  std::string keys; // or empty
  std::string room;
  term::Term count;
};

/// Then, if a local value is such a one. `speculative`: as of If.
struct IfValue {
  enum class Test {
    Stored,     // anything but 0.0, which means that nothing is stored; -0.0 is a stored zero
    NotANumber, // NaN
    Differs,    // from `number`, which is none; as numbers, so that -0.0 is 0.0, and NaN differs
  };
  std::string local;
  Block then;
  std::string comment;
  Test test = Test::Stored;
  bool speculative = false;
  double number = 0;
};

/// From here on the arrays of an assembled result have the elements that a count of `least` asks for, or,
/// with no count, arrays of the workspace that grow have so many, or a hashed array, which stands alone, has
/// room for so many that aren't as they were initially. What they hold stays; the others hold
/// anything. The kernel ends here, and leaves the result as it was, where there is no memory for that (2), or
/// `least` is above what the index arrays among them can hold (4). Stands in no parallel loop but one that
/// appends to the result, or in which the hashed array is each thread's own.
struct Reserve {
  std::string count; // qualified: "C.NNZ"; or empty
  term::Term least;
  std::vector<std::string>
      arrays; // all whose extents mention the count: "C.col", "C.val"; or of the workspace
};

/// The count of an assembled result, once it is known: outside of all loops, behind the last Reserve of it.
/// Its arrays are exactly as long from then on.
struct SetCount {
  std::string count;
  term::Term value;
};

/// Leaves the innermost loop around it (For that is not parallel, or While).
struct Break {};

/// A divisor isn't stored: the kernel goes on, and returns 3 when it ends.
struct Miss {};

/// Asks for the line of memory that holds an element soon to be read or written. It changes nothing, and
/// touches nothing: the slot need not be one of the array's, but what it reads itself must be in bounds.
struct Prefetch {
  std::string array; // of values or integers
  term::Term slot;
};

/// A call of BLAS, which adds a product up: for each value of the axes' variables, which count from 0 to the
/// extents, target += scale * left * right, or scale * left. The operands' elements are those of all
/// variables being 0; each step of an axis moves them by its strides. `scale` is evaluated once, and is no
/// sum. It has a form that blas.h knows; where an extent is 0 nothing is done. The target's array isn't read.
/// As sums are, it may be reassociated. `threads`: BLAS may have as many threads as a parallel loop, in none
/// of which it stands; else it has one.
struct Blas {
  struct Axis {
    term::Term extent;
    term::Term target, left, right; // strides; 0 where the operand stays
  };
  std::vector<Axis> axes; // 1 to 3
  Target target;
  Element left;
  std::optional<Element> right;
  Value scale;
  bool threads = false;
};

/// What a statement was made for: a level of the nest of a leaf's plan, by numbers that the maker of the
/// program gives (lower.h). It says nothing about what the program does, and isn't printed: pages and
/// debuggers show it. Passes keep it, and join those of statements that they make one of.
struct Origin {
  int leaf = 0;
  int plan = 0;
  int level = 0;

  friend auto operator<=>(const Origin &, const Origin &) = default;
};
using Origins = std::vector<Origin>; // sorted, each once

struct Statement {
  std::variant<For, While, Intersect, Merge, If, Let, Declare, Assign, ShareOut, DeclareValue, Store, Accumulate,
               Zero, SetElement, Sort, IfValue, Reserve, SetCount, Break, Miss, Prefetch, Blas>
      kind;
  Origins origins = {}; // none: made for no level, as what clears the result

  /// The statement as one of that kind, else null.
  template <class Kind> const Kind *as() const { return std::get_if<Kind>(&kind); }
  template <class Kind> Kind *as() { return std::get_if<Kind>(&kind); }
  template <class Kind> bool is() const { return std::holds_alternative<Kind>(kind); }
};

// ---- programs

/// An array of a parameter, with extents in slots (terms over the parameter's own sizes and counts,
/// qualified).
struct ArrayParameter {
  std::string name; // unqualified: "rowptr"
  bool is_value = false;
  ElementType element = ElementType::Int32;
  std::vector<term::Term> extents;
  bool non_negative =
      false; // every element is known to be >= 0 (an index array): divisions of it are plain ones
};

/// A tensor that the kernel is given: one C struct. Its sizes and counts are the variables "A.M", "A.NNZ".
struct TensorParameter {
  std::string name;                // "A"
  std::string layout;              // the layout's name: "bcsr<4, 4>"
  std::string type_name;           // of the C struct, "bcsr_4_4_f32"; empty: the layout's name
  std::string about;               // the layout file's comment, one or more lines
  std::vector<std::string> sizes;  // unqualified, one per mode: "M", "N"
  std::vector<std::string> counts; // unqualified: "NNZ"
  std::vector<ArrayParameter> arrays;
  bool is_result = false;
  std::string structure; // of a result: the operand whose index arrays it borrows, or empty
  /// A result of which only the sizes are given. The kernel makes its arrays: those whose extents mention no
  /// count before the body begins, the others have elements as Reserve says. It sets each count (SetCount).
  bool assembled = false;
  /// The struct has pointers to const arrays. Of operands only.
  bool constant = false;

  /// Are its arrays all the caller's: neither an operand's, nor made by the kernel?
  bool has_given_arrays() const { return structure.empty() && !assembled; }
};

/// How many elements of `room` sorting needs for each one of that type.
constexpr int room_to_sort(ElementType type, bool has_keys = true) {
  if (!has_keys) return 1;
  return type == ElementType::Int64 ? 4 : 2;
}

/// An array that the kernel works with: the map or the states of a find. The caller keeps it from call to
/// call in the kernel's workspace. Integers and bits are read by applications, x.map(e), and set by
/// SetElement; values are elements, written as those of the result are.
struct WorkspaceArray {
  std::string name; // qualified, differs from all arrays of parameters: "x.map"
  ElementType element = ElementType::Int32;
  bool is_value = false; // its elements are values; so are all that are no integers
  term::Term extent;     // number of elements, over sizes and counts of the parameters; no array is read
  /// What every element holds when the kernel begins and, by the kernel's own doing, when it ends: 0 or -1 (a
  /// value array: 0). None: anything.
  std::optional<std::int64_t> initial = 0;
  /// Each thread of a parallel loop has its own: an iteration of a parallel loop finds and leaves the
  /// elements as `initial` says, and where that is none relies on nothing that another iteration, or a
  /// statement outside, has written. Parallel loops that mention it don't stand in another one.
  bool per_thread = false;
  /// Only teams of several threads use it: one thread alone needs no memory for it.
  bool for_teams = false;
  /// It has as many elements as Reserve says: none when the kernel begins; `extent` is 0. It holds anything,
  /// and no parallel loop reserves for it.
  bool grows = false;
  /// An array of integers of which few elements are anything but `initial`: a hash table has these. Before
  /// one is set, Reserve makes room for that many of them; Zero takes all out, and the room with them.
  bool hashed = false;
  std::string about; // one line of prose
  /// Over sizes and counts: where it doesn't hold, the array isn't used and gets no memory.
  term::Term when = term::truth();

  bool has_values() const { return is_value || !value::is_integer(element); }
};

/// A condition on the sizes of the parameters that the kernel checks first; when it fails the kernel returns
/// an error code and does nothing.
struct Precondition {
  term::Term formula;
  std::string message;
};

/// A whole kernel.
struct Program {
  std::string name;                        // of the C function
  std::string expression;                  // as the user wrote it
  std::vector<TensorParameter> parameters; // the result first
  std::vector<std::string> sizes;          // integers of any sign that it is given besides: variables
  std::vector<Precondition> preconditions;
  std::vector<WorkspaceArray> workspace;
  Block body;
};

/// As text that `parse_program` reads back (same program, same text).
std::string to_text(const Program &program);
std::string to_text(const Block &block, int indent = 0);
std::string to_text(const Value &value);
std::string name_of(ElementType type); // "int32", "float64", ...

/// Reads what to_text writes. Fails with kind bad_ir_text.
Program parse_program(std::string_view text);
/// Statements without the braces around them.
Block parse_block(std::string_view text);

} // namespace unravel::loop
