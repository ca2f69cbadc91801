#include "schedule/determination.h"

#include "report/diagnostic.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace unravel::schedule {

using term::Term;

namespace {

Variables bit(std::size_t variable) {
  return Variables{1} << variable;
}

bool subset(Variables a, Variables of) {
  return (a & ~of) == 0;
}

[[noreturn]] void fail_too_many(const combine::IterationSpace &space, std::size_t variables) {
  report::fail(
      report::Kind::expression_too_large, space.span,
      fmt::format("a product of {} factors has {} indices and positions, but loops are planned for {} at "
                  "most",
                  space.operands.size(), variables, most_variables),
      "compute it in parts, each into a tensor of its own");
}

/// Has it constant bounds from either side?
bool is_within_constants(const std::string &variable, const std::vector<Term> &parts) {
  bool below = false, above = false;
  for (const Term &part : parts) {
    const auto *compare = part.as<term::Compare>();
    if (!compare || compare->relation != term::Relation::AtLeast) continue;
    std::int64_t factor = term::coefficient_of(compare->left, variable);
    term::Linear form = term::linear_form(compare->left);
    if (form.parts.size() != 1 || factor == 0) continue;
    (factor > 0 ? below : above) = true;
  }
  return below && above;
}

/// A position that the equation tells. Where it is between positions alone, as k = 8*b + r, this is the place
/// r in the block, so that the sum can be looked for.
std::optional<std::string> to_eliminate(const Term &equation, const combine::IterationSpace &space,
                                        const std::vector<Term> &parts) {
  bool of_positions = std::ranges::none_of(
      space.coordinates, [&](const std::string &name) { return term::mentions(equation, name); });
  std::optional<std::string> found;
  const std::set<std::string> mentioned = term::variables_of(equation);
  for (const std::string &position : space.positions)
    if (mentioned.contains(position) && term::solve_for(position, equation) &&
        (!found || (of_positions && is_within_constants(position, parts))))
      found = position;
  return found;
}

} // namespace

Determination::Determination(const combine::IterationSpace &space) {
  if (space.variables().size() > 4 * most_variables) fail_too_many(space, space.variables().size());
  std::vector<Term> stated = term::conjuncts(space.relation);
  std::vector<Term> parts = stated;
  eliminate(space, parts);
  for (const Term &part : about_added(space, parts)) {
    stated.push_back(part);
    parts.push_back(part);
  }
  for (const std::string &name : space.variables())
    if (!eliminated_.count(name)) names_.push_back(name);
  if (names_.size() > most_variables) fail_too_many(space, names_.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto *compare = parts[k].as<term::Compare>();
    if (!compare) continue; // a disjunction: a condition, never a bound
    Constraint constraint;
    for (const Term &application : term::applications_of(stated[k]))
      for (const std::string &name : term::variables_of(application))
        if (eliminated_.count(name)) constraint.arguments.insert(name);
    constraint.equality = compare->relation == term::Relation::Equal;
    constraint.left = compare->left;
    for (const auto &[atom, coefficient] : term::linear_form(compare->left).parts) {
      if (const auto *variable = atom.as<term::Variable>()) {
        int index = find(variable->name);
        if (index < 0) continue;
        constraint.outside |= bit(static_cast<std::size_t>(index));
        constraint.coefficients[static_cast<std::size_t>(index)] = coefficient;
      } else {
        constraint.inside |= mask(atom);
      }
    }
    constraints_.push_back(std::move(constraint));
  }
}

void Determination::eliminate(const combine::IterationSpace &space, std::vector<Term> &parts) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (const Term &part : parts) {
      if (!term::applications_of(part).empty()) continue;
      std::optional<std::string> position = to_eliminate(part, space, parts);
      if (!position) continue;
      Term value = *term::solve_for(*position, part);
      term::Substitution by{{*position, value}};
      for (Term &other : parts)
        other = term::substitute(other, by);
      for (auto &[name, known] : eliminated_)
        known = term::substitute(known, by);
      eliminated_.emplace(*position, value);
      progress = true;
      break;
    }
  }
}

std::vector<Term> Determination::about_added(const combine::IterationSpace &space,
                                             std::vector<Term> parts) const {
  std::vector<Term> result;
  for (const combine::AddedVariable &added : space.added) {
    auto known = eliminated_.find(added.of);
    Term of = known == eliminated_.end() ? term::variable(added.of) : known->second;
    const auto *variable = of.as<term::Variable>();
    if (!variable) continue;
    const auto *quotient = added.value.as<term::FloorDivide>();
    Term name = term::variable(added.name);
    // variable lies in [least, greatest]
    Term least =
        quotient ? term::scale(quotient->divisor, name) : name - (added.value - term::variable(added.of));
    Term greatest = quotient ? least + Term(quotient->divisor - 1) : least;
    std::vector<Term> derived;
    auto derive = [&](const Term &left) { // left >= 0
      std::int64_t coefficient = term::coefficient_of(left, variable->name);
      Term rest = left - term::scale(coefficient, of);
      if (coefficient == 0 || term::mentions(rest, variable->name) || term::mentions(rest, added.name))
        return;
      derived.push_back(
          term::at_most(Term(0), term::scale(coefficient, coefficient > 0 ? greatest : least) + rest));
    };
    for (const Term &part : parts)
      if (const auto *compare = part.as<term::Compare>()) {
        derive(compare->left);
        if (compare->relation == term::Relation::Equal) derive(-compare->left);
      }
    // Variables may be made of this one in turn.
    parts.insert(parts.end(), derived.begin(), derived.end());
    result.insert(result.end(), derived.begin(), derived.end());
  }
  return result;
}

int Determination::find(const std::string &name) const {
  std::string wanted = name;
  if (auto known = eliminated_.find(name); known != eliminated_.end())
    if (const auto *variable = known->second.as<term::Variable>()) wanted = variable->name;
  auto found = std::ranges::find(names_, wanted);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

Variables Determination::mask(const Term &term) const {
  Variables result = 0;
  for (const std::string &name : term::variables_of(term))
    if (int index = find(name); index >= 0) result |= bit(static_cast<std::size_t>(index));
  return result;
}

int Determination::solved_for(const Constraint &constraint, Variables bound) const {
  Variables open = (constraint.outside | constraint.inside) & ~bound;
  if (!constraint.equality || open == 0 || (open & (open - 1)) != 0 || (open & constraint.inside) != 0)
    return -1;
  int variable = __builtin_ctzll(open);
  std::int64_t coefficient = constraint.coefficients.at(static_cast<std::size_t>(variable));
  return coefficient == 1 || coefficient == -1 ? variable : -1;
}

Variables Determination::close(Variables bound, std::vector<std::string> *order) const {
  for (bool progress = true; progress;) {
    progress = false;
    for (const Constraint &constraint : constraints_) {
      int variable = solved_for(constraint, bound);
      if (variable < 0) continue;
      bound |= bit(static_cast<std::size_t>(variable));
      if (order) {
        for (const std::string &name : constraint.arguments)
          if (std::find(order->begin(), order->end(), name) == order->end()) order->push_back(name);
        order->push_back(names_[static_cast<std::size_t>(variable)]);
      }
      progress = true;
    }
  }
  return bound;
}

term::Substitution Determination::determined_by(std::size_t variable, Variables bound) const {
  term::Substitution values;
  bound |= bit(variable);
  for (bool progress = true; progress;) {
    progress = false;
    for (const Constraint &constraint : constraints_) {
      int solved = solved_for(constraint, bound);
      if (solved < 0) continue;
      auto index = static_cast<std::size_t>(solved);
      bound |= bit(index);
      Term value =
          term::variable(names_[index]) - term::scale(constraint.coefficients.at(index), constraint.left);
      values.emplace(names_[index], term::substitute(value, values));
      progress = true;
    }
  }
  return values;
}

bool Determination::bounded(std::size_t variable, Variables bound) const {
  bool below = false;
  bool above = false;
  for (const Constraint &constraint : constraints_) {
    auto found = constraint.coefficients.find(variable);
    if (found == constraint.coefficients.end() || (constraint.inside & bit(variable))) continue;
    if (!subset((constraint.outside | constraint.inside) & ~bit(variable), bound)) continue;
    below = below || constraint.equality || found->second > 0;
    above = above || constraint.equality || found->second < 0;
  }
  return below && above;
}

bool Determination::bounded_as_by(std::size_t variable, Variables bound, Variables fewer) const {
  return std::ranges::all_of(constraints_, [&](const Constraint &constraint) {
    if (!constraint.coefficients.count(variable) || (constraint.inside & bit(variable))) return true;
    Variables needed = (constraint.outside | constraint.inside) & ~bit(variable);
    return !subset(needed, bound) || subset(needed, fewer);
  });
}

bool Determination::has_narrow_other_side(const Constraint &side) const {
  return std::ranges::any_of(constraints_, [&](const Constraint &other) {
    if (&other == &side || other.equality || other.inside != side.inside) return false;
    Term width = side.left + other.left;
    for (const auto &[atom, coefficient] : term::linear_form(width).parts)
      if (!atom.as<term::Apply>()) return false;
    return true;
  });
}

std::vector<std::string> Determination::keys(std::size_t variable, Variables bound) const {
  std::vector<std::string> result;
  for (const Constraint &constraint : constraints_) {
    bool about = (constraint.inside & bit(variable)) &&
                 subset(constraint.outside | constraint.inside, bound | bit(variable));
    if (!about || (!constraint.equality && !has_narrow_other_side(constraint))) continue;
    for (const auto &[atom, coefficient] : term::linear_form(constraint.left).parts) {
      if (!constraint.equality && coefficient > 0) continue; // of an interval's sides, the lower one counts
      for (const Term &application : term::applications_of(atom))
        if (term::mentions(application, names_[variable])) result.push_back(term::to_text(application));
    }
  }
  std::ranges::sort(result);
  return result;
}

Variables Determination::targets(std::size_t variable, Variables bound) const {
  Variables result = 0;
  for (const Constraint &constraint : constraints_) {
    const Variables outside = constraint.outside;
    const bool about = constraint.equality && (constraint.inside & bit(variable)) &&
                       subset(outside | constraint.inside, bound | bit(variable));
    if (about && std::has_single_bit(outside) && outside != bit(variable)) result |= outside;
  }
  return result;
}

bool Determination::is_multiplied_in_equation(std::size_t variable, Variables bound) const {
  return std::ranges::any_of(constraints_, [&](const Constraint &constraint) {
    const auto found = constraint.coefficients.find(variable);
    return constraint.equality && found != constraint.coefficients.end() && std::abs(found->second) > 1 &&
           subset((constraint.outside & ~bit(variable)) | constraint.inside, bound);
  });
}

std::vector<Term> Determination::upper_bounds(std::size_t variable, Variables bound) const {
  std::vector<Term> result;
  for (const Constraint &constraint : constraints_) {
    auto found = constraint.coefficients.find(variable);
    if (found == constraint.coefficients.end() || constraint.equality || found->second >= 0) continue;
    if (!subset((constraint.outside | constraint.inside) & ~bit(variable), bound)) continue;
    Term rest = constraint.left - term::scale(found->second, term::variable(names_[variable]));
    result.push_back(term::floor_divide(rest, -found->second));
  }
  return result;
}

std::vector<Term> Determination::lower_bounds(std::size_t variable, Variables bound) const {
  std::vector<Term> result;
  for (const Constraint &constraint : constraints_) {
    auto found = constraint.coefficients.find(variable);
    if (found == constraint.coefficients.end() || constraint.equality || found->second <= 0) continue;
    if (!subset((constraint.outside | constraint.inside) & ~bit(variable), bound)) continue;
    const Term rest = term::scale(found->second, term::variable(names_[variable])) - constraint.left;
    result.push_back(term::ceil_divide(rest, found->second));
  }
  return result;
}

void Determination::append_eliminated(Variables bound, std::vector<std::string> &order) const {
  for (const auto &[name, value] : eliminated_)
    if (subset(mask(value), bound) && !contains(order, name)) order.push_back(name);
}

} // namespace unravel::schedule
