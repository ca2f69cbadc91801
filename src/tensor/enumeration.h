#pragma once

#include "data/random.h"
#include "tensor/evaluator.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace unravel::tensor {

/// All integer values of some variables that satisfy a conjunction over a tensor's arrays, by nested loops:
/// equations give values, inequalities bounds, the rest is tested as soon as its variables are known. Safe on
/// any data. The tensor must outlive it.
class Enumeration {
public:
  /// A variable with bounds of its own: 0 <= variable < bound (a coordinate and its size).
  struct Ranged {
    std::string variable;
    term::Term bound;
  };

  Enumeration(const Tensor &tensor, std::vector<std::string> variables, const term::Term &formula,
              const std::vector<Ranged> &ranged = {});
  Enumeration(Enumeration &&) = default;

  /// The variable that has no bounds; none: it can be enumerated.
  const std::optional<std::string> &unbounded() const { return unbounded_; }

  /// A condition or bound that could not be evaluated, because an array is too short for it or a number too
  /// large; set by run() and sample().
  struct Trouble {
    term::Term condition;
    std::vector<std::int64_t> values; // of the variables; unknown ones are 0
  };

  enum class End { Complete, Stopped, Exhausted, Undefined };

  /// Calls visit(values of the variables) in lexicographic order of the loops until it gives false. `budget`
  /// bounds the number of values tried. The outermost loop may be cut into `parts` stretches of equal length,
  /// to be run in parallel.
  End run(const std::function<bool(const std::int64_t *)> &visit, std::int64_t budget, Trouble &trouble,
          std::size_t part = 0, std::size_t parts = 1) const;

  /// Calls `visit` with `count` random choices, at most: each variable takes its least value or a random one
  /// within its bounds. Choices that fail a condition are not visited.
  End sample(const std::function<bool(const std::int64_t *)> &visit, std::int64_t count, data::Random &random,
             Trouble &trouble) const;

  const std::vector<std::string> &variables() const { return variables_; }

private:
  struct Condition {
    term::Term source;
    Evaluator value;
  };
  /// coefficient * variable + rest >= 0 (or = 0): rest, to be divided by -coefficient.
  struct Bound {
    std::int64_t coefficient;
    bool is_fixed; // the same wherever it is needed, as in p < len(0): not read where it isn't
    Condition rest;
  };
  struct Step {
    std::size_t variable = 0;
    std::vector<Bound> equations, bounds;
    std::vector<Condition> filters;
  };
  struct Walk;

  void plan(std::vector<term::Term> open, const std::vector<Ranged> &ranged);
  bool excludes_all(const std::vector<term::Term> &parts) const;
  bool place_next(std::vector<term::Term> &open, std::vector<bool> &known);
  std::optional<Bound> bound_of(const term::Term &part, std::size_t variable,
                                const std::vector<bool> &known) const;
  bool all_known(const term::Term &term, const std::vector<bool> &known) const;
  bool range(const Step &step, Walk &walk, std::int64_t &low, std::int64_t &high) const;
  bool passes(const std::vector<Condition> &filters, Walk &walk) const;
  bool descend(std::size_t step, Walk &walk) const;

  const Tensor &tensor_;
  std::vector<std::string> variables_;
  std::vector<Condition> first_filters_;
  std::vector<Step> steps_;
  std::optional<std::string> unbounded_;
};

} // namespace unravel::tensor
