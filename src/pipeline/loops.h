#pragma once

#include "choose/loop_requests.h"
#include "loop/passes.h"
#include "pipeline.h"
#include "pipeline/steps.h"

#include <set>
#include <vector>

/// From lowered loops to those that are emitted: changes that the user asks for, inner products at once,
/// passes.
namespace unravel::pipeline {

class Loops {
public:
  /// What was lowered, and from what.
  struct Input {
    const Request &request;
    const combine::Combination &combination;
    /// Its leaves before the transformations.
    const std::vector<combine::IterationSpace> &untransformed;
    const std::vector<Leaf> &leaves;
    const parse::ScheduleTree &schedule;
    prove::Prover &prover;
    bool details = false; // of dependences
  };
  explicit Loops(const Input &input);

  /// Throws where what the schedule asks for can't be done.
  loop::Program improve(loop::Program lowered, Steps &steps) const;

  /// Loads that are in bounds wherever their variables are known: so says each nest that has these.
  loop::Safe is_safe() const;

private:
  /// loop::NameElements, by the layouts' properties and the program's preconditions.
  bool names_elements(const std::string &keys, const term::Term &extent, const loop::Program &program) const;
  std::vector<loop::Request> changes(const loop::Program &lowered) const;
  /// `blas`; throws where no nest is a call.
  loop::Program with_blas(loop::Program lowered) const;

  Input in_;
  std::set<term::Term> safe_;
};

} // namespace unravel::pipeline
