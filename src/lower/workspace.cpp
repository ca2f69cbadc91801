#include "lower/workspace.h"

#include "lower/map_code.h"
#include "lower/sorted.h"
#include "lower/state.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace unravel::lower {

using scan::Level;
using term::Term;

namespace {

/// What stands behind the names of arrays that are one leaf's.
std::string suffix_of(std::optional<int> leaf) {
  return leaf ? fmt::format(".{}", *leaf + 1) : "";
}

} // namespace

MapArrays Workspace::add_map(const Level &level, const LevelPlan &plan, const loop::Element &value,
                             bool per_thread, std::optional<int> leaf) {
  const std::string own = suffix_of(leaf);
  if (const auto *chains = plan.as<plan::HashMap>()) return add_hash(level, *chains, per_thread, own);
  const auto &map = *plan.as<plan::DenseMap>();
  const auto by_key = [&](const char *what, loop::ElementType element, bool is_value, const char *about) {
    loop::WorkspaceArray array{level.variable + what + own, element, is_value, map.extent};
    array.per_thread = per_thread;
    array.about = fmt::format(fmt::runtime(about), level.tensor);
    if (map.limit != 0) array.when = term::at_most(map.extent, Term(map.limit));
    if (map.form == plan::MapForm::Positions) array.initial = std::nullopt;
    return add(std::move(array));
  };
  const char *const which = "which keys {} has";
  MapArrays names;
  switch (map.form) {
  case plan::MapForm::Positions:
    names.map = by_key(".positions", index_, false, "positions of {} by key; stale outside the segment");
    break;
  case plan::MapForm::Values:
  case plan::MapForm::Marked:
    names.map = by_key(".values", element_of(value.array), true, "the values of {} by key");
    break;
  case plan::MapForm::Presence: names.map = by_key(".presence", loop::ElementType::Bool, true, which); break;
  case plan::MapForm::Marks: break;
  }
  if (map.has_marks()) names.more = by_key(".marks", loop::ElementType::Bit, false, which);
  return names;
}

Term Workspace::extent_of_read(const std::vector<Term> &terms,
                               const std::function<bool(const Term &)> &is_wanted) const {
  for (const Term &key : terms)
    for (const Term &read : term::applications_of(key)) {
      const auto *call = read.as<term::Apply>();
      for (std::size_t k = 0; k < call->arguments.size(); ++k)
        if (is_wanted(call->arguments[k])) return combination_.arrays.at(call->function).at(k);
    }
  report::require(false, "a key reads an array at the position");
  return Term(0);
}

/// Chains of positions: one link for each position that there may be, and twice as many chains.
MapArrays Workspace::add_hash(const Level &level, const plan::HashMap &map, bool per_thread,
                              const std::string &own) {
  const Term position = term::variable(level.variable);
  const Term positions = extent_of_read(map.keys, [&](const Term &argument) { return argument == position; });
  loop::WorkspaceArray first{level.variable + ".first" + own,     index_, false,
                             term::scale(2, positions) + Term(1), -1,     per_thread};
  first.about = fmt::format("for each hash of a key of {} the first position", level.tensor);
  MapArrays names{add(std::move(first)), ""};
  names.more = add_scratch(level.variable + ".next" + own, index_, positions, per_thread,
                           fmt::format("for each position of {} the next one with its hash", level.tensor));
  return names;
}

bool Workspace::is_small(const Term &bound) const {
  const auto *read = bound.as<term::Apply>();
  return bound == Term(0) || (read && element_of(read->function) == loop::ElementType::Int32);
}

/// Positions between bounds that are elements of 32 bits have 32 bits too. A size may be larger.
loop::ElementType Workspace::state_element(const Level &level, const plan::Walk &walk) const {
  bool from_bounds = !walk.clamp || walk.start == Term(0);
  bool small = from_bounds && is_small(level.lower) && is_small(level.upper);
  return small ? loop::ElementType::Int32 : loop::ElementType::Int64;
}

std::string Workspace::add_states(const Level &level, const plan::Walk &walk, bool per_thread,
                                  std::optional<int> leaf) {
  return add_scratch(level.variable + ".states" + suffix_of(leaf), state_element(level, walk),
                     slots_of(walk.state_room), per_thread,
                     fmt::format("where the walks over {} stand", level.tensor));
}

std::string Workspace::add_next(const Level &level, const plan::Walk &walk, bool per_thread,
                                std::int64_t &none) {
  // floor((key + c) / d) with a key of 32 bits and d > 1 is far from the largest number of 32 bits.
  constexpr std::int64_t largest_shift = 1 << 20;
  bool small = false;
  if (const auto *quotient = walk.jump->next.as<term::FloorDivide>()) {
    std::int64_t shift = term::linear_form(quotient->numerator).constant;
    const auto *key = (quotient->numerator - Term(shift)).as<term::Apply>();
    small = key && element_of(key->function) == loop::ElementType::Int32 && shift <= largest_shift &&
            -shift <= largest_shift;
  }
  none = small ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max() / 4;
  return add_scratch(level.variable + ".next", small ? loop::ElementType::Int32 : loop::ElementType::Int64,
                     slots_of(walk.state_room), per_thread,
                     fmt::format("the tile where each walk over {} stands", level.tensor));
}

std::string Workspace::add_next_of_segments(const std::string &result, const std::string &position,
                                            const std::optional<Term> &segments) {
  loop::WorkspaceArray array{position + ".next", index_, false, segments.value_or(Term(0)), std::nullopt};
  array.grows = !segments;
  array.about = fmt::format("the number of entries of each segment of {}, then where the next one goes{}",
                            result, segments ? "" : "; of each thread's part by itself");
  return add(std::move(array));
}

std::string Workspace::add_entries_of_parts(const std::string &result, const std::string &position) {
  loop::WorkspaceArray array{position + ".parts", loop::ElementType::Int64, false, Term(0), std::nullopt};
  array.grows = true;
  array.about = fmt::format("the number of entries of {} in each thread's part", result);
  return add(std::move(array));
}

SortArrays Workspace::add_sorted(const Level &level, const plan::SortedLoop &plan, bool per_thread) {
  const Term position = term::variable(level.variable);
  // One element for each position: of `p.shift = p + 1` the element read is that at p.shift - 1.
  Term positions = extent_of_read(plan.keys, [&](const Term &argument) {
    return !term::mentions(argument - position, level.variable) ||
           !term::mentions(argument + position, level.variable);
  });
  std::vector<Term> held{level.lower, level.upper};
  for (const Term &key : plan.keys)
    for (const Term &read : term::applications_of(key))
      held.push_back(read);
  std::optional<bool> small;
  bool of_local = false, grows = false;
  for (const combine::LocalTensor &local : combination_.locals)
    if (local.insertion && level.upper == term::variable(local.insertion->count)) {
      of_local = true;
      grows = local.grows();
      positions = grows ? Term(0) : slots_of(local.extents);
      small = element_of_positions(local) == loop::ElementType::Int32;
    }
  if (!small) small = std::ranges::all_of(held, [&](const Term &each) { return is_small(each); });
  const loop::ElementType element = *small ? loop::ElementType::Int32 : loop::ElementType::Int64;
  loop::WorkspaceArray array{"", element, false, positions, std::nullopt, per_thread};
  const auto added = [&](const char *what, std::string about) {
    array.name = level.variable + what;
    array.about = std::move(about);
    return add(array);
  };
  array.grows = grows;
  SortArrays names{added(".order", fmt::format("positions of {}, sorted", level.tensor)), "", "", grows};
  names.keys = added(".keys", "and their keys");
  names.room_of_each = loop::room_to_sort(array.element);
  array.extent = term::scale(names.room_of_each, positions);
  array.element = loop::ElementType::Int64;
  const Term count = level.upper - level.lower;
  // The workspace is made before anything is counted: neither a local's entries nor an array's element say
  // more then.
  const bool is_known = !of_local && term::applications_of(count).empty();
  if (!plan.extents.empty() && is_known) {
    std::vector<Term> sorts;
    for (const Term &extent : plan.extents)
      sorts.push_back(term::negation(is_dealt(extent, count)));
    array.when = term::disjunction(std::move(sorts));
  }
  names.room = added(".room", "to sort them");
  if (plan.extents.empty()) return names;
  array.when = term::truth();
  array.element = element;
  array.extent = Term(0);
  array.grows = true;
  names.begins =
      added(".begins", fmt::format("the number of positions of {} with each key, then where the next "
                                   "one goes",
                                   level.tensor));
  return names;
}

loop::ElementType Workspace::element_of_positions(const combine::LocalTensor &local) const {
  // A local that grows is as long as an index may be.
  return local.extents.size() == 1 || local.grows() ? index_ : loop::ElementType::Int64;
}

void Workspace::add_local(const combine::LocalTensor &local, bool per_thread) {
  term::Substitution room; // for as many entries as there are elements
  if (local.insertion && !local.insertion->count.empty())
    room.emplace(local.insertion->count, slots_of(local.extents));
  auto extents_of = [&](const std::string &array) -> std::vector<Term> {
    if (local.grows()) return {Term(0)};
    std::vector<Term> extents = combination_.arrays.at(array);
    for (Term &extent : extents)
      extent = term::substitute(extent, room);
    return extents;
  };
  auto require_own = [](const std::string &name, const std::string &wanted) {
    report::require(name == wanted, "a local tensor has a name of its own");
  };
  require_own(add_values(local.array, extents_of(local.array), per_thread,
                         fmt::format("the elements of {}", local.tensor),
                         compute::type_of(combination_.types, local.tensor)),
              local.array);
  if (local.is_zero_once_read) arrays_.back().initial = 0;
  if (!local.insertion) return;
  if (has_members(local, combination_.arrays)) return add_members(local, per_thread);
  arrays_.back().grows = local.grows();
  for (const layout::IndexElement &element : local.insertion->sets) {
    loop::WorkspaceArray array{element.array, element_of_positions(local)};
    array.hashed = local.hashed.contains(element.array);
    array.grows = local.grows() && !array.hashed;
    array.extent = slots_of(array.hashed ? combination_.arrays.at(element.array) : extents_of(element.array));
    // A table's elements have the type of their indices.
    if (array.hashed && local.extents.size() > 1) array.element = loop::ElementType::Int64;
    const auto nothing = local.insertion->nothing.find(element.array);
    array.initial = nothing == local.insertion->nothing.end() ? std::nullopt : std::optional(nothing->second);
    array.per_thread = per_thread;
    array.about = fmt::format("an index array of {}", local.tensor);
    require_own(add(std::move(array)), element.array);
  }
}

void Workspace::add_members(const combine::LocalTensor &local, bool per_thread) {
  Members members;
  members.initial = local.initial;
  if (members.begin_at_zero()) arrays_.back().initial = 0; // of values
  members.tensor = local.tensor;
  members.extent = slots_of(local.extents);
  loop::WorkspaceArray bits{
      local.insertion->sets.front().array, loop::ElementType::Bit, false, members.extent, 0, per_thread};
  bits.about = fmt::format("what {} has", local.tensor);
  members.bits = add(std::move(bits));
  members.list = add_scratch(members.bits + "_list", element_of_positions(local), members.extent, per_thread,
                             "while there are few, a list of them");
  const Term room = term::scale(loop::room_to_sort(loop::ElementType::Int64, false), members.extent);
  members.room =
      add_scratch(members.bits + "_room", loop::ElementType::Int64, room, per_thread, "to sort the list");
  members.count = members.bits + "_count";
  members.value = local.array;
  members.slot = [&local, this](const Term &member) {
    return lower::slot_of(local.array, local.slots, combination_.arrays, {{local.modes.front(), member}});
  };
  members_.emplace(local.tensor, std::move(members));
}

const Members *Workspace::members(const std::string &tensor) const {
  const auto found = members_.find(tensor);
  return found == members_.end() ? nullptr : &found->second;
}

std::optional<double> Workspace::dropped_of(const std::string &result) const {
  const auto found = dropped_.find(result);
  return found == dropped_.end() ? std::nullopt : std::optional(found->second);
}

std::string Workspace::add_values(const std::string &name, const std::vector<Term> &extents, bool per_thread,
                                  std::string about, loop::ElementType type) {
  return add_scratch(name, type, slots_of(extents), per_thread, std::move(about), true);
}

std::string Workspace::add_scratch(std::string name, loop::ElementType element, Term extent, bool per_thread,
                                   std::string about, bool is_value) {
  loop::WorkspaceArray array{std::move(name), element, is_value, std::move(extent), std::nullopt, per_thread};
  array.about = std::move(about);
  return add(std::move(array));
}

loop::ElementType Workspace::element_of(const std::string &of) const {
  for (const loop::TensorParameter &parameter : parameters_)
    for (const loop::ArrayParameter &array : parameter.arrays)
      if (parameter.name + "." + array.name == of) return array.element;
  report::require(false, "an array that finds read is a parameter's");
  return loop::ElementType::Float64;
}

std::string Workspace::add(loop::WorkspaceArray array) {
  auto is_kept_alike = [&](const loop::WorkspaceArray &known) {
    return known.element == array.element && known.has_values() == array.has_values() &&
           known.extent == array.extent && known.initial == array.initial &&
           known.per_thread == array.per_thread && known.when == array.when && known.grows == array.grows &&
           known.hashed == array.hashed;
  };
  const std::string name = array.name;
  for (int number = 2;; ++number) {
    auto known = std::ranges::find_if(
        arrays_, [&](const loop::WorkspaceArray &each) { return each.name == array.name; });
    if (known != arrays_.end() && is_kept_alike(*known)) return array.name;
    if (known == arrays_.end()) break;
    array.name = fmt::format("{}_{}", name, number);
  }
  arrays_.push_back(std::move(array));
  return arrays_.back().name;
}

} // namespace unravel::lower
