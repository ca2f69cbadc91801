#include "choose/loop_requests.h"

#include "choose/parallel.h"
#include "cost/thresholds.h"
#include "loop/arrays.h"
#include "loop/segment.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"
#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace unravel::choose {

using Asked = parse::ScheduleTree::LoopRequest;
using depend::Verdict;
using loop::Request;
using report::Kind;
using scan::Level;
using term::Term;

namespace {

std::string word(Asked::Kind kind) {
  switch (kind) {
  case Asked::Kind::Unroll: return "unrolled";
  case Asked::Kind::Vectorise: return "vectorised";
  case Asked::Kind::Jam: return "jammed";
  }
  return {};
}

std::size_t loops_over(const std::string &variable, const loop::Program &program) {
  std::size_t count = 0;
  loop::each<loop::For>(program.body, [&](const loop::For &loop) { count += loop.variable == variable; });
  return count;
}

bool has_loop(const loop::Program &program, const std::string &variable) {
  return loops_over(variable, program) > 0;
}

/// Threads append what whole iterations make, one after the other.
void check_appends(const Asked &asked, const parse::ScheduleTree &schedule, const loop::Program &lowered) {
  const std::string &variable = asked.variable.text;
  if (std::ranges::none_of(schedule.parallel, [&](const parse::Name &name) { return name.text == variable; }))
    return;
  loop::each_statement(lowered.body, [&](const loop::Statement &statement) {
    const auto *loop = std::get_if<loop::For>(&statement.kind);
    if (loop && loop->variable == variable && loop->parallel && loop->parallel->appended)
      report::fail(Kind::not_supported, asked.span,
                   fmt::format("the loop over `{}` appends to the result in parallel: it can't be {}",
                               variable, word(asked.kind)),
                   asked.kind == Asked::Kind::Unroll
                       ? fmt::format("leave out `parallel {}`, or unroll the loops inside", variable)
                       : "leave the loop as it is");
  });
}

/// The variables of all leaves that have loops, outermost first.
std::vector<std::string> loops_of(const std::vector<LoopsOf> &leaves, const loop::Program &lowered) {
  std::vector<std::string> names;
  for (const LoopsOf &leaf : leaves)
    for (const Level &level : leaf.plan->nest.levels)
      if (!contains(names, level.variable) && (level.is_loop() || has_loop(lowered, level.variable)))
        names.push_back(level.variable);
  return names;
}

/// Why none of the lowered loops is the one over the variable.
std::string why_not_plain(const std::string &variable, const std::vector<LoopsOf> &leaves) {
  for (const LoopsOf &leaf : leaves) {
    const plan::LeafPlan &plan = *leaf.plan;
    const auto level = std::ranges::find(plan.nest.levels, variable, &Level::variable);
    const auto at = static_cast<std::size_t>(level - plan.nest.levels.begin());
    if (plan.sorted && plan.sorted->level == at) return "its values are sorted before they are visited";
    if (plan.merged && plan.merged->level == at) return "it is merged with the loops of other statements";
    if (std::ranges::any_of(plan.finds.levels, [&](auto &find) { return find.is_in_step_with(at); }))
      return "it runs in step with a find";
  }
  return "it is executed otherwise, as the end of a search, or other statements use its name too";
}

void check_once(const std::vector<Asked> &all, std::size_t k) {
  for (std::size_t other = 0; other < k; ++other)
    if (all[other].variable.text == all[k].variable.text)
      report::fail(
          Kind::bad_transformation, all[k].span,
          fmt::format("the loop over `{}` is to be {} already", all[k].variable.text, word(all[other].kind)),
          "ask for one change of a loop");
}

/// By the verdict on one leaf's loop; true where it carries updates.
bool carries_updates(const Asked &asked, const depend::LoopVerdict &verdict) {
  if (verdict.verdict == depend::Verdict::Carried)
    report::fail(Kind::not_parallel, asked.span,
                 fmt::format("the loop over `{}` can't be {}: it carries a dependence", asked.variable.text,
                             word(asked.kind)),
                 verdict.witness.empty() ? "`unravel deps` shows the dependence"
                                         : "two iterations that conflict: " + verdict.witness);
  return verdict.verdict == depend::Verdict::Reduction;
}

/// How the loop over the variable stands in one leaf.
enum class Place { None, Loop, Shared, Searched };

Place place_in(const LoopsOf &leaf, const std::string &variable) {
  const std::vector<std::string> &loops = leaf.space->loops;
  const auto own = loops.begin() + static_cast<std::ptrdiff_t>(leaf.plan->shared);
  if (std::find(loops.begin(), own, variable) != own) return Place::Shared;
  for (const Level &level : leaf.plan->nest.levels) {
    if (level.variable != variable) continue;
    if (level.is_loop()) return Place::Loop;
    return level.is_find() ? Place::Searched : Place::None;
  }
  return Place::None;
}

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

std::optional<Verdict> verdict_of(const std::string &variable, const LoopsOf &leaf) {
  const auto found = std::ranges::find(leaf.verdicts, variable, &depend::LoopVerdict::variable);
  return found == leaf.verdicts.end() ? std::nullopt : std::optional(found->verdict);
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
    const bool is_range = contains(ranges, levels[k].variable);
    if (!levels[k].guards.empty() || (levels[k].is_find() && !is_range)) return {};
    if (levels[k].is_loop() || is_range) loops.push_back(k);
  }
  if (loops.size() < 2) return {};
  const auto [inner, outer] = std::pair(loops[0], loops[1]);
  if (!is_dense(levels[inner], leaf.plan->nest) || !is_long(levels[outer]) || leaf.plan->parallel == inner ||
      verdict_of(levels[inner].variable, leaf) != Verdict::Reduction ||
      verdict_of(levels[outer].variable, leaf) != Verdict::Parallel)
    return {};
  return Sums{levels[outer].variable, levels[inner].variable};
}

/// The addition that is all that the loop does, behind names; else null.
const loop::Accumulate *only_sum(const loop::For &loop) {
  const auto is_name = [](const loop::Statement &statement) {
    return std::holds_alternative<loop::Let>(statement.kind);
  };
  const bool sums = !loop.body.empty() && std::all_of(loop.body.begin(), loop.body.end() - 1, is_name);
  return sums ? loop::addition_of(loop.body.back()) : nullptr;
}

/// Whether the elements that it adds lie one behind the other, or stay the same, but not all of them.
bool runs_along(const loop::For &loop, const loop::Accumulate &sum) {
  bool along = true, any = false;
  const term::Substitution lets = loop::lets_of(loop.body);
  loop::each_element(sum.value, [&](const loop::Element &element) {
    const Term slot = term::substitute(element.slot, lets);
    const bool runs = loop::runs_along(slot, loop.variable);
    any = any || runs;
    along = along && (runs || !term::mentions(slot, loop.variable));
  });
  return along && any;
}

/// Does it add such a product to an element that stays the same?
bool adds_to_one_element(const loop::For &loop) {
  const loop::Accumulate *sum = only_sum(loop);
  const auto *target = sum ? std::get_if<loop::Element>(&sum->target) : nullptr;
  return target && !sum->atomic &&
         !term::mentions(term::substitute(target->slot, loop::lets_of(loop.body)), loop.variable) &&
         runs_along(loop, *sum);
}

/// Whether the loop holds nothing but the loop over `inner` and what goes with its sum.
bool holds_sum(const loop::For &loop, const std::string &inner) {
  bool found = false;
  for (const loop::Statement &statement : loop.body) {
    if (const auto *sum = std::get_if<loop::For>(&statement.kind)) {
      if (found || sum->variable != inner || !adds_to_one_element(*sum)) return false;
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
    loop::each_statement(lowered_.body, [&](const loop::Statement &statement) {
      const auto *loop = std::get_if<loop::For>(&statement.kind);
      const loop::For *own = loop && !outer ? inner_product(*loop) : nullptr;
      if (own) outer = loop, inner = own;
    });
    const std::optional<Verdict> carried = outer ? verdict_of(outer->variable, leaf_) : std::nullopt;
    if (!carried || *carried == Verdict::Carried ||
        loop::mean_length(*outer, counts_).value_or(cost::least_jammed) < cost::least_jammed ||
        loops_over(outer->variable, lowered_) != 1 || loops_over(inner->variable, lowered_) != 1)
      return {};
    return several_at_once(outer->variable, inner->variable, *carried == Verdict::Reduction);
  }

private:
  /// The first loop in it that is an inner product, where the loops in it may be shared by iterations: all
  /// run over dense modes, and add to local values of an iteration or to elements of the result.
  const loop::For *inner_product(const loop::For &outer) const {
    if (outer.parallel || outer.step != 1 || outer.simd || outer.team) return nullptr;
    const loop::Effects own = loop::effects_of(outer.body);
    const loop::For *found = nullptr;
    for (const loop::Statement &statement : outer.body) {
      if (const auto *add = loop::addition_of(statement); add && !may_add(*add, own)) return nullptr;
      const auto *inner = std::get_if<loop::For>(&statement.kind);
      if (!inner && !loop::addition_of(statement) && !std::holds_alternative<loop::Let>(statement.kind) &&
          !std::holds_alternative<loop::DeclareValue>(statement.kind))
        return nullptr;
      if (!inner) continue;
      const loop::Accumulate *sum = shared_sum(*inner, own);
      if (!sum) return nullptr;
      if (!found && std::holds_alternative<loop::Local>(sum->target) && runs_along(*inner, *sum))
        found = inner;
    }
    return found;
  }

  bool may_add(const loop::Accumulate &add, const loop::Effects &own) const {
    if (const auto *local = std::get_if<loop::Local>(&add.target)) return own.declared.contains(local->name);
    const std::string &array = std::get<loop::Element>(add.target).array;
    return !add.atomic && std::ranges::none_of(lowered_.workspace, [&](const loop::WorkspaceArray &each) {
      return each.name == array;
    });
  }

  /// The only statement, behind names, of a loop that has the same range in each iteration of that around.
  const loop::Accumulate *shared_sum(const loop::For &inner, const loop::Effects &own) const {
    const loop::Accumulate *sum = only_sum(inner);
    std::int64_t extent = 0;
    const bool dense = loop::is_plain(inner) && inner.lower == Term(0) &&
                       term::applications_of(inner.upper).empty() && !own.mentions_declared(inner.upper) &&
                       (!term::constant_difference(inner.lower, inner.upper, extent) ||
                        extent >= cost::shortest_dot_product);
    return sum && dense && may_add(*sum, own) ? sum : nullptr;
  }

  const LoopsOf &leaf_;
  const loop::Program &lowered_;
  const loop::Counts &counts_;
};

} // namespace

std::vector<std::string> ranges_of(const plan::LeafPlan &plan, const loop::Program &lowered) {
  std::vector<std::string> found;
  for (const plan::LevelPlan &find : plan.finds.levels) {
    const std::string &variable = plan.nest.levels[find.level].variable;
    if (!find.unique && find.contiguous && has_loop(lowered, variable)) found.push_back(variable);
  }
  return found;
}

std::vector<loop::Request> loop_requests(const parse::ScheduleTree &schedule,
                                         const std::vector<LoopsOf> &leaves, const loop::Program &lowered) {
  std::vector<loop::Request> requests;
  for (std::size_t k = 0; k < schedule.loops.size(); ++k) {
    const Asked &asked = schedule.loops[k];
    const std::string &variable = asked.variable.text;
    check_once(schedule.loops, k);
    std::vector<std::string> loops = loops_of(leaves, lowered);
    if (!contains(loops, variable)) fail_no_loop(asked.variable, loops);
    if (!has_loop(lowered, variable))
      report::fail(Kind::not_supported, asked.variable.span,
                   fmt::format("the loop over `{}` isn't a plain loop of this kernel", variable),
                   why_not_plain(variable, leaves));
    check_appends(asked, schedule, lowered);
    loop::Request request;
    request.variable = variable;
    request.factor = asked.factor;
    request.span = asked.span;
    switch (asked.kind) {
    case Asked::Kind::Unroll: request.kind = loop::Request::Kind::Unroll; break;
    case Asked::Kind::Vectorise: request.kind = loop::Request::Kind::Vectorise; break;
    case Asked::Kind::Jam: request.kind = loop::Request::Kind::Jam; break;
    }
    for (const LoopsOf &leaf : leaves) {
      Place place = place_in(leaf, variable);
      if (asked.kind == Asked::Kind::Unroll || place == Place::None) continue;
      if (place == Place::Shared)
        report::fail(Kind::not_supported, asked.span,
                     fmt::format("the loop over `{}` is shared by several statements: it can't be {} yet",
                                 variable, word(asked.kind)),
                     fmt::format("`unroll {} by 2` works, and changes of a statement's own loops", variable));
      const std::vector<std::string> ranges = ranges_of(*leaf.plan, lowered);
      if (place == Place::Searched && !contains(ranges, variable))
        report::fail(
            Kind::not_supported, asked.span,
            fmt::format("the loop over `{}` is a search: it can't be {}", variable, word(asked.kind)),
            "change the loops around it, or those inside");
      for (const depend::LoopVerdict &verdict : leaf.verdicts)
        if (verdict.variable == variable)
          request.updates = carries_updates(asked, verdict) || request.updates;
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

std::vector<Request> dot_products(const std::vector<LoopsOf> &plans, const loop::Program &lowered,
                                  const loop::Counts &counts) {
  if (plans.size() == 1 && plans.front().plan->has_planned_parts()) {
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
  std::size_t good = 0;
  loop::each<loop::For>(lowered.body, [&](const loop::For &loop) {
    good += loop.variable == sums->outer && holds_sum(loop, sums->inner);
  });
  const std::size_t all = loops_over(sums->outer, lowered) + loops_over(sums->inner, lowered);
  if (good != plans.size() || all != 2 * plans.size()) return {};
  return several_at_once(sums->outer, sums->inner, false);
}

} // namespace unravel::choose
