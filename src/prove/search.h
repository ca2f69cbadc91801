#pragma once

#include "prove/differences.h"
#include "prove/expression.h"

#include <array>
#include <optional>
#include <vector>

/// A small solver for clauses over differences: decisions, unit propagation, learnt clauses. The questions of
/// find synthesis have some dozen unknowns; Z3 spends most of its time on setting up such a question.
namespace unravel::prove {

/// 2 * variable, plus 1 for the negation.
using Literal = int;

inline Literal opposite(Literal literal) {
  return literal ^ 1;
}

class Search {
public:
  enum class Result { Impossible, Possible, GivenUp };

  /// A variable that says nothing of differences.
  Literal add_variable();
  /// A variable that is true exactly if the difference holds.
  Literal add_variable(const Difference &difference);
  /// One whose truth means both differences, and whose falsity says nothing of them.
  Literal add_variable(const Difference &first, const Difference &second);
  /// Takes back all decisions.
  void add_clause(std::vector<Literal> clause);
  Differences &differences() { return differences_; }
  std::size_t variables() const { return variables_.size(); }
  /// More than so many must not be added (see Differences).
  static constexpr std::size_t most_variables = 1 << 10;

  /// Impossible: the clauses contradict each other. Possible: under the values of the unknowns every clause
  /// has a literal that holds or is assumed; variables without differences mean nothing to the values.
  /// GivenUp: more than `effort` literals were propagated, in all calls so far.
  Result solve(std::size_t effort);
  /// The greatest effort (see Differences).
  static constexpr std::size_t most_effort = std::size_t{1} << 20;

private:
  struct Variable {
    std::array<Difference, 2> yes;
    int yes_count = 0;
    bool exact = false; // false means not yes[0]
    signed char value = -1;
    int level = 0;
    int reason = -1; // the clause that forced it
    bool seen = false;
  };

  Variable &variable(Literal literal) { return variables_[static_cast<std::size_t>(literal >> 1)]; }
  /// 1, 0, or -1 where it isn't assigned.
  int assigned(Literal literal) {
    signed char value = variable(literal).value;
    return value < 0 ? -1 : value ^ (literal & 1);
  }
  bool is_true(Literal literal);
  int level() const { return static_cast<int>(limits_.size()); }
  void assign(Literal literal, int reason);
  bool enforce(Literal literal);
  bool propagate();
  bool visit_clauses(Literal falsified);
  void back_to(int level);
  int learn(std::vector<Literal> &learnt);
  void attach(std::vector<Literal> clause);
  bool resolve_conflict();
  Literal choose();

  struct Limit {
    std::size_t trail = 0;
    std::size_t differences = 0;
  };

  Differences differences_;
  std::vector<Variable> variables_;
  std::vector<std::vector<Literal>> clauses_; // the first two literals are watched
  std::vector<std::vector<int>> watches_;     // per literal the clauses that watch it
  std::vector<int> given_;                    // clauses that were not learnt
  std::vector<Literal> trail_;
  std::vector<Limit> limits_;
  std::size_t next_ = 0;          // of the trail, not propagated yet
  std::vector<Literal> conflict_; // all false
  bool contradiction_ = false;
  std::size_t spent_ = 0;
};

// ---- Questions that are mostly about differences, decided without Z3.

/// Can all formulas hold? True only with values for every variable and application that were put into every
/// formula; false only where the comparisons of the form x - y >= c, with everything else free, leave no way.
/// None where neither is seen within the effort (literals that are propagated): the solver is to be asked.
std::optional<bool> decide(Expressions &expressions, const std::vector<Id> &formulas, std::size_t effort);

} // namespace unravel::prove
