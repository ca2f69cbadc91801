#pragma once

#include "prove/expression.h"
#include "prove/prover.h"

#include <unordered_map>
#include <vector>

/// From a question to a quantifier-free conjunction: equalities are used up, axioms are instantiated.
namespace unravel::prove {

/// A question ready for the solver: the conjunction of all formulas is satisfiable if and only if the
/// original hypotheses with the chosen instances are.
struct Ready {
  std::vector<Id> hypotheses; // what is left of them
  std::vector<Id> instances;  // what is left of the instances, after folding what the hypotheses decide
  bool contradiction = false; // seen without a solver
  bool too_many = false;      // more instances than the limit, or more choices of values to find them
  std::size_t choices = 0;    // that were looked at
  /// Variables that were replaced by a term, in terms of the remaining ones (for models).
  std::vector<std::pair<Id, Id>> eliminated;

  /// What is asked of a solver.
  std::vector<Id> formulas() const {
    std::vector<Id> all = hypotheses;
    all.insert(all.end(), instances.begin(), instances.end());
    return all;
  }
};

class Instances {
public:
  Instances(Expressions &expressions, const std::vector<Axiom> &axioms);

  /// The hypotheses, as one list of conjuncts.
  std::vector<Id> flatten(const std::vector<term::Term> &hypotheses);
  /// Candidates for a bound variable are the arguments of the hypotheses' applications at the places where
  /// the variable occurs in the axiom: at shifted places of one function (rowptr(r), rowptr(r + 1)) all must
  /// be there, places of different functions add up. Leaving instances out is always sound.
  Ready prepare(std::vector<Id> hypotheses);
  /// The same without folding by the hypotheses: the instances as one would write them down, for export.
  std::vector<Id> unfolded(std::vector<Id> hypotheses);

private:
  /// A place where a bound variable stands, plus a constant, as an argument.
  struct Place {
    int function = 0;
    std::size_t argument = 0;
    std::vector<std::int64_t> shifts;
  };
  struct Bound {
    Id variable = 0;
    std::vector<Place> places;
  };
  struct Rule {
    std::vector<Bound> bound;
    std::vector<Id> functions; // that a fact (no bound variables) mentions
    /// guards[k]: the parts of the guard that are known once the first k variables are bound.
    std::vector<std::vector<Id>> guards;
    Id conclusion = 0;
  };
  /// What the hypotheses say at once: linear parts >= a constant; other literals.
  struct Known;
  using Arguments = std::unordered_map<std::uint64_t, std::vector<Id>>;
  struct Search;

  Rule compile(const Axiom &axiom);
  void find_places(Id expression, Bound &bound) const;
  void use_equalities(Ready &ready);
  Arguments arguments_of(const std::vector<Id> &formulas) const;
  std::vector<Id> candidates(const Bound &bound, const Arguments &arguments);
  void instantiate(Ready &ready, const Known *known);
  void enumerate(Search &search, std::size_t depth);
  bool relevant(const Rule &rule, const Arguments &arguments) const;

  Expressions &all_;
  std::vector<Rule> rules_;
};

} // namespace unravel::prove
