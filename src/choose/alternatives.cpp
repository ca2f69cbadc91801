#include "choose/alternatives.h"

#include "choose/threads.h"
#include "find/map.h"
#include "find/walk.h"
#include "report/diagnostic.h"
#include "scan/scan.h"
#include "scan/uses.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace unravel::choose {

namespace {

using plan::DenseMap;
using plan::LeafPlan;
using plan::LevelPlan;
using plan::Method;
using scan::Level;
using term::Term;

class Alternatives {
public:
  Alternatives(const LeafPlan &main, const schedule::Order &order, const Given &given)
      : main_(main), levels_(main.nest.levels), order_(order), given_(given), thresholds_(given.thresholds) {}

  /// At one split only: that of the first kind that applies.
  void add_to(LeafPlan &plan) {
    if (std::optional<plan::Alternative> marked = entries_behind_marks()) {
      plan.split = 0;
      plan.alternatives.push_back(std::move(*marked));
    } else {
      by_lengths(plan);
    }
    limit_map(plan);
    scan_short(plan);
    add_in_step(plan);
  }

private:
  // ---- making plans

  /// The order that begins with these variables, or none.
  std::optional<schedule::Order> order_with(const combine::IterationSpace &space,
                                            const std::vector<std::string> &first) const {
    std::vector<parse::Name> names;
    for (const std::string &name : first)
      names.push_back({name, {}});
    return report::unless_refused([&] { return schedule::complete_order(space, names); });
  }

  /// The space scanned in that order, or none. Each order is scanned once.
  const scan::Nest *scanned(const combine::IterationSpace &space, const schedule::Order &order) const {
    if (order == order_) return &main_.nest;
    auto known = nests_.find(order);
    if (known != nests_.end()) return &known->second;
    if (!given_.prover.budget().allows("other plans, in another order of the loops")) return nullptr;
    std::optional<scan::Nest> nest = report::unless_refused(
        [&] { return scan::scan_space(space, order, given_.combination.axioms, given_.combination.arrays); });
    return nest ? &nests_.emplace(order, std::move(*nest)).first->second : nullptr;
  }

  /// A plan of the space in that order with these methods, or none where one is not proved or not worth it.
  std::optional<LeafPlan> plan_in(const combine::IterationSpace &space, const schedule::Order &order,
                                  const find::Requests &requests) const {
    const scan::Nest *nest = scanned(space, order);
    if (!nest) return std::nullopt;
    std::optional<plan::FindPlan> finds =
        find::plan_finds_by(*nest, given_.prover, requests, scan::needs_of_positions(space, *nest));
    // States in an array cost its extent: not where nobody asked for them.
    if (!finds || std::ranges::any_of(finds->levels, [](const LevelPlan &find) {
          return find.walk() && !find.walk()->state_index.empty();
        }))
      return std::nullopt;
    LeafPlan plan;
    plan.nest = *nest;
    plan.finds = std::move(*finds);
    plan.chunk = main_.chunk;
    plan.schedule = main_.schedule;
    plan.chunk_per_thread = main_.chunk_per_thread;
    return plan;
  }

  bool adds_up() const { return main_.reduction == plan::Reduction::Scalar; }

  /// As the main plan: the same loop, or, where threads add up one sum, the outermost.
  void run_in_parallel(LeafPlan &plan) const {
    plan.parallel = main_.parallel;
    plan.least = main_.least;
    plan.work = main_.work;
    if (!adds_up()) return;
    plan.reduction = main_.reduction;
    auto outermost = std::ranges::find_if(plan.nest.levels, &Level::is_loop);
    plan.parallel = static_cast<std::size_t>(outermost - plan.nest.levels.begin());
    if (std::optional<Term> work = work_of(plan, given_.space, given_.combination, thresholds_);
        work && plan.work)
      plan.work = work;
  }

  // ---- entries behind marks

  std::optional<plan::Alternative> entries_behind_marks() const {
    if (given_.fixed_order) return std::nullopt;
    const LevelPlan *mapped = nullptr;
    for (const LevelPlan &plan : main_.finds.levels)
      if (const auto *map = plan.as<DenseMap>(); map && map->tells_absence() && map->level == 0)
        mapped = &plan;
    if (!mapped || levels_.empty() || !levels_[0].is_loop()) return std::nullopt;
    const Level &owner = levels_[0];
    std::size_t inner = 1;
    while (inner < mapped->level && levels_[inner].is_let())
      ++inner;
    // The rows' loop, the entries' loop, and nothing else that iterates before the find.
    if (!levels_[inner].is_loop() || scan::loops_between(levels_, 0, mapped->level) != 2) return std::nullopt;
    const std::string &entries = levels_[inner].variable;
    const std::string &wanted = levels_[mapped->level].variable;
    combine::IterationSpace space = combine::with_slots_in_range(given_.space, given_.combination.arrays);
    std::optional<schedule::Order> order = order_with(space, {entries, wanted, owner.variable});
    std::optional<LeafPlan> plan;
    if (order) plan = plan_in(space, *order, {{wanted, Method::Map}});
    if (!plan || !becomes_owned(*plan, owner, entries, wanted)) return std::nullopt;
    Term condition = few_keys(*find_of(*plan, wanted)->as<DenseMap>(), owner, levels_[inner]);
    return plan::Alternative{condition,
                             fmt::format("few keys in {}: its marks decide which entries of {} are looked at",
                                         levels_[mapped->level].tensor, levels_[inner].tensor),
                             std::move(*plan)};
  }

  /// Few for the keys' range. Where rows are long, multiplying runs in long vectors: then fewer.
  Term few_keys(const DenseMap &map, const Level &owner, const Level &inner) const {
    auto one_in = [&](std::int64_t keys) {
      return term::at_most(term::scale(keys, map.upper - map.lower), map.extent);
    };
    std::optional<Term> entries = entries_of(inner.tensor, given_.space, given_.combination);
    if (!entries) return one_in(thresholds_.keys_per_mark);
    Term short_rows = term::at_most(*entries, term::scale(cost::long_row, owner.upper - owner.lower));
    return term::disjunction({term::conjunction({one_in(thresholds_.keys_per_mark), short_rows}),
                              one_in(thresholds_.keys_per_mark_in_long_rows)});
  }

  static LevelPlan *find_of(LeafPlan &plan, const std::string &variable) {
    for (LevelPlan &find : plan.finds.levels)
      if (plan.nest.levels[find.level].variable == variable) return &find;
    return nullptr;
  }

  /// Turns the plan of the order entries, ..., wanted, owner into one of owned chunks; false where it isn't
  /// that.
  bool becomes_owned(LeafPlan &plan, const Level &owner, const std::string &entries,
                     const std::string &wanted) const {
    const std::vector<Level> &levels = plan.nest.levels;
    LevelPlan *mapped = find_of(plan, wanted), *row = find_of(plan, owner.variable);
    if (!mapped || !row || levels.empty() || !levels[0].is_loop() || levels[0].variable != entries)
      return false;
    auto *map = mapped->as<DenseMap>();
    if (!map || !map->tells_absence() || map->level != 0) return false;
    const Level &found = levels[row->level];
    const plan::Walk *walk = row->walk();
    if (!walk || walk->gallops || walk->state_level != 0 || walk->clamp || found.components.size() != 1 ||
        found.components[0].target != term::variable(entries) || found.lower != owner.lower ||
        found.upper != owner.upper)
      return false;
    for (const LevelPlan &find : plan.finds.levels) {
      if (find.walk() && find.level != row->level && find.walk()->state_level == 0) return false;
    }
    map->form = map->holds_values() ? plan::MapForm::Marked : plan::MapForm::Marks;
    if (!main_.parallel) return true;
    if (adds_up()) {
      run_in_parallel(plan);
      plan.least = main_.least > 0 ? thresholds_.least_marked_entries : 0;
      plan.chunk = std::max(main_.chunk, thresholds_.chunk_of_entries);
      return true;
    }
    if (*main_.parallel != 0 || !intervals_are_between(plan, *row)) return false;
    plan.cut = plan::OwnedChunks{};
    plan.parallel = row->level;
    plan.chunk = std::max(main_.chunk, thresholds_.owned_chunk);
    plan.least = main_.least > 0 ? std::max(main_.least, thresholds_.least_marked_entries) : 0;
    plan.work = main_.work;
    return true;
  }

  /// For v1 <= v <= v2: key(v1) <= key(v) and key(v) + width(v) <= key(v2) + width(v2). Asked of the prover.
  bool intervals_are_between(const LeafPlan &plan, const LevelPlan &row) const {
    const Level &found = plan.nest.levels[row.level];
    const scan::Component &interval = found.components[0];
    auto at = [&](const Term &formula, const char *name) {
      return term::substitute(formula, {{found.variable, term::variable(found.variable + name)}});
    };
    Term middle = term::variable(found.variable);
    Term first = term::variable(found.variable + "'");
    Term last = term::variable(found.variable + "''");
    std::vector<Term> hypotheses{term::at_most(found.lower, first), term::at_most(first, middle),
                                 term::at_most(middle, last), term::less(last, found.upper)};
    Term end = interval.key + interval.width;
    hypotheses.push_back(
        term::disjunction({term::less(interval.key, at(interval.key, "'")), term::less(at(end, "''"), end)}));
    return given_.prover.refute("O-between", found.variable, hypotheses) == prove::Answer::Refuted;
  }

  // ---- maps that don't pay

  /// Where the keys of the last map range too far, or the segment is so short that a walk over it costs
  /// nothing.
  void limit_map(LeafPlan &plan) const {
    auto last = std::find_if(plan.finds.levels.rbegin(), plan.finds.levels.rend(),
                             [](const LevelPlan &find) { return find.as<DenseMap>() != nullptr; });
    if (last == plan.finds.levels.rend()) return;
    DenseMap &map = *last->as<DenseMap>();
    if (plan.alternatives.empty()) plan.split = map.level;
    if (plan.split > map.level) return;
    // A state of the main plan around the choice would be declared again inside.
    begin_behind(plan, plan.split);
    if (std::ranges::any_of(plan.finds.levels, [&](const LevelPlan &find) {
          return find.level >= plan.split && find.walk() && find.walk()->state_level < plan.split;
        }))
      return;
    bool per_thread = main_.parallel && map.level > *main_.parallel;
    std::int64_t limit = per_thread ? cost::longest_map_per_thread : cost::longest_map;
    Term condition = term::less(Term(limit), map.extent);
    Term positions = map.upper - map.lower;
    bool known = map.level > 0 && known_at(map.lower, plan.split) && known_at(map.upper, plan.split);
    const std::int64_t least =
        map.form == plan::MapForm::Presence ? cost::shortest_map_of_presence : cost::shortest_map;
    bool few = known && scan::loops_between(levels_, map.level, last->level) > 1;
    if (few) condition = term::disjunction({condition, term::at_most(positions, Term(least))});
    const Level &found = levels_[last->level];
    auto walks = std::ranges::find_if(plan.alternatives, [&](const plan::Alternative &each) {
      const LevelPlan &find = each.plan.finds.levels.back();
      return find.method() == Method::Sequential &&
             each.plan.nest.levels[find.level].variable == found.variable;
    });
    if (walks != plan.alternatives.end()) {
      walks->condition = term::disjunction({walks->condition, condition});
      if (known) {
        // First, so that nothing else is asked of a short row.
        plan::Alternative shortest = *walks;
        shortest.condition = term::at_most(positions, Term(cost::shortest_map_for_one_loop));
        shortest.reason = fmt::format("very few of {}: a walk over these", found.tensor);
        find_of(shortest.plan, found.variable)->as<plan::Walk>()->few_positions = true;
        plan.alternatives.insert(plan.alternatives.begin(), std::move(shortest));
      }
    } else {
      std::optional<LeafPlan> other;
      for (Method method : {Method::Sequential, Method::Binary, Method::Scan})
        if (!other) other = plan_in(given_.space, order_, {{found.variable, method}});
      if (!other || !fits(*other, plan.split)) return;
      run_in_parallel(*other);
      // Where keys range too far for a map there may be more positions, but that is rare.
      if (auto *walk = find_of(*other, found.variable)->as<plan::Walk>())
        walk->few_positions = few, walk->in_order = map.in_order;
      plan.alternatives.insert(
          plan.alternatives.begin(),
          {condition, fmt::format("a map of {} would not pay", found.tensor), std::move(*other)});
    }
    map.limit = limit;
    for (plan::Alternative &each : plan.alternatives)
      for (LevelPlan &find : each.plan.finds.levels)
        if (auto *same = find.as<DenseMap>(); same && same->extent == map.extent) same->limit = limit;
  }

  /// Where a hash map that an outer loop fills anew has few positions.
  void scan_short(LeafPlan &plan) const {
    const auto last = std::ranges::find_if(
        plan.finds.levels, [](const LevelPlan &find) { return find.as<plan::HashMap>() != nullptr; });
    if (last == plan.finds.levels.end() || !plan.alternatives.empty()) return;
    const auto &map = *last->as<plan::HashMap>();
    if (map.level == 0 || !known_at(map.lower, map.level) || !known_at(map.upper, map.level)) return;
    begin_behind(plan, map.level);
    if (std::ranges::any_of(plan.finds.levels, [&](const LevelPlan &find) {
          return find.level >= map.level && find.made_at().value_or(map.level) < map.level;
        }))
      return;
    const Level &found = levels_[last->level];
    std::optional<LeafPlan> other = plan_in(given_.space, order_, {{found.variable, Method::Scan}});
    if (!other || !fits(*other, map.level)) return;
    run_in_parallel(*other);
    plan.split = map.level;
    plan.alternatives.push_back({term::at_most(map.upper - map.lower, Term(cost::shortest_hash)),
                                 fmt::format("a hash map of {} would not pay", found.tensor),
                                 std::move(*other)});
  }

  // ---- by lengths

  /// Where one loop leads to the last find: the level of that loop.
  std::optional<std::size_t> driver_of(const LevelPlan &find, std::size_t from) const {
    if (scan::loops_between(levels_, from, find.level) != 1) return std::nullopt;
    for (std::size_t k = from; k < find.level; ++k) {
      if (levels_[k].is_loop()) return k;
      if (levels_[k].is_find() || !levels_[k].guards.empty()) return std::nullopt;
    }
    return std::nullopt;
  }

  /// Whether a term can be computed before the level without reading outside of an array.
  bool known_at(const Term &term, std::size_t level) const {
    for (std::size_t k = level; k < levels_.size(); ++k)
      if (term::mentions(term, levels_[k].variable)) return false;
    std::vector<Term> loads = term::applications_of(term);
    return std::ranges::all_of(loads,
                               [&](const Term &load) { return main_.nest.safe_loads.count(load) != 0; });
  }

  bool begins_alike(const scan::Nest &nest, std::size_t split) const {
    auto beginning = [split](scan::Nest whole) {
      whole.levels.resize(std::min(split, whole.levels.size()));
      return scan::to_text(whole);
    };
    return beginning(nest) == beginning(main_.nest);
  }

  /// An alternative behind `split`: it shares what comes before, states and maps included. Finds outside are
  /// made by the main plan.
  bool fits(LeafPlan &plan, std::size_t split) const {
    begin_behind(plan, split);
    auto is_shared = [&](const LevelPlan &find) {
      return std::ranges::any_of(main_.finds.levels, [&](const LevelPlan &own) {
        return own.level == find.level && own.method() == find.method();
      });
    };
    return begins_alike(plan.nest, split) &&
           std::ranges::all_of(plan.finds.levels, [&](const LevelPlan &find) {
             if (find.level < split) return is_shared(find);
             return find.made_at().value_or(split) >= split;
           });
  }

  /// States that begin just outside of `split`, with nothing but assignments between, begin there.
  static void begin_behind(LeafPlan &plan, std::size_t split) {
    for (LevelPlan &find : plan.finds.levels) {
      auto *walk = find.as<plan::Walk>();
      if (!walk || find.level < split || !walk->state_index.empty()) continue;
      std::size_t begin = find::behind_assignments(plan.nest.levels, walk->state_level);
      walk->state_level = std::max(walk->state_level, std::min(begin, split));
    }
  }

  void by_lengths(LeafPlan &plan) const {
    if (main_.finds.levels.empty()) return;
    const LevelPlan &last = main_.finds.levels.back();
    const auto *map = last.as<DenseMap>();
    const plan::Walk *walk = last.walk();
    if (!map &&
        (!walk || walk->gallops || walk->direction != plan::Direction::Up || !walk->state_index.empty()))
      return;
    std::size_t split = *last.made_at();
    if (split > 0) split = find::behind_assignments(levels_, split);
    std::optional<std::size_t> driver = driver_of(last, split);
    const Level &found = levels_[last.level];
    // Finds outside must have been made.
    for (const LevelPlan &find : main_.finds.levels)
      if (&find != &last && find.level >= split) return;
    if (!driver || !known_at(levels_[*driver].lower, split) || !known_at(levels_[*driver].upper, split))
      return;
    Term lower = map ? map->lower : found.lower;
    Term upper = map ? map->upper : found.upper;
    if (!known_at(lower, split) || !known_at(upper, split)) return;
    Term targets = levels_[*driver].upper - levels_[*driver].lower;
    Term positions = upper - lower;
    plan.split = split;
    begin_behind(plan, split);
    // Which of the two drives, and how the other is found; the more one-sided cases first.
    schedule::Order swapped;
    // Where threads add up one sum, any loop may run in parallel.
    if (!given_.fixed_order && (!main_.parallel || *main_.parallel < split || adds_up())) {
      std::vector<std::string> first;
      for (std::size_t k = 0; k < *driver; ++k)
        if (!levels_[k].is_let()) first.push_back(levels_[k].variable);
      first.push_back(found.variable);
      first.push_back(levels_[*driver].variable);
      swapped = order_with(given_.space, first).value_or(schedule::Order{});
      const scan::Nest *nest = swapped.empty() ? nullptr : scanned(given_.space, swapped);
      if (!nest || !begins_alike(*nest, split)) swapped.clear();
    }
    auto planned = [&](bool swap, Method method) -> std::optional<LeafPlan> {
      if (swap && swapped.empty()) return std::nullopt;
      const Level &sought = swap ? levels_[*driver] : found;
      std::optional<LeafPlan> other =
          plan_in(given_.space, swap ? swapped : order_, {{sought.variable, method}});
      if (!other || !fits(*other, split)) return std::nullopt;
      run_in_parallel(*other);
      return other;
    };
    auto add = [&](bool swap, Method method, std::int64_t ratio) {
      std::optional<LeafPlan> other = planned(swap, method);
      if (!other) return;
      const Level &sought = swap ? levels_[*driver] : found;
      Term condition = swap ? term::at_most(term::scale(ratio, positions), targets)
                            : term::at_most(term::scale(ratio, targets), positions);
      const char *way = method == Method::Binary ? "each is searched in" : "a walk over";
      const std::string all =
          sought.tensor.empty() ? "the values of " + sought.variable : "those of " + sought.tensor;
      std::string reason =
          fmt::format("few of {} for {}: {} these", (swap ? found : levels_[*driver]).tensor, all, way);
      plan.alternatives.push_back({condition, std::move(reason), std::move(*other)});
    };
    for (bool swap : {false, true})
      add(swap, Method::Binary, thresholds_.search_ratio);
    if (!map) return;
    // A map of the shorter: filling it costs more than looking in it.
    std::optional<LeafPlan> shorter = planned(true, Method::Map);
    for (bool swap : {false, true})
      add(swap, Method::Sequential, shorter ? cost::walk_ratio : cost::walk_ratio_to_map_of_longer);
    if (!shorter) return;
    const std::string &kept = levels_[*driver].tensor;
    plan.alternatives.push_back({term::at_most(term::scale(cost::map_ratio, targets), positions),
                                 fmt::format("more of {} than of {}: these into a map", found.tensor, kept),
                                 std::move(*shorter)});
  }

  // ---- in step

  /// The innermost walk that can be made in step with its loop, where both are about as long.
  void add_in_step(LeafPlan &plan) const {
    for (std::size_t k = plan.finds.levels.size(); k-- > 0;) {
      std::optional<plan::InStep> form = find::in_step(plan.nest, plan.finds.levels[k]);
      if (!form) continue;
      const Level &loop = levels_[form->loop], &found = levels_[plan.finds.levels[k].level];
      bool at_split = plan.alternatives.empty() || plan.split == form->loop;
      auto known = [&](const Term &bound) { return known_at(bound, form->loop); };
      if (!at_split || !known(loop.lower) || !known(loop.upper) || !known(found.lower) || !known(found.upper))
        continue;
      LeafPlan other = plan;
      other.alternatives.clear();
      begin_behind(other, form->loop);
      std::vector<LevelPlan> before(other.finds.levels.begin(),
                                    other.finds.levels.begin() + static_cast<std::ptrdiff_t>(k));
      if (!find::plan_in_step(other.nest, *form, before, given_.prover, other.finds.levels[k])) continue;
      plan.split = form->loop;
      begin_behind(plan, plan.split);
      Term targets = loop.upper - loop.lower, positions = found.upper - found.lower;
      Term condition =
          term::conjunction({term::at_most(Term(cost::shortest_in_step), targets),
                             term::at_most(Term(cost::shortest_in_step), positions),
                             term::at_most(targets, term::scale(cost::in_step_ratio, positions)),
                             term::at_most(positions, term::scale(cost::in_step_ratio, targets))});
      plan.alternatives.push_back(
          {condition, fmt::format("about as many of {} as of {}: in step", loop.tensor, found.tensor),
           std::move(other)});
      return;
    }
  }

  const LeafPlan &main_;
  const std::vector<Level> &levels_;
  const schedule::Order &order_;
  const Given &given_;
  const cost::Thresholds &thresholds_;
  mutable std::map<schedule::Order, scan::Nest> nests_;
};

} // namespace

void add_alternatives(LeafPlan &plan, const schedule::Order &order, const Given &given) {
  if (!given.requests.empty()) return;
  LeafPlan main = plan;
  Alternatives(main, order, given).add_to(plan);
}

bool looks_for_marks(const LeafPlan &plan) {
  return std::ranges::any_of(plan.alternatives, [](const plan::Alternative &other) {
    return std::ranges::any_of(other.plan.finds.levels, [](const LevelPlan &find) {
      const auto *map = find.as<DenseMap>();
      return map && map->has_marks();
    });
  });
}

void keep_only(LeafPlan &plan, std::size_t number) {
  auto take_limits = [](LeafPlan &of) {
    for (LevelPlan &find : of.finds.levels)
      if (auto *map = find.as<DenseMap>()) map->limit = 0;
  };
  take_limits(plan);
  if (number >= plan.alternatives.size()) {
    plan.alternatives.clear();
    plan.split = 0;
    return;
  }
  plan::Alternative only = std::move(plan.alternatives[number]);
  only.condition = term::truth();
  take_limits(only.plan);
  plan.alternatives = {std::move(only)};
}

} // namespace unravel::choose
