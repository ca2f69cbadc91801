#pragma once

#include "cfront/cfront.h"
#include "cfront/extents.h"
#include "cfront/formula.h"
#include "cfront/linear.h"
#include "cfront/refuse.h"
#include "cfront/scalars.h"
#include "cfront/syntax.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace unravel::cfront {

/// The value of an integer expression: a polynomial, or the least or greatest of several.
struct Integer {
  enum class Kind { Exact, Least, Greatest };
  Kind kind = Kind::Exact;
  std::vector<Polynomial> of;
};

/// What is known of an integer variable where the translation stands: its value, or why it isn't known.
struct Known {
  std::optional<Integer> value;
  std::string why; // "has no value yet", as said of a variable
};

/// A parameter that holds numbers.
struct Tensor {
  std::string name;
  text::Span span; // of the declaration
  bool is_scalar = false;
  std::size_t order = 0;
  std::vector<std::optional<Polynomial>> extents;
  std::string refused; // why it can't be used, if so
  UnravelSyntaxType element = UnravelDouble;
  std::vector<ElementUse> uses; // of its elements, once its shape is known
  bool used = false;
  bool assigned = false;
  bool is_local = false; // an array of the function's own
};

/// In conditions: a comparison, and what `&&`, `||` and `!` make of them.
bool is_comparison(const Node &node);
bool is_logical(const Node &node);
/// Does a number stand in it anywhere, other than an integer?
bool is_about_numbers(const Node &node);

/// What the statement chooses by conditions on integers becomes an `if` of these alone.
void put_into_branches(Node &statement);

/// One function, statement by statement. What stands in the tree are its loops, sizes and tensors: integer
/// locals and loops that count down are substituted away.
///
/// A pointer `double *A` that is used as `A[i*n + j]` may be a matrix; what it is can be said once all its
/// uses are known. So a function is translated twice: without `shapes`, to collect these uses, and with them.
class Translator {
public:
  /// `signed_sizes`: integer parameters that may be negative, by declaration; of the others it is taken that
  /// they are not.
  Translator(const Node &function, const std::map<int, LinearShape> *shapes,
             const std::set<int> &signed_sizes);
  Function translate();
  const std::map<int, LinearUses> &linear_uses() const { return linear_uses_; }
  /// Nothing where products remain that can't be taken apart.
  std::optional<LinearShape> shape_of(int parameter, const LinearUses &uses) const {
    const Tensor &tensor = tensors_.at(parameter);
    return find_shape(uses, tensor.extents[0] && tensor.extents[0]->is_affine(), variables_);
  }

  /// Precondition: `shape_of` gives nothing.
  [[noreturn]] void refuse_products(int parameter, const LinearUses &uses) const;

private:
  using Body = std::vector<parse::StatementTree>;
  using Facts = std::vector<term::Term>;
  using Comparison = Condition::Comparison;

  // tensors.cpp
  void parameters();
  void tensor_parameter(const Node &parameter);
  /// `double w[n][m];` in the function: a local tensor, which begins as zero.
  parse::StatementTree local_array(const Node &variable, const text::Span &name);
  Tensor tensor_of(const Node &declared, const Node &declared_type);
  std::vector<parse::TensorTree> tensors() const;
  /// Integer parameters that the tree mentions, and that are the extent of none of its tensors by themselves.
  std::vector<parse::SizeTree> sizes(const parse::ProgramTree &tree) const;
  parse::Expression access(const Node &node, bool is_target);
  parse::Expression linear_access(const Node &node, int declaration, Tensor &tensor, const Node &subscript);
  parse::Expression scalar_access(const Node &node, Tensor &tensor);
  void use(const Node &node, Tensor &tensor, bool is_target);

  // values.cpp
  parse::Expression value(const Node &node);
  /// Beside complex numbers, or for one: what C computes with real numbers is computed so here, too.
  parse::Expression among_complex(const Node &node);
  /// The operands of a sum, comparison and the like.
  std::vector<parse::Expression> operands(const Node &node);
  /// Does what the program makes of it have a complex type, whatever types it gives the function's locals?
  bool is_surely_complex(const Node &node) const;
  const char *type_of_reals() const { return numbers_ == UnravelFloat ? "f32" : "f64"; }
  const char *type_of_complex() const { return numbers_ == UnravelFloat ? "complex64" : "complex128"; }
  parse::Expression constant(const Node &node);
  /// Of loop variables and sizes, converted to the numbers' type.
  parse::Expression integer_as_number(const Node &node);
  /// Of a function of math.h or complex.h.
  parse::Expression call(const Node &node);
  void check_type(const Node &node);

  // choices.cpp
  /// A condition on numbers, as a value: 1 or 0.
  parse::Expression truth(const Node &node);
  /// Such a one as C's integer, or a sum of several.
  parse::Expression number_of_truths(const Node &node);
  parse::Expression choice_of_numbers(const Node &node);
  /// An `if` whose condition is about numbers: what is assigned under it keeps its value where it doesn't
  /// hold.
  void branch_on_numbers(const Node &node, Body &body);

  // integers.cpp
  Integer integer(const Node &node);
  Polynomial exact(const Node &node, const char *role);
  /// Of a subscript, bound or condition: affine.
  Polynomial affine(const Node &node, const char *role);
  void require_affine(const Polynomial &polynomial, const text::Span &span, const char *role) const;
  Integer choice(const Node &node);
  Integer product(const Node &node);
  Condition condition(const Node &node);
  Condition comparison(const Node &node);
  void check_unsigned(const Node &node, const Integer &value);
  /// Runs where the condition holds.
  template <class Work> auto under(const Condition &condition, Work work) {
    std::size_t facts = facts_.size();
    double pieces = pieces_;
    assume(condition);
    auto result = work();
    facts_.resize(facts);
    pieces_ = pieces;
    return result;
  }
  void assume(const Condition &condition);

  // statements.cpp
  void statements(const std::vector<const Node *> &list, Body &body);
  void statement(const Node &node, Body &body);
  void expression_statement(const Node &node, Body &body);
  void assignment(const Node &node, Body &body);
  void increment(const Node &node, Body &body);
  void declaration(const Node &node, const std::vector<const Node *> &following, Body &body);
  void branch(const Node &node, Body &body);
  Body inner_body(const Node &inside, const text::Span &head);
  void set_integer(const Node &target, const std::string &op, const Integer &by, const text::Span &span);
  parse::StatementTree scalar(int declaration, const std::string &name, const text::Span &name_span,
                              parse::Expression value, const text::Span &span);
  void forget(const std::set<int> &declarations, const std::string &why);

  // loops.cpp
  struct Loop;
  void loop(const Node &node, Body &body);
  Loop head(const Node &node);
  void find_start(const Node &node, Loop &loop);
  void read_condition(const Node &node, Loop &loop);
  void add_bound(const Condition &condition, const Node &whole, Loop &loop);

  // names
  std::string fresh_name(const std::string &wanted, bool is_loop);

  const Node &function_;
  const std::map<int, LinearShape> *shapes_;
  const std::set<int> &signed_sizes_;
  std::map<int, LinearUses> linear_uses_;
  Variables variables_;
  std::map<int, Known> integers_;      // by declaration
  std::map<int, Tensor> tensors_;      // parameters
  std::map<int, std::string> scalars_; // local ones that are in scope: their names in the tree
  struct Pending {
    std::string name;
    text::Span span;
  };
  std::map<int, Pending> pending_; // local ones without an initial value
  ScalarPlaces places_;
  std::set<int> counted_;               // variables of the loops around
  std::set<Variable> counted_unsigned_; // of loops whose C variable is unsigned
  bool in_loop_head_ = false;
  Facts facts_;
  double pieces_ = 1;                        // that the facts have, as a union of polyhedra
  std::set<std::string> reserved_;           // names of parameters
  std::set<std::string> in_scope_;           // names of the loops and scalars around
  std::map<std::string, bool> used_names_;   // of the tree: is it a loop's?
  std::set<std::string> written_;            // all names of the function
  std::optional<UnravelSyntaxType> numbers_; // float or double; complex ones have parts of that type
  const bool has_complex_;
  int depth_ = 0;
};

} // namespace unravel::cfront
