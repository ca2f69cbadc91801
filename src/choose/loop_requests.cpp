#include "choose/loop_requests.h"

#include "loop/walk.h"
#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::choose {

using report::Kind;
using Asked = parse::ScheduleTree::LoopRequest;
using scan::Level;

namespace {

std::string word(Asked::Kind kind) {
  switch (kind) {
  case Asked::Kind::Unroll: return "unrolled";
  case Asked::Kind::Vectorise: return "vectorised";
  case Asked::Kind::Jam: return "jammed";
  }
  return {};
}

bool has_loop(const loop::Program &program, const std::string &variable) {
  bool found = false;
  loop::each_statement(program.body, [&](const loop::Statement &statement) {
    const auto *loop = std::get_if<loop::For>(&statement.kind);
    found = found || (loop && loop->variable == variable);
  });
  return found;
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
    if (!contains(loops, variable))
      report::fail(Kind::unknown_variable, asked.variable.span,
                   fmt::format("there is no loop over `{}`", variable),
                   loops.empty() ? "the kernel has no loops"
                                 : fmt::format("the loops are {}", fmt::join(loops, ", ")));
    if (!has_loop(lowered, variable))
      report::fail(Kind::not_supported, asked.variable.span,
                   fmt::format("the loop over `{}` isn't a plain loop of this kernel", variable),
                   "it runs in step with a find, or other statements use its name too");
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
                     fmt::format("`unroll {}` works, and changes of a statement's own loops", variable));
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

} // namespace unravel::choose
