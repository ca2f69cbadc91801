// What is known at a level of a nest.
#include "scan/known.h"

#include "term/quotient.h"

#include <algorithm>

namespace unravel::scan {

using term::Term;

void Known::add(const term::Term &formula) {
  if (term::is_true(formula)) return;
  added_.push_back(formula);
  stated_.add(formula);
  points_.keep_where(formula);
}

bool Known::implies(const term::Term &formula) {
  if (std::optional<bool> answer = stated_.implies(formula)) return *answer;
  if (points_.refute(formula)) return false;
  const std::optional<Points::Point> point = set().subtract(space::Set(formula)).sample();
  if (point && !point->empty()) points_.add(*point);
  return !point;
}

term::Term Known::left_of(const space::Set &set) {
  std::optional<std::vector<term::Term>> parts = set.plain_constraints();
  if (parts)
    if (std::optional<std::vector<term::Term>> left = left_of(*parts))
      return term::conjunction(std::move(*left));
  return set.gist(this->set()).coalesce().formula();
}

const space::Set &Known::set() {
  if (!added_.empty()) set_ = set_.intersect(space::Set(term::conjunction(added_)));
  added_.clear();
  return set_;
}

namespace {

/// More than these are seldom asked.
constexpr std::size_t most_points = 16;

} // namespace

void Points::add(const Point &point) {
  if (points_.size() == most_points) points_.erase(points_.begin());
  points_.emplace_back(point.begin(), point.end());
}

void Points::keep_where(const Term &formula) {
  std::erase_if(points_, [&](const Values &point) { return value_at(point, formula) != 1; });
}

bool Points::refute(const Term &formula) const {
  return std::any_of(points_.rbegin(), points_.rend(),
                     [&](const Values &point) { return value_at(point, formula) == 0; });
}

std::optional<std::int64_t> Points::value_at(const Values &point, const Term &term) {
  using Value = std::optional<std::int64_t>;
  auto of_atom = [&](const auto &) -> Value {
    const auto found = point.find(term);
    return found == point.end() ? 0 : found->second;
  };
  // the first of the parts' values that decides, or else `otherwise`
  auto first_of = [&](const std::vector<Term> &parts, std::int64_t decides) -> Value {
    bool all_known = true;
    for (const Term &part : parts) {
      const Value value = value_at(point, part);
      if (value == decides) return value;
      all_known = all_known && value;
    }
    return all_known ? Value(1 - decides) : std::nullopt;
  };
  auto extreme = [&](const std::vector<Term> &parts, bool largest) -> Value {
    Value result;
    for (const Term &part : parts) {
      const Value value = value_at(point, part);
      if (!value) return std::nullopt;
      if (!result || (largest ? *value > *result : *value < *result)) result = value;
    }
    return result;
  };
  return std::visit(
      term::overloaded{[](const term::Constant &x) -> Value { return x.value; },
                       [&](const term::Variable &x) -> Value { return of_atom(x); },
                       [&](const term::Apply &x) -> Value { return of_atom(x); },
                       [&](const term::Product &x) -> Value { return of_atom(x); },
                       [&](const term::Linear &x) -> Value {
                         std::int64_t sum = x.constant;
                         for (const auto &[atom, coefficient] : x.parts) {
                           const Value value = value_at(point, atom);
                           std::int64_t scaled = 0;
                           if (!value || __builtin_mul_overflow(*value, coefficient, &scaled) ||
                               __builtin_add_overflow(sum, scaled, &sum))
                             return std::nullopt;
                         }
                         return sum;
                       },
                       [&](const term::FloorDivide &x) -> Value {
                         const Value value = value_at(point, x.numerator);
                         return value ? Value(term::floor_quotient(*value, x.divisor)) : std::nullopt;
                       },
                       [&](const term::Modulo &x) -> Value {
                         const Value value = value_at(point, x.numerator);
                         return value ? Value(*value - x.divisor * term::floor_quotient(*value, x.divisor))
                                      : std::nullopt;
                       },
                       [&](const term::Minimum &x) -> Value { return extreme(x.of, false); },
                       [&](const term::Maximum &x) -> Value { return extreme(x.of, true); },
                       [&](const term::Compare &x) -> Value {
                         const Value value = value_at(point, x.left);
                         if (!value) return std::nullopt;
                         return x.relation == term::Relation::Equal ? *value == 0 : *value >= 0;
                       },
                       [&](const term::And &x) -> Value { return first_of(x.parts, 0); },
                       [&](const term::Or &x) -> Value { return first_of(x.parts, 1); },
                       [&](const term::Not &x) -> Value {
                         const Value value = value_at(point, x.of);
                         return value ? Value(1 - *value) : std::nullopt;
                       }},
      term.node().kind);
}

// ---- Comparisons that are known to hold, and what follows from them without a search.

namespace {

std::int64_t constant_of(const Term &sum) {
  if (const auto *number = sum.as<term::Constant>()) return number->value;
  if (const auto *linear = sum.as<term::Linear>()) return linear->constant;
  return 0;
}

} // namespace

void Stated::add(const Term &formula) {
  if (const auto *all = formula.as<term::And>()) {
    for (const Term &part : all->parts)
      add(part);
  } else if (const auto *compare = formula.as<term::Compare>()) {
    add_at_least_zero(compare->left);
    if (compare->relation == term::Relation::Equal) add_at_least_zero(-compare->left);
    complete_ = add_difference(formula) && complete_;
  } else {
    complete_ = false;
  }
}

bool Stated::add_difference(const Term &comparison) {
  const auto *compare = comparison.as<term::Compare>();
  std::optional<prove::Difference> one = compare ? difference(compare->left) : std::nullopt;
  if (!one) return false;
  if (!differences_.add(*one, 0)) return false;
  return compare->relation != term::Relation::Equal || differences_.add({one->y, one->x, -one->bound}, 0);
}

std::optional<int> Stated::unknown_of(const Term &atom) {
  if (!atom.as<term::Variable>() && !atom.as<term::Apply>() && !atom.as<term::Product>()) return std::nullopt;
  if (auto known = unknowns_.find(atom); known != unknowns_.end()) return known->second;
  if (differences_.unknowns() >= prove::Differences::most_unknowns) return std::nullopt;
  return unknowns_.emplace(atom, differences_.add_unknown()).first->second;
}

std::optional<prove::Difference> Stated::difference(const Term &sum) {
  if (differences_.unknowns() == 0) differences_.add_unknown(); // the first is zero
  term::Linear form = term::linear_form(sum);
  constexpr std::int64_t greatest = prove::Differences::greatest_bound;
  if (form.parts.empty() || form.parts.size() > 2 || form.constant > greatest || form.constant < -greatest)
    return std::nullopt;
  int plus = 0;
  int minus = 0;
  for (const auto &[atom, coefficient] : form.parts) {
    int &side = coefficient > 0 ? plus : minus;
    std::optional<int> unknown = unknown_of(atom);
    if ((coefficient != 1 && coefficient != -1) || side != 0 || !unknown) return std::nullopt;
    side = *unknown;
  }
  return prove::Difference{minus, plus, form.constant};
}

void Stated::add_at_least_zero(const Term &sum) {
  std::int64_t constant = constant_of(sum);
  Term parts = sum - Term(constant);
  auto [at, fresh] = least_.emplace(parts, constant);
  if (!fresh) at->second = std::min(at->second, constant);
  if (!fresh) return;
  for (const auto &[atom, coefficient] : term::linear_form(parts).parts)
    by_atom_[atom].push_back(parts);
}

std::optional<bool> Stated::implies(const Term &formula) {
  if (const auto *all = formula.as<term::And>()) {
    std::optional<bool> answer = true;
    for (const Term &part : all->parts) {
      std::optional<bool> one = implies(part);
      if (one == false) return false;
      if (!one) answer = std::nullopt;
    }
    return answer;
  }
  const auto *compare = formula.as<term::Compare>();
  if (!compare) return std::nullopt;
  std::optional<bool> answer = at_least_zero(compare->left);
  if (answer == true && compare->relation == term::Relation::Equal) answer = at_least_zero(-compare->left);
  return answer;
}

std::optional<std::vector<Term>> Stated::reduced(const std::vector<Term> &comparisons) {
  std::vector<Term> left;
  for (const Term &comparison : comparisons) {
    std::optional<bool> known = implies(comparison);
    if (!known) return std::nullopt;
    if (!*known) left.push_back(comparison);
  }
  // What doesn't follow with all others can't be left out. Where that is enough for the others, it is the
  // only choice.
  std::vector<Term> needed;
  for (std::size_t k = 0; k <= left.size(); ++k) {
    std::vector<Term> others = left;
    if (k < left.size()) others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    std::optional<std::vector<bool>> follows =
        with(others, k < left.size() ? std::vector{left[k]} : std::vector<Term>());
    if (!follows) return std::nullopt;
    if (k < left.size() && !follows->front()) needed.push_back(left[k]);
  }
  if (needed.size() == left.size()) return needed;
  std::optional<std::vector<bool>> follow = with(needed, left);
  bool enough = follow && std::find(follow->begin(), follow->end(), false) == follow->end();
  return enough ? std::optional(needed) : std::nullopt;
}

std::optional<std::vector<bool>> Stated::with(const std::vector<Term> &assumed,
                                              const std::vector<Term> &asked) {
  std::size_t size = differences_.size();
  std::optional<std::vector<bool>> answers = std::vector<bool>();
  if (!std::ranges::all_of(assumed, [&](const Term &each) { return add_difference(each); })) answers.reset();
  for (std::size_t k = 0; k < asked.size() && answers; ++k) {
    std::optional<bool> follows = implies(asked[k]);
    if (follows)
      answers->push_back(*follows);
    else
      answers.reset();
  }
  differences_.shrink(size);
  return answers;
}

bool Stated::follows(const Term &sum, std::int64_t constant) const {
  if (sum.as<term::Constant>()) return constant >= 0;
  auto at = least_.find(sum);
  return at != least_.end() && at->second <= constant;
}

std::optional<bool> Stated::at_least_zero(const Term &sum) {
  if (follows_from_two(sum)) return true;
  std::optional<prove::Difference> one = difference(sum);
  if (!one) return std::nullopt;
  std::size_t size = differences_.size();
  bool possible = differences_.add({one->y, one->x, -one->bound - 1}, 0);
  differences_.shrink(size);
  if (!possible) return true;
  return complete_ ? std::optional(false) : std::nullopt;
}

bool Stated::follows_from_two(const Term &sum) const {
  std::int64_t constant = constant_of(sum);
  Term parts = sum - Term(constant);
  if (follows(parts, constant)) return true;
  // Of two comparisons that add up to this one, one has its first atom.
  term::Linear form = term::linear_form(parts);
  if (form.parts.empty()) return false;
  auto known = by_atom_.find(form.parts.front().first);
  if (known == by_atom_.end()) return false;
  return std::ranges::any_of(
      known->second, [&](const Term &one) { return follows(parts - one, constant - least_.at(one)); });
}

namespace {

/// Instances of an axiom of three variables: more cost time.
constexpr std::size_t most_of_three = 32;

bool is_nested(const Term &application) {
  const std::vector<Term> &arguments = application.as<term::Apply>()->arguments;
  return std::ranges::any_of(arguments,
                             [](const Term &argument) { return !term::applications_of(argument).empty(); });
}

bool has_nested(const Term &formula) {
  return std::ranges::any_of(term::applications_of(formula), is_nested);
}

/// The formula with known applications in place of those at the same arguments: map(i) for map(idx(p)), where
/// i = idx(p) is known.
Term in_known_applications(Term formula, const std::set<Term> &applications, Known &known) {
  for (const Term &application : term::applications_of(formula)) {
    const auto *call = application.as<term::Apply>();
    if (!is_nested(application) || applications.contains(application)) continue;
    for (const Term &other : applications) {
      const auto *same = other.as<term::Apply>();
      if (same->function != call->function) continue;
      std::vector<Term> equal;
      for (std::size_t k = 0; k < call->arguments.size(); ++k)
        equal.push_back(term::equal(call->arguments[k], same->arguments[k]));
      if (!known.implies(term::conjunction(std::move(equal)))) continue;
      formula = term::replace(formula, {{application, other}});
      break;
    }
  }
  return formula;
}

} // namespace

term::Term Facts::about_sizes() const {
  std::vector<Term> facts;
  for (const prove::Axiom &axiom : axioms_)
    if (axiom.variables.empty() && term::is_true(axiom.guard) &&
        term::applications_of(axiom.conclusion).empty())
      facts.push_back(axiom.conclusion);
  return term::conjunction(facts);
}

std::set<Term> Facts::candidates(const prove::Axiom &axiom, const std::string &quantified,
                                 const std::set<Term> &applications) const {
  std::set<Term> values;
  for (const Term &pattern : term::applications_of(term::conjunction({axiom.guard, axiom.conclusion}))) {
    const auto *call = pattern.as<term::Apply>();
    for (std::size_t k = 0; k < call->arguments.size(); ++k) {
      if (term::coefficient_of(call->arguments[k], quantified) != 1) continue;
      Term shift = call->arguments[k] - term::variable(quantified);
      if (term::mentions(shift, quantified)) continue;
      for (const Term &application : applications) {
        const auto *known = application.as<term::Apply>();
        if (known->function == call->function) values.insert(known->arguments[k] - shift);
      }
    }
  }
  return values;
}

std::vector<Facts::Instance> Facts::instances(const std::set<Term> &applications) const {
  std::vector<Instance> result;
  for (const prove::Axiom &axiom : axioms_) {
    if (axiom.variables.empty() || axiom.variables.size() > 3) continue;
    std::vector<term::Substitution> choices{{}};
    for (const std::string &quantified : axiom.variables) {
      std::vector<term::Substitution> longer;
      for (const Term &value : candidates(axiom, quantified, applications))
        for (term::Substitution choice : choices) {
          choice.emplace(quantified, value);
          longer.push_back(std::move(choice));
        }
      choices = std::move(longer);
    }
    // of a triple most instances say nothing of this level
    if (axiom.variables.size() == 3 && choices.size() > most_of_three) continue;
    for (const term::Substitution &by : choices) {
      Instance instance{term::substitute(axiom.guard, by), term::substitute(axiom.conclusion, by)};
      if (!term::is_false(instance.guard) && !term::is_true(instance.conclusion))
        result.push_back(std::move(instance));
    }
  }
  return result;
}

void Facts::extend(Known &known, const std::set<Term> &applications) {
  std::vector<std::pair<Term, Instance>> open;
  for (Instance &instance : instances(applications)) {
    Term implication = term::implication(instance.guard, instance.conclusion);
    if (!used_.count(implication)) open.emplace_back(std::move(implication), std::move(instance));
  }
  for (bool progress = true; progress;) {
    progress = false;
    std::vector<std::pair<Term, Instance>> later;
    for (auto &[implication, instance] : open) {
      if (!known.implies(instance.guard)) {
        later.emplace_back(std::move(implication), std::move(instance));
        continue;
      }
      if (used_.contains(implication)) continue;
      const Term conclusion = in_known_applications(instance.conclusion, applications, known);
      // Only applications that are known are dimensions here: others would be about nothing. One at what
      // another one tells may be known further in, where that has a name.
      bool about_known = true;
      for (const Term &application : term::applications_of(conclusion))
        about_known = about_known && applications.contains(application);
      if (about_known || !has_nested(conclusion)) used_.insert(std::move(implication));
      if (!about_known) continue;
      progress = true;
      known.add(conclusion);
    }
    open = std::move(later);
  }
}

} // namespace unravel::scan
