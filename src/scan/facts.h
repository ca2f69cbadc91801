#pragma once

#include "prove/prover.h"
#include "scan/known.h"

#include <set>
#include <vector>

/// Facts about array values: axioms of at most three quantified variables, instantiated on the applications
/// that are known at a level, where what is enforced there implies their guard.
namespace unravel::scan {

class Facts {
public:
  explicit Facts(const std::vector<prove::Axiom> &axioms) : axioms_(axioms) {}

  /// What holds of sizes and counts alone.
  term::Term about_sizes() const;

  /// Adds to `known` every conclusion whose guard it implies, for instances on the given applications;
  /// repeated until nothing new follows.
  void extend(Known &known, const std::set<term::Term> &applications);

private:
  struct Instance {
    term::Term guard;
    term::Term conclusion;
  };
  /// The values of a quantified variable at which some pattern of the axiom is a known application.
  std::set<term::Term> candidates(const prove::Axiom &axiom, const std::string &quantified,
                                  const std::set<term::Term> &applications) const;
  std::vector<Instance> instances(const std::set<term::Term> &applications) const;

  const std::vector<prove::Axiom> &axioms_;
  std::set<term::Term> used_; // instances (as implications) that are in `known` already
};

} // namespace unravel::scan
