// Comparisons that are known to hold, and what follows from them without a search.
#include "scan/stated.h"

#include <algorithm>

namespace unravel::scan {

using term::Term;

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

} // namespace unravel::scan
