#pragma once

#include "loop/interpret.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the interpreter makes of a program before it runs: names are slots.
namespace unravel::loop {

/// An integer term or formula over slots of variables. Children are indices into the code's nodes.
struct Node {
  enum Op {
    Constant,
    Variable,
    Linear,
    Load,
    Hash,
    FloorDivide,
    Modulo,
    Product,
    Minimum,
    Maximum,
    Equal,
    AtLeast,
    And,
    Or,
    Not
  };
  Op op = Constant;
  std::int64_t constant = 0; // also the divisor
  std::size_t slot = 0;      // of a variable or an array
  std::vector<std::size_t> children;
  std::vector<std::int64_t> coefficients;
};

struct ValueNode {
  enum Op { Number, Element, Local, Term, Apply };
  Op op = Number;
  double number = 0;
  std::size_t slot = 0;                    // of an array or a local
  std::size_t term = 0;                    // the element's slot, or the value
  ElementType type = ElementType::Float64; // that it is computed in
  std::vector<std::size_t> children = {};
  value::Operator apply = value::Operator::Add;
};

/// Of an intersection or a merge.
struct RangeCode {
  std::size_t slot = 0;  // of the variable
  std::size_t lower = 0; // terms
  std::size_t upper = 0;
  std::size_t key = 0; // the key at the variable, a term
};

/// What the iterations of a parallel loop append (loop.h).
struct AppendedCode {
  struct Counter {
    std::size_t count = 0; // of the code's counts
    std::size_t end = 0;   // a variable
    std::vector<std::size_t> arrays;
  };
  struct Pointers {
    std::size_t array = 0, end = 0, into = 0;
    bool is_counted = false; // `end` is a counter's
  };
  std::vector<Counter> counters;
  std::vector<Pointers> pointers;
};

struct Step {
  enum Op {
    For,
    While,
    Intersect,
    Merge, // the bodies of its ranges are those of the steps of its body; its own stands in `otherwise`
    MergedRange,
    If,
    IfStored,
    IfNan,
    IfDiffers,
    SetVariable,
    ShareOut, // sets the variables `slot` (parts) and `second` (share); `first` is the total, `third` the
              // least share
    SetElement,
    Sort,
    StoreElement,
    AddElement,
    StoreLocal,
    AddLocal,
    Zero,
    Break,
    Miss,
    Reserve,
    ReserveWorkspace,
    SetCount,
    Evaluate // a term, for what it reads
  };
  Op op = Break;
  std::size_t slot = 0;   // of a variable, an array, a local or a count
  std::size_t first = 0;  // a term: lower bound, condition, value, slot of an element, count
  std::size_t second = 0; // a term: upper bound; or a value
  std::int64_t step = 1;
  bool parallel = false;
  std::vector<Step> body;
  std::vector<Step> otherwise;
  std::vector<RangeCode> ranges = {};
  bool is_point = false; // what a leaf does at a point: no sum of such, and not what comes before or behind
  bool atomic = false;   // an addition
  value::Operator by = value::Operator::Add; // what AddElement and AddLocal do
  bool whole_word = false;                   // of bits that are set to 0
  std::optional<std::size_t> copied = {};    // of a parallel loop: the array that threads have copies of
  std::optional<AppendedCode> appended = {};
  bool is_simd = false;
  bool lets = false;                    // of a While: the body begins with a Let
  double number = 0;                    // of an IfDiffers
  bool speculative = false;             // of an If: all but the last of the body's steps are always done
  std::vector<std::size_t> arrays = {}; // of a Reserve or SetCount: the arrays that grow;
                                        // of a Sort: the keys and the room
  std::size_t third = 0;                // a term, of a ShareOut
};

struct ArrayCode {
  std::string name;
  bool is_value = false;
  ElementType element = ElementType::Int64;
  std::vector<std::size_t> extents;             // terms
  std::optional<WorkspaceArray> workspace = {}; // where it is one
  std::size_t when = 0;                         // its condition, a term
  bool may_race = false;                        // written, by all threads
  bool assembled = false;                       // made by the run
  bool is_counted = false;                      // then: has elements when they are reserved
};

/// A count that the run sets.
struct CountCode {
  std::string name;
  std::size_t slot = 0;  // of the variable, which holds for how many there is room, and the count at last
  std::int64_t most = 0; // that it may be
};

struct Interpreter::Code {
  std::vector<Node> nodes;
  std::vector<ValueNode> values;
  std::vector<ArrayCode> arrays;
  std::vector<std::pair<std::string, std::size_t>> sizes; // and the slot of each
  std::vector<CountCode> counts;                          // of assembled results
  std::vector<std::string> variables;                     // their names
  std::vector<ElementType> locals;                        // their types
  std::vector<std::size_t> conditions_of_sizes;           // preconditions, those that read no array
  std::vector<std::size_t> conditions_of_arrays;          // and the others
  std::vector<Step> body;

  /// Precondition: verify.h accepts the program.
  static std::unique_ptr<Code> of(const Program &program);

  std::vector<std::string> array_names() const {
    std::vector<std::string> names;
    for (const ArrayCode &array : arrays)
      names.push_back(array.name);
    return names;
  }
};

} // namespace unravel::loop
