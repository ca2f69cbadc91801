#include "combine/locals.h"

#include <algorithm>

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

Statement emptied_instead(const Statement &statement, std::size_t around) {
  Statement empty = emptied_before(statement, around);
  const std::size_t outside = statement.loops.size() - statement.target.subscripts.size();
  empty.loops.assign(statement.loops.begin(), statement.loops.begin() + static_cast<std::ptrdiff_t>(outside));
  empty.place.assign(statement.place.begin(),
                     statement.place.begin() + static_cast<std::ptrdiff_t>(outside) + 1);
  return empty;
}

std::optional<double> sets_all_to(const Statement &statement, std::size_t around,
                                  const std::vector<Term> &extents) {
  const std::vector<compute::Subscript> &subscripts = statement.target.subscripts;
  const double *number = value::number_of(statement.value);
  if (statement.accumulate || !number || !statement.masks.empty() || !term::is_true(statement.condition) ||
      statement.loops.size() < around + subscripts.size())
    return std::nullopt;
  const std::size_t outside = statement.loops.size() - subscripts.size();
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const compute::Loop &loop = statement.loops[outside + k];
    if (subscripts[k].value != term::variable(loop.variable) || loop.low != Term(0) ||
        loop.high != extents[k])
      return std::nullopt;
  }
  return *number;
}

bool stands_for_nothing(double number, const std::string &local, const compute::Program &program) {
  return std::ranges::all_of(program.statements, [&](const Statement &statement) {
    if (statement.target.tensor == local && statement.accumulate && compute::identity_of(statement) != number)
      return false;
    bool needs_it = false;
    compute::each_read(statement, [&](const compute::Access &read) {
      needs_it = needs_it || (read.tensor == local && !compute::is_factor(statement, read));
    });
    return !needs_it || statement.product || number == 0;
  });
}

std::optional<double> sets_to_nothing(const Statement &statement, std::size_t around,
                                      const compute::Program &program) {
  const std::string &local = statement.target.tensor;
  const std::optional<double> number = sets_all_to(statement, around, program.extents.at(local));
  return number && stands_for_nothing(*number, local, program) ? number : std::nullopt;
}

bool is_inside(const Statement &statement, std::size_t around) {
  return statement.loops.size() > around + statement.target.subscripts.size();
}

bool is_set_otherwise(const Statement &statement, const compute::Program &program) {
  const std::string &local = statement.target.tensor;
  return !statement.accumulate && (program.zero_once_read.contains(local) ||
                                   (program.masked_locals.contains(local) && statement.masks.empty()));
}

} // namespace unravel::combine
