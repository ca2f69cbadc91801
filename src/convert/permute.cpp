// Permutations that packing chooses: places for the values of a coordinate.

#include "convert/pack_levels.h"
#include "data/parallel.h"
#include "packing/pack_permutation.h"

#include <algorithm>
#include <numeric>

namespace unravel::convert {

using packing::Permutation;

namespace {

/// How many entries of each value of a coordinate are stored: those with equal coordinates once, if they
/// share a position.
std::vector<std::int64_t> count_stored(const Coordinates &entries, std::size_t coordinate, bool shared) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(entries.shape[coordinate]));
  const std::vector<std::int64_t> &index = entries.index[coordinate];
  std::vector<std::size_t> modes = data::natural_modes(entries.order());
  std::vector<std::size_t> backwards(modes.rbegin(), modes.rend());
  if (!shared || is_sorted(entries, modes, true) || is_sorted(entries, backwards, true)) {
    for (std::int64_t value : index)
      ++counts[static_cast<std::size_t>(value)];
    return counts;
  }
  std::vector<std::size_t> order = sorted_order(entries, modes);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_first = k == 0 || !entries.agree(order[k], order[k - 1], modes);
    counts[static_cast<std::size_t>(index[order[k]])] += is_first;
  }
  return counts;
}

/// Stable sort by numbers from 0 to `most`.
template <class Key> void sort_by(std::vector<std::int64_t> &order, std::int64_t most, Key key) {
  std::vector<std::size_t> start(static_cast<std::size_t>(most) + 2);
  for (std::int64_t value : order)
    ++start[static_cast<std::size_t>(key(value)) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::int64_t> sorted(order.size());
  for (std::int64_t value : order)
    sorted[start[static_cast<std::size_t>(key(value))]++] = value;
  order = std::move(sorted);
}

/// The values of a coordinate in the order of their places.
std::vector<std::int64_t> places_of(const Permutation &permutation, const std::vector<std::int64_t> &counts) {
  auto size = static_cast<std::int64_t>(counts.size());
  std::vector<std::int64_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::int64_t most = counts.empty() ? 0 : *std::ranges::max_element(counts);
  sort_by(order, most, [&](std::int64_t value) { return most - counts[static_cast<std::size_t>(value)]; });
  if (permutation.window == 0) return order;
  sort_by(order, size / permutation.window, [&](std::int64_t value) {
    return (permutation.sign > 0 ? value : size - 1 - value) / permutation.window;
  });
  return order;
}

} // namespace

void permute(Coordinates &entries, Tensor &tensor, const PiecePlan &plan, const PackOptions &options) {
  const bool shared = shares_positions(plan);
  std::vector<std::vector<std::int64_t>> orders;
  for (const Permutation &permutation : plan.permutations)
    orders.push_back(places_of(permutation, count_stored(entries, permutation.coordinate, shared)));
  for (std::size_t n = 0; n < orders.size(); ++n) {
    const Permutation &permutation = plan.permutations[n];
    const std::vector<std::int64_t> &order = orders[n];
    std::int64_t offset = try_evaluate(permutation.offset, tensor).value();
    Elements &array = make_array(tensor, permutation.array, options, false);
    std::vector<std::int64_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      array.set_integer(k, permutation.sign * (order[k] - offset));
      place[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
    }
    std::vector<std::int64_t> &index = entries.index[permutation.coordinate];
    data::run_ranges(index.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        index[e] = place[static_cast<std::size_t>(index[e])];
    });
  }
}

} // namespace unravel::convert
