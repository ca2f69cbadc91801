#include "combine/space.h"

#include "space/set.h"
#include "term/children.h"
#include "value/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::combine {

using term::Term;

bool has_slot_of_each(const layout::Layout &layout) {
  const bool indexed = std::ranges::any_of(layout.arrays, [](auto &array) { return !array.is_value; });
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
  const auto is_of_tensor = [&](const auto &each) { return each.tensor == tensor; };
  return std::ranges::any_of(operands, is_of_tensor) || std::ranges::any_of(lookups, is_of_tensor);
}

const Operand &IterationSpace::operand(const Read &read) const {
  return *std::ranges::find_if(operands, [&](const Operand &each) { return each.name == read.operand; });
}

const Lookup *IterationSpace::lookup(const Read &read) const {
  const auto found = std::ranges::find(lookups, read.operand, &Lookup::name);
  return found == lookups.end() ? nullptr : &*found;
}

bool IterationSpace::may_miss() const {
  return std::ranges::any_of(lookups,
                             [](const Lookup &lookup) { return lookup.wanted == Lookup::Wanted::Divisor; });
}

bool IterationSpace::is_product() const {
  const auto product = value::quotient_of(value);
  return by == value::Operator::Add && lookups.empty() && product.divisors.empty() &&
         std::ranges::all_of(product.factors,
                             [](const Value &factor) { return value::parts_of(factor).empty(); });
}

bool IterationSpace::has_coordinates() const {
  bool found = false;
  value::each_leaf<Term>(value, [&](const Term &) { found = true; });
  return found;
}

bool IterationSpace::adds_in_any_order() const {
  return loops.empty() && !sets && target.local.empty() && !target.appends && !may_miss() &&
         !reads(target.tensor);
}

const LocalTensor *Combination::local(const std::string &tensor) const {
  const auto found =
      std::ranges::find_if(locals, [&](const LocalTensor &local) { return local.tensor == tensor; });
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
  const term::Term &first = append.order.front().value;
  const bool is_counted = levels.front().is_counted();
  if (!is_counted && levels.front().value != first) return std::nullopt;
  for (const packing::AppendLevel &level : levels) {
    // Where iterations have no entries, pointers are set to the count as it is.
    if (level.bounds && level.bounds->begin_offset != 0) return std::nullopt;
    if (!level.pointer.empty() && level.parent > 0 && !levels[level.parent].is_counted()) return std::nullopt;
  }
  return FirstNode{term::substitute(first, entry_of(target)),
                   is_counted ? std::nullopt : std::optional(levels.front().extent)};
}

const AssembledResult *Combination::assembly(const std::string &tensor) const {
  const auto found =
      std::ranges::find_if(assembled, [&](const AssembledResult &each) { return each.tensor == tensor; });
  return found == assembled.end() ? nullptr : &*found;
}

std::size_t Combination::loops_of_rounds(const IterationSpace &leaf) const {
  std::size_t count = leaf.loops.size();
  while (count > 0 && !rounds.contains(leaf.loops[count - 1]))
    --count;
  return count;
}

bool Combination::has_loops() const {
  return std::ranges::any_of(leaves, [](const IterationSpace &leaf) { return !leaf.loops.empty(); });
}

bool Combination::is_cleared(const std::string &tensor) const {
  const auto first = std::ranges::find_if(
      leaves, [&](const IterationSpace &leaf) { return leaf.target.tensor == tensor || leaf.reads(tensor); });
  return std::ranges::any_of(clears, [&](const Clear &clear) {
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

std::string_view looked_for(Lookup::Wanted wanted) {
  switch (wanted) {
  case Lookup::Wanted::Element: return "look for";
  case Lookup::Wanted::Divisor: return "must have";
  case Lookup::Wanted::Absence: return "where not stored";
  case Lookup::Wanted::Presence: return "where stored";
  }
  return "";
}

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

IterationSpace with_slots_in_range(IterationSpace space,
                                   const std::map<std::string, std::vector<Term>> &arrays) {
  std::vector<Term> parts = term::conjuncts(space.relation);
  for (const Operand &operand : space.operands) {
    if (operand.array.empty()) continue;
    const std::vector<Term> &extents = arrays.at(operand.array);
    for (std::size_t k = 0; k < operand.slots.size(); ++k)
      parts.push_back(term::between(0, operand.slots[k], extents[k]));
  }
  space.relation = term::conjunction(std::move(parts));
  return space;
}

bool is_empty(const IterationSpace &space, const std::set<std::string> &copies) {
  std::vector<Term> parts = term::conjuncts(space.relation);
  std::erase_if(parts, [&](const Term &part) { return term::mentions_any(part, copies); });
  return space::Set(term::conjunction(std::move(parts))).is_empty();
}

std::string value_text(const IterationSpace &space,
                       const std::function<std::string(const Operand &)> &text_of) {
  return value::to_text(space.value, [&](const Value &leaf) {
    if (const auto *coordinate = std::get_if<Term>(&leaf.kind)) return compute::value_text(*coordinate);
    const Read &read = std::get<Read>(leaf.kind);
    return space.lookup(read) ? read.operand : text_of(space.operand(read));
  });
}

std::string to_text(const IterationSpace &space) {
  std::string text = fmt::format("{{ [{}] :\n", fmt::join(space.variables(), ", "));
  for (const Term &part : term::conjuncts(space.relation))
    text += "    " + term::to_text(part) + "\n";
  text += "}\n";
  for (const Lookup &lookup : space.lookups)
    for (const Place &place : lookup.places) {
      text += fmt::format("{} {}({}): {{ [{}] :\n", looked_for(lookup.wanted), lookup.name,
                          fmt::join(texts_of(place.operand.coordinates), ", "),
                          fmt::join(place.operand.positions, ", "));
      for (const Term &part : term::conjuncts(place.relation))
        text += "    " + term::to_text(part) + "\n";
      text += lookup.is_mask() ? "}\n"
                               : fmt::format("}} {}{}\n", text_of(place.operand),
                                             lookup.fill != 0 ? fmt::format(", else {}", lookup.fill) : "");
    }
  return text + fmt::format("{} {} {}\n", text_of(space.target),
                            space.sets ? "=" : value::reduction_text(space.by), value_text(space, text_of));
}

std::string to_text(const Combination &combination) {
  std::string text;
  for (const std::string &size : combination.sizes)
    text += fmt::format("size {}\n", size);
  for (const SizeCondition &condition : combination.conditions)
    text += fmt::format("require {} ({})\n", term::to_text(condition.formula), condition.message);
  for (const LocalTensor &local : combination.locals)
    if (local.insertion) text += to_text(local);
  for (const auto &[loop, ends] : combination.rounds)
    text += fmt::format("rounds {} until {}\n", loop, ends);
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
