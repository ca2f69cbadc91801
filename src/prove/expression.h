#pragma once

#include "term/term.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

/// Terms inside the prover: hash-consed nodes that are compared, folded and substituted by number. A question
/// makes hundreds of axiom instances, most of which fold away or have been made before; on `Term` values this
/// took most of the time of a proof.
namespace unravel::prove {

/// An expression's number: equal numbers are equal expressions.
using Id = int;

enum class Op : unsigned char {
  Variable,
  Apply,
  FloorDivide,
  Modulo,
  Product,
  Minimum,
  Maximum,
  Linear,
  Equal,   // child = 0
  AtLeast, // child >= 0
  And,
  Or,
  Not,
};

/// Fields that an op doesn't use keep their defaults, so that structural equality is equality of all fields.
struct Expression {
  Op op = Op::Linear;
  int symbol = -1;                        // Variable, Apply: the name
  std::int64_t number = 0;                // Linear: the constant; FloorDivide, Modulo: the divisor
  std::vector<Id> children;               // Linear: atoms by rising number
  std::vector<std::int64_t> coefficients; // Linear: not 0, one per child
  bool open = false;                      // a bound variable of an axiom occurs
  bool applies = false;                   // an application occurs

  bool operator==(const Expression &other) const;
};

/// Thrown where a coefficient leaves 64 bits; the question is then Unknown.
struct Overflow {};

/// The expressions of one prover. Numbers stay valid for its life.
class Expressions {
public:
  Expressions();

  /// A term as an expression; `bound` gives the numbers of variables that an axiom binds.
  Id import(const term::Term &term, const std::map<std::string, Id> &bound);
  /// Without bound variables: each term is read once.
  Id import(const term::Term &term);
  Id bound_variable(const std::string &name);

  Id constant(std::int64_t value);
  Id linear(std::vector<std::pair<Id, std::int64_t>> parts, std::int64_t constant);
  Id apply(int function, std::vector<Id> arguments);
  /// a + factor * b
  Id add(Id a, std::int64_t factor, Id b);
  Id plus(Id a, std::int64_t constant);
  Id equal_zero(Id a);
  Id at_least_zero(Id a);
  Id conjunction(const std::vector<Id> &parts) { return junction(Op::And, parts); }
  Id disjunction(const std::vector<Id> &parts) { return junction(Op::Or, parts); }
  Id negation(Id formula);
  Id truth() const { return truth_; }
  Id falsity() const { return falsity_; }

  /// The expression without its constant, and the constant: a = first + second.
  std::pair<Id, std::int64_t> split(Id a);

  const Expression &operator[](Id id) const { return nodes_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return nodes_.size(); }
  const std::string &name(int symbol) const { return names_[static_cast<std::size_t>(symbol)]; }

  /// A substitution of variables, all at once. Keep it as long as the bindings are the same: it remembers
  /// what it has done.
  class Substitution {
  public:
    explicit Substitution(Expressions &all) : all_(all) {}
    void bind(Id variable, Id value) { bound_.emplace_back(variable, value); }
    void unbind() { bound_.pop_back(); }
    /// Arguments of applications that, after substitution, equal `from` become `to` (a variable).
    void fold_argument(Id from, Id to) { folds_.emplace(from, to); }
    Id operator()(Id expression);
    /// For small formulas: subexpressions without bound variables are left alone unseen, nothing is
    /// remembered, and the bindings may change.
    void only_open() { only_open_ = true; }

  private:
    Id rebuild(const Expression &node);
    Id value_of(Id variable) const;
    Expressions &all_;
    std::vector<std::pair<Id, Id>> bound_;
    std::unordered_map<Id, Id> done_;
    std::unordered_map<Id, Id> folds_;
    bool only_open_ = false;
  };

private:
  Id intern(Expression node);
  Id make_negation(Id formula);
  Id junction(Op op, const std::vector<Id> &parts);
  Id divide(Op op, Id numerator, std::int64_t divisor);
  int symbol(const std::string &name);

  std::deque<Expression> nodes_; // references stay valid
  std::vector<Id> negations_;    // by number, -1 where not asked for yet
  std::unordered_multimap<std::size_t, Id> by_hash_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> symbols_;
  std::unordered_map<term::Term, Id> imported_;
  Id truth_ = 0;
  Id falsity_ = 0;
};

} // namespace unravel::prove
