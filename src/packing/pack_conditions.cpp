#include "packing/pack_conditions.h"
#include "term/solve.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::packing {

PieceConditions::PieceConditions(const Layout &layout, PiecePlan &plan, PackOrders &orders,
                                 Determined &determined)
    : layout_(layout), plan_(plan), orders_(orders), determined_(determined) {}

bool PieceConditions::is_count(const std::string &name) const {
  return layout_.count(name) != nullptr;
}

bool PieceConditions::is_free_count(const std::string &name) const {
  const layout::Count *count = layout_.count(name);
  return count && !count->definition;
}

std::optional<Term> PieceConditions::of_coordinates(const Term &part, bool permuted) const {
  term::Substitution positions, values;
  std::map<Term, Term> stored;
  auto mode_term = [&](std::size_t mode) { return term::variable(plan_.modes[mode].name); };
  for (const Level &level : plan_.levels) {
    if (level.is_dense())
      positions.emplace(level.position, term::scale(level.sign, mode_term(level.mode)) + level.offset);
    for (const Key &key : level.keys)
      stored.emplace(key_term(key, plan_.levels), term::scale(key.sign, mode_term(key.mode) - key.offset));
  }
  if (permuted)
    for (const Permutation &permutation : plan_.permutations)
      stored.emplace(term::apply(permutation.array, {permutation.at}),
                     term::scale(permutation.sign, term::variable(permutation.name) - permutation.offset));
  for (const Mode &mode : plan_.modes)
    if (mode.is_of_entry()) values.emplace(mode.name, mode.value);
  Term result = term::substitute(term::replace(part, stored), positions);
  for (const Mode &mode : plan_.modes)
    if (!values.count(mode.name) && term::mentions(result, mode.name)) return std::nullopt;
  result = term::substitute(result, values);
  if (!term::applications_of(result).empty()) return std::nullopt;
  for (const std::string &name : term::variables_of(result)) {
    auto is = [&](const std::vector<std::string> &names) {
      return std::ranges::find(names, name) != names.end();
    };
    if (!is(layout_.coordinates) && !is(layout_.sizes) && !is_free_count(name)) return std::nullopt;
  }
  return result;
}

bool PieceConditions::add(const Term &part) {
  std::optional<Term> condition = of_coordinates(part);
  if (!condition) return false;
  std::vector<Term> inside;
  for (std::size_t k = 0; k < layout_.order(); ++k)
    inside.push_back(
        term::between(Term(0), term::variable(layout_.coordinates[k]), term::variable(layout_.sizes[k])));
  bool known = std::ranges::find(plan_.conditions, *condition) != plan_.conditions.end();
  if (!known && !orders_.is_implied(*condition, inside)) plan_.conditions.push_back(*condition);
  return true;
}

// ---- properties that are conditions on coordinates

bool PieceConditions::keeps(const prove::Axiom &axiom, const Relation &relation, const Relation &known) {
  if (axiom.variables.empty()) return false; // it is about sizes and counts: no entry says whether it holds
  bool kept = false;
  std::vector<std::string> images;
  each_instance(axiom, relation, images, [&](const term::Substitution &positions) {
    kept = keeps_instance(axiom, positions, relation, known) || kept;
  });
  return kept;
}

namespace {

/// Where a variable occurs in arguments: which function, which argument.
std::set<std::pair<std::string, std::size_t>> arguments_with(const Term &formula,
                                                             const std::string &variable) {
  std::set<std::pair<std::string, std::size_t>> places;
  for (const Term &call : term::applications_of(formula)) {
    const auto *apply = call.as<term::Apply>();
    for (std::size_t k = 0; k < apply->arguments.size(); ++k)
      if (term::mentions(apply->arguments[k], variable)) places.emplace(apply->function, k);
  }
  return places;
}

} // namespace

/// All ways to take positions for the axiom's variables that have an argument in common with them.
template <class Use>
void PieceConditions::each_instance(const prove::Axiom &axiom, const Relation &relation,
                                    std::vector<std::string> &images, const Use &use) const {
  std::size_t v = images.size();
  if (v == axiom.variables.size()) {
    term::Substitution positions;
    for (std::size_t k = 0; k < v; ++k)
      positions.emplace(axiom.variables[k], term::variable(images[k]));
    return use(positions);
  }
  auto wanted = arguments_with(term::conjunction({axiom.guard, axiom.conclusion}), axiom.variables[v]);
  for (const Level &level : plan_.levels) {
    auto places = arguments_with(term::conjunction(relation), level.position);
    bool common = std::ranges::any_of(places, [&](auto &place) { return wanted.count(place); });
    if (!common || std::ranges::find(images, level.position) != images.end()) continue;
    images.push_back(level.position);
    each_instance(axiom, relation, images, use);
    images.pop_back();
  }
}

bool PieceConditions::keeps_instance(const prove::Axiom &axiom, const term::Substitution &positions,
                                     const Relation &relation, const Relation &known) {
  Term guard = term::substitute(axiom.guard, positions);
  for (const Term &part : term::conjuncts(guard))
    if (!orders_.is_implied(part, known)) return false;
  std::vector<Term> conditions = term::conjuncts(term::substitute(axiom.conclusion, positions));
  for (const Term &part : conditions)
    if (!of_coordinates(part)) return false;
  for (const Term &part : conditions)
    add(part);
  return is_every_node(guard, positions, relation);
}

/// Whether a guard leaves nothing but positions that have an entry: it implies what the relation says of
/// them.
bool PieceConditions::is_every_node(const Term &guard, const term::Substitution &positions,
                                    const Relation &relation) {
  std::set<std::string> images;
  for (const auto &[variable, image] : positions)
    images.insert(image.as<term::Variable>()->name);
  for (const Level &level : plan_.levels)
    if (images.count(level.position) && (level.kind == Level::Kind::Padded || level.kind == Level::Kind::Run))
      return false;
  for (const Term &part : relation) {
    bool about = false, others = false;
    for (const std::string &name : term::variables_of(part)) {
      about = about || images.count(name);
      bool size = std::ranges::find(layout_.sizes, name) != layout_.sizes.end();
      others = others || (!images.count(name) && !size && !is_count(name));
    }
    if (about && !others && !orders_.is_implied(part, {guard})) return false;
  }
  return true;
}

// ---- where entries lie at the earliest

namespace {

/// Least and greatest value of a term over coordinates and sizes, over sizes.
std::optional<std::pair<Term, Term>> ends_of(const Term &of, const Layout &layout) {
  if (const auto *name = of.as<term::Variable>())
    for (std::size_t k = 0; k < layout.order(); ++k)
      if (layout.coordinates[k] == name->name)
        return std::pair(Term(0), term::variable(layout.sizes[k]) - Term(1));
  if (of.as<term::Constant>() || of.as<term::Variable>()) return std::pair(of, of);
  if (const auto *modulo = of.as<term::Modulo>()) return std::pair(Term(0), Term(modulo->divisor - 1));
  if (const auto *quotient = of.as<term::FloorDivide>()) {
    auto ends = ends_of(quotient->numerator, layout);
    if (!ends) return std::nullopt;
    return std::pair(term::floor_divide(ends->first, quotient->divisor),
                     term::floor_divide(ends->second, quotient->divisor));
  }
  if (const auto *maximum = of.as<term::Maximum>()) {
    std::vector<Term> low, high;
    for (const Term &part : maximum->of) {
      auto ends = ends_of(part, layout);
      if (!ends) return std::nullopt;
      low.push_back(ends->first), high.push_back(ends->second);
    }
    return std::pair(term::maximum(low), term::maximum(high));
  }
  const auto *sum = of.as<term::Linear>();
  if (!sum) return std::nullopt;
  Term low(sum->constant), high(sum->constant);
  for (const auto &[atom, factor] : sum->parts) {
    auto ends = ends_of(atom, layout);
    if (!ends) return std::nullopt;
    low = low + term::scale(factor, factor > 0 ? ends->first : ends->second);
    high = high + term::scale(factor, factor > 0 ? ends->second : ends->first);
  }
  return std::pair(low, high);
}

} // namespace

std::optional<PieceConditions::FirstPlace>
PieceConditions::first_place(const std::vector<Term> &relation) const {
  std::vector<Term> at, values;
  for (const layout::Property &property : layout_.properties)
    add_first_places(property.axiom, relation, at, values);
  if (at.empty()) return std::nullopt;
  Term value = term::maximum(values);
  auto ends = ends_of(value, layout_);
  if (!ends) return std::nullopt;
  return FirstPlace{{"", value, ends->first, ends->second - ends->first + Term(1)}, term::maximum(at)};
}

void PieceConditions::add_first_places(const prove::Axiom &axiom, const Relation &relation,
                                       std::vector<Term> &at, std::vector<Term> &values) const {
  const Level &level = plan_.levels.back();
  Term position = term::variable(level.position), begin;
  if (!level.pointer.empty()) begin = segment_of(level, plan_.levels).first;
  std::vector<std::string> images;
  each_instance(axiom, relation, images, [&](const term::Substitution &positions) {
    std::vector<Term> guard = term::conjuncts(term::substitute(axiom.guard, positions));
    for (const Term &part : term::conjuncts(term::substitute(axiom.conclusion, positions))) {
      const Term *left = term::inequality(part);
      if (!left || term::coefficient_of(*left, level.position) != 1) continue;
      Term here = position - *left; // <= position
      std::optional<Term> value = of_coordinates(here - begin, false);
      if (!value || std::ranges::find(at, here) != at.end()) continue;
      bool fixed = true, sized = true;
      for (const std::string &name : term::variables_of(*value)) {
        bool coordinate = std::ranges::find(layout_.coordinates, name) != layout_.coordinates.end();
        fixed = fixed && !coordinate;
        sized = sized && !is_count(name);
      }
      if (fixed || !sized ||
          !std::ranges::all_of(guard, [&](const Term &known) { return orders_.is_implied(known, relation); }))
        continue;
      at.push_back(here);
      values.push_back(*value);
    }
  });
}

// ---- counts that conditions determine

std::optional<std::string> PieceConditions::find_limits() {
  for (bool progress = true; progress;) {
    progress = false;
    for (const layout::Count &count : layout_.counts)
      if (is_unknown(count.name)) progress = limit(count.name) || progress;
  }
  for (const Limit &limit : plan_.limits)
    determined_.counts.insert(limit.count);
  for (const Term &condition : plan_.conditions)
    for (const std::string &name : term::variables_of(condition))
      if (is_count(name) && !is_limited(name))
        return fmt::format("`{}` does not say how large count `{}` is", term::to_text(condition), name);
  for (const Level &level : plan_.levels) {
    std::vector<Term> offsets{level.offset};
    for (const Key &key : level.keys)
      offsets.push_back(key.offset);
    for (const Term &offset : offsets)
      for (const std::string &name : term::variables_of(offset))
        if (is_count(name) && !is_limited(name))
          return fmt::format("position `{}` depends on count `{}`", level.position, name);
  }
  return std::nullopt;
}

bool PieceConditions::is_unknown(const std::string &count) const {
  return is_free_count(count) && !determined_.counts.count(count) && !is_limited(count);
}

bool PieceConditions::is_limited(const std::string &count) const {
  return std::ranges::any_of(plan_.limits, [&](const Limit &limit) { return limit.count == count; });
}

bool PieceConditions::limit(const std::string &count) {
  std::vector<Limit> limits;
  std::vector<Term> others;
  for (const Term &condition : plan_.conditions) {
    const Term *left = term::inequality(condition);
    bool limiting = left && term::coefficient_of(*left, count) == 1;
    for (const std::string &name : term::variables_of(condition))
      limiting = limiting && (name == count || !is_unknown(name));
    if (limiting)
      limits.push_back({count, *left - term::variable(count)});
    else
      others.push_back(condition);
  }
  if (limits.empty()) return false;
  plan_.limits.insert(plan_.limits.end(), limits.begin(), limits.end());
  plan_.conditions = std::move(others);
  return true;
}

} // namespace unravel::packing
