#include "compute/fills.h"

#include "report/diagnostic.h"
#include "value/same_number.h"

#include <fmt/format.h>
#include <set>

namespace unravel::compute {

using report::Kind;

namespace {

[[noreturn]] void refuse_fill(const Statement &statement, double wanted) {
  const double own = identity_of(statement);
  const auto by = value::reduction_from(wanted);
  report::fail(
      Kind::not_supported, statement.span,
      fmt::format("`{}` has the fill {}, but this statement makes it {} where nothing is computed",
                  statement.target.tensor, wanted, own),
      by ? fmt::format("declare `fill {}`, or reduce by `{}`", own, value::reduction_text(*by))
         : fmt::format("a result's fill is the number that its reduction begins with, here {}", own));
}

/// Of tensors that `let` declares, by what it says of each element.
Fills fills_of_locals(const Program &program) {
  Fills fills;
  std::set<std::string> declared;
  for (const Statement &statement : program.statements) {
    if (!program.local_tensors.contains(statement.target.tensor)) continue;
    const bool is_let = declared.insert(statement.target.tensor).second; // the first one for it
    if (const double *number = value::number_of(statement.value); is_let && number && *number != 0)
      fills.emplace(statement.target.tensor, *number);
  }
  return fills;
}

} // namespace

Fills declared_fills(const parse::ProgramTree &tree, Fills given) {
  for (const parse::TensorTree &tensor : tree.tensors) {
    if (!tensor.values.fill) continue;
    const auto [known, is_fresh] = given.emplace(tensor.name.text, *tensor.values.fill);
    if (!is_fresh && !value::is_same_number(known->second, *tensor.values.fill))
      report::fail(Kind::bad_option, tensor.values.fill_span,
                   fmt::format("`{}` is declared with another fill than -f gives it, {}", tensor.name.text,
                               known->second),
                   "leave out one of them");
  }
  return given;
}

void set_fills(Computation &made, const Fills &fills) {
  made.program.fills = fills;
  const Fills of_locals = fills_of_locals(made.program);
  const auto set = [](Access &access, const Fills &by) {
    if (const auto fill = by.find(access.tensor); fill != by.end()) access.fill = fill->second;
  };
  for (Statement &statement : made.program.statements) {
    each_access(statement, [&](Access &access) { set(access, fills); });
    if (!statement.product) // in semirings there is nothing where they have no entry
      each_read(statement, [&](Access &access) { set(access, of_locals); });
    if (statement.is_free && !statement.accumulate && statement.target.fill &&
        *statement.target.fill != identity_of(statement))
      refuse_fill(statement, *statement.target.fill);
  }
}

Statement reduced_from_fill(Statement statement) {
  const double wanted = statement.target.fill_or_zero();
  if (!statement.target.fill || wanted == identity_of(statement)) return statement;
  const auto by = value::reduction_from(wanted);
  if (statement.accumulate || statement.is_free || !by) refuse_fill(statement, wanted);
  statement.by = *by;
  return statement;
}

std::optional<double> fill_of(const Program &program, const std::string &tensor) {
  const auto fill = program.fills.find(tensor);
  return fill == program.fills.end() ? std::nullopt : std::optional(fill->second);
}

double nothing_of(const Program &program, const std::string &result) {
  if (const auto fill = fill_of(program, result)) return *fill;
  for (const Statement &statement : program.statements)
    if (statement.target.tensor == result) return identity_of(statement);
  return 0;
}

} // namespace unravel::compute
