#include "combine/substitute.h"

namespace unravel::combine {

void substitute(Operand &operand, const term::Substitution &by) {
  for (term::Term &coordinate : operand.coordinates)
    coordinate = term::substitute(coordinate, by);
  for (term::Term &slot : operand.slots)
    slot = term::substitute(slot, by);
  operand.slot = term::substitute(operand.slot, by);
  if (operand.first_node) operand.first_node->value = term::substitute(operand.first_node->value, by);
}

void substitute(IterationSpace &space, const term::Substitution &by) {
  space.relation = term::substitute(space.relation, by);
  space.places = term::substitute(space.places, by);
  for (Lookup &lookup : space.lookups)
    for (Place &place : lookup.places) {
      place.relation = term::substitute(place.relation, by);
      substitute(place.operand, by);
    }
  for (Operand &operand : space.operands)
    substitute(operand, by);
  substitute(space.target, by);
  value::each_leaf<term::Term>(space.value, [&](term::Term &term) { term = term::substitute(term, by); });
  for (AddedVariable &variable : space.added)
    variable.value = term::substitute(variable.value, by);
}

void number_positions(Operand &operand, std::size_t number, std::vector<term::Term> &relation) {
  term::Substitution by;
  for (std::string &position : operand.positions) {
    const std::string numbered = position + "." + std::to_string(number);
    by.emplace(position, term::variable(numbered));
    position = numbered;
  }
  substitute(operand, by);
  relation = term::substitute(relation, by);
}

} // namespace unravel::combine
