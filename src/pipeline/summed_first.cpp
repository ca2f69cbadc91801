#include "pipeline/summed_first.h"

#include "combine/structure.h"
#include "compute/build_tree.h"
#include "machine/stopwatch.h"
#include "pipeline/plans.h"
#include "pipeline/types.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel::pipeline {

namespace {

using contract::bit;
using contract::has;
using contract::Network;
using contract::Set;

class Summer {
public:
  explicit Summer(const Plans &plans) : contraction_(plans.contraction), network_(plans.network) {
    for (std::size_t k = 0; k < network_.factors.size(); ++k)
      if (network_.factors[k].is_sparse()) sparse_ |= bit(k);
  }

  /// A term for each sum, and one for the product of them and what is left.
  std::optional<contract::Forest> forest() const {
    contract::Forest made;
    contract::Term last;
    Set left = network_.all();
    for (std::size_t k = 0; k < network_.factors.size(); ++k) {
      if (!has(left, k)) continue;
      const Set factors = summed_with(k);
      if (!may_be_first(factors)) continue;
      left &= ~factors;
      last.terms.push_back(made.terms.size());
      const Set indices = network_.of_all(factors);
      made.terms.push_back({numbers(factors), {}, indices, indices & network_.result});
      last.indices |= indices & network_.result;
    }
    if (made.terms.empty()) return std::nullopt;
    last.factors = numbers(left);
    last.indices |= network_.of_all(left);
    if ((last.indices & ~network_.result) != 0) return std::nullopt;
    last.target = last.indices;
    made.terms.push_back(std::move(last));
    for (std::size_t term = 0; term < made.terms.size(); ++term)
      made.roots.push_back({false, term, {}});
    return made;
  }

private:
  static std::vector<std::size_t> numbers(Set factors) {
    std::vector<std::size_t> all;
    for (; factors != 0; factors &= factors - 1)
      all.push_back(static_cast<std::size_t>(std::countr_zero(factors)));
    return all;
  }

  /// The factors that an index which is summed over joins with this one, and it.
  Set summed_with(std::size_t factor) const {
    Set joined = bit(factor);
    for (Set before = 0; before != joined;) {
      before = joined;
      const Set summed = network_.of_all(joined) & ~network_.result;
      for (std::size_t k = 0; k < network_.factors.size(); ++k)
        if ((network_.of(k) & summed) != 0) joined |= bit(k);
    }
    return joined;
  }

  /// Is it a sum of one sparse factor's elements, each times those of dense ones, that is multiplied with
  /// something else for which no sparse factor says with which of these sums it meets?
  bool may_be_first(Set factors) const {
    const Set indices = network_.of_all(factors), kept = indices & network_.result;
    const bool is_sum = indices != kept && kept != 0;
    if (!is_sum || std::popcount(factors & sparse_) != 1) return false;
    if ((factors & (contraction_.masks | contraction_.divisors)) != 0) return false;
    Set met = indices;
    for (const std::size_t other : numbers(sparse_ & ~factors))
      if ((network_.of(other) & kept) != 0) met |= network_.of(other);
    return (network_.result & ~met) != 0;
  }

  const compute::Contraction &contraction_;
  const Network &network_;
  Set sparse_ = 0;
};

} // namespace

std::optional<Front> with_sums_first(const Request &request, const Front &front) {
  if (front.schedule.plan || has_wishes(front.schedule) || !front.structure.empty()) return std::nullopt;
  const compute::Program &line = front.computation.program;
  const compute::Statement &statement = line.statements.front();
  const auto layout = front.layouts.find(statement.target.tensor);
  if (statement.accumulate || layout == front.layouts.end() || combine::has_slot_of_each(layout->second))
    return std::nullopt;
  machine::Stopwatch watch;
  Plans plans;
  std::string why;
  if (!network_of(request, with_dense_result(front, statement.target), plans, why)) return std::nullopt;
  Network &network = plans.network;
  for (const compute::TensorUse &use : front.computation.tensors)
    network.taken.push_back(use.name);
  network.taken.insert(network.taken.end(), front.other_formats.begin(), front.other_formats.end());
  const std::optional<contract::Forest> forest = Summer(plans).forest();
  if (!forest) return std::nullopt;

  Front made = front;
  made.is_planned = true;
  const std::vector<Set> no_loops_over_positions(network.factors.size());
  const compute::PlannedBody planned =
      compute::planned_body(line, plans.contraction, network, *forest, no_loops_over_positions, 0);
  put_program(compute::program_with(line, planned.body), fills_with_initial(line), made);
  std::vector<std::string> sums;
  for (const contract::Buffer &buffer : contract::buffers_of(*forest)) {
    sums.push_back(contract::buffer_name(network, buffer.term));
    load_local(sums.back(), layout_of_buffer(network, buffer), made);
  }
  made.why =
      fmt::format("# {}: summed first, so that what follows does no more than the result has entries\n",
                  fmt::join(sums, ", "));
  settle_types(request, made);
  made.milliseconds += watch.milliseconds();
  return made;
}

} // namespace unravel::pipeline
