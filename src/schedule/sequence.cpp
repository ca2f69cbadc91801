#include "schedule/sequence.h"

#include "compute/computation.h"
#include "depend/statements.h"
#include "report/diagnostic.h"
#include "schedule/transform.h"
#include "space/set.h"
#include "text/contains.h"

#include <algorithm>

namespace unravel::schedule {

using combine::Combination;
using combine::IterationSpace;
using combine::Operand;
using term::Term;

namespace {

bool mentions(const IterationSpace &space, const std::string &tensor) {
  return space.target.tensor == tensor || space.reads(tensor);
}

/// Does the statement set each element of its target to the identity of what all others do to it?
bool clears_all(const IterationSpace &space, const Combination &program) {
  const double *number = value::number_of(space.value);
  if (!space.sets || !number || !space.target.local.empty() || !space.lookups.empty()) return false;
  bool is_reduced = *number == 0; // zeros are set all at once, whatever comes then
  for (const IterationSpace &other : program.leaves) {
    if (other.target.tensor != space.target.tensor || other.sets) continue;
    if (value::identity_of(other.by) != *number) return false;
    is_reduced = true;
  }
  if (!is_reduced) return false;
  const std::vector<Term> &extents = program.arrays.at(space.target.array);
  std::vector<Term> parts;
  for (std::size_t k = 0; k < extents.size(); ++k)
    parts.push_back(term::between(Term(0), term::variable("@" + std::to_string(k)), extents[k]));
  space::Set slots(term::conjunction(std::move(parts)));
  std::vector<Term> written = term::conjuncts(space.relation);
  for (std::size_t k = 0; k < extents.size(); ++k)
    written.push_back(term::equal(term::variable("@" + std::to_string(k)), space.target.slots[k]));
  space::Set set = space::Set(term::conjunction(std::move(written))).project([&](const Term &atom) {
    const auto *variable = atom.as<term::Variable>();
    std::vector<std::string> all = space.variables();
    return variable && contains(all, variable->name);
  });
  return slots.is_subset(set);
}

double cost_with(const IterationSpace &space, const Counts &counts, std::size_t shared) {
  std::vector<parse::Name> first;
  for (std::size_t k = 0; k < shared; ++k)
    first.push_back({space.loops[k], {}});
  return cost_of(space, plan_order(space, counts, {}, {}, first), counts);
}

/// An order that costs so much less is worth a loop of its own.
constexpr double worth = 0.9;

class Distributor {
public:
  Distributor(Combination &program, const Counts &counts, prove::Prover &prover)
      : program_(program), counts_(counts), prover_(prover) {}

  /// The leaves [begin, end) share `depth` loops.
  void run(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first + 1;
      while (last < end && leaf(last).place[depth] == leaf(first).place[depth])
        ++last;
      if (last - first > 1 && !leaf(first).loops.empty()) {
        std::vector<std::size_t> cuts = cuts_between(first, last, depth);
        if (cuts.size() > 2 && pays(first, last, depth)) take_apart(cuts, depth);
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
          if (same_loop(cuts[k], cuts[k + 1], depth)) run(cuts[k], cuts[k + 1], depth + 1);
      }
      first = last;
    }
  }

private:
  IterationSpace &leaf(std::size_t k) { return program_.leaves[k]; }

  bool same_loop(std::size_t begin, std::size_t end, std::size_t depth) {
    return end - begin > 1 && leaf(begin).loops.size() > depth;
  }

  /// Where the loop may be cut: begin, ..., end.
  std::vector<std::size_t> cuts_between(std::size_t begin, std::size_t end, std::size_t depth) {
    std::vector<std::size_t> cuts{begin};
    const bool is_whole = depth < program_.loops_of_rounds(leaf(begin));
    for (std::size_t cut = begin + 1; cut < end && !is_whole; ++cut) {
      bool may = true;
      for (std::size_t early = begin; early < cut && may; ++early)
        for (std::size_t late = cut; late < end && may; ++late)
          may = !shares_local(leaf(early), leaf(late), depth) &&
                !depend::may_precede(leaf(late), leaf(early), depth, prover_);
      if (may) cuts.push_back(cut);
    }
    cuts.push_back(end);
    return cuts;
  }

  /// What each iteration of the loop has for itself.
  static bool shares_local(const IterationSpace &one, const IterationSpace &other, std::size_t depth) {
    auto shared = [&](const Operand &operand) {
      return !operand.local.empty() && operand.around > depth && mentions(other, operand.tensor);
    };
    return shared(one.target) || std::ranges::any_of(one.operands, shared);
  }

  bool pays(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t k = begin; k < end; ++k)
      if (cost_with(leaf(k), counts_, depth) < worth * cost_with(leaf(k), counts_, shared_depth(program_, k)))
        return true;
    return false;
  }

  /// Each part has a loop of its own: numbers in between.
  void take_apart(const std::vector<std::size_t> &cuts, std::size_t depth) {
    int parts = static_cast<int>(cuts.size());
    const std::vector<int> place = leaf(cuts.front()).place;
    for (IterationSpace &each : program_.leaves)
      if (std::equal(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(depth), each.place.begin()))
        each.place[depth] *= parts;
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part)
      for (std::size_t k = cuts[part]; k < cuts[part + 1]; ++k)
        leaf(k).place[depth] += static_cast<int>(part);
  }

  Combination &program_;
  const Counts &counts_;
  prove::Prover &prover_;
};

bool adds_products_alone(const IterationSpace &space) {
  const bool is_reduced = (space.by != value::Operator::Add || !space.lookups.empty()) && !space.may_miss();
  return !space.sets && !space.reads(space.target.tensor) && (space.is_product() || is_reduced) &&
         space.target.local.empty() &&
         std::ranges::none_of(space.operands, [](const Operand &operand) { return !operand.local.empty(); });
}

/// Where a subscript of the target is a slot by itself, its extent is the array's.
void name_extents(const IterationSpace &space, Combination &program) {
  const std::vector<Term> &extents = program.arrays.at(space.target.array);
  for (std::size_t k = 0; k < extents.size() && extents.size() == space.target.coordinates.size(); ++k)
    if (const auto *index = space.target.coordinates[k].as<term::Variable>();
        index && space.target.slots[k] == space.target.coordinates[k])
      program.extents.insert_or_assign(index->name, extents[k]);
}

bool has_clear_of(const std::string &tensor, const Combination &program) {
  return std::ranges::any_of(program.clears,
                             [&](const combine::Clear &clear) { return clear.tensor == tensor; });
}

/// Of statements that share their outermost loop: are they free without it?
bool may_be_free(const std::vector<std::size_t> &clears, const std::vector<std::size_t> &adders,
                 const Combination &program, prove::Prover &prover) {
  if (adders.empty()) return true;
  const std::string &target = program.leaves[adders.front()].target.tensor;
  const value::Operator &by = program.leaves[adders.front()].by;
  for (std::size_t k : adders) // several operators may have one identity
    if (!(program.leaves[k].by == by)) return false;
  if (adders.size() > 1 && clears.empty() && !has_clear_of(target, program)) return false;
  for (std::size_t k : adders)
    if (program.leaves[k].target.tensor != target || !adds_products_alone(program.leaves[k])) return false;
  for (std::size_t clear : clears) {
    if (program.leaves[clear].target.tensor != target) return false;
    for (std::size_t k : adders)
      if (depend::may_precede(program.leaves[k], program.leaves[clear], 0, prover)) return false;
  }
  return true;
}

} // namespace

void free_loops(Combination &program, prove::Prover &prover) {
  std::vector<IterationSpace> &leaves = program.leaves;
  for (std::size_t first = 0, last; first < leaves.size(); first = last) {
    std::vector<std::size_t> clears, adders;
    for (last = first; last < leaves.size() && leaves[last].place[0] == leaves[first].place[0]; ++last)
      (clears_all(leaves[last], program) ? clears : adders).push_back(last);
    const bool is_free = leaves[first].loops.empty() && clears.empty();
    if (is_free || program.loops_of_rounds(leaves[first]) > 0 ||
        !may_be_free(clears, adders, program, prover))
      continue;
    for (std::size_t k : clears)
      program.clears.push_back(
          {leaves[k].target.tensor, leaves[k].target.array, first, *value::number_of(leaves[k].value)});
    for (std::size_t k : adders) {
      if (has_clear_of(leaves[k].target.tensor, program)) name_extents(leaves[k], program);
      leaves[k].loops.clear();
      leaves[k].place.resize(1);
    }
    for (std::size_t k = clears.size(); k-- > 0; --last)
      leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(clears[k]));
  }
}

void distribute(Combination &program, const Counts &counts, prove::Prover &prover) {
  Distributor(program, counts, prover).run(0, program.leaves.size(), 0);
}

std::size_t shared_depth(const Combination &program, std::size_t leaf) {
  std::size_t shared = program.loops_of_rounds(program.leaves[leaf]);
  for (std::size_t k = 0; k < program.leaves.size(); ++k)
    if (k != leaf)
      shared = std::max(shared, compute::shared_loops(program.leaves[leaf].place, program.leaves[k].place));
  return shared;
}

} // namespace unravel::schedule
