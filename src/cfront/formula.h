#pragma once

#include "cfront/polynomial.h"
#include "parse/tree.h"
#include "term/term.h"

#include <optional>
#include <string>
#include <vector>

namespace unravel::cfront {

/// The variables of a program, by their names in the tree, and what is known of them.
class Variables {
public:
  /// `is_natural`: of a size, it isn't negative.
  Variable add(std::string name, bool is_loop, bool is_natural = false);
  const std::string &name(Variable variable) const { return all_[static_cast<std::size_t>(variable)].name; }
  bool is_loop(Variable variable) const { return all_[static_cast<std::size_t>(variable)].is_loop; }
  bool is_natural(Variable variable) const { return all_[static_cast<std::size_t>(variable)].is_natural; }
  /// A loop's variable occurs.
  bool has_loop(const Polynomial &polynomial) const;

  /// The sum as text of the program. Precondition: it is affine.
  parse::Expression expression(const Polynomial &affine, const text::Span &span) const;
  /// For the prover; products are variables of their own.
  term::Term term(const Polynomial &polynomial) const;
  /// The variable that has this name in terms.
  std::optional<Variable> find(const std::string &term_name) const;
  /// What sizes are not negative.
  std::vector<term::Term> natural_sizes() const;

private:
  struct Entry {
    std::string name;
    bool is_loop = false;
    bool is_natural = false;
  };
  std::vector<Entry> all_;
};

/// A condition on loop variables and sizes.
struct Condition {
  using Comparison = parse::Expression::Comparison;
  enum class Kind { Truth, Falsity, Compare, And, Or };

  Kind kind = Kind::Truth;
  text::Span span;
  Comparison comparison = Comparison::Equal; // of a Compare
  Polynomial left, right;
  std::vector<Condition> children; // of And, Or

  static Condition compare(Polynomial left, Comparison comparison, Polynomial right, const text::Span &span);
  /// `kind`: And or Or; one child stands for itself.
  static Condition of(Kind kind, std::vector<Condition> children, const text::Span &span);
};

parse::Expression::Comparison negated(parse::Expression::Comparison comparison);
/// a < b as b > a.
parse::Expression::Comparison turned(parse::Expression::Comparison comparison);
Condition negated(const Condition &condition);

/// Preconditions of both: its sides are affine.
parse::Expression expression(const Condition &condition, const Variables &variables);
term::Term term(const Condition &condition, const Variables &variables);

/// How many polyhedra the condition's set is made of, at most.
double pieces(const Condition &condition);

/// Whether the facts exclude that the polynomial is negative.
bool is_natural(const Polynomial &polynomial, const std::vector<term::Term> &facts,
                const Variables &variables);

} // namespace unravel::cfront
