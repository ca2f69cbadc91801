#include "pipeline/leaf.h"

#include "choose/alternatives.h"
#include "choose/asked.h"
#include "choose/hoist.h"
#include "choose/parallel.h"
#include "choose/statements.h"
#include "choose/threads.h"
#include "choose/wavefronts.h"
#include "compute/computation.h"
#include "plan/states.h"
#include "report/diagnostic.h"
#include "scan/scan.h"
#include "scan/tree.h"
#include "scan/uses.h"
#include "schedule/sequence.h"
#include "schedule/transform.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::pipeline {

schedule::Scans scans_of(const plan::LeafPlan &leaf) {
  schedule::Scans scans;
  for (const plan::LevelPlan &plan : leaf.finds.levels) {
    const bool is_hashed = plan.as<plan::HashMap>() != nullptr;
    if (!is_hashed && !plan.as<plan::Scan>()) continue;
    std::vector<std::string> keys;
    const scan::Level &level = leaf.nest.levels[plan.level];
    for (const scan::Component &component : level.components)
      for (const term::Term &application : term::applications_of(component.key))
        if (term::mentions(application, level.variable)) keys.push_back(term::to_text(application));
    std::sort(keys.begin(), keys.end());
    scans.emplace(std::move(keys), is_hashed ? schedule::Unordered::Hashed : schedule::Unordered::Scanned);
  }
  return scans;
}

namespace {

/// Finds for which nothing better than a scan or a hash map was proved are made known to loop-order planning:
/// an order that doesn't need them may cost less. False when nothing new was learnt.
bool another_order_may_help(const Leaf &leaf, schedule::Scans &scans) {
  const std::size_t before = scans.size();
  scans.merge(scans_of(leaf.plan));
  return scans.size() > before;
}

/// An order that begins with these names, and then has the others as planned.
std::vector<parse::Name> followed_by(std::vector<parse::Name> first, const schedule::Order &planned) {
  for (const std::string &name : planned)
    if (std::none_of(first.begin(), first.end(), [&](auto &each) { return each.text == name; }))
      first.push_back({name, {}});
  return first;
}

/// Is there a loop over each variable of the space that the schedule names as a loop's?
bool has_named_loops(const Leaf &leaf, const combine::IterationSpace &space,
                     const parse::ScheduleTree &schedule) {
  std::vector<std::string> named;
  for (const parse::Name &name : schedule.parallel)
    named.push_back(name.text);
  for (const parse::Name &name : schedule.fused)
    named.push_back(name.text);
  for (const parse::ScheduleTree::LoopRequest &request : schedule.loops)
    named.push_back(request.variable.text);
  const std::vector<scan::Level> &levels = leaf.plan.nest.levels;
  return std::all_of(named.begin(), named.end(), [&](const std::string &name) {
    return !schedule::has(space, name) ||
           std::any_of(levels.begin(), levels.end(), [&](const scan::Level &level) {
             return level.kind == scan::Level::Kind::Loop && level.variable == name;
           });
  });
}

/// How one of a space's lookups is scanned through one of its places.
struct Searched {
  std::size_t lookup = 0, place = 0;
  scan::Search search;
};

std::string text_of(const scan::Search &search, const combine::Lookup &lookup) {
  scan::Nest own = search.nest;
  own.levels.erase(own.levels.begin(), own.levels.begin() + static_cast<std::ptrdiff_t>(*own.instances));
  std::string text = fmt::format("behind {} levels look for {}", *own.instances, lookup.name);
  for (const term::Term &condition : search.conditions)
    text += fmt::format(", if {}", term::to_text(condition));
  return text + "\n" + scan::to_text(own);
}

/// The requests that are about finds of the nest.
find::Requests about(const scan::Nest &nest, find::Requests requests) {
  const std::vector<std::string> names = find::names_of_finds(nest);
  std::erase_if(requests,
                [&](const auto &each) { return std::ranges::find(names, each.first) == names.end(); });
  return requests;
}

/// Puts the levels that look for an element behind all others of the plan's nest, and their finds behind the
/// other finds.
void add_search(const scan::Search &search, plan::FindPlan own, std::size_t lookup, std::size_t place,
                plan::LeafPlan &plan, plan::FindPlan &finds) {
  scan::Nest &nest = plan.nest;
  const std::size_t before = *search.nest.instances, first = nest.levels.size();
  if (!nest.instances) nest.instances = first;
  const auto moved = [&](std::size_t &level) {
    if (level >= before) level += first - before;
  };
  for (plan::LevelPlan &find : own.levels) {
    if (find.level < before) continue;
    moved(find.level);
    if (plan::FilledMap *map = find.filled_map()) moved(map->level);
    if (auto *walk = find.as<plan::Walk>()) moved(walk->state_level);
    finds.levels.push_back(std::move(find));
  }
  nest.levels.insert(nest.levels.end(), search.nest.levels.begin() + static_cast<std::ptrdiff_t>(before),
                     search.nest.levels.end());
  nest.safe_loads.insert(search.nest.safe_loads.begin(), search.nest.safe_loads.end());
  plan.searches.push_back({lookup, place, first, nest.levels.size(), before, search.conditions});
}

} // namespace

schedule::Order LeafPlanner::order_of(std::size_t number, const schedule::Counts &counts,
                                      const schedule::Scans &scans, const std::set<std::string> &wanted,
                                      std::size_t shared) const {
  const combine::IterationSpace &space = in_.combination.leaves[number];
  const combine::IterationSpace &original = in_.untransformed[number];
  std::vector<parse::Name> given = schedule::without_others(in_.schedule.order, space, in_.combination);
  if (!space.adds_in_any_order()) {
    if (choose::wants_wavefronts(space, in_.schedule)) shared = std::max<std::size_t>(shared, 1);
    const std::size_t fixed = as_written_.contains(number) ? space.loops.size() : shared;
    std::vector<parse::Name> first;
    for (std::size_t k = 0; k < fixed; ++k)
      first.push_back({space.loops[k], {}});
    if (const auto begin = begin_with_.find(number); begin != begin_with_.end())
      for (const std::string &name : begin->second)
        given.push_back({name, {}});
    given = schedule::own_order(std::move(given), space, fixed);
    first.insert(first.end(), given.begin(), given.end());
    if (space.added.empty()) return schedule::plan_order(space, counts, scans, wanted, first);
    first = followed_by(
        first, schedule::plan_order(original, counts, scans, {}, schedule::untransformed(first, space)));
    return schedule::complete_order(space, schedule::place_added(space, first, shared));
  }
  if (space.added.empty())
    return given.empty() ? schedule::plan_order(space, counts, scans, wanted)
                         : schedule::complete_order(space, given);
  // The loops are planned as if nothing had been added to them.
  given = followed_by(given, schedule::plan_order(original, counts, scans, {}, given));
  return schedule::complete_order(space, schedule::place_added(space, given));
}

std::string LeafPlanner::parallel_purpose() const {
  const parse::ScheduleTree &asked = in_.schedule;
  bool is_free = asked.parallel.empty() && asked.fused.empty() && asked.loops.empty() &&
                 asked.reductions.empty() && !asked.wavefront;
  return is_free ? "which loops may run in parallel" : "";
}

std::string LeafPlanner::of_product(std::size_t number) const {
  return in_.combination.leaves.size() == 1 ? "" : fmt::format(" of product {}", number + 1);
}

Leaf LeafPlanner::plan_loops(std::size_t number, schedule::Counts counts, Steps &steps) {
  Leaf leaf;
  const combine::IterationSpace &space = in_.combination.leaves[number];
  leaf.plan.shared = schedule::shared_depth(in_.combination, number);
  schedule::Scans scans;
  std::set<std::string> wanted; // what the user wants found
  for (const auto &[name, method] : in_.requests)
    wanted.insert(name);
  find::Lengths lengths; // of the current order, where the data are known
  scan::Nest instances;
  std::vector<Searched> searches; // of the space's lookups
  auto plan_finds = [&](const find::Requests &methods) {
    if (!counts.empty()) lengths = schedule::trip_counts(space, leaf.order, counts);
    return steps.run(
        "finds",
        [&] {
          leaf.plan.nest = instances, leaf.plan.searches.clear();
          scan::Needs needs;
          if (!reads_what_changes(number)) // a map would keep old values
            needs = scan::needs_of_positions(space, leaf.plan.nest);
          for (const Searched &each : searches)
            scan::leave_out_mentioned(needs, each.search, space.lookups[each.lookup].places[each.place]);
          plan::FindPlan plan =
              find::plan_finds(leaf.plan.nest, in_.prover, about(instances, methods), lengths, needs, counts);
          for (const Searched &each : searches) {
            find::Lengths own = counts.empty()
                                    ? find::Lengths()
                                    : schedule::trip_counts(each.search.space, each.search.order, counts);
            add_search(each.search,
                       find::plan_finds(each.search.nest, in_.prover, about(each.search.nest, methods), own,
                                        {}, counts),
                       each.lookup, each.place, leaf.plan, plan);
          }
          return plan;
        },
        [&](const plan::FindPlan &plan) { return plan::to_text(plan, leaf.plan.nest); });
  };
  auto scan_order = [&] {
    leaf.plan.nest = steps.run(
        "scan",
        [&] {
          const combine::Combination &all = in_.combination;
          instances = scan::with_first_loops(scan::scan_space(space, leaf.order, all.axioms, all.arrays),
                                             space, leaf.plan.shared);
          instances.changed = changed_around(number, instances.levels.size());
          searches.clear();
          for (std::size_t k = 0; k < space.lookups.size(); ++k) {
            const combine::Lookup &lookup = space.lookups[k];
            // What is missed is missed by an instance: further out there may be none.
            const std::size_t least = lookup.wanted == combine::Lookup::Wanted::Divisor
                                          ? instances.levels.size()
                                          : leaf.plan.shared;
            for (std::size_t place = 0; place < lookup.places.size(); ++place)
              searches.push_back({k, place,
                                  scan::scan_search(space, lookup.places[place], leaf.order, instances, least,
                                                    all.axioms, all.arrays)});
          }
          return instances;
        },
        [&](const scan::Nest &nest) {
          std::string text = scan::to_text(nest);
          for (const Searched &each : searches)
            text += text_of(each.search, space.lookups[each.lookup]);
          return text;
        });
    leaf.plan.finds = plan_finds({});
  };
  auto plan_order = [&] {
    leaf.order = steps.run(
        "loop order", [&] { return order_of(number, counts, scans, wanted, leaf.plan.shared); },
        [](const schedule::Order &order) { return fmt::format("{}\n", fmt::join(order, ", ")); });
    scan_order();
  };
  const std::string orders = fmt::format("other orders of the loops{}", of_product(number));
  do
    plan_order();
  while (in_.schedule.order.empty() && another_order_may_help(leaf, scans) &&
         in_.prover.budget().allows(orders));
  // The data don't decide against loops that the user speaks of.
  if (!counts.empty() && in_.schedule.order.empty() && !has_named_loops(leaf, space, in_.schedule)) {
    counts.clear(), lengths.clear();
    plan_order();
  }
  // What the user asks for decides how entries are found, not in which order they are visited.
  find::Requests own = in_.requests; // each statement has those of them that are about its finds
  std::vector<std::string> names = find::names_of_finds(leaf.plan.nest);
  findable_.insert(findable_.end(), names.begin(), names.end());
  std::erase_if(own, [&](const auto &each) {
    return std::find(names.begin(), names.end(), each.first) == names.end();
  });
  if (!own.empty()) leaf.plan.finds = plan_finds(own);
  if (choose::wants_wavefronts(space, in_.schedule))
    if (auto finds = choose::own_finds(leaf.plan, in_.prover, own)) leaf.plan.finds = std::move(*finds);
  std::optional<Leaf> without_hoists; // where there is something to take back
  auto keep = [&] {
    if (!without_hoists) without_hoists = leaf;
  };
  auto take_back = [&] {
    leaf = *without_hoists;
    if (!counts.empty()) lengths = schedule::trip_counts(space, leaf.order, counts);
  };
  bool is_nested = false;
  if (own.empty() && space.added.empty() && !in_.front.nested.empty()) {
    keep();
    is_nested = nest_terms(leaf, number, scan_order, steps);
    if (!is_nested) take_back();
  }
  const bool is_as_written = in_.schedule.plan && in_.schedule.plan->number == 0;
  if (!is_nested && own.empty() && leaf.plan.shared == 0 && space.added.empty() &&
      in_.schedule.loops.empty() && !is_as_written && !reads_what_changes(number)) {
    std::vector<parse::Name> last;
    if (in_.schedule.order.empty() && choose::may_hoist(space)) {
      if (!leaf.plan.finds.levels.empty()) { // as if the data were not known: segments in segments
        keep();
        leaf.order = schedule::plan_order(space, {});
        scan_order();
      }
      for (const std::string &name : choose::dense_loops_last(leaf.plan.nest, space))
        last.push_back({name, {}});
    }
    if (!last.empty()) {
      keep();
      leaf.order = schedule::complete_order(space, last);
      scan_order();
    }
    if (std::optional<plan::Parts> sums = choose::sums_in_locals(leaf.plan, space, lengths)) {
      keep();
      leaf.plan.parts = std::move(sums);
    } else if (without_hoists) {
      take_back();
    }
  }
  auto plan_threads = [&] {
    leaf.verdicts = steps.run(
        "dependences",
        [&] {
          const prove::Prover::Optional optional(in_.prover, parallel_purpose());
          return depend::classify(space.relation, leaf.order, choose::loops_of(leaf.plan.nest),
                                  depend::references(space), in_.prover, in_.details);
        },
        [](const auto &verdicts) { return depend::to_text(verdicts); });
    run_in_parallel(leaf, number, lengths);
  };
  plan_threads();
  const auto parts_are_in_parallel = [&] {
    return leaf.plan.parts && leaf.plan.parallel && *leaf.plan.parallel >= leaf.plan.parts->begin;
  };
  if (!is_nested && parts_are_in_parallel()) {
    Leaf hoisted = leaf; // threads would have to meet in each of its sums
    take_back();
    plan_threads();
    // A sum that is needed for each value of other modes saves more than threads do.
    const bool pays = leaf.plan.parallel && !choose::is_inner_loop(leaf.plan, *leaf.plan.parallel) &&
                      !hoisted.plan.hoists().front().modes.empty();
    if (!pays && in_.schedule.parallel.empty()) {
      leaf = std::move(hoisted);
      leaf.plan.parallel = leaf.parallel = std::nullopt;
    }
  }
  if (leaf.plan.parts) { // whose sums have locals of their own
    if (!is_nested)
      steps.add("parts" + of_product(number), 0,
                [&] { return choose::reasons_of(leaf.plan) + program_in_parts(leaf.plan, space); });
    if (parts_are_in_parallel()) leaf.plan.parallel = leaf.parallel = std::nullopt;
    return leaf;
  }
  leaf.plan.sums_at = choose::level_of_sum(space, leaf.plan, leaf.verdicts);
  return leaf;
}

std::map<std::string, std::size_t> LeafPlanner::changed_around(std::size_t number, std::size_t levels) const {
  std::map<std::string, std::size_t> changed;
  const std::vector<combine::IterationSpace> &leaves = in_.combination.leaves;
  for (const combine::LocalTensor &local : in_.combination.locals) {
    if (!local.insertion) continue;
    std::size_t loops = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k)
      if (leaves[k].target.tensor == local.tensor)
        loops = std::max(loops,
                         k == number ? levels : compute::shared_loops(leaves[number].place, leaves[k].place));
    if (!local.insertion->count.empty()) changed.emplace(local.insertion->count, loops);
    for (const layout::IndexElement &element : local.insertion->sets)
      changed.emplace(element.array, loops);
  }
  return changed;
}

bool LeafPlanner::reads_what_changes(std::size_t number) const {
  const std::vector<combine::IterationSpace> &leaves = in_.combination.leaves;
  return std::any_of(leaves.begin(), leaves.end(), [&](const combine::IterationSpace &other) {
    return leaves[number].reads(other.target.tensor) &&
           (&other == &leaves[number] || compute::shared_loops(leaves[number].place, other.place) > 0);
  });
}

namespace {

/// Does an assignment do nothing but append its entries to its result, in the order in which its loops come
/// to them? Then other ways to find what is in them change nothing about the result.
bool appends_as_they_come(const combine::IterationSpace &space, const plan::LeafPlan &plan) {
  return space.loops.empty() && !space.sets && space.target.appends && space.target.local.empty() &&
         !space.may_miss() && !space.reads(space.target.tensor) && !plan.sorted && !plan.is_dealt &&
         !plan.merged && plan.shared == 0;
}

} // namespace

void LeafPlanner::add_alternatives(Leaf &leaf, std::size_t number, Steps &steps) {
  plan_alternatives(leaf, number, steps);
  const bool appends = in_.combination.leaves[number].target.appends;
  for (plan::Alternative &other : leaf.plan.alternatives)
    if (other.plan.parallel && plan::hindrance(other.plan, *other.plan.parallel, appends))
      other.plan.parallel.reset();
  if (!leaf.parallel || !plan::hindrance(leaf.plan, *leaf.parallel, appends)) return;
  if (leaf.plan.split > *leaf.parallel) // the others stand in its loop
    for (plan::Alternative &other : leaf.plan.alternatives)
      other.plan.parallel.reset();
  leaf.plan.parallel = leaf.parallel = std::nullopt;
}

void LeafPlanner::plan_alternatives(Leaf &leaf, std::size_t number, Steps &steps) {
  if (!with_alternatives_.insert(number).second || leaf.plan.parts) return;
  if (!leaf.plan.searches.empty()) return;
  // Other orders would have to pass the test against the source's, or that of a result's entries, too.
  const bool keeps_order = !in_.combination.leaves[number].adds_in_any_order();
  if (keeps_order &&
      (in_.combination.leaves.size() > 1 || !appends_as_they_come(in_.combination.leaves[number], leaf.plan)))
    return;
  const bool has_sums_inside = // of loops outside, each of another element
      leaf.plan.reduction == plan::Reduction::Scalar &&
      !choose::adds_to_one(leaf.plan, 0, in_.combination.leaves[number]);
  if (leaf.plan.equal() || leaf.plan.reduction == plan::Reduction::Atomic || has_sums_inside)
    return;                                // of these loops, and no others
  if (!in_.schedule.loops.empty()) return; // what is asked of loops is asked of these
  const combine::IterationSpace &space = in_.combination.leaves[number];
  bool fixed_order = !in_.schedule.order.empty() || !space.added.empty() || keeps_order;
  choose::Given given{space, in_.combination, in_.prover, in_.requests, fixed_order, in_.thresholds};
  const std::string others = "other plans" + of_product(number);
  if (!in_.prover.budget().allows(others)) return;
  const prove::Prover::Optional optional(in_.prover, others);
  steps.run(
      "alternatives",
      [&] {
        choose::add_alternatives(leaf.plan, leaf.order, given);
        std::erase_if(leaf.plan.alternatives, [&](const plan::Alternative &other) {
          return choose::shares_elements(other.plan, space, in_.prover);
        });
        for (plan::Alternative &other : leaf.plan.alternatives)
          other.plan.is_distinct = leaf.plan.is_distinct;
        if (!keeps_order) add_untiled(leaf, number);
        if (in_.request.only_alternative) choose::keep_only(leaf.plan, *in_.request.only_alternative);
        return &leaf.plan;
      },
      [](const plan::LeafPlan *plan) { return plan::to_text(*plan); });
}

void LeafPlanner::add_untiled(Leaf &leaf, std::size_t number) {
  if (!in_.request.untiled_for_one_tile || !leaf.plan.alternatives.empty()) return;
  const std::optional<term::Term> one_tile =
      schedule::is_one_tile(in_.combination.leaves[number], in_.combination.extents);
  const std::optional<parse::ScheduleTree> schedule =
      schedule::untiled(in_.schedule, in_.combination.leaves[number]);
  if (!one_tile || !schedule) return;
  combine::Combination combination = in_.combination;
  combination.leaves = in_.untransformed;
  find::Requests requests; // the others are about tiles
  LeafPlanner planner({in_.request, combination, in_.untransformed, *schedule, requests, in_.prover,
                       in_.thresholds, in_.details, in_.front});
  std::vector<Stage> unprinted;
  Steps steps(unprinted, false);
  Leaf untiled = planner.plan_loops(number, in_.request.counts, steps);
  leaf.verdicts_of_untiled = std::move(untiled.verdicts);
  leaf.plan.split = 0; // also where others were looked for further in
  leaf.plan.alternatives.push_back({*one_tile, "one tile: as without tiles", std::move(untiled.plan)});
}

void LeafPlanner::join_loops(std::vector<Leaf> &leaves) const {
  const parse::ScheduleTree &asked = in_.schedule;
  if (leaves.size() < 2 || !asked.loops.empty() || !asked.fused.empty() || !asked.transformations.empty() ||
      !asked.parallel.empty() || !asked.reductions.empty() || asked.wavefront)
    return;
  const schedule::Counts &counts = in_.request.counts;
  std::vector<choose::Statement> statements;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const combine::IterationSpace &space = in_.combination.leaves[k];
    statements.push_back({&leaves[k].plan, space, {}});
    if (!counts.empty()) statements.back().lengths = schedule::trip_counts(space, leaves[k].order, counts);
  }
  choose::join_loops(statements, in_.combination, asked.chunk.has_value(), counts, in_.thresholds);
  for (Leaf &leaf : leaves) {
    if (leaf.plan.shared == 0) continue;
    leaf.parallel.reset();
    if (!in_.request.always_parallel) continue;
    leaf.plan.least = 0;
    leaf.plan.work.reset();
  }
}

void LeafPlanner::plan_shared(const std::vector<scan::Node> &tree, std::vector<Leaf> &leaves) {
  for (const scan::Node &node : tree) {
    if (!node.is_loop()) continue;
    plan_shared(node, leaves);
    plan_shared(node.body, leaves);
  }
}

void LeafPlanner::plan_shared(const scan::Node &loop, std::vector<Leaf> &leaves) {
  const combine::Combination &combination = in_.combination;
  const schedule::Counts &counts = in_.request.counts;
  std::vector<const plan::LeafPlan *> all;
  for (const Leaf &leaf : leaves)
    all.push_back(&leaf.plan);
  std::vector<plan::LeafPlan *> plans;
  std::vector<choose::Statement> statements;
  for (std::size_t k : loop.statements) {
    Leaf &leaf = leaves[k];
    std::erase_if(leaf.verdicts, [&](auto &each) { return each.variable == loop.variable; });
    plans.push_back(&leaf.plan);
    statements.push_back({&leaf.plan, combination.leaves[k], {}});
    if (!counts.empty())
      statements.back().lengths = schedule::trip_counts(combination.leaves[k], leaf.order, counts);
  }
  choose::SharedVerdict shared = choose::verdict_of(loop, combination, all, in_.prover, in_.details);
  if (combination.rounds.contains(loop.variable)) {
    shared.is_parallel = false; // whether there is a round is known behind the one before it
    shared.verdict.verdict = depend::Verdict::Carried;
    shared.verdict.reason = "rounds";
  }
  std::vector<depend::LoopVerdict> &verdicts = leaves[loop.statements.front()].verdicts;
  auto place = verdicts.begin(); // behind those of the loops around it
  while (place != verdicts.end() && !place->shared.empty() && place->shared.size() <= loop.depth)
    ++place;
  verdicts.insert(place, shared.verdict);
  if (plans.front()->shared_parallel || !choose::runs_in_parallel(shared, in_.schedule)) return;
  choose::share_out(statements, combination, loop.depth, in_.schedule.chunk.has_value(), in_.thresholds);
  const bool asked = in_.request.always_parallel || !in_.schedule.parallel.empty();
  if (!asked && !counts.empty() &&
      choose::is_too_short(statements, combination, loop.depth, counts, in_.thresholds))
    return;
  for (plan::LeafPlan *plan : plans) {
    plan->shared_parallel = loop.depth;
    if (asked) plan->least = 0;
  }
  const bool appends = std::ranges::any_of(
      loop.statements, [&](std::size_t k) { return combination.leaves[k].target.appends; });
  choose::cut_shared_as_asked(plans, loop, in_.schedule, in_.prover, in_.thresholds, appends, not_cut_);
}

bool LeafPlanner::is_asked_for(const Leaf &leaf) const {
  return leaf.parallel && std::ranges::any_of(in_.schedule.parallel, [&](const parse::Name &wanted) {
           return wanted.text == leaf.plan.nest.levels[*leaf.parallel].variable;
         });
}

Leaf LeafPlanner::plan(std::size_t number, Steps &steps) {
  Leaf leaf = planned(number, steps);
  if (in_.combination.leaves[number].target.appends)
    require_entry_order(leaf, number, steps);
  else if (is_asked_for(leaf))
    choose::check_states(leaf.plan, *leaf.parallel, in_.combination.leaves[number], in_.schedule);
  return leaf;
}

void LeafPlanner::require_entry_order(Leaf &leaf, std::size_t number, Steps &steps) {
  const combine::IterationSpace &space = in_.combination.leaves[number];
  auto order = [&] {
    return steps.run(
        "order of entries",
        [&] { return choose::order_entries(space, leaf.plan, in_.combination, in_.prover); },
        [&](const choose::EntryOrder &found) {
          return choose::to_text(found, space, in_.combination) + plan::to_text(leaf.plan);
        });
  };
  choose::EntryOrder found = order();
  if (!found.have_places) choose::fail_entry_order(space, in_.combination, found);
  if (in_.schedule.order.empty()) {
    const double least = schedule::cost_of(space, leaf.order, in_.request.counts, scans_of(leaf.plan));
    for (std::vector<std::string> &first : choose::orders_for_entries(space, in_.combination)) {
      if (found.is_kept) break;
      begin_with_[number] = std::move(first);
      leaf = plan_loops(number, in_.request.counts, steps);
      found = order();
      const bool is_costly = schedule::cost_of(space, leaf.order, in_.request.counts, scans_of(leaf.plan)) >
                             choose::most_overhead * least;
      if (is_costly && may_be_collected()) found.is_kept = false;
    }
  }
  if (!found.is_kept) out_of_order_ = number, found_order_ = found;
  leaf.plan.is_distinct = found.is_distinct;
  if (leaf.plan.is_dealt) deal_in_parallel(leaf, number);
  const parse::ScheduleTree asked = choose::asked_of(in_.schedule, leaf.plan.nest);
  if (found.is_kept && !leaf.parallel && leaf.plan.shared == 0 && !asked.parallel.empty())
    choose::fail_carried(asked.parallel.front(), choose::verdict_of(leaf.verdicts, leaf.plan, 0));
  const bool is_asked = found.is_kept && is_asked_for(leaf);
  if (is_asked) choose::check_states(leaf.plan, *leaf.parallel, space, in_.schedule);
  if (!leaf.plan.parallel || choose::appends_apart(leaf.plan, *leaf.plan.parallel, space, in_.prover)) return;
  if (is_asked) choose::fail_appending(space, in_.schedule);
  leaf.plan.parallel = leaf.parallel = std::nullopt;
}

bool LeafPlanner::may_be_collected() const {
  return in_.schedule.transformations.empty() &&
         compute::may_have_result_local(in_.front.computation.program);
}

std::string LeafPlanner::why_out_of_order() const {
  return choose::text_of_disorder(in_.combination.leaves[*out_of_order_], in_.combination);
}

void LeafPlanner::fail_out_of_order() const {
  choose::fail_entry_order(in_.combination.leaves[*out_of_order_], in_.combination, found_order_);
}

Leaf LeafPlanner::planned(std::size_t number, Steps &steps) {
  const combine::IterationSpace &space = in_.combination.leaves[number];
  const schedule::Counts &counts = in_.request.counts;
  // Where the kernel itself decides by the counts between marks and values, the data's counts add nothing,
  // unless another order costs less even than entries that are only tested for a mark.
  if (!counts.empty() && in_.schedule.order.empty() && in_.schedule.transformations.empty() &&
      in_.requests.empty()) {
    schedule::Order known = schedule::plan_order(space, counts);
    schedule::Order open_order = schedule::plan_order(space, {});
    auto cost = [&](const schedule::Order &order) { return schedule::cost_of(space, order, counts); };
    if (known != open_order && cost::visits_per_marked_entry * cost(open_order) < cost(known)) {
      Leaf open = plan_loops(number, {}, steps);
      plan_alternatives(open, number, steps);
      if (choose::looks_for_marks(open.plan)) return open;
      with_alternatives_.erase(number); // of this plan
    }
  }
  return plan_loops(number, counts, steps);
}

} // namespace unravel::pipeline
