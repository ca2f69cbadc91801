// The table of contents of the compiler: the steps in their order, each timed and printed.
#include "pipeline.h"

#include "choose/alternatives.h"
#include "choose/asked.h"
#include "choose/dot_products.h"
#include "choose/increasing.h"
#include "choose/loop_requests.h"
#include "choose/parallel.h"
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
#include "schedule/shared.h"
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

  parse::ScheduleTree schedule = front.schedule;
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
  const bool details =
      request.details || !schedule.parallel.empty() || !schedule.fused.empty() || !schedule.loops.empty();
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
  }
  schedule = choose::with_fused_parallel(std::move(schedule), result.combination);
  std::vector<combine::IterationSpace> untransformed = result.combination.leaves;
  Stopwatch transforming;
  schedule::transform(result.combination, schedule);
  if (result.combination.is_program) schedule::transform_shared(result.combination, schedule);
  if (!schedule.transformations.empty())
    steps.add("transformations", transforming.milliseconds(),
              [&] { return combine::to_text(result.combination); });
  // A fixed extent changes axioms.
  if (!result.prover || !schedule.transformations.empty()) make_prover();

  drop_excluded(result.combination, untransformed, *result.prover);

  const bool is_program = result.combination.is_program;
  std::vector<std::string> findable;         // by the statements of a program: what requests may name
  std::optional<choose::WorkBefore> not_cut; // a statement's loop, into equal work: why
  bool reduced = false;                      // some additions as was asked for
  std::set<std::size_t> as_written; // statements of a program whose own loops stay in the source's order
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
              if (choose::wants_wavefronts(space, schedule)) fixed = std::max<std::size_t>(fixed, 1);
              std::vector<parse::Name> first;
              for (std::size_t k = 0; k < fixed; ++k)
                first.push_back({space.loops[k], {}});
              given = schedule::own_order(std::move(given), space, fixed);
              first.insert(first.end(), given.begin(), given.end());
              if (space.added.empty()) return schedule::plan_statement(space, counts, scans, wanted, first);
              for (const std::string &name : schedule::plan_statement(original, counts, scans, {},
                                                                      schedule::untransformed(first, space)))
                if (std::none_of(first.begin(), first.end(), [&](auto &each) { return each.text == name; }))
                  first.push_back({name, {}});
              return schedule::complete_order(space, schedule::place_added(space, first, leaf.plan.shared));
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
    find::Requests own = requests; // each statement has those of them that are about its finds
    if (is_program) {
      std::vector<std::string> names = find::names_of_finds(leaf.plan.nest);
      findable.insert(findable.end(), names.begin(), names.end());
      std::erase_if(own, [&](const auto &each) {
        return std::find(names.begin(), names.end(), each.first) == names.end();
      });
    }
    if (!own.empty()) leaf.plan.finds = plan_finds(own);
    if (is_program && choose::wants_wavefronts(space, schedule))
      if (auto finds = choose::own_finds(leaf.plan, *result.prover, own)) leaf.plan.finds = std::move(*finds);
    leaf.verdicts = steps.run(
        "dependences",
        [&] {
          return depend::classify(space.relation, leaf.order, choose::loops_of(leaf.plan.nest),
                                  depend::references(space), *result.prover, details);
        },
        [](const auto &verdicts) { return depend::to_text(verdicts); });
    const parse::ScheduleTree asked = is_program ? choose::asked_of(schedule, leaf.plan.nest) : schedule;
    choose::take_sharing(leaf.plan, asked);
    if (leaf.plan.shared == 0 && space.divisors.empty())
      leaf.plan.parallel = leaf.parallel =
          choose::choose_parallel(leaf.plan, leaf.verdicts, asked, lengths, space, *result.prover);
    if (schedule.parallel.empty() && !schedule.serial && !is_program)
      if (auto level = choose::level_for_copies(leaf.plan, space, result.combination))
        if (choose::may_have_copies(leaf.plan, choose::verdict_of(leaf.verdicts, leaf.plan, *level), *level,
                                    space))
          leaf.plan.parallel = leaf.parallel = level;
    leaf.plan.brief = choose::brief_level(leaf.plan, lengths);
    if (!result.combination.accumulate && result.combination.leaves.size() == 1)
      if (const auto &extents = result.combination.arrays.at(space.target.array); !extents.empty())
        leaf.plan.increasing = choose::increasing_level(leaf.plan, space, extents[0], *result.prover);
    if (leaf.plan.parallel) {
      reduced = choose::reduce_as_asked(leaf.plan, leaf.verdicts, space, asked) || reduced;
      bool inner = choose::is_inner_loop(leaf.plan, *leaf.plan.parallel);
      choose::share_out(leaf.plan, space, result.combination, schedule.chunk.has_value());
      if (inner) leaf.plan.work.reset(), leaf.plan.least = choose::least_inner_iterations;
      choose::cut_as_asked(leaf.plan, leaf.verdicts, space, asked, *result.prover,
                           is_program ? &not_cut : nullptr);
      // Who asks for a parallel loop, means it.
      if (request.always_parallel || !asked.parallel.empty()) leaf.plan.least = 0;
      if (request.always_parallel) leaf.plan.work.reset();
      // Also without a team a parallel loop costs some microseconds.
      if (!request.counts.empty() &&
          choose::is_too_short(leaf.plan, space, result.combination,
                               schedule::trip_counts(space, leaf.order, request.counts), request.counts))
        leaf.plan.parallel.reset(), leaf.plan.reduces = leaf.plan.copies = leaf.plan.atomic = false;
    }
    if (is_program) leaf.plan.sums_at = choose::level_of_sum(space, leaf.plan, leaf.verdicts);
    if (is_program) return leaf; // other orders would have to pass the test against the source's, too
    if (leaf.plan.equal || leaf.plan.atomic) return leaf; // of these loops, and no others
    if (!schedule.loops.empty()) return leaf;             // what is asked of loops is asked of these
    bool fixed_order = !schedule.order.empty() || !space.added.empty();
    choose::Given given{space, result.combination, *result.prover, requests, fixed_order};
    steps.run(
        "alternatives",
        [&] {
          choose::add_alternatives(leaf.plan, leaf.order, given);
          std::erase_if(leaf.plan.alternatives, [&](const lower::Alternative &other) {
            return choose::shares_elements(other.plan, space, *result.prover);
          });
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
  choose::check_reductions(schedule, reduced);
  auto plans_of_all = [&] {
    std::vector<const lower::LeafPlan *> plans;
    for (const Leaf &leaf : result.leaves)
      plans.push_back(&leaf.plan);
    return plans;
  };
  // Verdicts of loops that statements share belong to the first of these.
  auto share_loops = [&](const std::vector<choose::SharedLoop> &loops) {
    std::map<std::size_t, std::ptrdiff_t> inserted; // by leaf
    for (const choose::SharedLoop &loop : loops) {
      std::vector<lower::LeafPlan *> plans;
      for (std::size_t k = loop.first; k < loop.last; ++k) {
        std::erase_if(result.leaves[k].verdicts,
                      [&](auto &each) { return each.variable == loop.verdict.variable; });
        plans.push_back(&result.leaves[k].plan);
      }
      std::vector<depend::LoopVerdict> &verdicts = result.leaves[loop.first].verdicts;
      verdicts.insert(verdicts.begin() + inserted[loop.first]++, loop.verdict);
      if (plans.front()->shared_parallel || !choose::runs_in_parallel(loop, schedule)) continue;
      bool asked = request.always_parallel || !schedule.parallel.empty();
      for (lower::LeafPlan *plan : plans) {
        plan->shared_parallel = loop.depth;
        plan->least = asked ? 0 : choose::least_inner_iterations;
      }
      choose::cut_shared_as_asked(plans, loop, schedule, *result.prover, not_cut);
    }
  };
  if (is_program) {
    steps.run(
        "order against the source's",
        [&] {
          auto violation = [&](bool example) {
            return choose::violation(result.combination, untransformed, plans_of_all(), *result.prover,
                                     example);
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
          share_loops(choose::shared_loops(result.combination, plans_of_all(), *result.prover, details));
          choose::check_parallel(plans_of_all(), schedule);
          choose::check_cuts(plans_of_all(), schedule, not_cut);
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
    options.wavefronts = steps.run(
        "wavefronts",
        [&] { return choose::wavefronts(result.combination, plans_of_all(), schedule, *result.prover); },
        [&](const auto &made) { return choose::to_text(*made, result.combination); });
    if (request.always_parallel) options.wavefronts->least = options.wavefronts->least_of_iteration = 0;
    for (std::size_t k = options.wavefronts->first; k < options.wavefronts->last; ++k)
      result.leaves[k].plan.parallel = result.leaves[k].parallel = result.leaves[k].plan.shared_parallel =
          std::nullopt;
    result.wavefronts = options.wavefronts;
  }
  std::vector<lower::LeafPlan> plans;
  for (const Leaf &leaf : result.leaves)
    plans.push_back(leaf.plan);
  loop::For in_wavefronts;
  loop::Program lowered = steps.run(
      "loops", [&] { return lower::lower(result.combination, plans, options, &in_wavefronts); },
      [](const loop::Program &program) { return loop::to_text(program); });
  loop::verify(lowered);
  // Loads that every leaf's nest proves to be in bounds where their variables are known.
  std::set<term::Term> safe;
  if (!plans.empty()) safe = plans.front().nest.safe_loads;
  for (const lower::LeafPlan &plan : plans)
    std::erase_if(safe, [&](const term::Term &load) { return plan.nest.safe_loads.count(load) == 0; });
  auto is_safe = [&](const term::Term &load) { return safe.count(load) > 0; };
  std::set<term::Term> copied; // loads of iterations that stand beside others, in bounds likewise
  std::vector<choose::LoopsOf> loops;
  std::vector<std::vector<depend::LoopVerdict>> verdicts; // also of loops over what is found
  for (std::size_t k = 0; k < result.leaves.size(); ++k) {
    const combine::IterationSpace &space = result.combination.leaves[k];
    verdicts.push_back(result.leaves[k].verdicts);
    const std::vector<std::string> ranges = choose::ranges_of(result.leaves[k].plan, lowered);
    if (ranges.empty()) continue;
    const std::vector<depend::LoopVerdict> more = depend::classify(
        space.relation, result.leaves[k].order, ranges, depend::references(space), *result.prover, details);
    verdicts.back().insert(verdicts.back().end(), more.begin(), more.end());
  }
  for (std::size_t k = 0; k < result.leaves.size(); ++k)
    loops.push_back({&result.combination.leaves[k], &result.leaves[k].plan, &verdicts[k]});
  const bool asked = !schedule.loops.empty();
  const std::vector<loop::Request> changes =
      asked ? choose::loop_requests(schedule, loops, lowered) : choose::dot_products(loops, lowered);
  if (!changes.empty())
    lowered = steps.run(
        asked ? "loops as asked for" : "inner products at once",
        [&] {
          loop::Requested granted = loop::grant(loop::fold(lowered), changes, is_safe);
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
          lower::Inspector made = lower::lower_inspector(result.combination, plans, options, in_wavefronts);
          made.program = loop::improve(std::move(made.program), is_safe, request.counts);
          return made;
        },
        [](const lower::Inspector &made) { return loop::to_text(made.program); });
    loop::verify(result.inspector->program);
  }
  return result;
}

std::string c_text(const Compilation &compilation, const emit::EmitOptions &options) {
  if (!compilation.inspector) return emit::emit_c(compilation.program, options);
  return emit::emit_c(compilation.inspector->program) + "\n" + emit::emit_c(compilation.program, options);
}

std::string c_header(const Compilation &compilation) {
  std::string kernel = emit::emit_header(compilation.program);
  return compilation.inspector ? emit::emit_header(compilation.inspector->program) + "\n" + kernel : kernel;
}

std::string to_text(const Compilation &compilation) {
  std::string text;
  for (const Stage &stage : compilation.stages)
    if (!stage.text.empty())
      text += fmt::format("== {} ({:.2f} ms)\n{}\n", stage.name, stage.milliseconds, stage.text);
  return text;
}

} // namespace unravel::pipeline
