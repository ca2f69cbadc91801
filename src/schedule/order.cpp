#include "schedule/order.h"

#include "cost/finds.h"
#include "report/diagnostic.h"
#include "schedule/determination.h"
#include "text/contains.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unravel::schedule {

using term::Term;

namespace {

class Planner {
public:
  Planner(const combine::IterationSpace &space, const Counts &counts, Scans scans,
          const std::set<std::string> &found)
      : space_(space), counts_(counts), scans_(std::move(scans)), determination_(space) {
    for (const combine::Operand &operand : space.operands)
      for (std::size_t k = operand.positions.size(); k-- > 0;) {
        int variable = determination_.find(operand.positions[k]);
        if (variable < 0 || determination_.eliminated().count(operand.positions[k])) continue;
        bool innermost = found.count(operand.tensor) || found.count(operand.name);
        if (innermost || found.count(operand.positions[k])) not_looped_ |= Variables{1} << variable;
        if (innermost) break;
      }
    find_blocks();
  }

  /// The same before it plans, but blocks of rows, floor(M / 4), are as good as none: so the loop over them
  /// stands outside, and each block of rows is come to once.
  Planner without_blocks() const {
    Planner made = *this;
    made.counts_blocks_ = false;
    return made;
  }

  Order plan(const std::vector<parse::Name> &first) {
    auto search_from_first = [&] {
      Variables bound = determination_.close(0);
      Step sum{0, 1};
      std::vector<std::size_t> chosen;
      std::vector<double> before;
      for (const parse::Name &name : first)
        if (int variable = determination_.find(name.text); variable >= 0)
          add(static_cast<std::size_t>(variable), bound, sum, chosen, before);
      search(bound, sum.visits, sum.cost, chosen, before);
    };
    search_from_first();
    if (not_looped_ != 0 && best_cost_ == std::numeric_limits<double>::infinity()) {
      not_looped_ = 0; // no order allows it: who asked is told by find planning
      search_from_first();
    }
    if (best_cost_ == std::numeric_limits<double>::infinity())
      report::fail(report::Kind::no_order, "no order of the loops makes every variable bounded",
                   "a position or coordinate of some layout is bounded only by ones that need it");
    Order order;
    Variables bound = determination_.close(0, &order);
    determination_.append_eliminated(bound, order);
    for (std::size_t variable : best_) {
      order.push_back(determination_.name(variable));
      bound = determination_.close(bound | (Variables{1} << variable), &order);
      determination_.append_eliminated(bound, order);
    }
    return order;
  }

  double cost(const Order &order) const {
    Variables bound = determination_.close(0);
    std::vector<std::size_t> chosen;
    std::vector<double> before;
    Step sum{0, 1};
    for (const std::string &name : order)
      if (int variable = determination_.find(name); variable >= 0)
        add(static_cast<std::size_t>(variable), bound, sum, chosen, before);
    return sum.cost + sum.visits;
  }

  std::map<std::string, double> trips(const Order &order) const {
    std::map<std::string, double> result;
    Variables bound = determination_.close(0);
    for (const std::string &name : order) {
      int variable = determination_.find(name);
      if (variable < 0 || (bound & (Variables{1} << variable))) continue;
      result[name] = trip(static_cast<std::size_t>(variable), bound);
      bound = determination_.close(bound | (Variables{1} << variable));
    }
    return result;
  }

private:
  double known(const std::string &name) const {
    if (auto found = counts_.find(name); found != counts_.end()) return std::max(found->second, 0.1);
    std::string tensor = name.substr(0, name.find('.'));
    bool is_size = false;
    bool is_vector = false;
    double segments = 1;
    auto look = [&](const combine::Operand &operand) {
      if (operand.tensor != tensor) return;
      is_vector = operand.coordinates.size() == operand.around + 1;
      segments = std::pow(cost::default_segment,
                          static_cast<double>(std::max<std::size_t>(operand.positions.size(), 1) - 1));
    };
    for (const combine::Operand &operand : space_.operands)
      look(operand);
    look(space_.target);
    for (const Term &part : term::conjuncts(space_.relation)) {
      // A size bounds a coordinate or a dense position; a count bounds a position with index arrays.
      for (const auto &[position, value] : determination_.eliminated())
        is_size = is_size || (term::mentions(part, position) && term::mentions(part, name));
      for (const std::string &position : dense_sums_)
        is_size = is_size || (term::mentions(part, position) && term::mentions(part, name));
      for (const std::string &coordinate : space_.coordinates)
        is_size = is_size || (term::mentions(part, coordinate) && term::mentions(part, name));
    }
    if (is_size) return cost::default_size;
    return is_vector ? cost::default_vector_entries : cost::default_entries / segments * 0.9;
  }

  /// Positions that count blocks of others, as b does where k = 8*b + r: k may be looked for in all blocks at
  /// once, so it matters how many there are.
  void find_blocks() {
    for (const auto &[name, value] : determination_.eliminated()) {
      std::set<std::string> others = term::variables_of(value);
      bool of_positions = others.size() > 1 && std::ranges::all_of(others, [&](auto &other) {
                            return std::ranges::count(space_.positions, other) > 0;
                          });
      if (of_positions) dense_sums_.insert(others.begin(), others.end());
      for (const std::string &other : others)
        if (of_positions && std::abs(term::coefficient_of(value, other)) > 1)
          if (int variable = determination_.find(other); variable >= 0) blocks_ |= Variables{1} << variable;
    }
  }

  /// About how many there are up to a bound over sizes; up to one by a position that they hold, it is one.
  double blocks_up_to(const Term &upper) const {
    double blocks = 1;
    for (const auto &[atom, coefficient] : term::linear_form(upper).parts) {
      const auto *quotient = atom.as<term::FloorDivide>();
      const Term &size = quotient ? quotient->numerator : atom;
      std::int64_t divisor = quotient ? quotient->divisor : 1;
      for (const std::string &name : term::variables_of(size))
        if (determination_.find(name) < 0)
          blocks += static_cast<double>(coefficient) * known(name) / static_cast<double>(divisor);
    }
    return blocks;
  }

  /// What a term without arrays is about: sizes as they are known, other variables in the middle of theirs.
  double about(const Term &of) const {
    const term::Linear linear = term::linear_form(of);
    double value = static_cast<double>(linear.constant);
    for (const auto &[atom, coefficient] : linear.parts) {
      double part = 0;
      if (const auto *name = atom.as<term::Variable>())
        part = determination_.find(name->name) >= 0 ? cost::default_size / 2 : known(name->name);
      else if (const auto *quotient = atom.as<term::FloorDivide>(); quotient && counts_blocks_)
        part = about(quotient->numerator) / static_cast<double>(quotient->divisor);
      value += static_cast<double>(coefficient) * part;
    }
    return value;
  }

  double trip(std::size_t variable, Variables bound) const {
    double least = std::numeric_limits<double>::infinity();
    if (determination_.is_multiplied_in_equation(variable, bound)) least = cost::divided;
    for (const Term &upper : determination_.upper_bounds(variable, bound)) {
      double estimate = 1;
      for (const Term &application : term::applications_of(upper)) {
        auto found = counts_.find(application.as<term::Apply>()->function);
        estimate *= found == counts_.end() ? cost::default_segment : std::max(found->second, 0.1);
      }
      if (term::applications_of(upper).empty()) {
        estimate = about(upper) + 1;
        if (blocks_ & (Variables{1} << variable)) estimate = blocks_up_to(upper);
        estimate = std::max(estimate, 0.1);
      }
      // The rows of a block: a bound from either side, a fixed distance apart.
      for (const Term &lower : determination_.lower_bounds(variable, bound))
        if (std::int64_t distance = 0; term::constant_difference(lower, upper, distance))
          estimate = std::max(static_cast<double>(distance) + 1, 0.1);
      least = std::min(least, estimate);
    }
    return least;
  }

  /// What is to be known of a variable that may be chosen next; it depends on what is bound, not on how.
  struct Choice {
    bool bounded = false;
    std::vector<std::string> keys;
    double trip = 0;
    double part = 0;    // of a find: of the targets' values the part that a segment has at least
    Variables then = 0; // what is bound behind it
  };
  const Choice &choice_of(std::size_t variable, Variables bound) const {
    auto [at, is_new] = choices_.try_emplace({bound, variable});
    Choice &choice = at->second;
    if (is_new && (choice.bounded = determination_.bounded(variable, bound)))
      choice = {true, determination_.keys(variable, bound), trip(variable, bound), part(variable, bound),
                determination_.close(bound | (Variables{1} << variable))};
    return choice;
  }

  /// Of the values that a find's targets have the part that a segment holds on average, if sizes are known:
  /// of as many targets it can't let fewer through.
  double part(std::size_t variable, Variables bound) const {
    double values = 1;
    const Variables targets = determination_.targets(variable, bound);
    for (std::size_t target = 0; target < determination_.size(); ++target)
      if (targets & (Variables{1} << target)) values *= trip(target, determination_.close(0));
    return values > 1 ? std::min(1.0, trip(variable, bound) / values) : 0;
  }

  /// `visits`: how often what follows the chosen variables is reached; `before[k]`: what follows the first k.
  /// Both vectors are left as they were.
  void search(Variables bound, double visits, double cost, std::vector<std::size_t> &chosen,
              std::vector<double> &before) {
    if (cost >= best_cost_ || ++steps_ > 200000) return;
    if (bound == determination_.all()) {
      if (cost + visits >= best_cost_) return;
      double total = (cost + visits) * preference(chosen);
      if (total < best_cost_) best_cost_ = total, best_ = chosen;
      return;
    }
    for (std::size_t variable = 0; variable < determination_.size(); ++variable) {
      Variables own = Variables{1} << variable;
      if (bound & own) continue;
      const Choice &choice = choice_of(variable, bound);
      if (!choice.bounded || (choice.keys.empty() && (not_looped_ & own))) continue;
      Step step = step_to(variable, choice, bound, visits, chosen, before);
      chosen.push_back(variable);
      before.push_back(visits);
      search(choice.then, step.visits, cost + step.cost, chosen, before);
      chosen.pop_back();
      before.pop_back();
    }
  }

  /// What choosing a variable next costs, and how often what follows is reached.
  struct Step {
    double cost = 0, visits = 0;
  };
  Step step_to(std::size_t variable, const Choice &choice, Variables bound, double visits,
               const std::vector<std::size_t> &chosen, const std::vector<double> &before) const {
    const double length = choice.trip;
    bool find = !choice.keys.empty();
    // Each equation of a find selects one of as many values as a mode has coordinates, at random; real data
    // are less random than that.
    double random_hits = length / std::pow(cost::default_size, static_cast<double>(choice.keys.size()));
    double reach = find ? reach_of(variable, choice.keys) : 1;
    double inner = visits * length;
    if (find)
      inner = visits * std::max({std::min({cost::hit_rate, length, reach}), random_hits, choice.part});
    double steps = length;
    if (find) steps = steps_of_find(variable, choice, bound, reach, visits, chosen, before);
    return {visits * (1 + steps) + (find ? inner : 0), inner};
  }

  /// The same for an order that is being followed; nothing where the variable is determined, or not bounded.
  void add(std::size_t variable, Variables &bound, Step &sum, std::vector<std::size_t> &chosen,
           std::vector<double> &before) const {
    if (bound & (Variables{1} << variable)) return;
    const Choice &choice = choice_of(variable, bound);
    if (!choice.bounded) return;
    Step step = step_to(variable, choice, bound, sum.visits, chosen, before);
    chosen.push_back(variable);
    before.push_back(sum.visits);
    sum = {sum.cost + step.cost, step.visits};
    bound = choice.then;
  }

  /// The part of the targets that lie between a segment's first key and its last, as far as is known: others
  /// cost next to nothing, as a search looks at these two first. Where another operand's segments reach no
  /// further, the targets may come from these: they lie together then.
  double reach_of(std::size_t variable, const std::vector<std::string> &keys) const {
    double reach = 1, of_others = 1;
    for (const std::string &key : keys)
      if (auto found = counts_.find(key.substr(0, key.find('(')) + ".reach"); found != counts_.end())
        reach = std::min(reach, found->second);
    if (reach == 1) return reach;
    const std::string &position = determination_.name(variable);
    for (const combine::Operand &operand : space_.operands) {
      if (contains(operand.positions, position)) continue;
      const std::string prefix = operand.tensor + ".", suffix = ".reach";
      for (auto known = counts_.lower_bound(prefix);
           known != counts_.end() && known->first.starts_with(prefix); ++known)
        if (known->first.ends_with(suffix)) of_others = std::min(of_others, known->second);
    }
    return std::min(1.0, reach / of_others);
  }

  /// A find searches, or it walks over its segment, or fills a map from it, once for all visits that share
  /// it.
  double steps_of_find(std::size_t variable, const Choice &choice, Variables bound, double reach,
                       double visits, const std::vector<std::size_t> &chosen,
                       const std::vector<double> &before) const {
    const double length = choice.trip;
    const auto unordered = scans_.find(choice.keys);
    if (unordered != scans_.end() && unordered->second == Unordered::Scanned) return length;
    Variables outside = determination_.close(0);
    std::size_t shared = 0;
    while (shared < chosen.size() && !determination_.bounded_as_by(variable, bound, outside))
      outside = choice_of(chosen[shared++], outside).then;
    double sharing = shared < chosen.size() ? visits / before[shared] : 1;
    std::size_t loops = chosen.size() - shared;
    if (unordered != scans_.end()) return std::min(length, cost::of_hash(length, sharing) / sharing);
    return cost::of_find(length, reach, sharing, loops, shared == 0);
  }

  /// Factors that decide between costs that are equal, or about so.
  double preference(const std::vector<std::size_t> &chosen) {
    double factor = 1;
    std::vector<std::string> order;
    Variables bound = determination_.close(0, &order), outside = bound;
    for (std::size_t variable : chosen) {
      outside = bound;
      order.push_back(determination_.name(variable));
      bound = determination_.close(bound | (Variables{1} << variable), &order);
    }
    // Coordinates of the result outside, in the order of the result.
    auto place = [&](const std::string &name) { return std::ranges::find(order, name) - order.begin(); };
    for (std::size_t a = 0; a < space_.coordinates.size(); ++a)
      for (std::size_t b = a + 1; b < space_.coordinates.size(); ++b)
        if (place(space_.coordinates[a]) > place(space_.coordinates[b])) factor += 0.01;
    return chosen.empty() ? factor : factor * strides(chosen.back(), outside);
  }

  /// More than 1 when the innermost loop, inside those over `outside`, walks through arrays by steps other
  /// than 1.
  double strides(std::size_t innermost, Variables outside) {
    auto [known, is_new] = strides_.try_emplace({innermost, outside}, 1.0);
    if (!is_new) return known->second;
    term::Substitution moved = determination_.determined_by(innermost, outside);
    auto look = [&](const Term &slot) {
      Term walked = term::substitute(term::substitute(slot, determination_.eliminated()), moved);
      if (is_strided(walked, determination_.name(innermost))) known->second *= cost::stride_penalty;
    };
    for (const combine::Operand &operand : space_.operands)
      look(operand.slot);
    look(space_.target.slot);
    return known->second;
  }

  /// Does the slot go by other steps than 1, or jump, where the variable goes by 1? Jumps through an index
  /// array count only where a loop over another variable would walk along: B(col(p), r) over p, but not
  /// x(col(p)).
  bool is_strided(const Term &slot, const std::string &variable) const {
    bool strides = false, jumps = false, walks_elsewhere = false;
    for (const auto &[atom, coefficient] : term::linear_form(slot).parts) {
      const auto *plain = atom.as<term::Variable>();
      bool jump = false;
      for (const Term &application : term::applications_of(atom))
        jump = jump || term::mentions(application, variable);
      if (jump)
        jumps = true;
      else if (term::mentions(atom, variable))
        strides = strides || !plain || coefficient != 1;
      else
        walks_elsewhere =
            walks_elsewhere || (plain && coefficient == 1 && determination_.find(plain->name) >= 0);
    }
    return strides || (jumps && walks_elsewhere);
  }

  const combine::IterationSpace &space_;
  const Counts &counts_;
  Scans scans_;
  bool counts_blocks_ = true;
  Variables not_looped_ = 0;
  Variables blocks_ = 0;
  std::set<std::string> dense_sums_; // k and b where k = 8*b + r
  Determination determination_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> best_;
  std::map<std::pair<std::size_t, Variables>, double> strides_; // by the innermost loop and what is outside
  mutable std::map<std::pair<Variables, std::size_t>, Choice> choices_; // by what is bound; references stay
  std::size_t steps_ = 0;
};

} // namespace

Order plan_order(const combine::IterationSpace &space, const Counts &counts, const Scans &scans,
                 const std::set<std::string> &found, const std::vector<parse::Name> &first) {
  Planner counting(space, counts, scans, found), by_blocks = counting.without_blocks();
  Order order = by_blocks.plan(first);
  const double cost = counting.cost(order);
  if (cost == by_blocks.cost(order)) return order;
  Order other = counting.plan(first);
  return counting.cost(other) * cost::gain_of_blocks < cost ? other : order;
}

double cost_of(const combine::IterationSpace &space, const Order &order, const Counts &counts) {
  return cost_of(space, order, counts, {});
}

double cost_of(const combine::IterationSpace &space, const Order &order, const Counts &counts,
               const Scans &scans) {
  return Planner(space, counts, scans, {}).cost(order);
}

std::map<std::string, double> trip_counts(const combine::IterationSpace &space, const Order &order,
                                          const Counts &counts) {
  return Planner(space, counts, {}, {}).trips(order);
}

void fail_unknown_variable(const parse::Name &name, const std::vector<std::string> &variables) {
  std::string near = report::nearest(name.text, variables);
  report::fail(report::Kind::unknown_variable, name.span,
               fmt::format("`{}` is not a variable of this computation", name.text),
               fmt::format("its variables are {}{}", fmt::join(variables, ", "),
                           near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

void require_each_once(const std::vector<parse::Name> &order) {
  std::set<std::string> seen;
  for (const parse::Name &name : order)
    if (!seen.insert(name.text).second)
      report::fail(report::Kind::duplicate_name, name.span,
                   fmt::format("`{}` is already in the order", name.text), "name each variable once");
}

bool is_bounded(const combine::IterationSpace &space, const std::vector<parse::Name> &given) {
  Determination determination(space);
  Variables bound = determination.close(0);
  for (const parse::Name &name : given) {
    int variable = determination.find(name.text);
    if (variable < 0 || (bound & (Variables{1} << variable))) continue;
    if (!determination.bounded(static_cast<std::size_t>(variable), bound)) return false;
    bound = determination.close(bound | (Variables{1} << variable));
  }
  return true;
}

Order complete_order(const combine::IterationSpace &space, const std::vector<parse::Name> &given) {
  Determination determination(space);
  Order order;
  Variables bound = determination.close(0, &order);
  determination.append_eliminated(bound, order);
  require_each_once(given);
  for (const parse::Name &name : given) {
    int variable = determination.find(name.text);
    std::vector<std::string> variables = space.variables();
    if (variable < 0) {
      if (contains(variables, name.text)) continue; // follows from others
      fail_unknown_variable(name, variables);
    }
    Variables own = Variables{1} << variable;
    if (bound & own) continue;
    bool is_bounded = determination.bounded(static_cast<std::size_t>(variable), bound);
    if (!is_bounded && !name.span.source) continue;
    if (!is_bounded)
      report::fail(report::Kind::not_bounded_here, name.span,
                   fmt::format("`{}` is not bounded by the variables before it", name.text),
                   "its bounds or the arrays in them need variables that come later in this order");
    order.push_back(determination.name(static_cast<std::size_t>(variable)));
    bound = determination.close(bound | own, &order);
    determination.append_eliminated(bound, order);
  }
  // What was not mentioned goes inside.
  std::vector<std::size_t> candidates;
  for (const parse::Name &name : given)
    if (int variable = determination.find(name.text); variable >= 0)
      candidates.push_back(static_cast<std::size_t>(variable));
  for (std::size_t variable = 0; variable < determination.size(); ++variable)
    candidates.push_back(variable);
  while (bound != determination.all()) {
    auto next = std::ranges::find_if(candidates, [&](std::size_t variable) {
      return !(bound & (Variables{1} << variable)) && determination.bounded(variable, bound);
    });
    if (next == candidates.end()) break;
    order.push_back(determination.name(*next));
    bound = determination.close(bound | (Variables{1} << *next), &order);
    determination.append_eliminated(bound, order);
  }
  if (bound != determination.all())
    report::fail(report::Kind::no_order, "no order of the remaining loops makes every variable bounded");
  return order;
}

} // namespace unravel::schedule
