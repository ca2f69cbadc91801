#pragma once

#include "term/term.h"

#include <memory>
#include <string>
#include <vector>

/// Questions about integers and uninterpreted functions, answered within a deterministic budget: by a search
/// over differences where these decide (decide.h), else by Z3. The only room that includes Z3.
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
  Unknown,  // budget exhausted: not proved
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

/// A set of axioms and a budget; keeps one incremental solver.
class Prover {
public:
  /// `rlimit`: Z3's own deterministic resource units per question.
  explicit Prover(std::vector<Axiom> axioms, unsigned rlimit = 200000);
  ~Prover();
  Prover(Prover &&) noexcept;
  Prover &operator=(Prover &&) noexcept;

  /// Are the hypotheses contradictory? Axioms are instantiated by hand on the terms of the hypotheses
  /// (quantifier-free), so Possible may be spurious; Refuted is always right. Terms of facts are no
  /// candidates for instances: state `0 <= rowptr(r) <= NNZ` as an axiom where only `rowptr(0) = 0` and
  /// `rowptr(M) = NNZ` are given. Equalities in the hypotheses are used up first, so they cost nothing.
  /// The same hypotheses, in whatever order, are asked and logged once, under their first name.
  Answer refute(const std::string &name, const std::string &about, const std::vector<term::Term> &hypotheses);
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
