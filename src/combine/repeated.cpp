#include "combine/repeated.h"

#include "combine/substitute.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::combine {

using term::Term;

namespace {

bool is_same_access(const Operand &first, const Operand &second) {
  return first.tensor == second.tensor && first.local.empty() && !first.divides && !second.divides &&
         first.positions.size() == second.positions.size() && !first.positions.empty() &&
         first.positions != second.positions && first.coordinates == second.coordinates;
}

/// Whether the positions of both are the same at each point.
bool coincide(const IterationSpace &space, const Operand &first, const Operand &second,
              prove::Prover &prover) {
  std::vector<Term> known = term::conjuncts(space.relation);
  for (std::size_t k = 0; k < first.positions.size(); ++k) {
    const Term p = term::variable(first.positions[k]), q = term::variable(second.positions[k]);
    for (const Term &differ : std::vector<Term>{term::less(p, q), term::less(q, p)}) {
      std::vector<Term> hypotheses = known;
      hypotheses.push_back(differ);
      if (prover.refute("one position", fmt::format("{} and {}", first.positions[k], second.positions[k]),
                        hypotheses) != prove::Answer::Refuted)
        return false;
    }
    known.push_back(term::equal(p, q));
  }
  return true;
}

/// Puts the positions `to` in the place of `from`.
void rename(IterationSpace &space, const std::vector<std::string> &from, const std::vector<std::string> &to) {
  term::Substitution by;
  for (std::size_t k = 0; k < to.size(); ++k)
    by.emplace(from[k], term::variable(to[k]));
  substitute(space, by);
  std::erase_if(space.positions, [&](const std::string &position) { return by.contains(position); });
  auto rename_in = [&](Operand &operand) {
    for (std::string &position : operand.positions)
      if (auto other = std::find(from.begin(), from.end(), position); other != from.end())
        position = to[static_cast<std::size_t>(other - from.begin())];
  };
  for (Operand &operand : space.operands)
    rename_in(operand);
  rename_in(space.target);
}

} // namespace

bool repeats_access(const IterationSpace &space) {
  for (std::size_t k = 1; k < space.operands.size(); ++k)
    for (std::size_t first = 0; first < k; ++first)
      if (is_same_access(space.operands[first], space.operands[k])) return true;
  return false;
}

void share_positions(IterationSpace &space, prove::Prover &prover) {
  for (std::size_t k = 1; k < space.operands.size(); ++k)
    for (std::size_t first = 0; first < k; ++first) {
      const Operand &earlier = space.operands[first], &later = space.operands[k];
      if (!is_same_access(earlier, later) || !coincide(space, earlier, later, prover)) continue;
      const std::vector<std::string> from = later.positions, to = earlier.positions;
      rename(space, from, to);
      break;
    }
}

} // namespace unravel::combine
