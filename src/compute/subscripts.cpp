#include "compute/subscripts.h"

#include "text/contains.h"

namespace unravel::compute {

using parse::Expression;
using parse::Name;

void add_names(const Expression &written, std::vector<Name> &names) {
  if (written.kind == Expression::Kind::Name && !contains(names, written.name.text, &Name::text))
    names.push_back(written.name);
  for (const Expression &child : written.children)
    add_names(child, names);
}

void add_subscripts(const Expression &written, const Operators &operators, std::vector<Name> &names) {
  const bool is_access = written.kind == Expression::Kind::Call && !operators.called(written.name.text);
  for (const Expression &child : written.children) {
    if (is_access) add_names(child, names);
    add_subscripts(child, operators, names);
  }
}

std::vector<Name> subscripts_of(const parse::AssignmentTree &line, const Operators &operators) {
  std::vector<Name> names;
  add_subscripts(line.target, operators, names);
  add_subscripts(line.value, operators, names);
  if (line.mask) add_subscripts(*line.mask, operators, names);
  return names;
}

} // namespace unravel::compute
