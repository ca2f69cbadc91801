#pragma once

#include "parse/tree.h"
#include "term/term.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The meaning of an assignment in tensor index notation: a tree of statements whose leaves are products, as
/// in concrete index notation (Kjolstad et al., CGO 2019, section 3).
namespace unravel::compute {

/// One subscript: an index variable plus a constant; in programs any affine term over the variables of the
/// loops and sizes, of which `index` is empty where it has another form.
struct Subscript {
  std::string index;
  std::int64_t shift = 0;
  term::Term value;
};

/// A tensor at subscripts. The second occurrence of a tensor A in a computation is named A#2.
struct Access {
  std::string tensor;
  int occurrence = 1;
  std::vector<Subscript> subscripts;
  text::Span span;
  bool is_local = false; // a scalar variable of a program

  /// "A", "A#2": prefix of its position variables.
  std::string name() const { return occurrence == 1 ? tensor : tensor + "#" + std::to_string(occurrence); }
};

/// target (= or +=) constant * factor * factor ...; indices that are not in the target are reduced.
struct Assign {
  Access target;
  bool accumulate = false;
  double constant = 1;
  std::vector<Access> factors;
};

struct Statement;

/// One statement after the other.
struct Sequence {
  std::vector<Statement> parts;
};

struct Statement {
  std::variant<Assign, Sequence> kind;
};

// ---- programs: loop nests of several statements

/// constant * factor * factor ...
struct Product {
  double constant = 1;
  std::vector<Access> factors;
};

/// Each value once, upwards: low <= variable < high, over the variables of loops outside and sizes.
struct ProgramLoop {
  std::string variable;
  term::Term low, high;
};

/// target (= or +=) (summand + summand + ...) / (divisor * divisor ...), for each point of the loops around
/// it at which the condition holds. The element of a scalar variable is numbered by the loops around its
/// declaration (its subscripts): each of their iterations has one of its own.
struct ProgramStatement {
  Access target;
  bool accumulate = false;
  std::vector<Product> summands; // none: zero
  std::vector<Access> divisors;
  std::vector<ProgramLoop> loops; // outermost first
  term::Term condition = term::truth();
  /// Its place among the statements: in the program's body, in the body of loops[0], ... One number more than
  /// there are loops: with the loops' variables its schedule in the form "2d + 1" (Feautrier 1992). Two
  /// statements share the loops before the first number in which they differ.
  std::vector<int> place;
  text::Span span;
};

/// A size that isn't the extent of a tensor by itself: an integer of any sign that the program is given.
struct GivenSize {
  std::string name;
  text::Span span; // where it is declared, or first used
};

/// `size k >= 0;`
struct LeastSize {
  std::string name;
  std::int64_t least = 0;
  text::Span span;
};

struct Program {
  std::vector<ProgramStatement> statements; // in the order of the text
  std::vector<std::string> sizes;           // names that stand for integers
  std::vector<GivenSize> given;             // those of them that no tensor tells
  std::vector<LeastSize> least;
  std::map<std::string, std::vector<term::Term>> extents; // of all tensors, over sizes and integers
  std::map<std::string, std::size_t> locals;              // scalar variables: the number of loops around each
};

/// A tensor that the computation uses.
struct TensorUse {
  std::string name;
  std::size_t order = 0;
  bool is_result = false;
  text::Span span;
};

struct Computation {
  std::string text; // as written
  Statement root;   // of an assignment; of a program an empty sequence
  std::optional<Program> program;
  std::vector<TensorUse> tensors;   // the result first, then operands as they occur
  std::vector<std::string> indices; // as they occur: those of the result first
};

/// Throws mistakes (unbound or malformed subscripts, one tensor with two orders) and limits (sums, quotients,
/// the result as an operand).
Computation make_computation(const parse::AssignmentTree &tree);

/// Of a loop nest. Tensors that aren't declared have the extents of the loops that subscript them. Throws
/// mistakes (names that mean two things or nothing, subscripts and bounds that aren't affine, extents that
/// nothing determines) and limits (several results, quotients by sums).
Computation make_computation(const parse::ProgramTree &tree);

/// Calls visit(access) for what a statement reads, in its order.
template <class Statement, class Visit> void each_read(Statement &statement, Visit visit) {
  for (auto &summand : statement.summands)
    for (auto &factor : summand.factors)
      visit(factor);
  for (auto &divisor : statement.divisors)
    visit(divisor);
}

/// The same for the target, then what it reads.
template <class Statement, class Visit> void each_access(Statement &statement, Visit visit) {
  visit(statement.target);
  each_read(statement, visit);
}

/// The number of outermost loops that two statements share.
std::size_t shared_loops(const std::vector<int> &place, const std::vector<int> &other);

/// The leaves of a statement, in order.
std::vector<const Assign *> leaves(const Statement &statement);

std::string to_text(const Access &access);
std::string to_text(const Statement &statement);
std::string to_text(const Program &program);
std::string to_text(const Computation &computation);

} // namespace unravel::compute
