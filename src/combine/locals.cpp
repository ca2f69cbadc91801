#include "combine/locals.h"

namespace unravel::combine {

using compute::Statement;
using term::Term;

Statement emptied_before(const Statement &statement, std::size_t around) {
  const auto count = static_cast<std::ptrdiff_t>(around);
  Statement empty;
  empty.target = {statement.target.tensor, 1, {}, statement.span, true};
  empty.value = {value::Number{0}};
  empty.loops.assign(statement.loops.begin(), statement.loops.begin() + count);
  for (const compute::Loop &loop : empty.loops)
    empty.target.subscripts.push_back({loop.variable, 0, term::variable(loop.variable)});
  empty.place.assign(statement.place.begin(), statement.place.begin() + count + 1);
  empty.span = statement.span;
  return empty;
}

bool sets_all_to_zero(const Statement &statement, std::size_t around, const std::vector<Term> &extents) {
  const std::vector<compute::Subscript> &subscripts = statement.target.subscripts;
  if (statement.accumulate || !value::is_zero(statement.value) || !term::is_true(statement.condition) ||
      statement.loops.size() != around + subscripts.size())
    return false;
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const compute::Loop &loop = statement.loops[around + k];
    if (subscripts[k].value != term::variable(loop.variable) || loop.low != Term(0) ||
        loop.high != extents[k])
      return false;
  }
  return true;
}

} // namespace unravel::combine
