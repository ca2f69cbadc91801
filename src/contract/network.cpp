#include "contract/network.h"

#include <algorithm>
#include <fmt/format.h>

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

Set Network::own(std::size_t factor) const {
  return of(factor) & ~(result | of_all(all() & ~bit(factor)));
}

Set Network::open(Set some) const {
  if ((some & (some - 1)) == 0) return of_all(some);
  return of_all(some) & (result | of_all(all() & ~some));
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
  for (std::size_t k = 0; k < sparse.stored.size() && has(opened, sparse.stored[k]); ++k) {
    all *= indices[sparse.stored[k]].size;
    stored = sparse.prefixes[k];
  }
  return all > 0 && stored > 0 ? stored / all : 1; // of nothing, all
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

double Network::points() const {
  const Set opened = of_all(all()) | result;
  double count = elements(opened);
  for (std::size_t k = 0; k < factors.size(); ++k)
    count *= share(k, opened);
  return count;
}

double Network::work_as_written() const {
  return points() * static_cast<double>(std::max<std::size_t>(factors.size(), 1));
}

std::string to_text(const Network &network) {
  std::string text = network.target + " =";
  for (std::size_t k = 0; k < network.factors.size(); ++k)
    text += fmt::format("{} {}", k ? " *" : "", network.factors[k].text);
  text += "\n";
  for (const Index &index : network.indices)
    text += fmt::format("  {} in [0, {:g})\n", index.name, index.size);
  for (const Factor &factor : network.factors) {
    if (!factor.is_sparse()) continue;
    text += fmt::format("  {} stores", factor.text);
    for (std::size_t k = 0; k < factor.stored.size(); ++k)
      text += fmt::format(" {} {:g}", network.indices[factor.stored[k]].name, factor.prefixes[k]);
    text += "\n";
  }
  return text;
}

} // namespace unravel::contract
