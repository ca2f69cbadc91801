#pragma once

#include "text/source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Syntax trees of the four languages: layout files, index notation, programs, schedules. Names are not
/// resolved here; every node knows its span.
namespace unravel::parse {

struct Name {
  std::string text;
  text::Span span;
};

/// An expression or a formula as written.
struct Expression {
  enum class Kind {
    Integer,   // integer
    Decimal,   // decimal (index notation only)
    Imaginary, // decimal, times i (likewise)
    Name,      // name
    Call,     // name(children...), also A() of order 0; floor(a / b) and ceil(a / b) are calls with one child
    Negate,   // -child
    Add,      // a + b
    Subtract, // a - b
    Multiply, // a * b
    Divide,   // a / b; in layout files only inside floor() and ceil()
    Modulo,   // a mod b
    Compare,  // child comparisons[0] child comparisons[1] child ... : `0 <= p < q` is one node
    And,      // children
    Or,       // children
    Not,      // child
    Implies,  // a => b
    Truth,    // true
    Falsity,  // false
  };
  enum class Comparison { Equal, NotEqual, Less, AtMost, Greater, AtLeast };

  Kind kind = Kind::Integer;
  text::Span span;
  std::int64_t integer = 0;
  double decimal = 0;
  Name name;
  std::vector<Expression> children;
  std::vector<Comparison> comparisons;
};

// ---- layout files

struct ParameterTree {
  Name name;
};

/// `i: M` in the head of a layout.
struct CoordinateTree {
  Name name;
  Name size;
};

/// `rowptr[M + 1] : int64` in an `index` or `value` declaration; `map[M] hashed` in an `index` declaration.
struct ArrayTree {
  Name name;
  std::vector<Expression> extents;
  std::optional<Name> element; // int32, int64, f32, ...
  bool is_value = false;
  bool is_hashed = false;
};

/// `count NNZ = rowptr(M);` or `count NR;` (then it is an input).
struct CountTree {
  Name name;
  std::optional<Expression> definition;
};

/// `stored { [r, p] -> [i, j] : formula } at val(p);` or `at -val(p)` or `at 1`.
struct StoredTree {
  std::vector<Name> positions;
  std::vector<Expression> coordinates; // usually names of the head's coordinates; may be affine expressions
  Expression relation;
  Expression value;
  text::Span span;
};

/// One property; the named forms are shorthand, expanded to formulas by the layout room.
struct PropertyTree {
  enum class Form {
    Range,     // range f in [low, high)  or  [low, high]
    Injective, // injective f | injective (f, g) [within h]
    Monotone,  // [strictly] increasing|decreasing f | (f, g) [within h]
    Formula,   // forall r, p : guard => conclusion; or a formula without variables
  };
  Form form = Form::Formula;
  text::Span span;
  std::vector<Name> functions; // several: lexicographic (co-vary)
  std::optional<Name> within;
  bool strict = false;
  bool decreasing = false;
  bool high_included = false;
  std::optional<Expression> low, high;
  std::vector<Name> variables;
  std::optional<Expression> formula; // the part after `forall ... :`, an Implies or any formula
};

/// `not unique`, `ordered`: what is said of a level.
struct LevelPropertyTree {
  Name name; // full, ordered, unique, branchless, compact
  bool holds = true;
};

/// `j: compressed not unique`, `i: hashed(B)`: the level format of a mode.
struct LevelTree {
  Name coordinate; // of the layout; or a name for the diagonals, where a range level follows
  Name format;     // dense, compressed, singleton, range, offset, hashed
  std::optional<Expression> buckets; // hashed: a parameter or an integer
  std::vector<LevelPropertyTree> properties;
};

struct LayoutTree {
  Name name;
  bool permutable = false; // `permutable layout`: name<1,0> stores mode 1 first
  std::vector<ParameterTree> parameters;
  std::vector<CoordinateTree> coordinates;
  std::vector<ArrayTree> arrays;
  std::vector<CountTree> counts;
  std::vector<StoredTree> stored;
  std::vector<PropertyTree> properties;
  std::vector<LevelTree> levels; // outermost first; then there are no arrays, counts, pieces or properties
  std::string comment;           // the # lines directly above, without the marks
  text::Span span;
};

struct LayoutFileTree {
  std::vector<LayoutTree> layouts;
};

// ---- index notation

/// What is stated of an operator of the user's own.
struct LawTree {
  enum class Kind {
    Associative,
    Commutative,
    Idempotent,
    Identity,        // `identity 0`: number
    Absorbs,         // `absorbs 1`: number
    DistributesOver, // `distributes over min`: over
    On,              // `on [0, 1]`: number, high; it is for these numbers, and gives such ones
  };
  Kind kind = Kind::Associative;
  double number = 0, high = 0;
  Name over; // as written: a symbol, or a name
  text::Span span;
};

/// `operator f(a, b) = min(a + b, 1) : associative, identity 0`.
struct OperatorTree {
  Name name;
  std::vector<Name> arguments;
  Expression value; // over these
  std::vector<LawTree> laws;
  text::Span span;
};

/// `in min.+`: what `+` and `*` mean in an assignment.
struct SemiringTree {
  Name add, multiply; // as written: a symbol, or a name
  text::Span span;
};

struct AssignmentTree {
  std::vector<OperatorTree> operators; // in front of it; none where it is a statement of a program
  Expression target;                   // Name (order 0) or Call
  /// Subtract, Multiply and Divide only in programs: target = target - value and so on.
  enum class Operator { Set, Add, Subtract, Multiply, Divide, Reduce } op = Operator::Set;
  Name reduction; // of Reduce, `min=`: "min"
  Expression value;
  std::optional<SemiringTree> semiring;
  std::optional<Expression> mask; // a formula, in which accesses are conditions, too
  text::Span span;
};

// ---- programs: dense loop nests

/// `int32 fill inf`: what is said of a tensor's values, behind its layout or its extents.
struct ValuesTree {
  std::optional<Name> type;
  std::optional<double> fill; // what an element is that isn't stored
  text::Span fill_span = {};
};

/// `L(n, n) int32`: a tensor that a program is given, with its extents: integers, names of sizes, sums of
/// these.
struct TensorTree {
  Name name;
  std::vector<Expression> extents; // none: a scalar
  ValuesTree values = {};
};

/// `size k;` or `size k >= 0;`: an integer that the program is given.
struct SizeTree {
  Name name;
  std::optional<std::int64_t> least;
};

/// A statement of a program. Subscripts, bounds and conditions are affine in the variables of the loops
/// around it and in sizes; names are resolved by the compute room.
struct StatementTree {
  enum class Kind {
    Assign, // assignment
    Local,  // `let w(j) = value`: assignment; a tensor with these values, from here to the end of the body
            // around it; its subscripts are new names, each for all indices of a mode. `let s = value`: a
            // scalar
    For,    // `for i in [low, high) { body }`: each value once, in increasing order
    If,     // `if condition { body }`
    Repeat, // `repeat high until until { body }`: so many rounds, or fewer; one of the two may be missing
  };
  Kind kind = Kind::Assign;
  text::Span span;                                // of a For or If: its head
  AssignmentTree assignment;                      // of a Local the target is a Name, or a Call of Names
  std::vector<std::optional<Expression>> extents; // of a Local's modes, where they are said
  Name variable;
  std::optional<Expression> low, high; // neither: the extent of the modes that the variable subscripts
  Expression condition;
  /// Of a Repeat: what ends it, tested behind each round. Of a For that stands for one: the scalar that says
  /// so when it isn't 0.
  std::optional<Expression> until;
  std::vector<StatementTree> body;
};

struct ProgramTree {
  std::vector<OperatorTree> operators;
  std::vector<SizeTree> sizes;     // declared; others stand in the extents of tensors
  std::vector<TensorTree> tensors; // declared; others have the extents that their uses imply
  std::vector<StatementTree> body;
  text::Span span;
};

// ---- layout references: csr, bcsr<4,4>, bcsr:4,4, ./mine.layout:name, like:S, csr int32 fill inf

struct LayoutReference {
  std::string file; // empty: a shipped layout
  std::string name; // may be empty where the file holds one layout
  std::string like; // the tensor whose structure is borrowed, or empty
  std::vector<std::int64_t> parameters;
  ValuesTree values = {};
  text::Span span; // of the layout alone
};

// ---- schedules

struct ScheduleTree {
  struct Find {
    Name target; // tensor `x`, or variable `x.p`, `L#2.p`
    Name method; // direct, seq, gallop, binary, hash, map, scan, auto
  };
  /// A change of the iteration space.
  struct Transformation {
    enum class Kind {
      Tile,  // `tile j by 64`: a loop over tiles, outermost
      Split, // `split j by 64`: a loop over tiles, directly outside the loop that it splits
      Skew,  // `skew j by 2*i`
      Shift, // `shift j by 1`
      Bound, // `bound j in [low, high)`
      Fix,   // `bound r = 16`
    };
    Kind kind = Kind::Tile;
    Name variable;
    std::int64_t number = 0; // size of a tile, factor, distance, extent
    Name by;                 // Skew
    std::int64_t low = 0, high = 0;
    text::Span span, number_span;
  };
  /// How the result's additions are done where iterations of a parallel loop share elements.
  struct Reduce {
    Name target; // tensor `y`
    Name method; // private, atomic, scalar, auto
  };
  /// A change of a loop as it is in the kernel.
  struct LoopRequest {
    enum class Kind {
      Unroll,    // `unroll r by 4`: several iterations one after the other; `unroll r`: all of them
      Vectorise, // `vectorise r`
      Jam,       // `jam i by 4`: several iterations share the loops inside
    };
    Kind kind = Kind::Unroll;
    Name variable;
    std::int64_t factor = 0; // 0: all iterations
    text::Span span;
  };
  /// `workspace w(j) for A(i,k) * B(k,j)`: a part of the assignment's product that is computed first.
  struct Workspace {
    Name tensor;
    std::vector<Name> modes;
    Expression value; // a product of factors
  };
  std::optional<Workspace> workspace;
  /// `plan 2`: the second best way to compute a product of several factors; `plan none`: as it is written.
  struct Plan {
    std::int64_t number = 0; // from 1 on; 0: none
    text::Span span;
  };
  std::optional<Plan> plan;
  /// `convert T to csf<1,0,2>`: the kernel has the operand in that layout, what calls it converts it first.
  struct Conversion {
    Name tensor;
    LayoutReference layout;
  };
  std::vector<Conversion> conversions;
  std::vector<Transformation> transformations; // as written, one variable each
  std::vector<LoopRequest> loops;              // likewise
  std::vector<Name> order;                     // `order i, A.p, j`
  std::vector<Name> parallel;                  // `parallel i`
  std::optional<Name> sharing;                 // `parallel i static`: also dynamic, guided, balanced
  std::vector<Name> fused;                     // `fuse i, A.p`
  std::vector<Reduce> reductions;              // `reduce y by atomic`
  std::vector<Find> finds;                     // `find x by binary`
  std::optional<std::int64_t> chunk;           // `chunk 64`
  bool serial = false;                         // `serial`
  std::optional<Name> wavefront;               // `wavefront i`
  std::optional<Name> packed;                  // `wavefront i packed`
  std::optional<Name> reuse;                   // `reuse`
  std::optional<Name> drop;                    // `drop zeros`
  std::optional<Name> blas;                    // `blas`
  std::optional<Name> brackets;                // `brackets written`
};

} // namespace unravel::parse
