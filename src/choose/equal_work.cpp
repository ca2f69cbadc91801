#include "choose/equal_work.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::choose {

using plan::LeafPlan;
using scan::Level;
using term::Term;

namespace {

/// Follows the segments of one iteration inwards.
class NestedSegments {
public:
  NestedSegments(const LeafPlan &plan, std::size_t level, prove::Prover &prover)
      : plan_(plan), level_(level), loop_(plan.nest.levels[level]), prover_(prover), parent_(loop_.variable),
        begin_(term::variable(loop_.variable)) {}

  /// The bounds of a level, over the variables of loops alone.
  Level resolved(Level level) const {
    level.lower = scan::through_lets(level.lower, plan_.nest.levels, level_ + 1);
    level.upper = scan::through_lets(level.upper, plan_.nest.levels, level_ + 1);
    return level;
  }

  /// Whether the level's range begins where that of the iteration before ends, of the loop or segment that
  /// was followed last.
  bool continues(const Level &inner) const {
    Level level = resolved(inner);
    Term next = term::substitute(level.lower, {{parent_, term::variable(parent_) + Term(1)}});
    return term::mentions(level.lower, parent_) && next == level.upper;
  }

  /// The first position of the level's range, over the loop's variable; from here on those inside are
  /// followed.
  Term follow(const Level &inner) {
    begin_ = term::substitute(resolved(inner).lower, {{parent_, begin_}});
    parent_ = inner.variable;
    return begin_;
  }

  /// For each iteration of the loop (with the end, where `also_end`): it can't be.
  bool never(const char *name, const Term &what, bool also_end) {
    Term variable = term::variable(loop_.variable);
    return prover_.refute(
               name, loop_.variable,
               {term::at_most(loop_.lower, variable),
                also_end ? term::at_most(variable, loop_.upper) : term::less(variable, loop_.upper), what}) ==
           prove::Answer::Refuted;
  }

  bool increases(const Term &begin) {
    Term next = term::substitute(begin, {{loop_.variable, term::variable(loop_.variable) + Term(1)}});
    return never("segments in turn", term::less(next, begin), false);
  }

  /// Also at the end of the loop's range.
  bool can_be_read(const Term &begin) {
    std::vector<Term> loads = term::applications_of(begin);
    return std::ranges::all_of(loads, [&](const Term &load) {
      const auto *call = load.as<term::Apply>();
      auto extents = plan_.nest.arrays.find(call->function);
      if (extents == plan_.nest.arrays.end() || extents->second.size() != call->arguments.size())
        return false;
      for (std::size_t k = 0; k < call->arguments.size(); ++k)
        if (!never("slot below 0", term::less(call->arguments[k], Term(0)), true) ||
            !never("slot behind the array", term::at_most(extents->second[k], call->arguments[k]), true))
          return false;
      return true;
    });
  }

  /// Whether what is before the ends can also be asked for where there is no iteration: the range isn't
  /// turned round.
  bool when_empty() {
    return prover_.refute("a loop's end before its begin", loop_.variable,
                          {term::less(loop_.upper, loop_.lower)}) == prove::Answer::Refuted;
  }

  /// Why positions that begin there don't say how much is to be done; empty: they do.
  std::string problem_with(const Term &begin) {
    if (increases(begin) && can_be_read(begin)) return "";
    return fmt::format("`{}` is not proved to increase and to stay inside its array", term::to_text(begin));
  }

private:
  const LeafPlan &plan_;
  const std::size_t level_;
  const Level &loop_;
  prove::Prover &prover_;
  std::string parent_; // the loop whose iterations the next segments belong to
  Term begin_;         // its first iteration, over the loop's variable
};

const char *property_hint =
    "state the property in the layout (`increasing rowptr`, its first and last values), or "
    "choose `dynamic`";

} // namespace

WorkBefore positions_before(const LeafPlan &plan, std::size_t level, prove::Prover &prover) {
  const std::vector<Level> &levels = plan.nest.levels;
  NestedSegments segments(plan, level, prover);
  Term before = term::variable(levels[level].variable);
  bool found = false;
  for (std::size_t k = level + 1; k < levels.size(); ++k) {
    if (!levels[k].is_loop() || !segments.continues(levels[k])) continue;
    Term begin = segments.follow(levels[k]);
    if (std::string problem = segments.problem_with(begin); !problem.empty()) {
      if (!found) return {std::nullopt, problem, property_hint};
      break; // what is known further outside will do
    }
    before = before + begin;
    found = true;
  }
  if (!found)
    return {std::nullopt,
            fmt::format("no loop inside runs over segments that follow each other, as `rowptr({0})` to "
                        "`rowptr({0} + 1)` do",
                        levels[level].variable),
            "choose `static`, `dynamic` or `guided`"};
  return {plan::EqualWork{before, segments.when_empty()}, "", ""};
}

WorkBefore positions_before(const std::vector<const LeafPlan *> &plans, const scan::Node &loop,
                            prove::Prover &prover) {
  std::optional<plan::EqualWork> equal;
  WorkBefore problem;
  for (const LeafPlan *plan : plans) {
    LeafPlan own = *plan;
    Level &level = own.nest.levels[loop.depth]; // what it says must hold for all that the loop runs over
    level.lower = loop.lower, level.upper = loop.upper;
    WorkBefore found = positions_before(own, loop.depth, prover);
    if (!found.equal) {
      if (problem.problem.empty()) problem = std::move(found);
    } else if (!equal) {
      equal = std::move(found.equal);
    } else {
      equal->before = equal->before + found.equal->before - term::variable(loop.variable);
    }
  }
  if (!equal) return problem;
  return {std::move(equal), "", ""};
}

WorkBefore pairs_before(const LeafPlan &plan, std::size_t level, std::size_t inside, prove::Prover &prover) {
  const std::vector<Level> &levels = plan.nest.levels;
  NestedSegments segments(plan, level, prover);
  for (std::size_t k = level + 1; k < inside; ++k)
    if (!levels[k].is_let())
      return {std::nullopt, fmt::format("`{}` stands between them", levels[k].variable),
              "fuse a loop with the one directly inside"};
  const Level inner = segments.resolved(levels[inside]);
  const Term variable = term::variable(levels[level].variable);
  Term before(0);
  if (segments.continues(levels[inside])) {
    before = segments.follow(levels[inside]);
    if (std::string problem = segments.problem_with(before); !problem.empty())
      return {std::nullopt, problem, property_hint};
  } else {
    Term length = inner.upper - inner.lower;
    if (term::mentions(inner.lower, levels[level].variable) ||
        term::mentions(inner.upper, levels[level].variable))
      return {std::nullopt,
              fmt::format("the ranges of `{}` neither follow each other nor are the same for all `{}`",
                          inner.variable, levels[level].variable),
              "use `parallel " + levels[level].variable + " dynamic`"};
    before = term::multiply(variable, length);
    if (!segments.never("a range turned round", term::less(length, Term(0)), true))
      return {std::nullopt, fmt::format("the range of `{}` may end before it begins", inner.variable),
              "leave out `fuse`"};
  }
  return {plan::EqualWork{before + variable, segments.when_empty(), inside}, "", ""};
}

} // namespace unravel::choose
