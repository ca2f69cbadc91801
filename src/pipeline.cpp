// The table of contents of the compiler: the steps in their order, each timed and printed.
#include "pipeline.h"

#include "choose/alternatives.h"
#include "choose/loop_requests.h"
#include "choose/statements.h"
#include "choose/threads.h"
#include "choose/thresholds.h"
#include "choose/wavefronts.h"
#include "combine/structure.h"
#include "find/plan.h"
#include "layout/layout.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "pipeline/stopwatch.h"
#include "report/diagnostic.h"
#include "scan/divided.h"
#include "scan/scan.h"
#include "scan/uses.h"
#include "schedule/sequence.h"
#include "schedule/transform.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace unravel::pipeline {

using report::Kind;

namespace {

/// Runs the steps; keeps time and, with details, what each printed.
class Steps {
public:
  Steps(std::vector<Stage> &stages, bool details) : stages_(stages), details_(details) {}

  template <class Work, class Print> auto run(const std::string &name, Work work, Print print) {
    Stopwatch watch;
    auto result = work();
    double spent = watch.milliseconds();
    add(name, spent, [&] { return print(result); });
    return result;
  }

  /// A step that was done.
  template <class Print> void add(const std::string &name, double milliseconds, Print print) {
    stages_.push_back({name, details_ ? print() : std::string(), milliseconds});
  }

private:
  std::vector<Stage> &stages_;
  bool details_;
};

find::Requests find_requests(const parse::ScheduleTree &schedule) {
  static const std::map<std::string, find::Method> methods = {
      {"direct", find::Method::Direct},  {"probe", find::Method::Probe},
      {"seq", find::Method::Sequential}, {"gallop", find::Method::Galloping},
      {"binary", find::Method::Binary},  {"hash", find::Method::Hash},
      {"map", find::Method::Map},        {"scan", find::Method::Scan}};
  find::Requests requests;
  for (const parse::ScheduleTree::Find &find : schedule.finds) {
    if (find.method.text == "auto") continue;
    requests.insert_or_assign(
        find.target.text, // the parser knows the names of methods
        find::Request(methods.at(find.method.text), find.target.span, find.method.span));
  }
  return requests;
}

using Distrusted = std::set<std::string>; // properties, as "A: increasing rowptr"

std::string name_of(const std::string &tensor, const layout::Property &property) {
  return fmt::format("{}: {}", tensor, property.axiom.text);
}

/// The layout without the properties of the tensor that are distrusted, with the lemmas that still follow;
/// nothing where all are trusted.
std::optional<layout::Layout> weaker_layout(const std::string &tensor, const layout::Layout &layout,
                                            const Distrusted &distrusted) {
  layout::Layout weaker = layout;
  if (std::erase_if(weaker.properties,
                    [&](auto &each) { return distrusted.count(name_of(tensor, each)) > 0; }) == 0)
    return std::nullopt;
  weaker.lemmas.clear();
  layout::derive_lemmas(weaker);
  return weaker;
}

/// The axioms without the properties that are distrusted and the lemmas that don't follow without these.
void leave_out(combine::Combination &combination, const Distrusted &distrusted) {
  Distrusted dropped = distrusted;
  for (const combine::Binding &binding : combination.bindings) {
    std::optional<layout::Layout> weaker = weaker_layout(binding.tensor, binding.layout, dropped);
    if (!weaker) continue;
    for (const layout::Property &lemma : binding.layout.lemmas)
      if (std::none_of(weaker->lemmas.begin(), weaker->lemmas.end(),
                       [&](auto &each) { return each.axiom.text == lemma.axiom.text; }))
        dropped.insert(name_of(binding.tensor, lemma));
  }
  std::erase_if(combination.axioms, [&](const prove::Axiom &axiom) { return dropped.count(axiom.text) > 0; });
}

/// An operand's structure must be one without the properties that are distrusted too.
void check_structure(const Front &front, const Distrusted &distrusted) {
  std::map<std::string, layout::Layout> layouts = front.layouts;
  bool news = false;
  for (auto &[tensor, layout] : layouts)
    if (std::optional<layout::Layout> weaker = weaker_layout(tensor, layout, distrusted))
      layout = std::move(*weaker), news = true;
  if (news) combine::structure_like(front.computation, layouts, *front.like);
}

/// Of several leaves those that the properties exclude: of a symmetric matrix times itself, what is stored on
/// one side and meant on the other. (What is empty without a property isn't there any more.)
/// `before`: the same leaves before they were transformed.
void drop_excluded(combine::Combination &combination, std::vector<combine::IterationSpace> &before,
                   prove::Prover &prover) {
  if (combination.leaves.size() < 2) return;
  for (std::size_t k = combination.leaves.size(); k-- > 0;)
    if (prover.refute("empty leaf", "", term::conjuncts(combination.leaves[k].relation)) ==
        prove::Answer::Refuted) {
      combination.leaves.erase(combination.leaves.begin() + static_cast<std::ptrdiff_t>(k));
      before.erase(before.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

std::vector<std::string> loops_of(const scan::Nest &nest) {
  std::vector<std::string> loops;
  for (const scan::Level &level : nest.levels)
    if (level.kind == scan::Level::Kind::Loop) loops.push_back(level.variable);
  return loops;
}

/// Finds for which nothing better than a scan was proved are made known to loop-order planning: an order that
/// doesn't need them may cost less. False when nothing new was learnt.
bool another_order_may_help(const Leaf &leaf, schedule::Scans &scans) {
  bool news = false;
  for (const find::LevelPlan &plan : leaf.plan.finds.levels) {
    if (plan.method != find::Method::Scan) continue;
    std::vector<std::string> keys;
    const scan::Level &level = leaf.plan.nest.levels[plan.level];
    for (const scan::Component &component : level.components)
      for (const term::Term &application : term::applications_of(component.key))
        if (term::mentions(application, level.variable)) keys.push_back(term::to_text(application));
    std::sort(keys.begin(), keys.end());
    news = scans.insert(keys).second || news;
  }
  return news;
}

/// A parallel loop inside a serial one wakes its team in every round: not worth it below so many iterations.
constexpr std::int64_t least_inner_iterations = 4096;

bool is_inner_loop(const Leaf &leaf, std::size_t level) {
  const auto &levels = leaf.plan.nest.levels;
  return std::any_of(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(level),
                     [](const scan::Level &outer) { return outer.kind != scan::Level::Kind::Let; });
}

/// A reduction of an outermost loop into one element: threads may add to copies of it.
bool adds_up(const Leaf &leaf, const depend::LoopVerdict &verdict, std::size_t level,
             const combine::IterationSpace &space) {
  const auto &levels = leaf.plan.nest.levels;
  return verdict.verdict == depend::Verdict::Reduction && !is_inner_loop(leaf, level) &&
         std::none_of(levels.begin(), levels.end(), [&](const scan::Level &each) {
           return term::mentions(space.target.slot, each.variable);
         });
}

const depend::LoopVerdict &verdict_of(const Leaf &leaf, std::size_t level) {
  return *std::find_if(leaf.verdicts.begin(), leaf.verdicts.end(), [&](const depend::LoopVerdict &verdict) {
    return verdict.variable == leaf.plan.nest.levels[level].variable;
  });
}

/// A reduction of an outermost loop into elements: threads may add to copies of the result, where they share
/// no states and no maps.
bool may_have_copies(const Leaf &leaf, const depend::LoopVerdict &verdict, std::size_t level,
                     const combine::IterationSpace &space) {
  return !space.reads(space.target.tensor) && !space.sets && space.target.local.empty() &&
         verdict.verdict == depend::Verdict::Reduction && !is_inner_loop(leaf, level) &&
         leaf.plan.finds.levels.empty();
}

/// Whether the value lies in [0, end) in all iterations of the loop. (What is outside may be left to guards.)
bool lies_inside(const term::Term &value, const term::Term &end, const scan::Level &loop,
                 prove::Prover &prover) {
  const term::Term iteration = term::between(loop.lower, term::variable(loop.variable), loop.upper);
  auto never = [&](const term::Term &outside) {
    std::vector<term::Term> hypotheses = term::conjuncts(iteration);
    hypotheses.push_back(outside);
    return prover.refute("row outside", loop.variable, hypotheses) == prove::Answer::Refuted;
  };
  return never(term::less(value, term::Term(0))) && never(term::at_most(end, value));
}

/// The level that gives the result's first coordinate, which ends at `end`, a value that increases in the
/// outermost loop; a dense position, which does so anyway, is none.
std::optional<std::size_t> increasing_level(const Leaf &leaf, const combine::IterationSpace &space,
                                            const term::Term &end, prove::Prover &prover) {
  const auto &levels = leaf.plan.nest.levels;
  if (space.target.slots.empty() || levels.empty() || levels[0].kind != scan::Level::Kind::Loop ||
      !levels[0].guards.empty())
    return std::nullopt;
  for (std::size_t k = 1; k < levels.size(); ++k) {
    const scan::Level &level = levels[k];
    if (level.kind != scan::Level::Kind::Let || !level.guards.empty()) break;
    if (term::variable(level.variable) != space.target.slots[0]) continue;
    for (std::size_t between = 1; between < k; ++between)
      if (term::mentions(level.value, levels[between].variable)) return std::nullopt;
    // Of single elements nothing would be gained.
    std::size_t inside = k + 1;
    while (inside < levels.size() && levels[inside].kind == scan::Level::Kind::Let)
      ++inside;
    bool has_rows = inside < levels.size() && levels[inside].kind == scan::Level::Kind::Loop;
    if (!has_rows || term::applications_of(level.value).empty() ||
        !depend::strictly_increases(level.value, levels[0].variable, levels[0].lower, levels[0].upper,
                                    prover) ||
        !lies_inside(level.value, end, levels[0], prover))
      return std::nullopt;
    return k;
  }
  return std::nullopt;
}

/// A loop whose iterations all have one element of the result carries nothing where only one of them does
/// anything, as where a key is found: nothing that threads could share.
bool has_elements_of_its_own(const Leaf &leaf, std::size_t level, const combine::IterationSpace &space) {
  std::set<std::string> inside; // variables whose values come from this loop or from one inside
  auto comes_from_inside = [&](const term::Term &term) {
    std::set<std::string> variables = term::variables_of(term);
    return std::any_of(variables.begin(), variables.end(),
                       [&](auto &name) { return inside.count(name) > 0; });
  };
  const auto &levels = leaf.plan.nest.levels;
  for (std::size_t k = level; k < levels.size(); ++k) {
    const scan::Level &each = levels[k];
    bool own = k == level || each.kind == scan::Level::Kind::Loop;
    if (each.kind == scan::Level::Kind::Let) own = own || comes_from_inside(each.value);
    for (const scan::Component &component : each.components) // 2*i = target has its value from the target
      own = own || !term::applications_of(component.key).empty() || comes_from_inside(component.target);
    if (own) inside.insert(each.variable);
  }
  return comes_from_inside(space.target.slot);
}

/// The loop that runs in parallel: the outermost that carries nothing, the outermost of all if it adds up one
/// sum, or the one that was asked for. An inner loop that is known to be short stays serial.
std::optional<std::size_t> choose_parallel(const Leaf &leaf, const parse::ScheduleTree &schedule,
                                           const find::Lengths &lengths,
                                           const combine::IterationSpace &space) {
  auto level_of = [&](const std::string &variable) {
    std::size_t index = 0;
    while (leaf.plan.nest.levels[index].variable != variable)
      ++index;
    return index;
  };
  if (!schedule.parallel.empty()) {
    const parse::Name &wanted = schedule.parallel.front();
    for (const depend::LoopVerdict &verdict : leaf.verdicts) {
      if (verdict.variable != wanted.text) continue;
      std::size_t level = level_of(verdict.variable);
      if (adds_up(leaf, verdict, level, space) || may_have_copies(leaf, verdict, level, space)) return level;
      if (verdict.verdict == depend::Verdict::Parallel) {
        if (has_elements_of_its_own(leaf, level, space)) return level;
        report::fail(Kind::not_parallel, wanted.span,
                     fmt::format("at most one iteration of the loop over `{}` does anything", wanted.text),
                     "choose another loop");
      }
      report::fail(Kind::not_parallel, wanted.span,
                   fmt::format("the loop over `{}` can't run in parallel: it carries a {}", wanted.text,
                               verdict.verdict == depend::Verdict::Reduction ? "reduction" : "dependence"),
                   verdict.witness.empty() ? "`unravel deps` shows the dependence"
                                           : "two iterations that conflict: " + verdict.witness);
    }
    report::fail(Kind::unknown_variable, wanted.span, fmt::format("there is no loop over `{}`", wanted.text),
                 fmt::format("the loops are {}", fmt::join(loops_of(leaf.plan.nest), ", ")));
  }
  if (schedule.serial) return std::nullopt;
  for (const depend::LoopVerdict &verdict : leaf.verdicts) {
    std::size_t level = level_of(verdict.variable);
    if (adds_up(leaf, verdict, level, space)) return level;
    if (verdict.verdict != depend::Verdict::Parallel || !has_elements_of_its_own(leaf, level, space))
      continue;
    auto length = lengths.find(verdict.variable);
    bool is_short = length != lengths.end() && length->second < static_cast<double>(least_inner_iterations);
    return is_short && is_inner_loop(leaf, level) ? std::nullopt : std::optional(level);
  }
  return std::nullopt;
}

} // namespace

double Compilation::milliseconds() const {
  double sum = 0;
  for (const Stage &stage : stages)
    sum += stage.milliseconds;
  return sum;
}

Compilation compile(const Request &request) {
  return compile(request, read_request(request));
}

Compilation compile(const Request &request, const Front &front) {
  Compilation result;
  Steps steps(result.stages, request.details);
  auto no_text = [](const auto &) { return std::string(); };

  const parse::ScheduleTree &schedule = front.schedule;
  find::Requests requests = find_requests(schedule);

  result.computation = front.computation;
  result.layouts = front.layouts;
  result.structure = front.structure;
  result.warnings = front.warnings;
  if (!front.program.empty()) steps.add("program", 0, [&] { return front.program; });
  steps.add("layouts and computation", front.milliseconds,
            [&] { return compute::to_text(result.computation); });

  result.combination = steps.run(
      "iteration space",
      [&] { return combine::combine(result.computation, result.layouts, result.structure); },
      [](const combine::Combination &made) { return combine::to_text(made); });
  Distrusted distrusted(request.distrusted.begin(), request.distrusted.end());
  leave_out(result.combination, distrusted);
  if (front.like) check_structure(front, distrusted);
  const std::vector<prove::Axiom> &axioms = result.combination.axioms;
  auto make_prover = [&] {
    result.prover = steps.run("prover", [&] { return std::make_shared<prove::Prover>(axioms); }, no_text);
  };
  const bool details = request.details || !schedule.parallel.empty() || !schedule.loops.empty();
  if (result.combination.is_program) {
    make_prover();
    prove::Prover &prover = *result.prover;
    steps.run(
        "statements",
        [&] {
          schedule::as_assignment(result.combination, prover);
          if (!result.combination.is_program) return &result.combination;
          for (const combine::IterationSpace &space : result.combination.leaves)
            choose::require_single_value(space, prover);
          schedule::distribute(result.combination, request.counts, prover);
          return &result.combination;
        },
        [](const combine::Combination *made) { return combine::to_text(*made); });
    if (result.combination.is_program && !schedule.transformations.empty())
      report::fail(Kind::not_supported, schedule.transformations.front().span,
                   "a program of several statements can't be transformed yet",
                   "`order`, `parallel` and `find` work; or give each statement a kernel of its own");
  }
  std::vector<combine::IterationSpace> untransformed = result.combination.leaves;
  Stopwatch transforming;
  schedule::transform(result.combination, schedule);
  if (!schedule.transformations.empty())
    steps.add("transformations", transforming.milliseconds(),
              [&] { return combine::to_text(result.combination); });
  // A fixed extent changes axioms.
  if (!result.prover || !schedule.transformations.empty()) make_prover();

  drop_excluded(result.combination, untransformed, *result.prover);

  const bool is_program = result.combination.is_program;
  std::vector<std::string> findable; // by the statements of a program: what requests may name
  std::set<std::size_t> as_written;  // statements of a program whose own loops stay in the source's order
  auto plan_leaf = [&](const combine::IterationSpace &space, const schedule::Counts &counts) {
    Leaf leaf;
    auto number = static_cast<std::size_t>(&space - result.combination.leaves.data());
    const combine::IterationSpace &original = untransformed[number];
    if (is_program) leaf.plan.shared = schedule::shared_depth(result.combination, number);
    schedule::Scans scans;
    std::set<std::string> wanted; // what the user wants found
    for (const auto &[name, method] : requests)
      wanted.insert(name);
    find::Lengths lengths; // of the current order, where the data are known
    auto plan_finds = [&](const find::Requests &methods) {
      if (!counts.empty()) lengths = schedule::trip_counts(space, leaf.order, counts);
      return steps.run(
          "finds",
          [&] {
            // The values of a program may change while a map would keep them.
            return find::plan_finds(leaf.plan.nest, *result.prover, methods, lengths,
                                    is_program ? std::set<std::string>()
                                               : scan::value_positions(space, leaf.plan.nest));
          },
          [&](const find::FindPlan &plan) { return find::to_text(plan, leaf.plan.nest); });
    };
    do {
      leaf.order = steps.run(
          "loop order",
          [&] {
            std::vector<parse::Name> given =
                schedule::without_others(schedule.order, space, result.combination);
            if (is_program) {
              std::size_t fixed = as_written.contains(number) ? space.loops.size() : leaf.plan.shared;
              std::vector<parse::Name> first;
              for (std::size_t k = 0; k < fixed; ++k)
                first.push_back({space.loops[k], {}});
              first.insert(first.end(), given.begin(), given.end());
              return schedule::plan_statement(space, counts, scans, wanted, first);
            }
            if (space.added.empty())
              return given.empty() ? schedule::plan_order(space, counts, scans, wanted)
                                   : schedule::complete_order(space, given);
            // The loops are planned as if nothing had been added to them.
            schedule::Order planned = schedule::plan_order(original, counts, scans, {}, given);
            for (const std::string &name : planned)
              if (std::none_of(given.begin(), given.end(), [&](auto &each) { return each.text == name; }))
                given.push_back({name, {}});
            return schedule::complete_order(space, schedule::place_added(space, given));
          },
          [](const schedule::Order &order) { return fmt::format("{}\n", fmt::join(order, ", ")); });
      leaf.plan.nest = steps.run(
          "scan",
          [&] {
            if (space.divisors.empty())
              return scan::scan_space(space, leaf.order, axioms, result.combination.arrays);
            scan::DividedNest divided =
                scan::scan_divided(space, leaf.order, axioms, result.combination.arrays);
            leaf.plan.instances = divided.instances;
            leaf.plan.divisor_conditions = std::move(divided.conditions);
            return std::move(divided.nest);
          },
          [](const scan::Nest &nest) { return scan::to_text(nest); });
      leaf.plan.finds = plan_finds({});
    } while (schedule.order.empty() && another_order_may_help(leaf, scans));
    // What the user asks for decides how entries are found, not in which order they are visited.
    if (!requests.empty() && is_program) { // each statement has those of them that are about its finds
      std::vector<std::string> names = find::names_of_finds(leaf.plan.nest);
      findable.insert(findable.end(), names.begin(), names.end());
      find::Requests own = requests;
      std::erase_if(own, [&](const auto &each) {
        return std::find(names.begin(), names.end(), each.first) == names.end();
      });
      if (!own.empty()) leaf.plan.finds = plan_finds(own);
    } else if (!requests.empty()) {
      leaf.plan.finds = plan_finds(requests);
    }
    leaf.verdicts = steps.run(
        "dependences",
        [&] {
          return depend::classify(space.relation, leaf.order, loops_of(leaf.plan.nest),
                                  depend::references(space), *result.prover, details);
        },
        [](const auto &verdicts) { return depend::to_text(verdicts); });
    if (schedule.chunk) leaf.plan.chunk = static_cast<int>(*schedule.chunk);
    if (leaf.plan.shared == 0 && space.divisors.empty())
      leaf.plan.parallel = leaf.parallel = choose_parallel(
          leaf, is_program ? choose::asked_of(schedule, leaf.plan.nest) : schedule, lengths, space);
    if (schedule.parallel.empty() && !schedule.serial && !is_program)
      if (auto level = choose::level_for_copies(leaf.plan, space, result.combination))
        if (may_have_copies(leaf, verdict_of(leaf, *level), *level, space))
          leaf.plan.parallel = leaf.parallel = level;
    leaf.plan.brief = choose::brief_level(leaf.plan, lengths);
    if (!result.combination.accumulate && result.combination.leaves.size() == 1)
      if (const auto &extents = result.combination.arrays.at(space.target.array); !extents.empty())
        leaf.plan.increasing = increasing_level(leaf, space, extents[0], *result.prover);
    if (leaf.plan.parallel) {
      leaf.plan.reduces = adds_up(leaf, verdict_of(leaf, *leaf.plan.parallel), *leaf.plan.parallel, space);
      leaf.plan.copies =
          !leaf.plan.reduces && verdict_of(leaf, *leaf.plan.parallel).verdict == depend::Verdict::Reduction;
      bool inner = is_inner_loop(leaf, *leaf.plan.parallel);
      choose::share_out(leaf.plan, space, result.combination, schedule.chunk.has_value());
      if (inner) leaf.plan.work.reset(), leaf.plan.least = least_inner_iterations;
      // Who asks for a parallel loop, means it.
      if (request.always_parallel || !schedule.parallel.empty()) leaf.plan.least = 0;
      if (request.always_parallel) leaf.plan.work.reset();
      // Also without a team a parallel loop costs some microseconds.
      if (!request.counts.empty() &&
          choose::is_too_short(leaf.plan, space, result.combination,
                               schedule::trip_counts(space, leaf.order, request.counts), request.counts))
        leaf.plan.parallel.reset(), leaf.plan.reduces = leaf.plan.copies = false;
    }
    if (is_program) leaf.plan.sums_at = choose::level_of_sum(space, leaf.plan, leaf.verdicts);
    if (is_program) return leaf; // other orders would have to pass the test against the source's, too
    if (!schedule.loops.empty()) return leaf; // what is asked of loops is asked of these
    bool fixed_order = !schedule.order.empty() || !space.added.empty();
    choose::Given given{space, result.combination, *result.prover, requests, fixed_order};
    steps.run(
        "alternatives",
        [&] {
          choose::add_alternatives(leaf.plan, leaf.order, given);
          if (request.only_alternative) choose::keep_only(leaf.plan, *request.only_alternative);
          return &leaf.plan;
        },
        [](const lower::LeafPlan *plan) { return choose::to_text(*plan); });
    return leaf;
  };
  for (const combine::IterationSpace &space : result.combination.leaves) {
    std::optional<Leaf> leaf;
    // Where the kernel itself decides by the counts between marks and values, the data's counts add nothing,
    // unless another order costs less even than entries that are only tested for a mark.
    if (!request.counts.empty() && schedule.order.empty() && schedule.transformations.empty() &&
        requests.empty()) {
      schedule::Order known = schedule::plan_order(space, request.counts);
      schedule::Order open_order = schedule::plan_order(space, {});
      auto cost = [&](const schedule::Order &order) {
        return schedule::cost_of(space, order, request.counts);
      };
      if (known != open_order && choose::visits_per_marked_entry * cost(open_order) < cost(known))
        if (Leaf open = plan_leaf(space, {}); choose::looks_for_marks(open.plan)) leaf = std::move(open);
    }
    result.leaves.push_back(leaf ? std::move(*leaf) : plan_leaf(space, request.counts));
  }
  if (is_program) {
    auto plans_of_all = [&] {
      std::vector<const lower::LeafPlan *> plans;
      for (const Leaf &leaf : result.leaves)
        plans.push_back(&leaf.plan);
      return plans;
    };
    steps.run(
        "order against the source's",
        [&] {
          auto violation = [&](bool example) {
            return choose::violation(result.combination, plans_of_all(), *result.prover, example);
          };
          while (auto found = violation(false)) {
            bool news = false;
            for (std::size_t number : {found->first, found->second})
              if (schedule.order.empty() && as_written.insert(number).second) {
                news = true;
                result.leaves[number] = plan_leaf(result.combination.leaves[number], request.counts);
              }
            if (!news) choose::fail_order(result.combination, *violation(true), schedule);
          }
          for (const choose::SharedLoop &loop :
               choose::shared_loops(result.combination, plans_of_all(), *result.prover, details))
            for (std::size_t k = loop.first; k < loop.last; ++k) {
              std::vector<depend::LoopVerdict> &verdicts = result.leaves[k].verdicts;
              std::erase_if(verdicts, [&](auto &each) { return each.variable == loop.verdict.variable; });
              if (k == loop.first) verdicts.insert(verdicts.begin(), loop.verdict);
              if (!choose::runs_in_parallel(loop, schedule)) continue;
              result.leaves[k].plan.shared_parallel = 0;
              result.leaves[k].plan.least = least_inner_iterations;
            }
          choose::check_parallel(plans_of_all(), schedule);
          find::check_requests(findable, requests);
          return &result.leaves;
        },
        [](const std::vector<Leaf> *leaves) {
          std::string text;
          for (const Leaf &leaf : *leaves)
            text += fmt::format("{}\n", fmt::join(leaf.order, ", "));
          return text;
        });
  }

  lower::LowerOptions options{request.name, result.computation.text, request.index, request.value};
  if (schedule.wavefront) {
    std::vector<const lower::LeafPlan *> all;
    for (const Leaf &leaf : result.leaves)
      all.push_back(&leaf.plan);
    options.wavefronts = steps.run(
        "wavefronts", [&] { return choose::wavefronts(result.combination, all, schedule, *result.prover); },
        [&](const auto &made) { return choose::to_text(*made, result.combination); });
    if (request.always_parallel) options.wavefronts->least = 0;
    for (std::size_t k = options.wavefronts->first; k < options.wavefronts->last; ++k)
      result.leaves[k].plan.parallel = result.leaves[k].parallel = std::nullopt;
  }
  std::vector<lower::LeafPlan> plans;
  for (const Leaf &leaf : result.leaves)
    plans.push_back(leaf.plan);
  loop::Program lowered = steps.run(
      "loops", [&] { return lower::lower(result.combination, plans, options); },
      [](const loop::Program &program) { return loop::to_text(program); });
  loop::verify(lowered);
  // Loads that every leaf's nest proves to be in bounds where their variables are known.
  std::set<term::Term> safe;
  if (!plans.empty()) safe = plans.front().nest.safe_loads;
  for (const lower::LeafPlan &plan : plans)
    std::erase_if(safe, [&](const term::Term &load) { return plan.nest.safe_loads.count(load) == 0; });
  auto is_safe = [&](const term::Term &load) { return safe.count(load) > 0; };
  std::set<term::Term> copied; // loads of iterations that stand beside others, in bounds likewise
  if (!schedule.loops.empty())
    lowered = steps.run(
        "loops as asked for",
        [&] {
          std::vector<choose::LoopsOf> loops;
          for (std::size_t k = 0; k < result.leaves.size(); ++k)
            loops.push_back(
                {&result.combination.leaves[k], &result.leaves[k].plan, &result.leaves[k].verdicts});
          loop::Requested granted =
              loop::grant(loop::fold(lowered), choose::loop_requests(schedule, loops, lowered), is_safe);
          copied = std::move(granted.in_bounds);
          loop::verify(granted.program);
          return std::move(granted.program);
        },
        [](const loop::Program &program) { return loop::to_text(program); });
  result.program = steps.run(
      "improved loops",
      [&] {
        return loop::improve(
            lowered, [&](const term::Term &load) { return is_safe(load) || copied.contains(load); },
            request.counts);
      },
      [](const loop::Program &program) { return loop::to_text(program); });
  loop::verify(result.program);
  if (options.wavefronts) {
    result.inspector = steps.run(
        "inspector",
        [&] {
          return loop::improve(lower::lower_inspector(result.combination, plans, options), is_safe,
                               request.counts);
        },
        [](const loop::Program &program) { return loop::to_text(program); });
    loop::verify(*result.inspector);
  }
  return result;
}

std::string to_text(const Compilation &compilation) {
  std::string text;
  for (const Stage &stage : compilation.stages)
    if (!stage.text.empty())
      text += fmt::format("== {} ({:.2f} ms)\n{}\n", stage.name, stage.milliseconds, stage.text);
  return text;
}

} // namespace unravel::pipeline
