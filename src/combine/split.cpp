#include "combine/split.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <span>

namespace unravel::combine {

using compute::Access;
using compute::Statement;
using report::Kind;
using term::Term;

namespace {

void check_split(const Statement &statement, const std::vector<compute::Value> &sparse,
                 const compute::Program &program) {
  bool reads = false;
  for (const compute::Value &term : sparse)
    value::each_leaf<Access>(
        term, [&](const Access &access) { reads = reads || access.tensor == statement.target.tensor; });
  if (reads)
    report::fail(Kind::not_a_product, statement.span,
                 fmt::format("`{}` reads `{}` in a product with a sparse factor, which would be added to a "
                             "part of the new value",
                             statement.span.text(), statement.target.tensor),
                 "compute the product in a scalar: `let s = ...;`");
  if (statement.accumulate) return;
  // Each iteration of the loops around a local's declaration has one of its own.
  const auto local = program.local_tensors.find(statement.target.tensor);
  const std::size_t around = local == program.local_tensors.end() ? 0 : local->second;
  for (const compute::Loop &loop : std::span(statement.loops).subspan(around))
    if (std::ranges::none_of(statement.target.subscripts,
                             [&](const compute::Subscript &each) { return each.index == loop.variable; }))
      report::fail(Kind::not_a_product, statement.span,
                   fmt::format("`{}` sets the same element for each `{}`, with a sparse factor",
                               statement.span.text(), loop.variable),
                   fmt::format("`{}` combines the products, one after the other",
                               value::reduction_text(statement.by)));
}

/// `let w(j) = 0`: the number to which the statement sets each element of its target, which has these
/// extents.
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

/// May elements of the local that aren't stored stand for that number? It is the identity of all that is done
/// to them, and where they are read nothing is the same as that.
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

/// The optional accesses of the statement, each once.
std::vector<Access> optional_of(const Statement &statement, const IsOptional &is_optional) {
  std::vector<Access> optional;
  std::set<std::string> names;
  const std::map<std::string, value::Role> roles = roles_in(statement);
  compute::each_read(statement, [&](const Access &access) {
    if (is_optional(access, roles.at(access.name())) && names.insert(access.name()).second)
      optional.push_back(access);
  });
  return optional;
}

} // namespace

std::vector<Statement> split(const Statement &statement, const std::map<std::string, value::Type> &types,
                             const std::function<bool(const Access &)> &is_total, bool is_empty,
                             const compute::Program &program) {
  if (statement.is_free) return {statement}; // one term
  auto is_sparse = [&](const compute::Value &term) {
    bool found = false;
    value::each_leaf<Access>(term, [&](const Access &access) {
      found = found || (!is_total(access) && compute::is_factor(statement, term, access));
    });
    return found;
  };
  std::vector<compute::Value> sparse, dense;
  const std::vector<compute::Value> terms = statement.by == value::Operator::Add
                                                ? value::terms_of(statement.value)
                                                : value::parts_by(statement.by, statement.value);
  for (const compute::Value &term : terms)
    (is_sparse(term) ? sparse : dense).push_back(term);
  if (sparse.empty() || (statement.accumulate && terms.size() == 1)) return {statement};
  if (terms.size() > 1 && !compute::is_converted_by_parts(statement, types)) return {statement};
  check_split(statement, sparse, program);
  std::vector<Statement> result;
  if ((!statement.accumulate && !is_empty) || !dense.empty()) {
    result.push_back(statement);
    result.back().value = value::reduced(statement.by, std::move(dense));
  }
  for (const compute::Value &term : sparse) {
    result.push_back(statement);
    result.back().accumulate = true;
    result.back().value = term;
  }
  return result;
}

std::map<std::string, value::Role> roles_in(const Statement &statement) {
  std::map<std::string, value::Role> roles;
  value::each_role<Access>(statement.value, [&](const Access &access, value::Role role) {
    const auto [known, fresh] = roles.emplace(access.name(), role);
    if (!fresh) known->second = std::max({known->second, role, value::Role::Other}); // linear in none: x * x
  });
  for (const compute::Mask &mask : statement.masks)
    roles[mask.access.name()] = value::Role::Other;
  return roles;
}

Statement with_joined_reads(const Statement &statement, const IsOptional &is_optional) {
  std::map<std::string, int> first;  // text -> occurrence
  std::map<std::string, int> joined; // name -> occurrence
  for (const Access &access : optional_of(statement, is_optional))
    joined.emplace(access.name(), first.emplace(compute::to_text(access), access.occurrence).first->second);
  Statement result = statement;
  compute::each_read(result, [&](Access &access) {
    if (const auto known = joined.find(access.name()); known != joined.end())
      access.occurrence = known->second;
  });
  return result;
}

std::vector<Statement> unite(const Statement &statement, const IsOptional &is_optional) {
  const Statement joined = with_joined_reads(statement, is_optional);
  const std::vector<Access> optional = optional_of(joined, is_optional);
  std::set<std::string> names;
  for (const Access &access : optional)
    names.insert(access.name());
  if (optional.empty() || !compute::is_nothing_without(joined, joined.value, names)) return {statement};
  std::vector<Statement> parts;
  std::set<std::string> absent;
  for (const Access &access : optional) {
    Statement part = joined;
    part.accumulate = statement.accumulate || (statement.is_free && !parts.empty());
    part.value = value::map_leaves<compute::Value>(joined.value, [&](const Access &read) {
      return absent.contains(read.name()) ? compute::Value{value::Number{read.fill_or_zero()}}
                                          : compute::Value{read};
    });
    for (const Access &before : optional)
      if (absent.contains(before.name())) part.masks.push_back({before, true});
    part.masks.push_back({access, false});
    parts.push_back(std::move(part));
    absent.insert(access.name());
  }
  return parts;
}

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
