#include "choose/dot_products.h"

#include "cost/thresholds.h"
#include "loop/dense_sum.h"
#include "loop/walk.h"

#include <algorithm>
#include <optional>

namespace unravel::choose {

using depend::Verdict;
using loop::Request;
using loop::Statement;
using scan::Level;
using term::Term;

namespace {

/// The loops of a leaf: `inner` sums up what belongs to one iteration of `outer`, directly around it.
struct Sums {
  std::string outer, inner;
};

bool has(Verdict verdict, const Level &level, const LoopsOf &leaf) {
  return std::any_of(leaf.verdicts.begin(), leaf.verdicts.end(), [&](const depend::LoopVerdict &each) {
    return each.variable == level.variable && each.verdict == verdict;
  });
}

/// The same range wherever it is entered, and not known to be short.
bool is_dense(const Level &level, const scan::Nest &nest) {
  if (!term::applications_of(level.lower).empty() || !term::applications_of(level.upper).empty())
    return false;
  for (const Level &outer : nest.levels)
    if (term::mentions(level.lower, outer.variable) || term::mentions(level.upper, outer.variable))
      return false;
  std::int64_t extent = 0;
  return !term::constant_difference(level.lower, level.upper, extent) || extent >= cost::shortest_dot_product;
}

/// Blocks and the like get their constant bounds in a pass of their own.
bool is_long(const Level &level) {
  std::int64_t extent = 0;
  return !term::constant_difference(level.lower, level.upper, extent) && !level.upper.as<term::Minimum>() &&
         !level.lower.as<term::Maximum>();
}

std::optional<Sums> sums_of(const LoopsOf &leaf, const loop::Program &lowered) {
  const std::vector<Level> &levels = leaf.plan->nest.levels;
  const std::vector<std::string> ranges = ranges_of(*leaf.plan, lowered);
  std::vector<std::size_t> loops; // from the innermost one outwards, as long as no guard stands between
  for (std::size_t k = levels.size(); k-- > 0 && loops.size() < 2;) {
    const bool is_range = std::find(ranges.begin(), ranges.end(), levels[k].variable) != ranges.end();
    if (!levels[k].guards.empty() || (levels[k].kind == Level::Kind::Find && !is_range)) return {};
    if (levels[k].kind == Level::Kind::Loop || is_range) loops.push_back(k);
  }
  if (loops.size() < 2) return {};
  const auto [inner, outer] = std::pair(loops[0], loops[1]);
  if (!is_dense(levels[inner], leaf.plan->nest) || !is_long(levels[outer]) || leaf.plan->parallel == inner ||
      !has(Verdict::Reduction, levels[inner], leaf) || !has(Verdict::Parallel, levels[outer], leaf))
    return {};
  return Sums{levels[outer].variable, levels[inner].variable};
}

/// Whether the body is an addition to an element that stays the same, of a product whose elements lie one
/// behind the other, or stay the same too.
bool runs_along(const loop::For &loop) {
  bool along = false, astray = false;
  term::Substitution lets;
  for (const Statement &statement : loop.body) {
    if (const auto *let = std::get_if<loop::Let>(&statement.kind)) {
      lets.emplace(let->variable, term::substitute(let->value, lets));
      continue;
    }
    const loop::Accumulate *add = loop::addition_of(statement);
    const auto *target = add ? std::get_if<loop::Element>(&add->target) : nullptr;
    if (!target || add->atomic || term::mentions(term::substitute(target->slot, lets), loop.variable))
      return false;
    loop::each_element(add->value, [&](const loop::Element &element) {
      const Term slot = term::substitute(element.slot, lets);
      const bool moves = loop::runs_along(slot, loop.variable);
      along = along || moves;
      astray = astray || (!moves && term::mentions(slot, loop.variable));
    });
  }
  return along && !astray;
}

/// Whether the loop holds nothing but the loop over `inner` and what goes with its sum.
bool holds_sum(const loop::For &loop, const std::string &inner) {
  bool found = false;
  for (const Statement &statement : loop.body) {
    if (const auto *sum = std::get_if<loop::For>(&statement.kind)) {
      if (found || sum->variable != inner || !runs_along(*sum)) return false;
      found = true;
    } else if (!std::holds_alternative<loop::Let>(statement.kind) &&
               !std::holds_alternative<loop::Store>(statement.kind)) {
      return false;
    }
  }
  return found;
}

} // namespace

std::vector<Request> dot_products(const std::vector<LoopsOf> &plans, const loop::Program &lowered) {
  std::optional<Sums> sums; // the same in each
  for (const LoopsOf &each : plans) {
    if (!std::holds_alternative<plan::Chunks>(each.plan->cut)) return {};
    std::optional<Sums> own = sums_of(each, lowered);
    if (!own || (sums && (own->outer != sums->outer || own->inner != sums->inner))) return {};
    sums = std::move(own);
  }
  if (!sums) return {};
  std::size_t good = 0, all = 0;
  loop::each_statement(lowered.body, [&](const Statement &statement) {
    const auto *loop = std::get_if<loop::For>(&statement.kind);
    all += loop && (loop->variable == sums->outer || loop->variable == sums->inner);
    good += loop && loop->variable == sums->outer && holds_sum(*loop, sums->inner);
  });
  if (good != plans.size() || all != 2 * plans.size()) return {};
  Request simd, jam;
  simd.kind = Request::Kind::Vectorise;
  simd.variable = sums->inner;
  simd.updates = true;
  jam.kind = Request::Kind::Jam;
  jam.variable = sums->outer;
  jam.factor = cost::dot_products_at_once;
  return {simd, jam};
}

} // namespace unravel::choose
