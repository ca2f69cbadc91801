#include "lower/local.h"

#include "lower/elements.h"
#include "lower/state.h"

namespace unravel::lower {

using combine::LocalTensor;
using combine::Operand;
using layout::IndexElement;
using loop::Block;
using term::Term;

namespace {

/// The target's coordinates in place of the local's modes.
term::Substitution element_at(const LocalTensor &local, const Operand &target) {
  term::Substitution by;
  for (std::size_t k = 0; k < local.modes.size(); ++k)
    by.emplace(local.modes[k], target.coordinates[local.around + k]);
  return by;
}

/// The position that an array tells, by its variable.
std::map<Term, Term> named_position(const LocalTensor &local, const term::Substitution &by) {
  const layout::Insertion &insertion = *local.insertion;
  if (insertion.position.empty() || local.repeats()) return {};
  return {{term::substitute(insertion.found.at(insertion.position), by), term::variable(insertion.position)}};
}

/// Room for another entry: in hash tables, and in arrays that grow. Of these one has as many elements for
/// each entry as its inner extents say.
Block room_for_another(const LocalTensor &local, const Extents &extents) {
  const layout::Insertion &insertion = *local.insertion;
  const Term count = term::variable(insertion.count) + Term(1);
  std::map<Term, std::vector<std::string>> by_length;
  const auto grow = [&](const std::string &array) {
    const std::vector<Term> &all = extents.at(array);
    by_length[slots_of({all.begin() + 1, all.end()})].push_back(array);
  };
  Block block;
  for (const IndexElement &element : insertion.sets)
    if (local.hashed.contains(element.array))
      block.push_back({loop::Reserve{"", count, {element.array}}});
    else if (local.grows())
      grow(element.array);
  if (local.grows()) grow(local.array);
  for (auto &[length, arrays] : by_length)
    block.push_back({loop::Reserve{"", term::multiply(length, count), std::move(arrays)}});
  return block;
}

/// Another entry, but for its value.
Block another(const LocalTensor &local, const Extents &extents, const term::Substitution &by) {
  const layout::Insertion &insertion = *local.insertion;
  Block block = room_for_another(local, extents);
  for (const IndexElement &element : insertion.sets)
    block.push_back({set(element, extents, by)});
  if (insertion.count.empty()) return block;
  const Term count = term::variable(insertion.count);
  if (!local.repeats()) block.push_back({loop::Assign{insertion.position, count}});
  block.push_back({loop::Assign{insertion.count, count + Term(1)}});
  return block;
}

bool is_masked(const std::string &tensor, const combine::Combination &combination) {
  const LocalTensor *local = combination.local(tensor);
  return local && local->is_masked;
}

} // namespace

bool inserts_another(const Operand &target, const combine::Combination &combination) {
  return target.inserts && combination.local(target.tensor)->repeats();
}

std::map<std::string, LocalCode> local_codes(const Workspace &workspace) {
  const combine::Combination &combination = workspace.combination();
  std::map<std::string, LocalCode> codes;
  for (const LocalTensor &local : combination.locals) {
    if (!local.insertion) continue;
    const layout::Insertion &insertion = *local.insertion;
    LocalCode &code = codes[local.tensor];
    if (const Members *members = workspace.members(local.tensor)) {
      code.members = members;
      code.begin.push_back({loop::Declare{members->count, Term(0)}});
      code.end = without_members(*members);
      continue;
    }
    if (!insertion.count.empty()) {
      code.begin.push_back({loop::Declare{insertion.count, Term(0)}});
      loop::For entries{insertion.position, Term(0), term::variable(insertion.count)};
      for (const IndexElement &element : insertion.resets)
        if (local.hashed.contains(element.array))
          code.end.push_back({loop::Zero{element.array, slots_of(combination.arrays.at(element.array))}});
        else
          entries.body.push_back({set(element, combination.arrays, {})});
      if (!entries.body.empty()) code.end.push_back({std::move(entries)});
      continue;
    }
    for (const auto &[array, value] : insertion.nothing) {
      const std::string slot = array + ".slot";
      loop::For all{slot, Term(0), slots_of(combination.arrays.at(array))};
      all.body.push_back({loop::SetElement{array, term::variable(slot), Term(value)}});
      code.end.push_back({std::move(all)});
    }
  }
  return codes;
}

loop::Element element_of(const Operand &target, const combine::Combination &combination) {
  const LocalTensor &local = *combination.local(target.tensor);
  if (inserts_another(target, combination))
    return {target.array, slot_of(local.array, local.slots, combination.arrays, {})};
  return {target.array, term::replace(target.slot, named_position(local, element_at(local, target)))};
}

Block insert(const Operand &target, const Workspace &workspace, std::optional<bool> listed) {
  const combine::Combination &combination = workspace.combination();
  const LocalTensor &local = *combination.local(target.tensor);
  const layout::Insertion &insertion = *local.insertion;
  if (const Members *members = workspace.members(target.tensor)) {
    const Term &coordinate = target.coordinates[local.around];
    if (listed) return insert_member(*members, coordinate, *listed);
    return {{loop::If{members->are_listed(), insert_member(*members, coordinate, true), "",
                      insert_member(*members, coordinate, false)}}};
  }
  const term::Substitution by = element_at(local, target);
  Block block, missing = another(local, combination.arrays, by);
  if (local.repeats()) return missing;
  const std::map<Term, Term> position = named_position(local, by);
  for (const auto &[found, variable] : position)
    block.push_back({loop::Declare{insertion.position, found}});
  missing.push_back({loop::Store{element_of(target, combination), {loop::Number{local.initial}}}});
  const Term stored = term::replace(term::substitute(insertion.stored, by), position);
  block.push_back({loop::If{term::negation(stored), std::move(missing), ""}});
  return block;
}

std::optional<loop::Store> written_to_masked(const combine::IterationSpace &space,
                                             const loop::Element &target, const loop::Value &value,
                                             const combine::Combination &combination) {
  if (!is_masked(space.target.tensor, combination)) return std::nullopt;
  const loop::Value zero{loop::Number{0}};
  if (space.sets) return loop::Store{target, apply(loop::Operator::Stored, std::vector{zero})};
  return loop::Store{target, apply(loop::Operator::Add, std::vector<loop::Value>{{target}, value, zero})};
}

Block where_it_has_a_value(const combine::IterationSpace &space, const loop::Value &value,
                           const combine::Combination &combination,
                           const std::function<Block(loop::Value)> &then) {
  const auto read = std::ranges::find_if(
      space.operands, [&](const Operand &operand) { return is_masked(operand.tensor, combination); });
  if (read == space.operands.end()) return then(value);
  // Where maps hold values, 0.0 is what isn't stored.
  const std::string negative = read->tensor + ".negative";
  Block kept = then(value::negated(loop::Value{loop::Local{negative}}));
  return {{loop::DeclareValue{negative, value::negated(value)}},
          {loop::IfValue{negative, std::move(kept), "something was added"}}};
}

bool sets_what_is_new(const Operand &target, const Workspace &workspace, std::optional<bool> listed,
                      loop::Operator by) {
  const LocalTensor &local = *workspace.combination().local(target.tensor);
  // Of the others some make another value of one operand and the identity: the least of infinity and NaN.
  const bool keeps_values = by == loop::Operator::Add || by == loop::Operator::Multiply;
  if (local.repeats() || !keeps_values || local.initial != value::identity_of(by)) return false;
  const Members *members = workspace.members(target.tensor);
  return !members || (listed && (*listed || !members->begin_at_zero()));
}

Block set_where_new(Block inserted, loop::Accumulate add) {
  auto &missing = std::get<loop::If>(inserted.back().kind);
  if (std::holds_alternative<loop::Store>(missing.then.back().kind))
    missing.then.pop_back(); // its initial value
  missing.then.push_back({loop::Store{add.target, add.value}});
  missing.otherwise = {{std::move(add)}};
  return inserted;
}

const Members *members_at(const combine::IterationSpace &space, const LeafPlan &leaf, const LevelPlan &find,
                          const Workspace &workspace) {
  const scan::Level &here = leaf.nest.levels[find.level];
  if (!find.as<plan::Scan>() || find.unique || here.lower != Term(0)) return nullptr;
  for (const LocalTensor &local : workspace.combination().locals) {
    const Members *members = workspace.members(local.tensor);
    if (!members || space.target.tensor == local.tensor || here.upper != members->extent) continue;
    const Term is_member = term::equal(term::apply(members->bits, {term::variable(here.variable)}), Term(1));
    if (plan::match_condition(here) != is_member) continue;
    const auto is_shared = [&](std::optional<std::size_t> parallel) {
      return parallel && local.around <= *parallel && *parallel <= find.level;
    };
    return is_shared(leaf.parallel) || is_shared(leaf.shared_parallel) ? nullptr : members;
  }
  return nullptr;
}

Block zero_once_read(const std::vector<Operand> &operands, const combine::Combination &combination) {
  Block block;
  for (const Operand &operand : operands)
    if (const LocalTensor *local = combination.local(operand.tensor); local && local->is_zero_once_read)
      block.push_back({loop::Store{loop::Element{operand.array, operand.slot}, {loop::Number{0}}}});
  return block;
}

bool asks_for_list(const LeafPlan &plan, std::size_t shared, std::size_t level) {
  const std::vector<scan::Level> &levels = plan.nest.levels;
  return scan::loops_between(levels, shared, level) > 0 ||
         scan::loops_between(levels, level + 1, levels.size()) == 0;
}

} // namespace unravel::lower
