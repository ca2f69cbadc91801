#include "combine/repeated.h"

#include "combine/substitute.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <map>
#include <set>

namespace unravel::combine {

using term::Term;

namespace {

bool is_same_access(const Operand &first, const Operand &second) {
  return first.tensor == second.tensor && first.local.empty() &&
         first.positions.size() == second.positions.size() && !first.positions.empty() &&
         first.positions != second.positions && first.coordinates == second.coordinates;
}

/// The parts of a relation by what they say something of.
class Parts {
public:
  explicit Parts(const IterationSpace &space) {
    const std::set<std::string> positions(space.positions.begin(), space.positions.end());
    for (const Term &part : term::conjuncts(space.relation)) {
      std::vector<std::string> about;
      for (const std::string &name : term::variables_of(part))
        if (positions.contains(name)) about.push_back(name);
      if (about.empty()) of_none_.push_back(part);
      for (const std::string &name : about)
        of_[name].push_back(part);
    }
  }

  /// Those about an access's positions, and about none.
  std::vector<Term> of(const Operand &operand) const {
    std::vector<Term> parts = of_none_;
    for (const std::string &position : operand.positions)
      if (auto own = of_.find(position); own != of_.end())
        parts.insert(parts.end(), own->second.begin(), own->second.end());
    return parts;
  }

private:
  std::map<std::string, std::vector<Term>> of_;
  std::vector<Term> of_none_;
};

/// Whether the positions of both are the same at each point. The later one's have other names in the
/// question, so that it is the same question for each further repetition.
bool coincide(const Parts &parts, const Operand &first, const Operand &second, prove::Prover &prover) {
  term::Substitution other;
  for (std::size_t k = 0; k < first.positions.size(); ++k)
    other.emplace(second.positions[k], term::variable(first.positions[k] + "'"));
  std::vector<Term> known = parts.of(first);
  for (const Term &part : parts.of(second))
    known.push_back(term::substitute(part, other));
  for (const std::string &position : first.positions) {
    const Term p = term::variable(position), q = term::variable(position + "'");
    for (const Term &differ : std::vector<Term>{term::less(p, q), term::less(q, p)}) {
      std::vector<Term> hypotheses = known;
      hypotheses.push_back(differ);
      if (prover.refute("one position", position, hypotheses) != prove::Answer::Refuted) return false;
    }
    known.push_back(term::equal(p, q));
  }
  return true;
}

} // namespace

void rename_positions(IterationSpace &space, const term::Substitution &by) {
  substitute(space, by);
  for (const auto &[position, value] : by)
    if (const auto *name = value.as<term::Variable>();
        name && !contains(space.positions, name->name) && !contains(space.coordinates, name->name))
      std::ranges::replace(space.positions, position, name->name);
  std::erase_if(space.positions, [&](const std::string &position) { return by.contains(position); });
  auto rename_in = [&](Operand &operand) {
    std::vector<std::string> kept;
    for (const std::string &position : operand.positions) {
      auto other = by.find(position);
      const auto *name = other == by.end() ? nullptr : other->second.as<term::Variable>();
      if (other == by.end())
        kept.push_back(position);
      else if (name && contains(space.positions, name->name))
        kept.push_back(name->name);
    }
    operand.positions = std::move(kept);
  };
  for (Operand &operand : space.operands)
    rename_in(operand);
  rename_in(space.target);
}

bool repeats_access(const IterationSpace &space) {
  for (std::size_t k = 1; k < space.operands.size(); ++k)
    for (std::size_t first = 0; first < k; ++first)
      if (is_same_access(space.operands[first], space.operands[k])) return true;
  return false;
}

void share_positions(IterationSpace &space, prove::Prover &prover) {
  const Parts parts(space);
  term::Substitution by;
  std::set<std::size_t> repeated;
  for (std::size_t k = 1; k < space.operands.size(); ++k)
    for (std::size_t first = 0; first < k; ++first) {
      const Operand &earlier = space.operands[first], &later = space.operands[k];
      if (repeated.contains(first) || !is_same_access(earlier, later) ||
          !coincide(parts, earlier, later, prover))
        continue;
      for (std::size_t position = 0; position < later.positions.size(); ++position)
        by.emplace(later.positions[position], term::variable(earlier.positions[position]));
      repeated.insert(k);
      break;
    }
  if (!by.empty()) rename_positions(space, by);
}

void use_coordinates(IterationSpace &space) {
  const std::set<std::string> positions(space.positions.begin(), space.positions.end());
  const std::set<std::string> coordinates(space.coordinates.begin(), space.coordinates.end());
  term::Substitution by;
  for (const Term &part : term::conjuncts(space.relation))
    for (const std::string &position : term::variables_of(part)) {
      if (!positions.contains(position)) continue;
      std::optional<Term> value = term::solve_for(position, part);
      const auto *name = value ? value->as<term::Variable>() : nullptr;
      if (name && coordinates.contains(name->name)) by.emplace(position, *value);
    }
  if (!by.empty()) rename_positions(space, by);
}

} // namespace unravel::combine
