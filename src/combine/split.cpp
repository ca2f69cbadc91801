#include "combine/split.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::combine {

using compute::Access;
using compute::Statement;
using report::Kind;

namespace {

void check_split(const Statement &statement, const std::vector<compute::Value> &sparse) {
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
  for (const compute::Loop &loop : statement.loops)
    if (std::ranges::none_of(statement.target.subscripts,
                             [&](const compute::Subscript &each) { return each.index == loop.variable; }))
      report::fail(Kind::not_a_product, statement.span,
                   fmt::format("`{}` sets the same element for each `{}`, with a sparse factor",
                               statement.span.text(), loop.variable),
                   fmt::format("`{}` combines the products, one after the other",
                               value::reduction_text(statement.by)));
}

} // namespace

std::vector<Statement> split(const Statement &statement, const std::function<bool(const Access &)> &is_total,
                             bool is_empty) {
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
  check_split(statement, sparse);
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
    value::Role &known = roles.emplace(access.name(), role).first->second;
    known = std::max(known, role);
  });
  for (const compute::Mask &mask : statement.masks)
    roles[mask.access.name()] = value::Role::Other;
  return roles;
}

std::vector<Statement> unite(const Statement &statement,
                             const std::function<bool(const Access &, value::Role)> &is_optional) {
  std::vector<Access> optional;
  std::set<std::string> names;
  const std::map<std::string, value::Role> roles = roles_in(statement);
  compute::each_read(statement, [&](const Access &access) {
    if (names.contains(access.name()) || !is_optional(access, roles.at(access.name()))) return;
    names.insert(access.name());
    optional.push_back(access);
  });
  if (optional.empty() || !compute::is_nothing_without(statement, statement.value, names)) return {statement};
  std::vector<Statement> parts;
  std::set<std::string> absent;
  for (const Access &access : optional) {
    Statement part = statement;
    part.accumulate = statement.accumulate || (statement.is_free && !parts.empty());
    part.value = value::map_leaves<compute::Value>(statement.value, [&](const Access &read) {
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

} // namespace unravel::combine
