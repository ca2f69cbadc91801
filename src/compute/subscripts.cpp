#include "compute/subscripts.h"

#include "report/diagnostic.h"
#include "report/suggest.h"
#include "text/contains.h"

#include <fmt/format.h>

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

static const Expression *call_in(const Expression &written) {
  if (written.kind == Expression::Kind::Call) return &written;
  for (const Expression &child : written.children)
    if (const Expression *found = call_in(child)) return found;
  return nullptr;
}

void check_subscripts(const Expression &access, const Operators &operators, const std::string &how_to_sum) {
  const std::string &tensor = access.name.text;
  for (const Expression &child : access.children) {
    const Expression *call = call_in(child);
    if (!call) continue;
    report::fail(
        report::Kind::bad_subscript, child.span,
        fmt::format("`{}` can't be a subscript of a tensor `{}`", child.span.text(), tensor),
        operators.called(call->name.text)
            ? fmt::format("`{}` is not an operator, so this is an access to a tensor", tensor)
        : tensor == "sum"
            ? how_to_sum
            : report::suggest(tensor, operators.names(),
                              "values of a tensor as subscripts are not supported; a function of your own is "
                              "declared as an operator"));
  }
}

} // namespace unravel::compute
