// Choosing a find method per level.
#include "cost/finds.h"
#include "cost/thresholds.h"
#include "find/counterexample.h"
#include "find/map.h"
#include "find/missing.h"
#include "find/templates.h"
#include "find/walk.h"
#include "report/diagnostic.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::find {

namespace {

using scan::Level;

struct Template {
  Method method;
  Outcome (*attempt)(Obligations &, LevelPlan &);
};

/// The order of trying is the order of cost.
constexpr Template templates[] = {
    {Method::Direct, try_direct},
    {Method::Probe, try_probe},
    {Method::Map, try_map},
    {Method::Sequential, try_sequential},
    {Method::Galloping, try_galloping},
    {Method::Binary, try_binary},
    {Method::Hash, try_hash},
    {Method::Scan, try_scan},
};

const Template *template_of(Method method) {
  const auto *found = std::find_if(std::begin(templates), std::end(templates),
                                   [&](const Template &each) { return each.method == method; });
  return found == std::end(templates) ? nullptr : found;
}

std::vector<std::size_t> finds_of(const scan::Nest &nest) {
  std::vector<std::size_t> levels;
  for (std::size_t k = 0; k < nest.levels.size(); ++k)
    if (nest.levels[k].is_find()) levels.push_back(k);
  return levels;
}

class Planner {
public:
  Planner(const scan::Nest &nest, prove::Prover &prover, const Requests &requests, const Lengths &lengths,
          const scan::Needs &needs, const Counts &counts, bool for_user)
      : nest_(nest), prover_(prover), requests_(requests), lengths_(lengths), needs_(needs), counts_(counts),
        for_user_(for_user), finds_(finds_of(nest)) {}

  FindPlan plan() {
    check_requests(names_of_finds(nest_), requests_);
    if (finds_.empty()) return std::move(result_);
    check_vacuity();
    for (std::size_t level : finds_) {
      LevelPlan own;
      own.level = level;
      if (auto need = needs_.find(nest_.levels[level].variable); need != needs_.end())
        own.need = need->second;
      if (level == finds_.back()) own.obligations = vacuity_;
      if (result_.vacuous)
        plan_vacuous(own);
      else
        plan_level(own);
      result_.levels.push_back(std::move(own));
    }
    return std::move(result_);
  }

private:
  /// One question for the whole nest: if all conditions together are possible, so are those of each level.
  void check_vacuity() {
    LevelPlan probe;
    const std::vector<LevelPlan> none;
    const prove::Prover::Optional optional(prover_, !for_user_          ? prover_.purpose()
                                                    : requests_.empty() ? "whether anything is found"
                                                                        : "");
    Obligations obligations(nest_, finds_.back(), none, prover_, probe);
    prove::Answer answer = obligations.vacuity();
    result_.vacuous = answer == prove::Answer::Refuted;
    undecided_ = answer == prove::Answer::Unknown;
    vacuity_ = probe.obligations;
  }

  void plan_vacuous(LevelPlan &own) {
    const Level &level = nest_.levels[own.level];
    std::string reason = "the properties contradict each other here, or nothing can match";
    if (const Request *wanted = request_for(level); wanted && wanted->method != Method::Scan)
      refuse(own, *wanted, reason);
    own.how = plan::Scan{};
    own.candidates.push_back({Method::Scan, true, true, reason});
  }

  const Request *request_for(const Level &level) const {
    if (auto at = requests_.find(level.variable); at != requests_.end()) return &at->second;
    if (auto at = requests_.find(level.tensor); at != requests_.end() && !level.tensor.empty())
      return &at->second;
    return nullptr;
  }

  /// What questions about a level are for; empty where the user wants to be told. Those that a caller asks on
  /// its own are for what the caller is for.
  std::string purpose_at(const Level &level, const Request *wanted) const {
    if (for_user_) return wanted ? "" : fmt::format("better ways to find `{}`", level.variable);
    return prover_.purpose();
  }

  /// A tensor's request spares its outer levels that are found directly.
  bool keeps_direct(std::size_t at) const {
    const Level &level = nest_.levels[at];
    if (requests_.count(level.variable)) return false;
    return std::ranges::any_of(
        finds_, [&](std::size_t other) { return other > at && nest_.levels[other].tensor == level.tensor; });
  }

  void plan_level(LevelPlan &own) {
    const Level &level = nest_.levels[own.level];
    Obligations obligations(nest_, own.level, result_.levels, prover_, own);
    const Request *wanted = request_for(level);
    const prove::Prover::Optional optional(prover_, purpose_at(level, wanted));
    if (wanted && wanted->method != Method::Direct && keeps_direct(own.level) &&
        attempt(templates[0], obligations, own, false)) {
      own.candidates.back().reason = "an outer find of the tensor stays direct";
      return;
    }
    if (wanted) {
      own.candidates.clear();
      if (!attempt(*template_of(wanted->method), obligations, own, true))
        refuse(own, *wanted, own.candidates.back().reason);
      own.candidates.back().reason = for_user_ ? "as asked" : "chosen for this alternative";
    } else {
      for (const Template &each : templates)
        if (attempt(each, obligations, own, false)) break;
      note_untried(own);
      prefer_map(obligations, own);
      prefer_hash(obligations, own);
      prefer_search(obligations, own);
      leave_huge_map(obligations, own);
      prefer_binary(own);
      prefer_array(obligations, own);
    }
    plan_jump(obligations, own);
    if (undecided_)
      own.candidates.push_back(
          {Method::Scan, true, true, "it could not be decided whether the properties contradict each other"});
  }

  double length(const std::string &variable, double otherwise) const {
    auto known = lengths_.find(variable);
    return known == lengths_.end() ? otherwise : known->second;
  }

  static std::vector<Candidate>::iterator candidate(LevelPlan &plan, Method method) {
    return std::ranges::find(plan.candidates, method, &Candidate::method);
  }

  /// The other plan in place of the chosen one, which costs more.
  static void take(LevelPlan &own, LevelPlan other, const std::string &why) {
    *candidate(other, other.method()) = {other.method(), true, true, "chosen: " + why};
    candidate(other, own.method())->reason = name_of(other.method()) + " costs less";
    own = std::move(other);
  }

  /// A map that serves one pass costs more than a walk does, but less than trying every position each time.
  static void prefer_map(Obligations &obligations, LevelPlan &own) {
    if (!own.as<plan::Scan>() || !candidate(own, Method::Map)->proved) return;
    LevelPlan map = own;
    if (!try_map(obligations, map).available || loops_since(obligations, map.filled_map()->level) == 0)
      return;
    take(own, std::move(map), "only a scan is proved");
  }

  /// Are several things looked for while the map is there? Marks of members, `bits(p) = 1`, are one.
  bool serves_targets(const Obligations &obligations, const plan::FilledMap &map) const {
    return loops_since(obligations, map.level) > 0 &&
           std::ranges::any_of(map.targets, [&](const term::Term &target) {
             return !computed_before(obligations, target, map.level);
           });
  }

  /// Keys in no order that no dense map is over: pairs of coordinates, say.
  void prefer_hash(Obligations &obligations, LevelPlan &own) {
    if (undecided_ || !own.as<plan::Scan>() || !candidate(own, Method::Hash)->proved) return;
    LevelPlan hash = own;
    if (!try_hash(obligations, hash).available || !serves_targets(obligations, *hash.filled_map())) return;
    const std::string &variable = nest_.levels[own.level].variable;
    const double range = length(variable, 0), targets = targets_from(hash.filled_map()->level, own.level);
    if (lengths_.contains(variable) && cost::of_hash(range, targets) >= range * targets) return;
    take(own, std::move(hash), "only a scan is proved");
  }

  /// The part of its keys' range that a segment reaches over of which the term reads keys, as far as is
  /// known.
  double reach_of(const term::Term &keys) const {
    double reach = 1;
    for (const term::Term &application : term::applications_of(keys))
      if (auto found = counts_.find(application.as<term::Apply>()->function + ".reach");
          found != counts_.end())
        reach = std::min(reach, found->second);
    return reach;
  }

  /// The part of the targets that lie where a segment of this level reaches, as far as is known. Targets that
  /// come from a segment, too, are taken to lie together: two rows of a band meet wherever they are.
  double reach_of(const Level &level) const {
    double reach = 1;
    for (const scan::Component &component : level.components)
      reach = std::min(reach, reach_of(component.key) /
                                  reach_of(scan::through_lets(component.target, nest_.levels)));
    return reach;
  }

  /// A map costs its range, however few targets are looked for in it, and so does the walk that a kernel
  /// takes instead; binary search next to nothing for targets that lie outside of a segment.
  void prefer_search(Obligations &obligations, LevelPlan &own) const {
    const Level &level = nest_.levels[own.level];
    const double reach = reach_of(level);
    const auto *map = own.as<plan::DenseMap>();
    if (!map || reach == 1 || !lengths_.count(level.variable)) return;
    double range = length(level.variable, 0);
    double targets = targets_from(map->level, own.level);
    const double otherwise = std::min(cost::map_step * range + targets, cost::of_walk(range, targets));
    if (cost::of_search(range, targets, reach) >= otherwise) return;
    LevelPlan binary = own;
    if (!try_binary(obligations, binary).available) return;
    take(own, std::move(binary), "few targets, and most lie outside of the segment");
  }

  /// A map has an element for each key: more than memory has room for, as the data say, or so many that to
  /// set them once costs more than all searches.
  void leave_huge_map(Obligations &obligations, LevelPlan &own) const {
    const auto *map = own.as<plan::DenseMap>();
    const auto *size = map ? map->extent.as<term::Variable>() : nullptr;
    const auto known = size ? counts_.find(size->name) : counts_.end();
    if (known == counts_.end()) return;
    const std::string &variable = nest_.levels[own.level].variable;
    const bool costs_more =
        lengths_.contains(variable) &&
        cost::cleared_key * known->second > cost::of_search(length(variable, 0), targets_from(0, own.level));
    if (known->second <= static_cast<double>(cost::longest_map) && !costs_more) return;
    for (Method method : {Method::Binary, Method::Hash}) {
      LevelPlan other = own;
      if (template_of(method)->attempt(obligations, other).available)
        return take(own, std::move(other),
                    costs_more ? "a map has more keys than the searches take steps"
                               : "the keys range too far for a map");
    }
  }

  /// Iterations of the loops from one level to another.
  double targets_from(std::size_t first, std::size_t last) const {
    double targets = 1;
    for (std::size_t k = first; k < last; ++k)
      if (nest_.levels[k].is_loop()) targets *= length(nest_.levels[k].variable, 1);
    return targets;
  }

  /// Does each iteration of a loop around it walk over the whole list, whatever is looked for?
  bool begins_anew_in_list(const Level &level, const plan::Walk &walk) const {
    return std::any_of(nest_.levels.begin(),
                       nest_.levels.begin() + static_cast<std::ptrdiff_t>(walk.state_level),
                       [](const Level &outer) { return outer.is_loop(); }) &&
           std::ranges::none_of(nest_.levels, [&](const Level &outer) {
             return term::mentions(level.lower, outer.variable) ||
                    term::mentions(level.upper, outer.variable);
           });
  }

  /// A walk costs its range, however few targets it serves; binary search the logarithm per target. The
  /// walk's obligations with O-part are those of binary search.
  void prefer_binary(LevelPlan &own) const {
    const Level &level = nest_.levels[own.level];
    const plan::Walk *walk = own.walk();
    if (!walk || walk->gallops || !walk->partitioned || walk->direction != Direction::Up) return;
    if (!lengths_.count(level.variable)) {
      if (!begins_anew_in_list(level, *walk)) return;
      LevelPlan binary = own;
      binary.how = plan::Binary{walk->skip};
      return take(own, std::move(binary), "each walk would begin anew, over the whole list");
    }
    double range = length(level.variable, 0);
    double targets = targets_from(walk->state_level, own.level);
    if (cost::of_search(range, targets, reach_of(level)) >= cost::of_walk(range, targets)) return;
    LevelPlan binary = own;
    binary.how = plan::Binary{walk->skip};
    take(own, std::move(binary), "few targets for the range");
    candidate(own, Method::Sequential)->reason =
        fmt::format("about {:.0f} targets in a walk over {:.0f} positions", targets, range);
  }

  /// Walks with their states in an array, where a loop over its slots runs inside of others and the data say
  /// that they beat binary search. The slot is read and written at each visit, and filled before.
  void prefer_array(Obligations &obligations, LevelPlan &own) const {
    const Level &level = nest_.levels[own.level];
    if (!own.as<plan::Binary>() || !lengths_.count(level.variable)) return;
    if (auto walk = candidate(own, Method::Sequential); !walk->tried || !walk->proved) return;
    LevelPlan array = own;
    obligations.set_complete(true);
    bool available = try_sequential(obligations, array).available;
    const plan::Walk *states = available ? array.walk() : nullptr;
    if (!states || states->state_index.size() != 1) return;
    double targets = 1; // of each slot
    bool over_all = false;
    for (std::size_t k = states->state_level; k < own.level; ++k) {
      const Level &outer = nest_.levels[k];
      if (term::mentions(states->state_index.front(), outer.variable))
        over_all = outer.is_loop() && outer.upper - outer.lower == states->state_extent.front();
      else if (outer.is_loop())
        targets *= length(outer.variable, 1);
    }
    double range = length(level.variable, 0);
    double cost = cost::of_walk(range, targets) + targets + 1;
    if (!over_all || cost::array_gain * cost > cost::of_search(range, targets, reach_of(level))) return;
    array.obligations = own.obligations;
    take(own, std::move(array), fmt::format("about {:.0f} targets for each state", targets));
  }

  /// Tries a template and takes it if it is available and, unless `insist`, worthwhile.
  bool attempt(const Template &each, Obligations &obligations, LevelPlan &own, bool insist) {
    LevelPlan before = own;
    obligations.set_complete(insist);
    Outcome outcome = each.attempt(obligations, own);
    bool taken = outcome.proved && outcome.available && (outcome.worthwhile || insist);
    if (!taken) {
      // Only what was proved about the find itself stays.
      before.unique = own.unique;
      before.contiguous = own.contiguous;
      before.obligations = std::move(own.obligations);
      own = std::move(before);
    }
    if (outcome.applies || insist)
      own.candidates.push_back({each.method, outcome.proved, true, taken ? "" : outcome.reason});
    return taken;
  }

  void note_untried(LevelPlan &own) const {
    own.candidates.back().reason = "chosen";
    for (const Template &each : templates)
      if (each.method != Method::Probe &&
          std::ranges::none_of(own.candidates,
                               [&](const Candidate &candidate) { return candidate.method == each.method; }))
        own.candidates.push_back({each.method, false, false, name_of(own.method()) + " costs less"});
  }

  /// A property with which the method would be proved: "`property increasing col` in the layout of `B`".
  std::string missing_property(const LevelPlan &own, Method method) const {
    if (result_.vacuous) return "";
    for (const Missing &missing : properties_that_may_miss(nest_, own.level)) {
      std::vector<prove::Axiom> axioms = prover_.axioms();
      axioms.push_back(missing.axiom);
      prove::Prover prover(std::move(axioms));
      LevelPlan with;
      with.level = own.level;
      with.need = own.need;
      Obligations obligations(nest_, own.level, result_.levels, prover, with);
      if (obligations.vacuity() != prove::Answer::Possible) continue;
      const Outcome outcome = template_of(method)->attempt(obligations, with);
      if (outcome.proved && outcome.available)
        return fmt::format("`{}` in the layout of `{}`", missing.text, missing.tensor);
    }
    return "";
  }

  [[noreturn]] void refuse(const LevelPlan &own, const Request &wanted, const std::string &reason) const {
    const std::string property = for_user_ ? missing_property(own, wanted.method) : "";
    std::string hint = "leave the method to the compiler, or state " +
                       (property.empty() ? "the missing property" : property);
    if (std::string needed = demand(own, reason); !needed.empty()) hint = needed + "; " + hint;
    report::fail(report::Kind::find_not_proved, wanted.method_span,
                 fmt::format("`{}` can't be found by {}: {}", nest_.levels[own.level].variable,
                             name_of(wanted.method),
                             for_user_ ? failure(nest_, own, reason, prover_) : reason),
                 hint);
  }

  const scan::Nest &nest_;
  prove::Prover &prover_;
  const Requests &requests_;
  Lengths lengths_;
  const scan::Needs &needs_;
  Counts counts_;
  bool for_user_; // who makes the requests, and reads the refusals
  std::vector<std::size_t> finds_;
  std::vector<Obligation> vacuity_;
  bool undecided_ = false;
  FindPlan result_;
};

} // namespace

std::vector<std::string> names_of_finds(const scan::Nest &nest) {
  std::vector<std::string> names;
  for (std::size_t level : finds_of(nest)) {
    names.push_back(nest.levels[level].variable);
    if (!nest.levels[level].tensor.empty()) names.push_back(nest.levels[level].tensor);
  }
  return names;
}

std::vector<std::string> names_of_trials(const scan::Nest &nest) {
  std::vector<std::string> names;
  for (const Level &level : nest.levels) {
    const bool is_trial = level.is_loop() && !level.tensor.empty() &&
                          std::ranges::any_of(level.guards, [&](const term::Term &each) {
                            return term::equation(each) && term::mentions(each, level.variable);
                          });
    if (is_trial) names.insert(names.end(), {level.variable, level.tensor});
  }
  return names;
}

void check_requests(const std::vector<std::string> &names, const Requests &requests,
                    const std::vector<std::string> &trials) {
  for (const auto &[name, request] : requests) {
    if (contains(names, name)) continue;
    if (contains(trials, name)) {
      if (request.method == Method::Scan) continue;
      report::fail(report::Kind::no_such_find, request.name_span,
                   fmt::format("each position of `{}` is tried: its coordinates aren't keys that a search "
                               "compares",
                               name),
                   "a search needs coordinates that are elements at the position, as in `j = col(p)`");
    }
    std::string list;
    for (const std::string &each : names)
      if (list.find("`" + each + "`") == std::string::npos) list += (list.empty() ? "`" : ", `") + each + "`";
    report::fail(report::Kind::no_such_find, request.name_span,
                 fmt::format("nothing has to be found for `{}`", name),
                 list.empty() ? "no find is needed in this order of loops" : "finds are " + list);
  }
}

FindPlan plan_finds(const scan::Nest &nest, prove::Prover &prover, const Requests &requests,
                    const Lengths &lengths, const scan::Needs &needs, const Counts &counts) {
  return Planner(nest, prover, requests, lengths, needs, counts, true).plan();
}

std::optional<FindPlan> plan_finds_by(const scan::Nest &nest, prove::Prover &prover, const Requests &requests,
                                      const scan::Needs &needs) {
  return report::unless_refused([&] { return Planner(nest, prover, requests, {}, needs, {}, false).plan(); });
}

} // namespace unravel::find
