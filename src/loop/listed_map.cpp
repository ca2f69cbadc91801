#include "loop/listed_map.h"

#include "loop/arrays.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

/// A loop that sets the elements of a map back, of the keys that a list has.
std::optional<ListedMap> reset_by(const Statement &statement, const Program &program) {
  const auto *loop = statement.as<For>();
  const auto *count = loop ? loop->upper.as<term::Variable>() : nullptr;
  const auto *set = loop && loop->body.size() == 1 ? loop->body.front().as<SetElement>() : nullptr;
  const auto *key = set ? set->slot.as<term::Apply>() : nullptr;
  if (!count || !key || !is_plain(*loop) || loop->lower != Term(0) || set->value != Term(-1) ||
      key->arguments != std::vector{term::variable(loop->variable)})
    return {};
  const WorkspaceArray *map = find_workspace(set->array, program);
  const WorkspaceArray *list = find_workspace(key->function, program);
  if (!map || map->initial != -1 || map->hashed || map->grows || !list || list->initial || list->grows)
    return {};
  ListedMap found;
  found.map = set->array, found.list = key->function, found.count = count->name;
  return found;
}

/// list(count) := key; map(key) := count; position := count; and then count := count + 1.
bool inserts(const Block &block, const ListedMap &into) {
  const Term count = term::variable(into.count);
  int sets = 0, steps = 0;
  for (const Statement &statement : block) {
    const auto *set = statement.as<SetElement>();
    const auto *step = statement.as<Assign>();
    if (set && set->array == into.list)
      sets += steps == 0 && set->slot == count && set->value == into.key;
    else if (set && set->array == into.map)
      sets += steps == 0 && set->slot == into.key && set->value == count;
    else if (step && step->variable == into.count)
      steps += sets == 3 && step->value == count + Term(1);
    else if (step && term::variable(step->variable) == into.position)
      sets += steps == 0 && step->value == count;
  }
  return sets == 3 && steps == 1 && !effects_of(block).changes(into.key);
}

/// Looks for that in the block's first statements; returns how often the list, its count and the map are
/// changed, or the map is asked.
int look_for(const Block &block, std::size_t end, ListedMap &map) {
  int found = 0;
  for (std::size_t k = 0; k < end; ++k) {
    for (const Block *inner : blocks_of(block[k]))
      found += look_for(*inner, inner->size(), map);
    const auto *set = block[k].as<SetElement>();
    const auto *step = block[k].as<Assign>();
    const auto *sort = block[k].as<Sort>();
    if ((set && (set->array == map.list || set->array == map.map)) || (step && step->variable == map.count) ||
        (sort && (sort->order == map.list || sort->keys == map.list)))
      ++found;
    const auto *look = block[k].as<Declare>();
    const auto *asked = look ? look->initial.as<term::Apply>() : nullptr;
    if (!asked || asked->function != map.map || asked->arguments.size() != 1 || k + 1 == end) continue;
    ++found;
    map.key = asked->arguments.front(), map.position = term::variable(look->variable);
    const auto *missing = block[k + 1].as<If>();
    if (missing && missing->condition == term::less(map.position, Term(0)) && inserts(missing->then, map))
      map.insertion = missing;
  }
  return found;
}

int uses_of(const Block &block, const std::string &array) {
  int uses = 0;
  each_statement(block, [&](const Statement &statement) {
    if (const auto *set = statement.as<SetElement>()) uses += set->array == array;
    each_own_term(statement, [&](const Term &term) {
      for (const Term &load : term::applications_of(term))
        uses += load.as<term::Apply>()->function == array;
    });
  });
  return uses;
}

bool begins_at_zero(const Block &block, std::size_t end, const std::string &count) {
  return std::any_of(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const Statement &statement) {
                       const auto *declared = statement.as<Declare>();
                       return declared && declared->variable == count && declared->initial == Term(0);
                     });
}

} // namespace

std::optional<ListedMap> listed_map(const Block &block, const Program &program) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    std::optional<ListedMap> map = reset_by(block[k], program);
    if (!map || !begins_at_zero(block, k, map->count)) continue;
    map->reset = k;
    // The list, the map and the count are set once each, the map is asked once, and reset.
    if (look_for(block, k, *map) == 4 && map->insertion && uses_of(program.body, map->map) == 3) return map;
  }
  return {};
}

} // namespace unravel::loop
