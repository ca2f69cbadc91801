// The conditions under which a walk or a bisection goes on: lexicographic orders of the keys.
#include "find/obligations.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace unravel::find {

using term::at_most;
using term::conjunction;
using term::disjunction;
using term::equal;
using term::less;
using term::Term;

namespace {

Term inside(const scan::Component &component) {
  scan::Level alone;
  alone.components = {component};
  return match_condition(alone);
}

/// The target lies beyond the key's interval (`>`), or before it.
Term beyond(const scan::Component &component) {
  return at_most(component.key + component.width, component.target);
}

Term before(const scan::Component &component) {
  return less(component.target, component.key);
}

std::string name_of_key(const scan::Component &component) {
  if (const auto *call = component.key.as<term::Apply>()) return call->function;
  return term::to_text(component.key);
}

} // namespace

Skip Obligations::skip_by(const std::vector<Rising> &order) const {
  Terms ways, equal_so_far;
  std::string name;
  for (const Rising &step : order) {
    const scan::Component &component = level().components[step.component];
    Terms way = equal_so_far;
    way.push_back(step.rises ? beyond(component) : before(component));
    ways.push_back(conjunction(std::move(way)));
    equal_so_far.push_back(inside(component));
    name += (name.empty() ? "" : ", ") + std::string(step.rises ? ">" : "<");
    if (order.size() > 1) name += " " + name_of_key(component);
  }
  return {disjunction(std::move(ways)), name};
}

std::vector<Skip> Obligations::skips() {
  const std::size_t count = level().components.size();
  std::vector<Skip> all;
  if (count > most_components_in_all_orders) {
    if (std::optional<std::vector<Rising>> order = order_of_keys()) all.push_back(skip_by(*order));
    return all;
  }
  std::vector<Rising> order(count);
  std::vector<std::size_t> components(count);
  std::iota(components.begin(), components.end(), 0);
  do {
    for (std::size_t signs = 0; signs < (std::size_t{1} << count); ++signs) {
      for (std::size_t k = 0; k < count; ++k)
        order[k] = {components[k], (signs >> k & 1) == 0};
      all.push_back(skip_by(order));
    }
  } while (std::next_permutation(components.begin(), components.end()));
  return all;
}

std::optional<std::vector<Obligations::Rising>> Obligations::order_of_keys() {
  std::vector<Rising> order;
  std::vector<std::size_t> left(level().components.size());
  std::iota(left.begin(), left.end(), 0);
  Terms hypotheses =
      visit_with({in_segment(0, position()), in_segment(0, position(1)), less(position(), position(1))});
  auto is_next = [&](const Rising &step) {
    const Term &key = level().components[step.component].key;
    const Term later = at(key, 0, position(1));
    Terms against = hypotheses;
    against.push_back(step.rises ? less(later, key) : less(key, later));
    return ask(
        fmt::format("O-next({}{})", step.rises ? ">" : "<", name_of_key(level().components[step.component])),
        std::move(against));
  };
  while (!left.empty()) {
    std::optional<Rising> next;
    for (bool rises : {true, false})
      for (std::size_t component : left)
        if (!next && is_next({component, rises})) next = {component, rises};
    if (!next) return std::nullopt;
    const Term &key = level().components[next->component].key;
    hypotheses.push_back(equal(key, at(key, 0, position(1))));
    std::erase(left, next->component);
    order.push_back(*next);
  }
  return order;
}

} // namespace unravel::find
