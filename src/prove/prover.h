#pragma once

#include "prove/budget.h"
#include "term/term.h"

#include <memory>
#include <string>
#include <vector>

/// Questions about integers and uninterpreted functions, each answered within a deterministic limit: by a
/// search over differences where these decide (decide.h), else by Z3. The only room that includes Z3.
namespace unravel::prove {

/// forall variables: guard => conclusion. Without variables: a fact. The guard contains the domain guards
/// (0 <= argument < extent) of every application in the formula.
struct Axiom {
  std::string text; // as shown to the user
  std::vector<std::string> variables;
  term::Term guard; // truth() where there is none
  term::Term conclusion;
};

enum class Answer {
  Refuted,  // the hypotheses contradict the axioms: the obligation is proved
  Possible, // satisfiable as far as the instances of the axioms tell
  Unknown,  // given up, or not asked since the compilation's budget was spent: not proved
};

/// One question that was asked, kept for `explain` and for export.
struct Question {
  std::string name;  // "O-stop up >", as in docs/find-synthesis
  std::string about; // "x.p": the variable or piece it is about
  std::vector<term::Term> hypotheses;
  Answer answer = Answer::Unknown;
  double milliseconds = 0; // CPU time of the thread
  int instances = 0;       // axiom instances used
};

/// What Z3 found where it answered Possible: values of the variables and applications of the question.
struct Model {
  std::vector<std::pair<std::string, std::int64_t>> values;
};

/// Z3's own deterministic resource units per question.
inline constexpr unsigned default_rlimit = 200000;

/// A set of axioms; keeps one incremental solver.
class Prover {
public:
  /// `budget`: for optional questions; none:
  /// without a limit.
  explicit Prover(std::vector<Axiom> axioms, unsigned rlimit = default_rlimit,
                  std::shared_ptr<Budget> budget = nullptr);
  ~Prover();
  Prover(Prover &&) noexcept;
  Prover &operator=(Prover &&) noexcept;

  /// Are the hypotheses contradictory? Axioms are instantiated by hand on the terms of the hypotheses
  /// (quantifier-free), so Possible may be spurious; Refuted is always right. Terms of facts are no
  /// candidates for instances: state `0 <= rowptr(r) <= NNZ` as an axiom where only `rowptr(0) = 0` and
  /// `rowptr(M) = NNZ` are given. Equalities in the hypotheses are used up first, so they cost nothing.
  /// The same hypotheses, in whatever order, are asked and logged once, under their first name.
  Answer refute(const std::string &name, const std::string &about, const std::vector<term::Term> &hypotheses);

  /// While one is in scope, questions are asked only as long as the budget lasts; then each is answered by
  /// Unknown, and the budget notes the purpose. An empty purpose: they must be asked.
  class Optional {
  public:
    Optional(Prover &prover, std::string purpose);
    ~Optional();
    Optional(const Optional &) = delete;
    Optional &operator=(const Optional &) = delete;

  private:
    Prover &prover_;
    std::string outer_; // the purpose that this one stands in front of
  };
  /// What questions are for at this place; empty: they must be asked.
  const std::string &purpose() const;
  /// Is there time for such questions?
  bool may_ask() const;
  Budget &budget();

  /// Z3's own answer to question `index` of the log, which may have been answered without it.
  Answer ask_z3(std::size_t index);
  /// The model of the last question if its answer was Possible (computed only now).
  Model model_of_last();

  const std::vector<Axiom> &axioms() const;
  const std::vector<Question> &log() const;
  /// The index in the log of what was last asked, now or before. Precondition: something was asked.
  std::size_t last() const;
  /// Question `index` of the log as an SMT-LIB 2 script that ends in (check-sat), with the instances used;
  /// status and name in a comment. z3 the program gives the same answer.
  std::string smtlib(std::size_t index) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace unravel::prove
