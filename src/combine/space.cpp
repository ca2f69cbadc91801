#include "combine/naming.h"

#include "report/diagnostic.h"
#include "space/set.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::combine {

using compute::Access;
using layout::Layout;
using report::Kind;
using term::Term;

std::vector<std::string> IterationSpace::variables() const {
  std::vector<std::string> all = coordinates;
  all.insert(all.end(), positions.begin(), positions.end());
  for (const AddedVariable &variable : added)
    all.push_back(variable.name);
  return all;
}

bool IterationSpace::reads(const std::string &tensor) const {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Operand &operand) { return operand.tensor == tensor; });
}

bool IterationSpace::divides() const {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Operand &operand) { return operand.divides; });
}

namespace {

class Combiner {
public:
  Combiner(const compute::Computation &computation, const std::map<std::string, Layout> &layouts,
           const std::string &structure)
      : computation_(computation), structure_(structure), assign_(only_leaf(computation)),
        naming_(layouts, structure, lender()) {}

  Combination combine() {
    result_.accumulate = assign_.accumulate;
    for (const compute::TensorUse &use : computation_.tensors) {
      const Layout &layout = naming_.layout_of(use.name);
      bool shares = use.is_result && !structure_.empty();
      if (use.is_result && !shares) require_dense(use, layout);
      result_.bindings.push_back({use.name, layout, use.is_result, shares ? lender() : ""});
    }
    unify_sizes();
    for (const Binding &binding : result_.bindings)
      naming_.add(binding, result_);
    add_leaves(0, {});
    result_.target = result_.leaves.front().target;
    drop_empty_leaves();
    return std::move(result_);
  }

private:
  static const compute::Assign &only_leaf(const compute::Computation &computation) {
    std::vector<const compute::Assign *> leaves = compute::leaves(computation.root);
    report::require(leaves.size() == 1, "one leaf for now");
    return *leaves[0];
  }

  const Layout &layout_of(const Access &access) const { return naming_.layout_of(access.tensor); }

  /// The tensor whose structure the result has, or empty.
  std::string lender() const {
    auto found = std::find_if(assign_.factors.begin(), assign_.factors.end(),
                              [&](const Access &factor) { return factor.name() == structure_; });
    return found == assign_.factors.end() ? "" : found->tensor;
  }

  void unify_sizes() {
    for (const Binding &binding : result_.bindings)
      for (const std::string &size : binding.layout.sizes)
        naming_.sizes.add(qualified(binding.tensor, size));
    std::map<std::string, std::pair<std::string, const Access *>> first; // index -> size that stands for it
    auto visit = [&](const Access &access) {
      const Layout &layout = layout_of(access);
      for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
        const compute::Subscript &subscript = access.subscripts[k];
        if (subscript.shift != 0) continue;
        std::string size = qualified(access.tensor, layout.sizes[k]);
        auto [known, fresh] = first.emplace(subscript.index, std::make_pair(size, &access));
        if (fresh || !naming_.sizes.join(known->second.first, size)) continue;
        result_.conditions.push_back(
            {term::equal(term::variable(known->second.first), term::variable(size)),
             fmt::format("index {} runs over {} of {} and {} of {}", subscript.index,
                         known->second.first.substr(known->second.first.find('.') + 1),
                         known->second.second->tensor, layout.sizes[k], access.tensor)});
      }
    };
    for (const Access &factor : assign_.factors)
      visit(factor);
    visit(assign_.target);
    for (const auto &[index, size] : first)
      result_.extents.emplace(index, term::variable(naming_.sizes.find(size.first)));
  }

  /// Pieces may exclude each other under the subscripts: a mirrored half without its diagonal at A(i,i).
  void drop_empty_leaves() {
    std::vector<IterationSpace> kept;
    for (std::size_t k = 0; k < result_.leaves.size(); ++k) {
      std::vector<Term> parts = term::conjuncts(result_.leaves[k].relation);
      std::erase_if(parts, [&](const Term &part) {
        const std::set<std::string> names = term::variables_of(part);
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string &name) { return copies_[k].contains(name); });
      });
      if (!space::Set(term::conjunction(std::move(parts))).is_empty())
        kept.push_back(std::move(result_.leaves[k]));
    }
    result_.leaves = std::move(kept);
  }

  /// One leaf for each choice of a piece for each factor.
  void add_leaves(std::size_t factor, std::vector<std::size_t> chosen) {
    if (factor < assign_.factors.size()) {
      for (std::size_t piece = 0; piece < layout_of(assign_.factors[factor]).pieces.size(); ++piece) {
        chosen.push_back(piece);
        add_leaves(factor + 1, chosen);
        chosen.pop_back();
      }
      return;
    }
    IterationSpace space;
    space.coordinates = computation_.indices;
    space.constants = {assign_.constant};
    std::vector<Term> relation;
    std::set<std::pair<std::string, std::size_t>> met; // accesses, each through a piece
    std::set<std::string> &copies = copies_.emplace_back();
    for (std::size_t k = 0; k < assign_.factors.size(); ++k) {
      const Access &access = assign_.factors[k];
      space.operands.push_back(naming_.operand(access, layout_of(access).pieces[chosen[k]], false, relation));
      const std::vector<std::string> &positions = space.operands.back().positions;
      if (!met.emplace(compute::to_text(access), chosen[k]).second)
        copies.insert(positions.begin(), positions.end());
    }
    std::vector<Term> places;
    space.target = naming_.operand(assign_.target, layout_of(assign_.target).pieces[0], true, places);
    for (const Term &part : places) // a structure's parts are there already
      if (std::find(relation.begin(), relation.end(), part) == relation.end()) relation.push_back(part);
    list_positions(space);
    join_arguments(space, relation, places);
    result_.leaves.push_back(std::move(space));
  }

  const compute::Computation &computation_;
  std::string structure_; // the operand whose positions the result has, or empty
  const compute::Assign &assign_;
  Naming naming_;
  /// Per leaf the positions of accesses that repeat another one through the same piece: where the other has
  /// positions, these may have the same, so they make nothing empty.
  std::vector<std::set<std::string>> copies_;
  Combination result_;
};

std::string value_text(const Operand &operand) {
  std::string sign = operand.negative ? "-" : "";
  if (!operand.local.empty()) return operand.local;
  if (operand.array.empty()) return fmt::format("{}{}", sign, operand.literal);
  return fmt::format("{}{}[{}]", sign, operand.array, term::to_text(operand.slot));
}

} // namespace

Combination combine(const compute::Computation &computation, const std::map<std::string, Layout> &layouts,
                    const std::string &structure) {
  if (computation.program) return combine_program(computation, layouts);
  return Combiner(computation, layouts, structure).combine();
}

IterationSpace with_slots_in_range(IterationSpace space,
                                   const std::map<std::string, std::vector<Term>> &arrays) {
  std::vector<Term> parts = term::conjuncts(space.relation);
  for (const Operand &operand : space.operands) {
    if (operand.array.empty() || operand.divides) continue;
    const std::vector<Term> &extents = arrays.at(operand.array);
    for (std::size_t k = 0; k < operand.slots.size(); ++k)
      parts.push_back(term::between(0, operand.slots[k], extents[k]));
  }
  space.relation = term::conjunction(std::move(parts));
  return space;
}

std::string to_text(const IterationSpace &space) {
  std::string text = fmt::format("{{ [{}] :\n", fmt::join(space.variables(), ", "));
  for (const Term &part : term::conjuncts(space.relation))
    text += "    " + term::to_text(part) + "\n";
  text += "}\n";
  std::string value;
  for (std::size_t summand = 0; summand < space.constants.size(); ++summand) {
    std::string product = space.constants[summand] == 1 ? "" : fmt::format("{}", space.constants[summand]);
    for (const Operand &operand : space.operands)
      if (operand.summand == summand && !operand.divides)
        product += (product.empty() ? "" : " * ") + value_text(operand);
    value += (value.empty() ? "" : " + ") + (product.empty() ? "1" : product);
  }
  if (space.constants.empty()) value = "0";
  for (const Operand &operand : space.operands)
    if (operand.divides) value = fmt::format("({}) / {}", value, value_text(operand));
  return text + fmt::format("{} {} {}\n", value_text(space.target), space.sets ? "=" : "+=", value);
}

std::string to_text(const Combination &combination) {
  std::string text;
  for (const std::string &size : combination.sizes)
    text += fmt::format("size {}\n", size);
  for (const SizeCondition &condition : combination.conditions)
    text += fmt::format("require {} ({})\n", term::to_text(condition.formula), condition.message);
  if (!combination.accumulate) text += fmt::format("{} = 0\n", combination.bindings[0].tensor);
  for (const IterationSpace &leaf : combination.leaves) {
    if (combination.is_program) text += fmt::format("at ({})\n", fmt::join(leaf.place, ", "));
    text += to_text(leaf);
  }
  return text;
}

} // namespace unravel::combine
