#include "scan/scan.h"

#include "report/diagnostic.h"
#include "scan/known.h"
#include "scan/side.h"
#include "space/set.h"
#include "term/nesting.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unravel::scan {

using space::Set;
using term::Term;

namespace {

class Scanner {
public:
  Scanner(const combine::IterationSpace &space, const schedule::Order &order,
          const std::vector<prove::Axiom> &axioms, const std::map<std::string, std::vector<Term>> &arrays)
      : space_(space), order_(order), axioms_(axioms), arrays_(arrays), relation_(space.relation),
        facts_(axioms) {
    known_.add(facts_.about_sizes());
    set_disjunctions_aside();
    for (std::size_t k = 0; k < order.size(); ++k)
      level_of_.emplace(order[k], k);
    place_fixed_reads();
    project();
  }

  Nest scan() {
    for (std::size_t k = 0; k < order_.size(); ++k) {
      Level level = bounds(k);
      bind(k, level);
      conditions(k, level);
      order_guards(level);
      use_assigned_names(level);
      nest_.levels.push_back(std::move(level));
    }
    if (order_.empty()) test_without_variables();
    add_renamed_loads();
    nest_.arrays = arrays_;
    for (const Disjunction &disjunction : disjunctions_)
      known_.add(disjunction.formula);
    report::require(known_.implies(space_.relation), "a scanned nest enforces all of its iteration space");
    return std::move(nest_);
  }

private:
  /// `live(p) != 0` and its like are tested where all of it is known. Were it left in the space, each level
  /// further in would have its own conditions once for each case of it, and no equation to find an entry by.
  void set_disjunctions_aside() {
    if (relation_.pieces() < 2) return;
    std::vector<Term> formulas;
    for (const Term &part : term::conjuncts(space_.relation))
      if (part.as<term::Or>() || part.as<term::Not>()) formulas.push_back(part);
    const Set hull = relation_.simple_hull();
    if (!hull.intersect(Set(term::conjunction(formulas))).is_subset(relation_)) return;
    relation_ = hull;
    conditions_ = relation_.plain_constraints();
    for (Term &formula : formulas)
      disjunctions_.push_back({std::move(formula)});
  }

  /// How many variables of the order must be bound before the term can be evaluated.
  std::size_t bound_after(const Term &term) const {
    std::size_t count = 0;
    for (const std::string &name : term::variables_of(term))
      if (auto at = level_of_.find(name); at != level_of_.end()) count = std::max(count, at->second + 1);
    if (!delayed_.empty())
      for (const Term &read : term::applications_of(term))
        if (auto at = delayed_.find(read); at != delayed_.end()) count = std::max(count, at->second);
    return count;
  }

  /// No variable tells the place, as in len(0).
  bool is_fixed(const Term &term) const {
    return std::ranges::none_of(term::variables_of(term),
                                [&](const std::string &name) { return level_of_.contains(name); });
  }

  /// A fixed read could come before everything else. Where conditions of the space alone say that the array
  /// has the element, it comes behind the first level that enforces them: `p < M` is a bound, `p < len(0)` a
  /// guard.
  void place_fixed_reads() {
    std::set<Term> fixed;
    for (const Term &atom : atoms_)
      if (atom.as<term::Apply>() && is_fixed(atom)) fixed.insert(atom);
    Known before = known_;
    if (!fixed.empty()) Facts(axioms_).extend(before, fixed);
    for (const Term &read : fixed) {
      const Term inside = term::conjunction(reads_inside(read));
      if (before.implies(inside)) {
        nest_.safe_loads.insert(read);
        continue;
      }
      const auto enforces = [&](std::size_t k) {
        const auto is_unknown = [&](const Term &atom) {
          return !is_known_at(k, atom) || contains(term::applications_of(atom), read);
        };
        return before.set().intersect(relation_.without_constraints_on(is_unknown)).is_subset(Set(inside));
      };
      for (std::size_t k = 0; k < order_.size() && !delayed_.contains(read); ++k)
        if (enforces(k)) delayed_.emplace(read, k + 1);
    }
    note_safe_values(before, [&](const Term &slot) { return is_fixed(slot); });
  }

  /// Whether a fixed read comes only behind the level.
  bool is_delayed(const Level &level, const Term &term) const {
    return !delayed_.empty() && std::ranges::any_of(term::applications_of(term), [&](const Term &read) {
      const auto at = delayed_.find(read);
      return at != delayed_.end() && at->second > level_of_.at(level.variable);
    });
  }

  /// The safe loads by the names that values were computed from: rowptr(floor(k / 2)) for rowptr(b). That can
  /// be evaluated sooner, but is safe no sooner: not before loops, finds or guards in between. The result's
  /// element too by what is read for it: y(row(k)) for y(i).
  void add_renamed_loads() {
    const std::set<Term> safe = nest_.safe_loads;
    term::Substitution read;
    for (const auto &[application, name] : named_)
      if (safe.count(application)) read.emplace(name.as<term::Variable>()->name, application);
    const Term result = term::apply(space_.target.array, {space_.target.slot});
    for (const Term &load : safe) {
      add_if_at_once(load, term::substitute(load, renamed_));
      if (load == result) add_if_at_once(load, term::substitute(load, read));
    }
  }

  void add_if_at_once(const Term &load, const Term &renamed) {
    bool at_once = true;
    for (std::size_t k = bound_after(renamed); k < bound_after(load); ++k)
      at_once = at_once && nest_.levels[k].is_let() && nest_.levels[k].guards.empty();
    if (at_once) nest_.safe_loads.insert(renamed);
  }

  /// At level `k` itself its variable is known, but not yet what is read at it.
  bool is_known_at(std::size_t k, const Term &atom) const {
    return bound_after(atom) <= k || atom == term::variable(order_[k]);
  }

  /// The shadows of the space on the levels, from the innermost outwards: each from the one before, which is
  /// smaller than the whole.
  void project() {
    Set shadow = relation_;
    shadows_.resize(order_.size());
    for (std::size_t k = order_.size(); k-- > 0;) {
      shadow = shadow.project([&](const Term &atom) { return bound_after(atom) > k + 1; });
      shadows_[k].inside = shadow;
      shadow = shadow.project([&](const Term &atom) { return !is_known_at(k, atom); }).coalesce();
      shadows_[k].at = shadow;
    }
  }

  /// What remains to be said of the space's own constraints on atoms that are known.
  template <class IsKnown> Term left_of_space(IsKnown is_known) {
    if (conditions_) {
      std::vector<Term> about_known;
      for (const Term &condition : *conditions_) {
        std::set<Term> atoms = space::atoms_of(condition);
        if (std::ranges::all_of(atoms, is_known)) about_known.push_back(condition);
      }
      if (std::optional<std::vector<Term>> left = known_.left_of(about_known))
        return term::conjunction(std::move(*left));
    }
    return known_.left_of(
        relation_.without_constraints_on([&](const Term &atom) { return !is_known(atom); }));
  }

  /// Bounds or value of a variable, from the shadow of the space on it and what is known outside.
  Level bounds(std::size_t k) {
    Level level;
    level.variable = order_[k];
    level.tensor = tensor_of(order_[k]);
    std::vector<Term> enforced;
    std::vector<Term> constraints = constraints_inside(shadows_[k].at);
    if (!assign(level, constraints, enforced)) {
      // A bound may be said only of a quotient of the variable: 2*floor((i + r + 1) / 2) < N.
      if (!is_enclosed(level.variable, constraints))
        for (Term &bound : constraints_inside(shadows_[k].at.without_divisions()))
          constraints.push_back(std::move(bound));
      loop(level, constraints, enforced);
    }
    known_.add(term::conjunction(enforced));
    before_guards_ = known_;
    // Conditions of the space itself that are not enforced yet; derived ones are left to the inner levels,
    // which enforce them by their own bounds.
    add_guards(level, left_of_space([&](const Term &atom) { return is_known_at(k, atom); }));
    return level;
  }

  /// Constraints that enclose a set inside what is known.
  std::vector<Term> constraints_inside(const Set &shadow) {
    if (std::optional<std::vector<Term>> parts = shadow.plain_constraints())
      if (std::optional<std::vector<Term>> left = known_.left_of(*parts)) return *left;
    Set rest = shadow.gist(known_.set());
    // The hull is taken inside what is known, then reduced: the other way round the bounds that all pieces
    // share would be lost.
    if (rest.pieces() > 1) rest = shadow.intersect(known_.set()).simple_hull().gist(known_.set());
    return rest.simple_hull().constraints();
  }

  std::string tensor_of(const std::string &variable) const {
    auto owns = [&](const combine::Operand &operand) { return contains(operand.positions, variable); };
    for (const combine::Operand &operand : space_.operands)
      if (owns(operand)) return operand.name;
    return owns(space_.target) ? space_.target.name : "";
  }

  /// variable = value, where an equation with a unit coefficient says so. Of several equations the one with
  /// the least term is used: a variable before an application.
  static bool assign(Level &level, const std::vector<Term> &constraints, std::vector<Term> &enforced) {
    bool found = false;
    for (const Term &constraint : constraints) {
      std::optional<Term> value = term::solve_for(level.variable, constraint);
      if (!value) continue;
      if (!found || *value < level.value) level.value = *value;
      found = true;
    }
    if (!found) return false;
    level.kind = Level::Kind::Let;
    enforced.push_back(term::equal(term::variable(level.variable), level.value));
    return true;
  }

  void loop(Level &level, const std::vector<Term> &constraints, std::vector<Term> &enforced) {
    level.kind = Level::Kind::Loop;
    std::vector<Term> lower;
    std::vector<Term> upper;
    Term variable = term::variable(level.variable);
    for (const Term &constraint : constraints) {
      std::optional<Side> side = as_side(constraint, level.variable);
      if (!side) continue;
      auto [coefficient, rest, equation] = *side;
      if (equation && coefficient < 0) coefficient = -coefficient, rest = -rest;
      // coefficient * v + rest >= 0
      if (coefficient > 0) lower.push_back(term::ceil_divide(-rest, coefficient));
      if (coefficient < 0 || equation) {
        std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
        upper.push_back(term::floor_divide(coefficient < 0 ? rest : -rest, size) + Term(1));
      }
      if (equation)
        level.components.push_back({term::scale(coefficient, variable), -rest, 1});
      else
        enforced.push_back(constraint);
    }
    const bool is_impossible =
        std::ranges::any_of(constraints, [](const Term &constraint) { return term::is_false(constraint); });
    if ((lower.empty() || upper.empty()) && (is_impossible || known_.set().is_empty()))
      lower = upper = {Term(0)}; // the properties contradict what is asked for: nothing comes so far
    if (lower.empty() || upper.empty())
      report::fail(
          report::Kind::not_bounded_here,
          fmt::format("`{}` is not bounded by the variables before it in this order", level.variable),
          "choose another order");
    level.lower = term::maximum(lower);
    level.upper = term::minimum(upper);
    for (const Component &component : level.components)
      enforced.push_back(term::equal(component.key, component.target));
    if (!level.components.empty()) level.kind = Level::Kind::Find;
    // One value, as the row of blocks that a row lies in.
    std::int64_t count = 0;
    if (!level.is_loop() || !term::constant_difference(level.lower, level.upper, count) || count != 1) return;
    level.kind = Level::Kind::Let;
    level.value = level.lower;
    level.lower = level.upper = Term();
  }

  void add_guards(Level &level, const Term &formula) {
    for (const Term &part : term::conjuncts(formula))
      level.guards.push_back(part);
    known_.add(formula);
  }

  /// Conditions on sizes alone are guards of a level, too: of one that has one value, and names nothing.
  void test_without_variables() {
    Level level;
    level.kind = Level::Kind::Let;
    level.variable = "only.instance";
    conditions(0, level);
    if (!level.guards.empty()) nest_.levels.push_back(std::move(level));
  }

  /// The variable has its value: applications that needed it are known, and so are facts about them.
  void bind(std::size_t k, Level &level) {
    std::vector<Term> fresh;
    for (const Term &atom : atoms_)
      if (atom.as<term::Apply>() && bound_after(atom) <= k + 1 && applications_.insert(atom).second)
        fresh.push_back(atom);
    for (const Term &atom : atoms_)
      if (atom.as<term::Apply>() && term::mentions(atom, order_[k])) guard_subscripts(k, level, atom);
    if (!fresh.empty()) facts_.extend(known_, applications_);
    note_safe_loads(k, fresh);
  }

  /// A value that was computed, as i = 2*brow(p) + r, may lie outside an array that is read at it: what
  /// excludes that in the space may be said of other variables, which get their values later. Tested at once:
  /// where a loop further in looks for an entry, it reads the array before anything else is tested. A loop
  /// may begin outside, too: k <= i doesn't bound i from below before an entry's k >= 0 is found.
  void guard_subscripts(std::size_t k, Level &level, const Term &application) {
    for (const Term &part : reads_inside(application))
      if (term::mentions(part, order_[k]) && bound_after(part) <= k + 1 && !known_.implies(part) &&
          !narrow(level, part))
        add_guards(level, part);
  }

  /// A search reads arrays before the level's guards are tested: where only these say that it stays inside,
  /// they become bounds of what is searched.
  void keep_search_in_extents(Level &level) {
    if (level.guards.empty()) return;
    std::set<Term> reads;
    for (const Component &component : level.components)
      for (const Term &term : {component.key, component.key + component.width})
        for (const Term &application : term::applications_of(term))
          reads.insert(application);
    std::vector<Term> missing;
    for (const Term &read : reads)
      for (const Term &part : reads_inside(read))
        if (term::mentions(part, level.variable) && !before_guards_.implies(part)) missing.push_back(part);
    for (const Term &part : missing)
      if (std::ranges::none_of(missing, [&](auto &other) { return is_stronger(other, part); }))
        narrow(level, part);
  }

  /// Whether the condition can be looked for at every position of the level: what bounds its reads holds
  /// before guards are tested, or can bound the search. idx(ptr(p)) = j where `0 <= ptr(p)` is a guard can't.
  bool can_search(const Level &level, const Term &condition) {
    if (is_delayed(level, condition)) return false;
    std::optional<Known> without_guards; // and what the properties say of the position
    for (const Term &read : term::applications_of(condition))
      for (const Term &part : reads_inside(read)) {
        if (!term::mentions(part, level.variable) || is_bound(level, part) || before_guards_.implies(part))
          continue;
        if (!without_guards) {
          without_guards = before_guards_;
          Facts(axioms_).extend(*without_guards, applications_);
        }
        if (!without_guards->implies(part)) return false;
      }
    return true;
  }

  /// Of two conditions on the same sum: rowptr(b + 1) is read, and rowptr(b).
  static bool is_stronger(const Term &condition, const Term &other) {
    const auto *first = condition.as<term::Compare>(), *second = other.as<term::Compare>();
    std::int64_t more = 0;
    return first && second && first->relation == term::Relation::AtLeast &&
           second->relation == term::Relation::AtLeast &&
           term::constant_difference(first->left, second->left, more) && more > 0;
  }

  bool is_bound(const Level &level, const Term &condition) const {
    std::optional<Side> side = as_side(condition, level.variable);
    return !level.is_let() && side && !side->equation && !is_delayed(level, condition);
  }

  /// Makes a bound of a loop, or of what is searched, of the condition, if it is one.
  bool narrow(Level &level, const Term &condition) {
    if (!is_bound(level, condition)) return false;
    std::optional<Side> side = as_side(condition, level.variable);
    if (side->coefficient > 0)
      level.lower = term::maximum({term::ceil_divide(-side->rest, side->coefficient), level.lower});
    else
      level.upper =
          term::minimum({level.upper, term::floor_divide(side->rest, -side->coefficient) + Term(1)});
    known_.add(condition);
    return true;
  }

  /// That subscripts lie in their extents.
  static std::vector<Term> inside(const std::vector<Term> &subscripts, const std::vector<Term> &extents) {
    std::vector<Term> conditions;
    for (std::size_t k = 0; k < subscripts.size(); ++k)
      for (const Term &part : term::conjuncts(term::between(Term(0), subscripts[k], extents[k])))
        conditions.push_back(part);
    return conditions;
  }

  /// That an application reads its array inside of its extents.
  std::vector<Term> reads_inside(const Term &application) const {
    const auto *call = application.as<term::Apply>();
    return inside(call->arguments, arrays_.at(call->function));
  }

  void note_safe_loads(std::size_t k, const std::vector<Term> &fresh) {
    for (const Term &application : fresh)
      if (!is_fixed(application) && known_.implies(term::conjunction(reads_inside(application))))
        nest_.safe_loads.insert(application);
    note_safe_values(known_, [&](const Term &slot) {
      return bound_after(slot) <= k + 1 && term::mentions(slot, order_[k]);
    });
  }

  /// Of those whose slots can be told now.
  template <class IsTold> void note_safe_values(Known &known, IsTold is_told) {
    auto look = [&](const combine::Operand &operand) {
      if (operand.array.empty() || !is_told(operand.slot)) return;
      if (known.implies(term::conjunction(inside(operand.slots, arrays_.at(operand.array)))))
        nest_.safe_loads.insert(term::apply(operand.array, {operand.slot}));
    };
    for (const combine::Operand &operand : space_.operands)
      look(operand);
    look(space_.target);
  }

  /// Conditions on array values at this level's variable: a find if the level is a loop, else guards.
  void conditions(std::size_t k, Level &level) {
    std::vector<Term> enforced;
    std::vector<Term> parts =
        term::conjuncts(left_of_space([&](const Term &atom) { return bound_after(atom) <= k + 1; }));
    std::vector<Term> guards;
    for (const Term &part : parts)
      if (!as_component(level, part)) guards.push_back(part);
    if (level.is_loop()) {
      as_intervals(level, guards, enforced);
      // What inner variables will enforce exactly (the column in a block) bounds the search already here.
      if (level.is_loop()) {
        known_.add(term::conjunction(parts));
        std::vector<Term> derived = constraints_inside(shadows_[k].inside.simple_hull());
        for (const Term &part : derived)
          if (depends_on_others(part, level.variable) && as_component(level, part)) enforced.push_back(part);
        as_intervals(level, derived, enforced);
      }
    }
    if (level.is_find()) keep_search_in_extents(level);
    enforced.insert(enforced.end(), parts.begin(), parts.end());
    level.guards.insert(level.guards.end(), guards.begin(), guards.end());
    known_.add(term::conjunction(enforced));
    for (Disjunction &disjunction : disjunctions_) {
      if (disjunction.is_tested || bound_after(disjunction.formula) > k + 1) continue;
      disjunction.is_tested = true;
      const Term left = known_.left_of(Set(disjunction.formula)); // one case may be all that is left
      if (left.as<term::Or>()) {
        const Set cases(disjunction.formula);
        std::erase_if(level.guards, [&](const Term &guard) { return cases.is_subset(Set(guard)); });
        level.guards.push_back(disjunction.formula);
      } else {
        add_guards(level, left);
      }
    }
  }

  /// The parts of a sum that mention the level's variable, and those that don't.
  static std::pair<Term, Term> split(const Term &sum, const std::string &variable) {
    Term with;
    for (const auto &[atom, coefficient] : term::linear_form(sum).parts)
      if (term::mentions(atom, variable)) with = with + term::scale(coefficient, atom);
    return {with, sum - with};
  }

  /// Over what is read, and sizes that no tensor has: half a bandwidth.
  bool is_narrow(const Term &width) const {
    const auto form = term::linear_form(width);
    return std::ranges::all_of(form.parts, [&](const auto &part) {
      const auto *size = part.first.template as<term::Variable>();
      bool is_given = size && size->name.find('.') == std::string::npos && level_of_.count(size->name) == 0;
      return is_given || part.first.template as<term::Apply>() != nullptr;
    });
  }

  /// Of the two ways to write an interval, key <= target < key + width and its mirror image at 0, the one
  /// whose key rises with what it reads.
  static bool is_upright(const Term &minus_key) {
    const auto form = term::linear_form(minus_key);
    return form.parts.empty() || form.parts.begin()->second < 0;
  }

  /// Pairs of conditions key(variable) <= target and target < key(variable) + width, where arrays are read at
  /// the variable, become components; they are taken out of the conditions.
  void as_intervals(Level &level, std::vector<Term> &conditions, std::vector<Term> &enforced) {
    auto at_least = [](const Term &condition) {
      const auto *compare = condition.as<term::Compare>();
      return compare && compare->relation == term::Relation::AtLeast ? &compare->left : nullptr;
    };
    for (std::size_t a = 0; a < conditions.size(); ++a) {
      const Term *below = at_least(conditions[a]);
      if (!below) continue;
      auto [minus_key, target] = split(*below, level.variable);
      if (term::applications_of(minus_key).empty() || target.as<term::Constant>()) continue;
      if (!is_upright(minus_key) || !can_search(level, conditions[a])) continue;
      for (std::size_t b = 0; b < conditions.size(); ++b) {
        const Term *above = b == a ? nullptr : at_least(conditions[b]);
        if (!above) continue;
        auto [end, minus_target] = split(*above, level.variable);
        if (term::applications_of(end).empty()) continue;
        const Term rest = target + minus_target;
        // end - target + rest >= 0. A width that depends on tensors' sizes excludes next to nothing: that's a
        // guard.
        Term width = end + rest + Term(1) + minus_key;
        if (!is_narrow(width) || !can_search(level, conditions[b])) continue;
        level.kind = Level::Kind::Find;
        level.components.push_back({-minus_key, target, width});
        enforced.push_back(conditions[a]);
        enforced.push_back(conditions[b]);
        conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
        conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
        a = static_cast<std::size_t>(-1); // from the start
        break;
      }
    }
  }

  /// An equation of two blocks, say, not one between what is known at the variable.
  static bool depends_on_others(const Term &equation, const std::string &variable) {
    const auto *compare = equation.as<term::Compare>();
    return compare && !split(compare->left, variable).second.as<term::Constant>();
  }

  /// key(variable) = target
  bool as_component(Level &level, const Term &condition) {
    const auto *compare = condition.as<term::Compare>();
    if (level.is_let() || !compare || compare->relation != term::Relation::Equal) return false;
    Term key;
    std::int64_t sign = 0;
    for (const auto &[atom, coefficient] : term::linear_form(compare->left).parts) {
      if (!term::mentions(atom, level.variable)) continue;
      if (sign == 0) sign = coefficient > 0 ? 1 : -1;
      key = key + term::scale(coefficient, atom);
    }
    if (sign == 0 || !can_search(level, condition)) return false;
    Term target = key - compare->left;
    level.kind = Level::Kind::Find;
    level.components.push_back({term::scale(sign, key), term::scale(sign, target), 1});
    return true;
  }

  /// Guards are tested from left to right: what is read by one may be in bounds because of another, which
  /// then says something of the array's subscripts. j < N with j = 4*g + meta(g) comes before present(i, j)
  /// = 1.
  static void order_guards(Level &level) { std::ranges::stable_sort(level.guards, {}, term::nesting_of); }

  /// Values that have a name by now are called by it: j, not col(p); i, not A.r.
  void use_assigned_names(Level &level) {
    auto named = [&](const Term &term) { return term::replace(term::substitute(term, renamed_), named_); };
    level.lower = named(level.lower);
    level.upper = named(level.upper);
    level.value = named(level.value);
    for (Component &component : level.components)
      component = {named(component.key), named(component.target), named(component.width)};
    for (Term &guard : level.guards)
      guard = named(guard);
    if (!level.is_let()) return;
    if (level.value.as<term::Apply>())
      named_.emplace(level.value, term::variable(level.variable));
    else if (term::applications_of(level.value).empty())
      renamed_.emplace(level.variable, level.value);
  }

  const combine::IterationSpace &space_;
  const schedule::Order &order_;
  const std::vector<prove::Axiom> &axioms_;
  const std::map<std::string, std::vector<Term>> &arrays_;
  std::map<std::string, std::size_t> level_of_;
  std::map<Term, std::size_t> delayed_; // fixed reads, by how many variables must be bound before
  Set relation_;
  std::set<Term> atoms_ = relation_.atoms();
  std::optional<std::vector<Term>> conditions_ = relation_.plain_constraints();
  struct Shadow {
    Set at;     // on the level's variable and what is known outside
    Set inside; // and on what is read at the variable
  };
  std::vector<Shadow> shadows_;
  struct Disjunction {
    Term formula;
    bool is_tested = false;
  };
  std::vector<Disjunction> disjunctions_; // conditions of the space that `relation_` doesn't have
  Facts facts_;
  Known known_;
  Known before_guards_; // of the level
  std::set<Term> applications_;
  std::map<Term, Term> named_;
  term::Substitution renamed_;
  Nest nest_;
};

} // namespace

Nest scan_space(const combine::IterationSpace &space, const schedule::Order &order,
                const std::vector<prove::Axiom> &axioms,
                const std::map<std::string, std::vector<term::Term>> &arrays) {
  return Scanner(space, order, axioms, arrays).scan();
}

} // namespace unravel::scan
