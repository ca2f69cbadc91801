#pragma once

#include "parse/tree.h"

#include <string>
#include <variant>
#include <vector>

/// The meaning of an assignment in tensor index notation: a tree of statements whose leaves are products, as
/// in concrete index notation (Kjolstad et al., CGO 2019, section 3).
namespace unravel::compute {

/// One subscript: an index variable plus a constant.
struct Subscript {
  std::string index;
  std::int64_t shift = 0;
};

/// A tensor at subscripts. The second occurrence of a tensor A in a computation is named A#2.
struct Access {
  std::string tensor;
  int occurrence = 1;
  std::vector<Subscript> subscripts;
  text::Span span;

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

/// A tensor that the computation uses.
struct TensorUse {
  std::string name;
  std::size_t order = 0;
  bool is_result = false;
  text::Span span;
};

struct Computation {
  std::string text; // as written
  Statement root;
  std::vector<TensorUse> tensors;   // the result first, then operands as they occur
  std::vector<std::string> indices; // as they occur: those of the result first
};

/// Throws mistakes (unbound or malformed subscripts, one tensor with two orders) and limits (sums, quotients,
/// the result as an operand).
Computation make_computation(const parse::AssignmentTree &tree);

/// The leaves of a statement, in order.
std::vector<const Assign *> leaves(const Statement &statement);

std::string to_text(const Access &access);
std::string to_text(const Statement &statement);
std::string to_text(const Computation &computation);

} // namespace unravel::compute
