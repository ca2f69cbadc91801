#include "tensor/enumeration.h"

#include "term/nesting.h"
#include "term/quotient.h"

#include <algorithm>

namespace unravel::tensor {

using data::Random;
using term::Term;

/// The state of one enumeration.
struct Enumeration::Walk {
  std::vector<std::int64_t> values;
  const std::function<bool(const std::int64_t *)> &visit;
  std::int64_t budget;
  Trouble &trouble;
  Random *random = nullptr;
  std::size_t part = 0, parts = 1;
  End end = End::Complete;

  bool stop(End why) {
    end = why;
    return false;
  }
  bool undefined(const Term &condition) {
    trouble = {condition, values};
    return stop(End::Undefined);
  }
};

Enumeration::Enumeration(const Tensor &tensor, std::vector<std::string> variables, const Term &formula,
                         const std::vector<Ranged> &ranged)
    : tensor_(tensor), variables_(std::move(variables)) {
  plan(term::conjuncts(formula), ranged);
}

bool Enumeration::all_known(const Term &term, const std::vector<bool> &known) const {
  for (std::size_t v = 0; v < variables_.size(); ++v)
    if (!known[v] && term::mentions(term, variables_[v])) return false;
  return true;
}

std::optional<Enumeration::Bound> Enumeration::bound_of(const Term &part, std::size_t variable,
                                                        const std::vector<bool> &known) const {
  const auto *compare = part.as<term::Compare>();
  if (!compare) return std::nullopt;
  std::int64_t coefficient = term::coefficient_of(compare->left, variables_[variable]);
  if (coefficient == 0) return std::nullopt;
  Term rest = compare->left - term::scale(coefficient, term::variable(variables_[variable]));
  if (term::mentions(rest, variables_[variable]) || !all_known(rest, known)) return std::nullopt;
  const bool is_fixed =
      std::ranges::none_of(variables_, [&](const std::string &name) { return term::mentions(rest, name); });
  return Bound{coefficient, is_fixed, {part, Evaluator(rest, tensor_, variables_)}};
}

namespace {

bool is_equation(const Term &part) {
  const auto *compare = part.as<term::Compare>();
  return compare && compare->relation == term::Relation::Equal;
}

} // namespace

/// Adds the step of one more variable: one that an equation determines, else the first that is bounded.
bool Enumeration::place_next(std::vector<Term> &open, std::vector<bool> &known) {
  auto place = [&](std::size_t v, Step step) {
    known[v] = true;
    step.variable = v;
    std::vector<Term> left;
    for (const Term &part : open) {
      bool bounds = std::any_of(step.bounds.begin(), step.bounds.end(),
                                [&](auto &bound) { return bound.rest.source == part; }) ||
                    std::any_of(step.equations.begin(), step.equations.end(),
                                [&](auto &bound) { return bound.rest.source == part; });
      if (bounds) continue;
      if (all_known(part, known))
        step.filters.push_back({part, Evaluator(part, tensor_, variables_)});
      else
        left.push_back(part);
    }
    open = std::move(left);
    steps_.push_back(std::move(step));
    return true;
  };
  for (std::size_t v = 0; v < variables_.size(); ++v)
    for (const Term &part : open)
      if (!known[v] && is_equation(part))
        if (std::optional<Bound> equation = bound_of(part, v, known)) {
          Step step;
          step.equations.push_back(std::move(*equation));
          return place(v, std::move(step));
        }
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    if (known[v]) continue;
    Step step;
    bool low = false, high = false;
    for (const Term &part : open)
      if (!is_equation(part))
        if (std::optional<Bound> bound = bound_of(part, v, known)) {
          low = low || bound->coefficient > 0;
          high = high || bound->coefficient < 0;
          step.bounds.push_back(std::move(*bound));
        }
    if (low && high) return place(v, std::move(step));
  }
  return false;
}

/// Do bounds that are known at once leave a variable no value? Then no array is read, as by kernels: a loop
/// over it has no iteration.
bool Enumeration::excludes_all(const std::vector<Term> &parts) const {
  const std::vector<bool> none(variables_.size(), false);
  Trouble trouble;
  const std::function<bool(const std::int64_t *)> nothing;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    Step step;
    for (const Term &part : parts)
      if (std::optional<Bound> bound = is_equation(part) ? std::nullopt : bound_of(part, v, none))
        if (term::applications_of(part).empty()) step.bounds.push_back(std::move(*bound));
    Walk walk{std::vector<std::int64_t>(variables_.size()), nothing, 0, trouble};
    std::int64_t low = 0, high = 0;
    if (range(step, walk, low, high) && low > high) return true;
  }
  return false;
}

void Enumeration::plan(std::vector<Term> open, const std::vector<Ranged> &ranged) {
  if (excludes_all(open)) {
    first_filters_.push_back({term::falsity(), Evaluator(term::falsity(), tensor_, variables_)});
    return;
  }
  // As kernels test them: `0 <= ptr(p)` before what is read at ptr(p).
  std::ranges::stable_sort(open, {}, term::nesting_of);
  std::vector<bool> known(variables_.size(), false);
  std::vector<Term> left;
  for (Term &part : open)
    if (all_known(part, known))
      first_filters_.push_back({part, Evaluator(part, tensor_, variables_)});
    else
      left.push_back(std::move(part));
  open = std::move(left);
  std::vector<Ranged> unused = ranged;
  for (;;) {
    if (place_next(open, known)) continue;
    auto unknown = [&](const Ranged &range) {
      auto v = std::find(variables_.begin(), variables_.end(), range.variable) - variables_.begin();
      return !known[static_cast<std::size_t>(v)];
    };
    // As a last resort a variable's own range is a bound like any other.
    auto next = std::find_if(unused.begin(), unused.end(), unknown);
    if (next == unused.end()) break;
    for (const Term &part :
         term::conjuncts(term::between(Term(0), term::variable(next->variable), next->bound)))
      open.push_back(part);
    unused.erase(next);
  }
  for (std::size_t v = 0; v < variables_.size() && !unbounded_; ++v)
    if (!known[v]) unbounded_ = variables_[v];
}

bool Enumeration::passes(const std::vector<Condition> &filters, Walk &walk) const {
  for (const Condition &filter : filters) {
    std::optional<std::int64_t> holds = filter.value.evaluate(walk.values.data());
    if (!holds) return walk.undefined(filter.source);
    if (*holds == 0) return false;
  }
  return true;
}

/// The values low <= variable <= high that a step's equations or bounds allow. False: trouble.
bool Enumeration::range(const Step &step, Walk &walk, std::int64_t &low, std::int64_t &high) const {
  low = INT64_MIN;
  high = INT64_MAX;
  auto narrow = [&](const Bound &bound, bool both) {
    std::optional<std::int64_t> rest = bound.rest.value.evaluate(walk.values.data());
    if (!rest || *rest == INT64_MIN || bound.coefficient == INT64_MIN)
      return walk.undefined(bound.rest.source);
    // coefficient * v >= -rest: v >= ceil(-rest / coefficient), or v <= floor(rest / -coefficient)
    std::int64_t down = bound.coefficient > 0 ? term::floor_quotient(-*rest, bound.coefficient)
                                              : term::floor_quotient(*rest, -bound.coefficient);
    std::int64_t up = bound.coefficient > 0 ? -term::floor_quotient(*rest, bound.coefficient)
                                            : -term::floor_quotient(-*rest, -bound.coefficient);
    if (bound.coefficient > 0 || both) low = std::max(low, up);
    if (bound.coefficient < 0 || both) high = std::min(high, down);
    return true;
  };
  for (const Bound &equation : step.equations)
    if (!narrow(equation, true)) return false;
  for (const Bound &bound : step.bounds)
    if (!(bound.is_fixed && low > high) && !narrow(bound, false)) return false;
  return true;
}

namespace {

/// One of `parts` stretches of low .. high; an empty one is low > high.
void take_part(std::int64_t &low, std::int64_t &high, std::size_t part, std::size_t parts) {
  std::uint64_t step = (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)) / parts + 1;
  std::uint64_t begin = 0;
  std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (__builtin_mul_overflow(step, static_cast<std::uint64_t>(part), &begin) || begin > width) {
    low = 1;
    high = 0;
    return;
  }
  std::uint64_t end = std::min(width, begin + (step - 1) < begin ? width : begin + (step - 1));
  high = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + end);
  low = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + begin);
}

} // namespace

/// False: stop.
bool Enumeration::descend(std::size_t number, Walk &walk) const {
  if (number == steps_.size()) {
    if (!walk.visit(walk.values.data())) return walk.stop(End::Stopped);
    return true;
  }
  const Step &step = steps_[number];
  std::int64_t low = 0, high = 0;
  if (!range(step, walk, low, high)) return false;
  if (low > high) return true;
  if (number == 0 && walk.parts > 1) take_part(low, high, walk.part, walk.parts);
  if (low > high) return true;
  if (walk.random) {
    std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    bool least = width == UINT64_MAX || walk.random->below(2) == 0;
    if (!least)
      low = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + walk.random->below(width + 1));
    high = low;
  }
  for (std::int64_t value = low;; ++value) {
    if (walk.budget-- <= 0) return walk.stop(End::Exhausted);
    walk.values[step.variable] = value;
    if (passes(step.filters, walk)) {
      if (!descend(number + 1, walk)) return false;
    } else if (walk.end != End::Complete) {
      return false;
    }
    if (value == high) break;
  }
  walk.values[step.variable] = 0;
  return true;
}

Enumeration::End Enumeration::run(const std::function<bool(const std::int64_t *)> &visit, std::int64_t budget,
                                  Trouble &trouble, std::size_t part, std::size_t parts) const {
  Walk walk{std::vector<std::int64_t>(variables_.size()), visit, budget, trouble, nullptr, part, parts};
  if (passes(first_filters_, walk)) descend(0, walk);
  return walk.end;
}

Enumeration::End Enumeration::sample(const std::function<bool(const std::int64_t *)> &visit,
                                     std::int64_t count, Random &random, Trouble &trouble) const {
  Walk walk{std::vector<std::int64_t>(variables_.size()), visit, INT64_MAX, trouble, &random};
  if (!passes(first_filters_, walk)) return walk.end;
  for (std::int64_t k = 0; k < count; ++k)
    if (!descend(0, walk)) return walk.end;
  return walk.end;
}

} // namespace unravel::tensor
