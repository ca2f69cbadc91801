#include "combine/space.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::combine {

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

bool IterationSpace::adds_in_any_order() const {
  return loops.empty() && !sets && target.local.empty() && divisors.empty() && !reads(target.tensor);
}

bool Combination::has_loops() const {
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const IterationSpace &leaf) { return !leaf.loops.empty(); });
}

bool Combination::is_cleared(const std::string &tensor) const {
  const auto first = std::find_if(leaves.begin(), leaves.end(), [&](const IterationSpace &leaf) {
    return leaf.target.tensor == tensor || leaf.reads(tensor);
  });
  return std::any_of(clears.begin(), clears.end(), [&](const Clear &clear) {
    return clear.tensor == tensor && clear.before <= static_cast<std::size_t>(first - leaves.begin());
  });
}

const Clear *Combination::clear_of(std::size_t leaf) const {
  const IterationSpace &space = leaves[leaf];
  if (!space.adds_in_any_order()) return nullptr;
  auto clear = std::find_if(clears.rbegin(), clears.rend(), [&](const Clear &each) {
    return each.tensor == space.target.tensor && each.before <= leaf;
  });
  if (clear == clears.rend()) return nullptr;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const bool is_between = clear->before <= k && k < leaf;
    const bool writes = leaves[k].target.tensor == clear->tensor;
    if (k != leaf && ((is_between && (writes || leaves[k].reads(clear->tensor))) ||
                      (writes && leaves[k].place == space.place)))
      return nullptr;
  }
  return &*clear;
}

namespace {

std::string value_text(const Operand &operand) {
  std::string sign = operand.negative ? "-" : "";
  if (operand.is_scalar()) return operand.local;
  if (operand.array.empty()) return fmt::format("{}{}", sign, operand.literal);
  return fmt::format("{}{}[{}]", sign, operand.array, term::to_text(operand.slot));
}

} // namespace

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
  const bool has_loops = combination.has_loops();
  for (std::size_t k = 0; k <= combination.leaves.size(); ++k) {
    for (const Clear &clear : combination.clears)
      if (clear.before == k) text += fmt::format("{} = 0\n", clear.tensor);
    if (k == combination.leaves.size()) break;
    if (has_loops) text += fmt::format("at ({})\n", fmt::join(combination.leaves[k].place, ", "));
    text += to_text(combination.leaves[k]);
  }
  return text;
}

} // namespace unravel::combine
