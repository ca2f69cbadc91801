#include "combine/naming.h"

#include "combine/row_major.h"
#include "report/diagnostic.h"
#include "space/set.h"
#include "term/children.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace unravel::combine {

using compute::Access;
using layout::Layout;
using term::Term;

std::string Sizes::find(const std::string &size) const {
  std::string current = size;
  while (representative_.at(current) != current)
    current = representative_.at(current);
  return current;
}

bool Sizes::join(const std::string &kept, const std::string &other) {
  std::string a = find(kept);
  std::string b = find(other);
  if (a == b) return false;
  representative_[b] = a;
  return true;
}

std::string qualified(const std::string &tensor, const std::string &name) {
  return tensor + "." + name;
}

std::string Naming::number_of(const Binding &binding, const std::string &name) const {
  if (binding.structure.empty()) return qualified(binding.tensor, name);
  std::string theirs = qualified(binding.structure, name);
  const std::vector<std::string> &own = layouts_.at(binding.structure).sizes;
  return !contains(own, name) ? theirs : sizes.find(theirs);
}

Term Naming::extent(const std::string &tensor, std::size_t mode) const {
  return term::variable(sizes.find(qualified(tensor, layout_of(tensor).sizes[mode])));
}

void Naming::rename(const Binding &binding, std::map<std::string, std::string> &variables,
                    std::map<std::string, std::string> &functions) const {
  for (const std::string &size : binding.layout.sizes)
    variables[size] = sizes.find(qualified(binding.tensor, size));
  for (const layout::Count &count : binding.layout.counts)
    variables[count.name] = number_of(binding, count.name);
  for (const layout::Array &array : binding.layout.arrays)
    functions[array.name] = qualified(
        array.is_value || binding.structure.empty() ? binding.tensor : binding.structure, array.name);
}

void Naming::add(const Binding &binding, Combination &to) const {
  if (binding.structure.empty())
    add_axioms(binding, to);
  else
    for (const layout::Count &count : binding.layout.counts)
      to.conditions.push_back({term::equal(term::variable(qualified(binding.tensor, count.name)),
                                           term::variable(number_of(binding, count.name))),
                               fmt::format("{} has the structure of {}", binding.tensor, binding.structure)});
  add_arrays(binding, to);
}

void Naming::add_arrays(const Binding &binding, Combination &to) const {
  std::map<std::string, std::string> variables, functions;
  rename(binding, variables, functions);
  for (const layout::Array &array : binding.layout.arrays) {
    if (!array.is_value && !binding.structure.empty()) continue; // the operand's own
    std::vector<Term> &extents = to.arrays[qualified(binding.tensor, array.name)];
    for (const Term &extent : array.extents)
      extents.push_back(term::rename(extent, variables, functions));
  }
}

void Naming::add_axioms(const Binding &binding, Combination &to) const {
  for (const prove::Axiom &axiom : binding.layout.axioms()) {
    std::map<std::string, std::string> variables;
    std::map<std::string, std::string> functions;
    rename(binding, variables, functions);
    prove::Axiom renamed{fmt::format("{}: {}", binding.tensor, axiom.text), {}, {}, {}};
    for (const std::string &quantified : axiom.variables) {
      variables[quantified] = "?" + quantified; // never the name of a coordinate
      renamed.variables.push_back("?" + quantified);
    }
    renamed.guard = term::rename(axiom.guard, variables, functions);
    renamed.conclusion = term::rename(axiom.conclusion, variables, functions);
    to.axioms.push_back(std::move(renamed));
  }
}

term::Substitution Naming::sizes_of(const std::string &tensor, const std::vector<Term> &extents) const {
  term::Substitution by;
  for (std::size_t k = 0; k < extents.size(); ++k)
    by.emplace(qualified(tensor, layout_of(tensor).sizes[k]), extents[k]);
  return by;
}

namespace {

void rename_elements(std::vector<layout::IndexElement> &elements, const std::string &tensor,
                     const std::function<Term(const Term &)> &here) {
  for (layout::IndexElement &element : elements) {
    element.array = qualified(tensor, element.array);
    for (Term &slot : element.slots)
      slot = here(slot);
    element.value = here(element.value);
  }
}

} // namespace

AssembledResult Naming::assembled(const Binding &binding, Combination &to) const {
  const Layout &layout = binding.layout;
  add_arrays(binding, to);
  std::map<std::string, std::string> variables, functions;
  rename(binding, variables, functions);
  for (const std::string &size : layout.sizes)
    to.axioms.push_back({fmt::format("{}: {} >= 0", binding.tensor, size),
                         {},
                         term::truth(),
                         term::at_most(Term(0), term::variable(variables.at(size)))});
  AssembledResult result{binding.tensor, {}, packing::append_of(layout)};
  for (const std::string &coordinate : layout.coordinates) {
    result.modes.push_back(qualified(binding.tensor, coordinate));
    variables[coordinate] = result.modes.back();
  }
  packing::Append &append = result.append;
  for (packing::AppendLevel &level : append.levels) {
    variables[level.position] = qualified(binding.tensor, level.position);
    level.position = variables[level.position];
  }
  const auto here = [&](const Term &term) { return term::rename(term, variables, functions); };
  for (packing::AppendLevel &level : append.levels) {
    level.value = here(level.value);
    level.extent = here(level.extent);
    if (level.is_counted()) level.count = qualified(binding.tensor, level.count);
    for (std::string &array : level.arrays)
      array = qualified(binding.tensor, array);
    rename_elements(level.keys, binding.tensor, here);
    if (!level.pointer.empty()) level.pointer = qualified(binding.tensor, level.pointer);
    if (level.bounds) {
      level.bounds->begin = qualified(binding.tensor, level.bounds->begin);
      level.bounds->end = qualified(binding.tensor, level.bounds->end);
    }
  }
  for (packing::AppendOrder &step : append.order)
    step.value = here(step.value);
  for (Term &condition : append.conditions)
    condition = here(condition);
  append.value = qualified(binding.tensor, append.value);
  for (Term &slot : append.slots)
    slot = here(slot);
  return result;
}

Operand Naming::appended(const Access &access) const {
  Operand target;
  target.name = access.name();
  target.tensor = access.tensor;
  target.is_result = target.appends = true;
  target.array = qualified(access.tensor, layout_of(access.tensor).pieces.front().value.array);
  std::vector<Term> extents;
  for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
    target.coordinates.push_back(access.subscripts[k].value);
    extents.push_back(extent(access.tensor, k));
  }
  target.slot = row_major(target.coordinates, extents);
  return target;
}

bool is_plain(const compute::Subscript &subscript, const std::string &index) {
  return subscript.index == index && subscript.shift == 0;
}

bool has_plain(const Access &access, const std::string &index) {
  return std::ranges::any_of(access.subscripts, [&](auto &each) { return is_plain(each, index); });
}

void Naming::stay_inside(const Access &access, const std::vector<const Access *> &reads,
                         std::vector<Term> &relation) const {
  for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
    const compute::Subscript &subscript = access.subscripts[k];
    if (subscript.shift == 0 &&
        std::ranges::any_of(reads, [&](const Access *read) { return has_plain(*read, subscript.index); }))
      continue;
    const Term inside = term::between(Term(0), subscript.value, extent(access.tensor, k));
    for (const Term &part : term::conjuncts(inside))
      relation.push_back(part);
  }
}

LocalTensor Naming::local(const std::string &tensor, std::size_t around, const std::vector<Term> &extents,
                          Combination &to) const {
  LocalTensor local{tensor, around, "", extents};
  for (std::size_t k = 0; k < extents.size(); ++k)
    local.modes.push_back(qualified(tensor, has_layout(tensor) ? layout_of(tensor).coordinates[k]
                                                               : "mode" + std::to_string(k)));
  if (!has_layout(tensor)) {
    local.array = qualified(tensor, "val");
    to.arrays[local.array] = extents;
    for (const std::string &mode : local.modes)
      local.slots.push_back(term::variable(mode));
    return local;
  }
  const Layout &layout = layout_of(tensor);
  const term::Substitution by_extents = sizes_of(tensor, extents);
  const Binding binding{tensor, layout};
  const std::size_t known = to.axioms.size();
  add(binding, to);
  for (std::size_t k = known; k < to.axioms.size(); ++k) {
    to.axioms[k].guard = term::substitute(to.axioms[k].guard, by_extents);
    to.axioms[k].conclusion = term::substitute(to.axioms[k].conclusion, by_extents);
  }
  for (const layout::Array &array : layout.arrays)
    for (Term &extent : to.arrays[qualified(tensor, array.name)])
      extent = term::substitute(extent, by_extents);
  std::map<std::string, std::string> variables, functions;
  rename(binding, variables, functions);
  for (std::size_t k = 0; k < extents.size(); ++k)
    variables[layout.coordinates[k]] = local.modes[k];
  auto here = [&](const Term &term) {
    return term::substitute(term::rename(term, variables, functions), by_extents);
  };
  layout::Insertion insertion = layout::insertion_of(layout);
  const layout::EntryValue &value = layout.pieces.front().value;
  local.array = qualified(tensor, value.array);
  term::Substitution places = insertion.found;
  if (insertion.repeats()) { // the entry that was the last to come
    if (around > 0)
      report::fail(report::Kind::cannot_insert, layout.span,
                   fmt::format("a local tensor in loops can't be a `{}`, which grows", layout.name),
                   "declare it outside of all loops, or choose `listed` or `hashed`");
    places.emplace(insertion.position, term::variable(insertion.count) - Term(1));
  }
  for (const Term &slot : value.slots)
    local.slots.push_back(here(term::substitute(slot, places)));
  if (insertion.sets.empty()) return local;
  if (!insertion.position.empty()) {
    variables[insertion.position] = qualified(tensor, insertion.position);
    insertion.position = variables[insertion.position];
  }
  term::Substitution found;
  for (const auto &[position, value_of_position] : insertion.found)
    found.emplace(qualified(tensor, position), here(value_of_position));
  insertion.found = std::move(found);
  insertion.stored = here(insertion.stored);
  rename_elements(insertion.sets, tensor, here);
  rename_elements(insertion.resets, tensor, here);
  if (!insertion.count.empty()) insertion.count = qualified(tensor, insertion.count);
  std::map<std::string, std::int64_t> nothing;
  for (const auto &[array, value_of_nothing] : insertion.nothing)
    nothing.emplace(qualified(tensor, array), value_of_nothing);
  insertion.nothing = std::move(nothing);
  local.insertion = std::move(insertion);
  for (const layout::Array &array : layout.arrays)
    if (array.is_hashed) local.hashed.insert(qualified(tensor, array.name));
  return local;
}

Operand Naming::operand(const Access &access, const layout::Piece &piece, bool is_result,
                        const std::string &structure, std::vector<Term> &relation) const {
  const Layout &layout = layout_of(access.tensor);
  Operand operand;
  operand.name = access.name();
  operand.tensor = access.tensor;
  operand.is_result = is_result;
  if (is_result) operand.structure = structure;
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> functions;
  rename(Binding{access.tensor, layout, is_result, is_result ? lender_ : ""}, variables, functions);
  for (const std::string &position : piece.positions) {
    variables[position] = qualified(is_borrowed(operand, position) ? structure : operand.name, position);
    operand.positions.push_back(variables[position]);
  }
  // The layout's coordinates are replaced by the subscripts: composing with the access relation.
  term::Substitution access_relation;
  for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
    const Term &subscript = access.subscripts[k].value;
    operand.coordinates.push_back(subscript);
    std::string placeholder = "@" + std::to_string(k);
    variables[layout.coordinates[k]] = placeholder;
    access_relation.emplace(placeholder, subscript);
  }
  auto here = [&](const Term &term) {
    return term::substitute(term::rename(term, variables, functions), access_relation);
  };
  for (const Term &part : term::conjuncts(piece.relation)) {
    relation.push_back(here(part));
    const auto *denied = part.as<term::Not>();
    if (part.as<term::Compare>() || (denied && denied->of.as<term::Compare>())) continue;
    // An `or` bounds no loop, but what is stored lies inside the tensor.
    for (std::size_t k = 0; k < layout.coordinates.size(); ++k)
      if (term::mentions(part, layout.coordinates[k]))
        relation.push_back(term::between(Term(0), access.subscripts[k].value,
                                         term::variable(variables.at(layout.sizes[k]))));
  }
  if (piece.value.array.empty()) return operand;
  operand.array = qualified(access.tensor, piece.value.array);
  const layout::Array &array = *layout.array(piece.value.array);
  std::vector<Term> extents;
  for (std::size_t k = 0; k < array.extents.size(); ++k) {
    operand.slots.push_back(here(piece.value.slots[k]));
    extents.push_back(here(array.extents[k]));
  }
  operand.slot = row_major(operand.slots, extents);
  return operand;
}

/// By the same name.
bool Naming::is_borrowed(const Operand &operand, const std::string &position) const {
  if (operand.structure.empty()) return false;
  const std::vector<std::string> &theirs = layouts_.at(lender_).pieces.front().positions;
  return contains(theirs, position);
}

void list_positions(IterationSpace &space) {
  for (const Operand &operand : space.operands)
    space.positions.insert(space.positions.end(), operand.positions.begin(), operand.positions.end());
  for (const std::string &position : space.target.positions)
    if (!contains(space.positions, position)) space.positions.push_back(position);
}

void join_arguments(IterationSpace &space, const std::vector<Term> &relation,
                    const std::vector<Term> &places) {
  term::Substitution by;
  const std::set<std::string> positions(space.positions.begin(), space.positions.end());
  for (const Term &part : relation) {
    if (!term::applications_of(part).empty()) continue;
    for (const std::string &position : term::variables_of(part)) {
      if (!positions.contains(position)) continue;
      std::optional<Term> value = term::solve_for(position, part);
      if (value && !term::mentions_any(*value, positions))
        by.emplace(position, *value); // the first equation's, where several tell it
    }
  }
  auto join_slots = [&](Operand &operand) {
    operand.slot = term::substitute(operand.slot, by);
    for (Term &slot : operand.slots)
      slot = term::substitute(slot, by);
  };
  for (Operand &operand : space.operands)
    join_slots(operand);
  join_slots(space.target);
  space.relation = space::substitute_arguments(term::conjunction(relation), by);
  space.places = space::substitute_arguments(term::conjunction(places), by);
}

} // namespace unravel::combine
