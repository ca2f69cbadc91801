#pragma once

#include "parse/tree.h"
#include "term/term.h"
#include "value/tree.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// What is computed: a program of statements, each with the loops that it stands in. A line of tensor index
/// notation is a program whose statements' index variables are bound to no loop, one for each term, as in
/// concrete index notation (Kjolstad et al., CGO 2019, section 3).
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
  /// What an element is that isn't stored, where that is declared.
  std::optional<double> fill = {};

  double fill_or_zero() const { return fill.value_or(0); }

  /// "A", "A#2": prefix of its position variables.
  std::string name() const { return occurrence == 1 ? tensor : tensor + "#" + std::to_string(occurrence); }
};

/// Accesses, and integer terms over index variables, the variables of loops, and sizes: coordinates as
/// values.
using Value = value::Tree<Access, term::Term>;

/// Each value once, upwards: low <= variable < high, over the variables of loops outside and sizes.
struct Loop {
  std::string variable;
  term::Term low, high;
  /// Of rounds: the scalar variable that ends them where it isn't 0 behind a round. Empty: none.
  std::string until = {};
};

/// Where a statement is executed: at points at which an element is stored; or, `is_absent`, isn't.
struct Mask {
  Access access; // perhaps one that the value reads
  bool is_absent = false;
  /// One that isn't absent, and that the value doesn't read: it is looked for at each point, for it may be
  /// stored several times.
  bool is_searched = false;
};

/// target (= or +=, min= and the like) value, for each point of the loops around it at which the condition
/// holds. The element of a scalar variable is numbered by the loops around its declaration (its subscripts):
/// each of their iterations has one of its own.
///
/// Masks restrict it further, to points at which elements are stored, or aren't.
///
/// A free statement has no loops: it is executed for all values of its index variables, from 0 on, at which
/// each subscript lies inside its tensor, in any order. Its `=` sets each element of the target to what is
/// computed for it, reduced by `by`: where that is nothing, to the operator's identity.
struct Statement {
  Access target;
  bool accumulate = false;
  value::Operator by = value::Operator::Add; // what a result is reduced by
  /// `in min.+`: what its products are made by. Then there is no value where a part of it isn't stored; else
  /// the part is 0 there.
  std::optional<value::Operator> product = {};
  Value value;
  std::vector<Loop> loops; // outermost first
  bool is_free = false;
  std::vector<std::string> indices =
      {}; // of a free statement: its index variables, those of the result first
  term::Term condition = term::truth();
  std::vector<Mask> masks = {};
  /// Its place among the statements: in the program's body, in the body of loops[0], ... One number more than
  /// there are loops: with the loops' variables its schedule in the form "2d + 1" (Feautrier 1992). Two
  /// statements share the loops before the first number in which they differ.
  std::vector<int> place;
  text::Span span;
  value::Type type =
      value::Type::Float64; // that its value is computed in, and then converted to the target's
  std::map<std::string, value::Type> types = {}; // of tensors and scalars, once they are settled
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

/// What the elements of tensors are that aren't stored, where that is declared.
using Fills = std::map<std::string, double>;

struct Program {
  std::vector<Statement> statements; // in the order of the text
  /// Those of the user's own, for programs that are made of this one.
  std::vector<parse::OperatorTree> operators = {};
  std::vector<std::string> sizes; // names that stand for integers
  std::vector<GivenSize> given;   // those of them that no tensor tells
  std::vector<LeastSize> least;
  /// Of the tensors that loops subscript, over sizes and integers.
  std::map<std::string, std::vector<term::Term>> extents;
  std::map<std::string, std::size_t> locals; // scalar variables: the number of loops around each
  /// Likewise, of tensors that each iteration of these loops has for itself.
  std::map<std::string, std::size_t> local_tensors;
  /// Of these the ones whose elements are zero again once they are read, so that nothing sets them to zero:
  /// one statement reads them, and each element that isn't zero once.
  std::set<std::string> zero_once_read = {};
  /// Of these the ones of which each iteration sets the elements that a mask leaves, adds to any, and reads
  /// those of the mask: the others hold anything. To be set means to have no value until something is added;
  /// who reads an element without one does nothing. Their values are of floating point.
  std::set<std::string> masked_locals = {};
  Fills fills = {};
};

/// The identity of what its target is reduced by.
double identity_of(const Statement &statement);

/// Is there nothing to do for a point at which that access isn't stored, whatever the others are: does a mask
/// say so, has the value no part there, or is it the reduction's identity?
bool is_factor(const Statement &statement, const Access &access);
/// The same of the value alone, if the statement had that one.
bool is_factor(const Statement &statement, const Value &value, const Access &access);
/// The same where none of the accesses of these names is stored.
bool is_nothing_without(const Statement &statement, const Value &value, const std::set<std::string> &names);

/// Is what a statement's value becomes in its target what its parts become there, reduced? Not where f64
/// values are cut to integers: 0.5 + 0.5 is 1.
bool is_converted_by_parts(const Statement &statement, const std::map<std::string, value::Type> &types);

/// Tells whether the terms of one point's value may be converted one by one, too. A point's value is
/// computed, and wraps around, in the statement's type; the sum of several points is made in the target's.
bool may_convert_terms(const Statement &statement, const std::map<std::string, value::Type> &types);

/// Tells whether the statement is a line's term with an index that its target hasn't.
bool reduces_points(const Statement &statement);

/// Tells whether the line is reduced first and its value then converted, as fractions into an integer are.
/// Precondition: the statements have their types.
bool is_reduced_before_conversion(const Program &program, const std::map<std::string, value::Type> &types);

/// A tensor that the computation uses.
struct TensorUse {
  std::string name;
  std::size_t order = 0;
  bool is_result = false;
  text::Span span;
};

struct Computation {
  std::string text; // as written
  Program program;
  std::vector<TensorUse> tensors;                // results first, then operands as they occur
  std::vector<std::string> indices;              // index variables and those of loops, as they occur
  std::map<std::string, value::Type> types = {}; // of tensors and scalars; others have f64
};

/// Of a tensor or scalar.
value::Type type_of(const std::map<std::string, value::Type> &types, const std::string &name);

/// Throws mistakes (unbound or malformed subscripts, one tensor with two orders) and limits (sums, quotients,
/// other elements of the result as operands).
Computation make_computation(const parse::AssignmentTree &tree, const Fills &fills = {});

/// Of a loop nest. Tensors that aren't declared have the extents of the loops that subscript them. Throws
/// mistakes (names that mean two things or nothing, subscripts and bounds that aren't affine, extents that
/// nothing determines; two fills of one tensor) and limits (several results, quotients by sums).
Computation make_computation(const parse::ProgramTree &tree, const Fills &fills = {});

/// The program's first free statement that writes the tensor, or null.
const Statement *free_statement_of(const Program &program, const std::string &target);

/// What the elements of a dense result begin with, where nothing says what they hold: their fill; the
/// identity of what a line reduces them by, `y(i) min= ...`; else 0.
double initial_of(const Program &program, const std::string &result);

/// `wanted`, or with a number behind it: no tensor, index or operator of the user's own has that name.
std::string fresh_tensor(const Computation &computation, const std::string &wanted);

/// Calls visit(access) for what a statement reads, in its order: its value's, then its masks'.
template <class Statement, class Visit> void each_read(Statement &statement, Visit visit) {
  value::each_leaf<Access>(statement.value, visit);
  for (auto &mask : statement.masks)
    visit(mask.access);
}

/// The same for the target, then what it reads.
template <class Statement, class Visit> void each_access(Statement &statement, Visit visit) {
  visit(statement.target);
  each_read(statement, visit);
}

/// Does the statement's value or a mask of it read the tensor?
bool reads(const Statement &statement, const std::string &tensor);

/// The number of outermost loops that two statements share.
std::size_t shared_loops(const std::vector<int> &place, const std::vector<int> &other);

std::string to_text(const Access &access);
std::string to_text(const Value &value);
/// Of a coordinate in a value: in brackets, where it is more than a name.
std::string value_text(const term::Term &coordinate);
std::string to_text(const Statement &statement); // without its loops and condition
std::string to_text(const Program &program);

} // namespace unravel::compute
