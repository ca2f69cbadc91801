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
  }
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

bool Stated::implies(const Term &formula) const {
  if (const auto *all = formula.as<term::And>())
    return std::all_of(all->parts.begin(), all->parts.end(), [&](const Term &part) { return implies(part); });
  const auto *compare = formula.as<term::Compare>();
  return compare && at_least_zero(compare->left) &&
         (compare->relation != term::Relation::Equal || at_least_zero(-compare->left));
}

bool Stated::follows(const Term &sum, std::int64_t constant) const {
  if (sum.as<term::Constant>()) return constant >= 0;
  auto at = least_.find(sum);
  return at != least_.end() && at->second <= constant;
}

bool Stated::at_least_zero(const Term &sum) const {
  std::int64_t constant = constant_of(sum);
  Term parts = sum - Term(constant);
  if (follows(parts, constant)) return true;
  // Of two comparisons that add up to this one, one has its first atom.
  term::Linear form = term::linear_form(parts);
  if (form.parts.empty()) return false;
  auto known = by_atom_.find(form.parts.front().first);
  if (known == by_atom_.end()) return false;
  return std::any_of(known->second.begin(), known->second.end(),
                     [&](const Term &one) { return follows(parts - one, constant - least_.at(one)); });
}

} // namespace unravel::scan
