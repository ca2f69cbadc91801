#include "cfront/extents.h"

#include "space/set.h"

namespace unravel::cfront {

namespace {

const char *const the_element = "element"; // no variable's name: those are v0, v1, ...

/// The least upper bound of the subscript over all iterations, if it is a sum of sizes.
std::optional<Polynomial> greatest(const Polynomial &subscript, const std::vector<term::Term> &facts,
                                   const Variables &variables, bool &is_used) {
  std::vector<term::Term> parts = facts;
  const term::Term value = term::variable(the_element);
  parts.push_back(term::equal(value, variables.term(subscript)));
  space::Set reached = space::Set(term::conjunction(std::move(parts))).project([&](const term::Term &atom) {
    const auto *variable = atom.as<term::Variable>();
    std::optional<Variable> known = variable ? variables.find(variable->name) : std::nullopt;
    return known && variables.is_loop(*known);
  });
  is_used = !reached.is_empty();
  if (!is_used) return std::nullopt;
  std::optional<Polynomial> bound;
  for (const term::Term &constraint : reached.without_divisions().simple_hull().constraints()) {
    const auto &compare = *constraint.as<term::Compare>();
    term::Linear form = term::linear_form(compare.left);
    std::int64_t factor = term::coefficient_of(compare.left, the_element);
    bool is_upper = compare.relation == term::Relation::Equal ? factor != 0 : factor < 0;
    if (!is_upper) continue;
    if (bound || (factor != -1 && factor != 1)) return std::nullopt;
    Polynomial rest(form.constant);
    for (const auto &[atom, coefficient] : form.parts) {
      if (atom == value) continue;
      const auto *variable = atom.as<term::Variable>();
      std::optional<Variable> known = variable ? variables.find(variable->name) : std::nullopt;
      if (!known) return std::nullopt;
      rest = rest + Polynomial::product({*known}, coefficient);
    }
    bound = rest * Polynomial(-factor);
  }
  return bound;
}

} // namespace

std::optional<Polynomial> implied_extent(const std::vector<ElementUse> &uses, std::size_t mode,
                                         const Variables &variables) {
  std::optional<Polynomial> most;
  for (const ElementUse &use : uses) {
    bool is_used = false;
    std::optional<Polynomial> bound = greatest(use.subscripts[mode], use.facts, variables, is_used);
    if (!is_used) continue;
    if (!bound) return std::nullopt;
    // x[0] besides x[i]: who uses it has no empty vector.
    if (!most || (most->is_constant() && !bound->is_constant())) {
      most = bound;
      continue;
    }
    if (bound->is_constant() && !most->is_constant()) continue;
    const std::vector<term::Term> facts = variables.natural_sizes();
    if (is_natural(*bound - *most, facts, variables))
      most = bound;
    else if (!is_natural(*most - *bound, facts, variables))
      return std::nullopt;
  }
  if (!most) return std::nullopt;
  return *most + 1;
}

} // namespace unravel::cfront
