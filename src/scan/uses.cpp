#include "scan/uses.h"

#include "value/chosen.h"

#include <algorithm>
#include <ranges>

namespace unravel::scan {

namespace {

bool mentions(const Level &level, const std::string &variable) {
  return std::ranges::any_of(terms_of(level),
                             [&](const term::Term &term) { return term::mentions(term, variable); });
}

} // namespace

Needs needs_of_positions(const combine::IterationSpace &space, const Nest &nest) {
  std::map<std::string, value::Role> read; // the operands that decide what the value is
  const combine::Value chosen = value::chosen(space.value);
  value::each_role<combine::Read>(chosen, [&](const combine::Read &each, value::Role role) {
    value::Role &most = read.try_emplace(each.operand, role).first->second;
    most = std::max(most, role);
  });
  Needs result;
  for (const Level &found : nest.levels) {
    const std::string &variable = found.variable;
    if (!found.is_find() || !found.guards.empty()) continue;
    bool elsewhere = term::mentions(space.target.slot, variable) ||
                     std::ranges::any_of(nest.levels, [&](const Level &level) {
                       return level.variable != variable && mentions(level, variable);
                     });
    int reads = 0;
    for (const combine::Operand &operand : space.operands) {
      const auto role = read.find(operand.name);
      if (operand.array.empty() || role == read.end() || !term::mentions(operand.slot, variable)) continue;
      elsewhere = elsewhere || operand.slot != term::variable(variable);
      // Where maps hold values, -0.0 is a zero that is stored: nothing but a zero's sign may come of that.
      elsewhere = elsewhere || !value::is_floating(compute::type_of(space.types, operand.tensor)) ||
                  role->second > value::Role::InTerm || space.by.own();
      ++reads;
    }
    if (!elsewhere && reads <= 1) result.emplace(variable, reads == 1 ? Need::Value : Need::Nothing);
  }
  return result;
}

void leave_out_mentioned(Needs &needs, const Search &search, const combine::Place &place) {
  const auto own =
      std::ranges::subrange(search.nest.levels.begin() + static_cast<std::ptrdiff_t>(*search.nest.instances),
                            search.nest.levels.end());
  std::erase_if(needs, [&](const auto &need) {
    const std::string &variable = need.first;
    const auto in = [&](const term::Term &term) { return term::mentions(term, variable); };
    return in(place.operand.slot) || std::ranges::any_of(search.conditions, in) ||
           std::ranges::any_of(own, [&](const Level &level) { return mentions(level, variable); });
  });
}

} // namespace unravel::scan
