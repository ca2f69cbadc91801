#include "choose/dot_products.h"

#include "loop/arrays.h"
#include "cost/thresholds.h"
#include "loop/load.h"
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

/// The inner loop in vectors, for several iterations of the outer one at once. `updates`: these add to one
/// place.
std::vector<Request> several_at_once(const std::string &outer, const std::string &inner, bool updates) {
  Request simd, jam;
  simd.kind = Request::Kind::Vectorise;
  simd.variable = inner;
  simd.updates = true;
  jam.kind = Request::Kind::Jam;
  jam.variable = outer;
  jam.factor = cost::dot_products_at_once;
  jam.updates = updates;
  return {simd, jam};
}

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

/// The loop over what a leaf's parts share innermost, around an inner product in a local value.
class SumsOfParts {
public:
  SumsOfParts(const LoopsOf &leaf, const loop::Program &lowered, const loop::Counts &counts)
      : leaf_(leaf), lowered_(lowered), counts_(counts) {}

  std::vector<Request> requests() {
    const loop::For *outer = nullptr;
    const loop::For *inner = nullptr;
    loop::each_statement(lowered_.body, [&](const Statement &statement) {
      const auto *loop = std::get_if<loop::For>(&statement.kind);
      const loop::For *own = loop && !outer ? inner_product(*loop) : nullptr;
      if (own) outer = loop, inner = own;
    });
    const std::optional<Verdict> carried = outer ? verdict_of(outer->variable) : std::nullopt;
    if (!carried || loop::mean_length(*outer, counts_).value_or(cost::least_jammed) < cost::least_jammed ||
        loops_of(outer->variable) != 1 || loops_of(inner->variable) != 1)
      return {};
    return several_at_once(outer->variable, inner->variable, *carried == Verdict::Reduction);
  }

private:
  std::optional<Verdict> verdict_of(const std::string &variable) const {
    for (const depend::LoopVerdict &each : leaf_.verdicts)
      if (each.variable == variable &&
          (each.verdict == Verdict::Reduction || each.verdict == Verdict::Parallel))
        return each.verdict;
    return {};
  }

  int loops_of(const std::string &variable) const {
    int count = 0;
    loop::each_statement(lowered_.body, [&](const Statement &statement) {
      const auto *loop = std::get_if<loop::For>(&statement.kind);
      count += loop && loop->variable == variable;
    });
    return count;
  }

  /// The first loop in it that is an inner product, where the loops in it may be shared by iterations: all
  /// run over dense modes, and add to local values of an iteration or to elements of the result.
  const loop::For *inner_product(const loop::For &outer) const {
    if (outer.parallel || outer.step != 1 || outer.simd || outer.team) return nullptr;
    const loop::Effects own = loop::effects_of(outer.body);
    const loop::For *found = nullptr;
    for (const Statement &statement : outer.body) {
      if (const auto *add = loop::addition_of(statement); add && !may_add(*add, own)) return nullptr;
      const auto *inner = std::get_if<loop::For>(&statement.kind);
      if (!inner && !loop::addition_of(statement) && !std::holds_alternative<loop::Let>(statement.kind) &&
          !std::holds_alternative<loop::DeclareValue>(statement.kind))
        return nullptr;
      if (!inner) continue;
      const loop::Accumulate *sum = shared_sum(*inner, own);
      if (!sum) return nullptr;
      if (!found && std::holds_alternative<loop::Local>(sum->target) && along(*inner, *sum)) found = inner;
    }
    return found;
  }

  bool may_add(const loop::Accumulate &add, const loop::Effects &own) const {
    if (const auto *local = std::get_if<loop::Local>(&add.target)) return own.declared.contains(local->name);
    const std::string &array = std::get<loop::Element>(add.target).array;
    return !add.atomic && std::none_of(lowered_.workspace.begin(), lowered_.workspace.end(),
                                       [&](const loop::WorkspaceArray &each) { return each.name == array; });
  }

  /// The only statement, behind names, of a loop that has the same range in each iteration of that around.
  const loop::Accumulate *shared_sum(const loop::For &inner, const loop::Effects &own) const {
    const auto is_name = [](const Statement &statement) {
      return std::holds_alternative<loop::Let>(statement.kind);
    };
    const bool sums = !inner.body.empty() && std::all_of(inner.body.begin(), inner.body.end() - 1, is_name);
    const loop::Accumulate *sum = sums ? loop::addition_of(inner.body.back()) : nullptr;
    std::int64_t extent = 0;
    const bool dense = loop::is_plain(inner) && inner.lower == Term(0) &&
                       term::applications_of(inner.upper).empty() && !own.mentions_declared(inner.upper) &&
                       (!term::constant_difference(inner.lower, inner.upper, extent) ||
                        extent >= cost::shortest_dot_product);
    return sum && dense && may_add(*sum, own) ? sum : nullptr;
  }

  static bool along(const loop::For &inner, const loop::Accumulate &sum) {
    bool along = true, any = false;
    term::Substitution lets;
    for (const Statement &statement : inner.body)
      if (const auto *let = std::get_if<loop::Let>(&statement.kind))
        lets.emplace(let->variable, term::substitute(let->value, lets));
    loop::each_element(sum.value, [&](const loop::Element &element) {
      const Term slot = term::substitute(element.slot, lets);
      const bool runs = loop::runs_along(slot, inner.variable);
      any = any || runs;
      along = along && (runs || !term::mentions(slot, inner.variable));
    });
    return along && any;
  }

  const LoopsOf &leaf_;
  const loop::Program &lowered_;
  const loop::Counts &counts_;
};

} // namespace

std::vector<Request> dot_products(const std::vector<LoopsOf> &plans, const loop::Program &lowered,
                                  const loop::Counts &counts) {
  if (plans.size() == 1 && plans.front().plan->parts) {
    const bool in_chunks = std::holds_alternative<plan::Chunks>(plans.front().plan->cut);
    return in_chunks ? SumsOfParts(plans.front(), lowered, counts).requests() : std::vector<Request>{};
  }
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
  return several_at_once(sums->outer, sums->inner, false);
}

} // namespace unravel::choose
