#include "combine/space.h"

#include "value/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::combine {

using term::Term;

bool has_slot_of_each(const layout::Layout &layout) {
  const bool indexed =
      std::any_of(layout.arrays.begin(), layout.arrays.end(), [](auto &array) { return !array.is_value; });
  return layout.pieces.size() == 1 && !indexed && layout.counts.empty() &&
         !layout.pieces[0].value.array.empty() && !layout.pieces[0].value.negative;
}

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

const Operand &IterationSpace::operand(const Read &read) const {
  return *std::find_if(operands.begin(), operands.end(),
                       [&](const Operand &each) { return each.name == read.operand; });
}

bool IterationSpace::is_product() const {
  const auto product = value::quotient_of(value);
  return by == value::Operator::Add && product.divisors.empty() &&
         std::all_of(product.factors.begin(), product.factors.end(),
                     [](const Value &factor) { return std::holds_alternative<Read>(factor.kind); });
}

bool IterationSpace::adds_in_any_order() const {
  return loops.empty() && !sets && target.local.empty() && !target.appends && divisors.empty() &&
         !reads(target.tensor);
}

const LocalTensor *Combination::local(const std::string &tensor) const {
  const auto found = std::find_if(locals.begin(), locals.end(),
                                  [&](const LocalTensor &local) { return local.tensor == tensor; });
  return found == locals.end() ? nullptr : &*found;
}

term::Substitution AssembledResult::entry_of(const Operand &target) const {
  term::Substitution by;
  for (std::size_t k = 0; k < modes.size(); ++k)
    by.emplace(modes[k], target.coordinates[k]);
  return by;
}

std::optional<FirstNode> AssembledResult::first_node(const Operand &target) const {
  const std::vector<packing::AppendLevel> &levels = append.levels;
  if (append.order.empty() || append.order.front().descending || levels.empty()) return std::nullopt;
  const FirstNode first{append.order.front().value, !levels.front().is_counted()};
  if (first.is_computed && levels.front().value != first.value) return std::nullopt;
  for (const packing::AppendLevel &level : levels) {
    // Where iterations have no entries, pointers are set to the count as it is.
    if (level.bounds && level.bounds->begin_offset != 0) return std::nullopt;
    if (!level.pointer.empty() && level.parent > 0 && !levels[level.parent].is_counted()) return std::nullopt;
  }
  return FirstNode{term::substitute(first.value, entry_of(target)), first.is_computed};
}

const AssembledResult *Combination::assembly(const std::string &tensor) const {
  const auto found = std::find_if(assembled.begin(), assembled.end(),
                                  [&](const AssembledResult &each) { return each.tensor == tensor; });
  return found == assembled.end() ? nullptr : &*found;
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
  if (clear == clears.rend() || clear->number != value::laws_of(space.by).identity) return nullptr;
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

std::vector<std::string> texts_of(const std::vector<Term> &terms) {
  std::vector<std::string> texts;
  for (const Term &term : terms)
    texts.push_back(term::to_text(term));
  return texts;
}

std::string text_of(const Operand &operand) {
  if (operand.appends)
    return fmt::format("append {}({})", operand.tensor, fmt::join(texts_of(operand.coordinates), ", "));
  return operand.is_scalar() ? operand.local
                             : fmt::format("{}[{}]", operand.array, term::to_text(operand.slot));
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

std::string value_text(const IterationSpace &space,
                       const std::function<std::string(const Operand &)> &text_of) {
  return value::to_text(space.value,
                        [&](const Value &leaf) { return text_of(space.operand(std::get<Read>(leaf.kind))); });
}

std::string to_text(const IterationSpace &space) {
  std::string text = fmt::format("{{ [{}] :\n", fmt::join(space.variables(), ", "));
  for (const Term &part : term::conjuncts(space.relation))
    text += "    " + term::to_text(part) + "\n";
  text += "}\n";
  return text + fmt::format("{} {} {}\n", text_of(space.target),
                            space.sets ? "=" : value::reduction_text(space.by), value_text(space, text_of));
}

namespace {

/// How an entry gets in.
std::string to_text(const LocalTensor &local) {
  const layout::Insertion &insertion = *local.insertion;
  std::string text = fmt::format("local {}({}): unless {}, insert by", local.tensor,
                                 fmt::join(local.modes, ", "), term::to_text(insertion.stored));
  for (const layout::IndexElement &element : insertion.sets) {
    text += fmt::format(" {}({}) = {},", element.array, fmt::join(texts_of(element.slots), ", "),
                        term::to_text(element.value));
  }
  if (!insertion.count.empty()) text += fmt::format(" {0} = {0} + 1,", insertion.count);
  text.back() = '\n';
  return text;
}

} // namespace

std::string to_text(const Combination &combination) {
  std::string text;
  for (const std::string &size : combination.sizes)
    text += fmt::format("size {}\n", size);
  for (const SizeCondition &condition : combination.conditions)
    text += fmt::format("require {} ({})\n", term::to_text(condition.formula), condition.message);
  for (const LocalTensor &local : combination.locals)
    if (local.insertion) text += to_text(local);
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
