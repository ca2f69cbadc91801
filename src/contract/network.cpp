#include "contract/network.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace unravel::contract {

Set Network::of(std::size_t factor) const {
  Set set = 0;
  for (std::size_t index : factors[factor].indices)
    set |= bit(index);
  return set;
}

Set Network::of_all(Set some) const {
  Set set = 0;
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (has(some, k)) set |= of(k);
  return set;
}

Set Network::parts() const {
  Set set = 0;
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (factors[k].role == Factor::Role::Part) set |= bit(k);
  return set;
}

Set Network::others(Set some) const {
  const Set met = of_all(some);
  Set set = 0;
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (!has(some, k) && (factors[k].role == Factor::Role::Part || (of(k) & ~met) != 0)) set |= bit(k);
  return set;
}

Set Network::own(std::size_t factor) const {
  return of(factor) & ~(result | of_all(others(bit(factor))));
}

Set Network::open(Set some) const {
  if ((some & (some - 1)) == 0) return of_all(some);
  return of_all(some) & (result | of_all(others(some)));
}

bool Network::may_miss(Set some) const {
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (has(some, k) && factors[k].may_miss()) return true;
  return false;
}

double Network::elements(Set some) const {
  double product = 1;
  for (std::size_t k = 0; k < indices.size(); ++k)
    if (has(some, k)) product *= indices[k].size;
  return product;
}

double Network::share(std::size_t factor, Set opened) const {
  const Factor &sparse = factors[factor];
  double all = 1, stored = 1;
  const std::size_t end = depth(factor, opened);
  for (std::size_t k = 0; k < end; ++k) {
    all *= indices[sparse.stored[k]].size;
    stored = sparse.prefixes[k];
  }
  return all > 0 && stored > 0 ? stored / all : 1; // of nothing, all
}

std::size_t Network::depth(std::size_t factor, Set opened) const {
  const std::vector<std::size_t> &stored = factors[factor].stored;
  std::size_t depth = 0;
  while (depth < stored.size() && has(opened, stored[depth]))
    ++depth;
  return depth;
}

Network::Part Network::part(Set some, Set opened, Set now) const {
  Part part;
  std::size_t walked = 0; // factors
  for (std::size_t k = 0; k < factors.size(); ++k) {
    if (!has(some, k) || depth(k, now) == depth(k, opened)) continue;
    const double own = share(k, now) / share(k, opened);
    part.left *= own;
    part.visited = std::min(part.visited, own);
    ++walked;
  }
  for (const Join &join : joins)
    if (has(some, join.one) && has(some, join.other) && is_met(join, now) && !is_met(join, opened))
      part.left *= join.ratio;
  if (walked == 1) part.visited = part.left;
  return part;
}

bool Network::is_met(const Join &join, Set opened) const {
  return depth(join.one, opened) == factors[join.one].stored.size() &&
         depth(join.other, opened) == factors[join.other].stored.size();
}

bool Network::may_open(Set sparse, Set opened, std::size_t index) const {
  bool is_stored = false, is_all_opened = true;
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    if (!has(sparse, factor)) continue;
    const std::vector<std::size_t> &stored = factors[factor].stored;
    const auto at = std::ranges::find(stored, index);
    const auto is_opened = [&](std::size_t each) { return has(opened, each); };
    if (at == stored.end()) {
      is_all_opened = is_all_opened && std::ranges::all_of(stored, is_opened);
      continue;
    }
    is_stored = true;
    if (!std::all_of(stored.begin(), at, is_opened)) return false;
  }
  return is_stored || is_all_opened;
}

Set Network::in_order() const {
  std::vector<Set> before(indices.size()); // of each index: what stands before it
  Set chosen = 0;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    std::vector<Set> with = before;
    const std::vector<std::size_t> &stored = factors[k].stored;
    if (stored.empty()) continue;
    for (std::size_t at = 1; at < stored.size(); ++at)
      with[stored[at]] |= bit(stored[at - 1]);
    for (std::size_t step = 0; step < indices.size(); ++step)
      for (std::size_t index = 0; index < indices.size(); ++index)
        for (std::size_t other = 0; other < indices.size(); ++other)
          if (has(with[index], other)) with[index] |= with[other];
    bool is_circle = false;
    for (std::size_t index = 0; index < indices.size(); ++index)
      is_circle = is_circle || has(with[index], index);
    if (is_circle) continue;
    before = with;
    chosen |= bit(k);
  }
  return chosen;
}

std::string product_text(const Network &network, const std::vector<std::size_t> &factors,
                         const std::vector<std::string> &more) {
  std::vector<std::string> multiplied, divisors, masks;
  for (std::size_t number : factors) {
    const Factor &factor = network.factors[number];
    const bool is_mask = factor.role == Factor::Role::Mask;
    (is_mask          ? masks
     : factor.divides ? divisors
                      : multiplied)
        .push_back((factor.is_absent ? "!" : "") + factor.text);
  }
  multiplied.insert(multiplied.end(), more.begin(), more.end());
  if (multiplied.empty() && !divisors.empty()) multiplied.push_back("1");
  std::string text = fmt::format("{}", fmt::join(multiplied, " * "));
  for (const std::string &divisor : divisors)
    text += " / " + divisor;
  if (masks.empty()) return text;
  return fmt::format("{}{}mask {}", text, text.empty() ? "" : " ", fmt::join(masks, " and "));
}

std::string to_text(const Network &network) {
  std::vector<std::size_t> all(network.factors.size());
  std::iota(all.begin(), all.end(), 0);
  std::string text =
      fmt::format("{} = {}{}\n", network.target, product_text(network, all, {}), network.semiring);
  for (const Index &index : network.indices)
    text += fmt::format("  {} in [0, {:g})\n", index.name, index.size);
  for (const Factor &factor : network.factors) {
    if (!factor.is_sparse()) continue;
    text += fmt::format("  {} stores", factor.text);
    for (std::size_t k = 0; k < factor.stored.size(); ++k)
      text += fmt::format(" {} {:g}", network.indices[factor.stored[k]].name, factor.prefixes[k]);
    text += "\n";
  }
  for (const Join &join : network.joins) {
    const Factor &one = network.factors[join.one], &other = network.factors[join.other];
    const double anywhere = one.prefixes.back() * other.prefixes.back() /
                            network.elements(network.of(join.one) & network.of(join.other));
    text += fmt::format("  {} meets {} {:.3g} times\n", one.text, other.text, join.ratio * anywhere);
  }
  return text;
}

} // namespace unravel::contract
