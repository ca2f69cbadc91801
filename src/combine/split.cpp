#include "combine/split.h"

#include "compute/reduced_parts.h"
#include "report/diagnostic.h"
#include "term/children.h"
#include "text/contains.h"

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

/// The number of outermost loops whose variables subscript nothing in the terms or masks: all parts share
/// them.
std::size_t loops_outside(const std::vector<compute::Value> &terms, const Statement &statement) {
  std::set<std::string> inside;
  const auto add = [&](const Access &access) {
    for (const compute::Subscript &subscript : access.subscripts)
      inside.merge(term::variables_of(subscript.value));
  };
  for (const compute::Value &term : terms)
    value::each_leaf<Access>(term, add);
  for (const compute::Mask &mask : statement.masks)
    add(mask.access);
  const auto is_inside = [&](const compute::Loop &loop) { return inside.contains(loop.variable); };
  return static_cast<std::size_t>(std::ranges::find_if(statement.loops, is_inside) - statement.loops.begin());
}

/// A loop of which several iterations may set one element, behind the first `outside` loops and those around
/// a local's declaration: each iteration of these has one of its own. Or null. The variables of other loops
/// have one value for each element, by the target's subscripts and by equations of the condition.
const compute::Loop *loop_of_one_element(const Statement &statement, std::size_t outside,
                                         const compute::Program &program) {
  const auto local = program.local_tensors.find(statement.target.tensor);
  if (local != program.local_tensors.end()) outside = std::max(outside, local->second);
  std::vector<term::Term> equations; // what is the same for one element
  for (const compute::Subscript &subscript : statement.target.subscripts)
    equations.push_back(subscript.value);
  for (const term::Term &part : term::conjuncts(statement.condition))
    if (const auto *compare = part.as<term::Compare>(); compare && compare->relation == term::Relation::Equal)
      equations.push_back(compare->left);
  std::set<std::string> open;
  for (const compute::Loop &loop : std::span(statement.loops).subspan(outside))
    open.insert(loop.variable);
  const auto is_open = [&](const auto &part) { return term::mentions_any(part.first, open); };
  for (std::size_t before = open.size() + 1; open.size() < before;) {
    before = open.size();
    for (const term::Term &equation : equations) {
      const term::Linear linear = term::linear_form(equation);
      const auto one = std::ranges::find_if(linear.parts, is_open);
      if (one == linear.parts.end() || std::any_of(std::next(one), linear.parts.end(), is_open)) continue;
      if (const auto *variable = one->first.as<term::Variable>()) open.erase(variable->name);
    }
  }
  const auto found =
      std::ranges::find_if(statement.loops, [&](const auto &loop) { return open.contains(loop.variable); });
  return found == statement.loops.end() ? nullptr : &*found;
}

void check_split(const Statement &statement, const std::vector<compute::Value> &sparse, bool is_empty,
                 const compute::Program &program) {
  bool reads = false;
  for (const compute::Value &term : sparse)
    value::each_leaf<Access>(
        term, [&](const Access &access) { reads = reads || access.tensor == statement.target.tensor; });
  if (reads)
    report::fail(Kind::not_a_product, statement.span,
                 fmt::format("`{}` reads `{}`, of which it would have set a part by then: its terms are "
                             "added one after the other where a factor is sparse",
                             statement.span.text(), statement.target.tensor),
                 "compute the value in a scalar: `let s = ...;`");
  if (statement.accumulate) return;
  if (const auto *loop =
          loop_of_one_element(statement, is_empty ? 0 : loops_outside(sparse, statement), program))
    report::fail(
        Kind::not_a_product, statement.span,
        fmt::format("`{}` sets the same element for each `{}`, with a sparse factor", statement.span.text(),
                    loop->variable),
        fmt::format("`{}` combines the products, one after the other", value::reduction_text(statement.by)));
}

/// A read of the target's old value, where all stays nothing unless that is stored, and nothing else must be.
std::optional<Access> only_factor(const Statement &statement,
                                  const std::function<bool(const Access &)> &is_total) {
  std::optional<Access> own;
  std::set<std::string> all_of_own;
  bool is_alone = true;
  value::each_leaf<Access>(statement.value, [&](const Access &access) {
    if (compute::to_text(access) == compute::to_text(statement.target))
      own = access, all_of_own.insert(access.name());
    else if (!is_total(access) && compute::is_factor(statement, statement.value, access))
      is_alone = false;
  });
  const bool is_nothing = is_alone && own && !statement.product &&
                          own->fill_or_zero() == compute::identity_of(statement) &&
                          compute::is_nothing_without(statement, statement.value, all_of_own);
  return is_nothing ? own : std::nullopt;
}

/// `w(j) = w(j) * x(j) + v(j)`: the terms with the old value, which are set where that is stored, and behind
/// them the others, which are added. None where the terms aren't like that.
std::vector<Statement> old_value_first(const Statement &statement,
                                       const std::function<bool(const Access &)> &is_total) {
  std::vector<compute::Value> terms, others;
  for (compute::Value &term : compute::reduced_parts(statement)) {
    bool reads = false;
    value::each_leaf<Access>(
        term, [&](const Access &read) { reads = reads || read.tensor == statement.target.tensor; });
    (reads ? terms : others).push_back(std::move(term));
  }
  std::vector<Statement> steps{statement};
  steps.front().value = value::reduced(statement.by, std::move(terms));
  const std::optional<Access> old = only_factor(steps.front(), is_total);
  if (!old) return {};
  steps.front().masks.push_back({*old});
  if (others.empty()) return steps;
  steps.push_back(statement);
  steps.back().value = value::reduced(statement.by, std::move(others));
  steps.back().accumulate = true;
  return steps;
}

/// `let w(j) = 0`: the number to which the statement sets each element of its target, which has these
/// extents, where the conditions around its loops over them hold.
std::optional<double> sets_all_to(const Statement &statement, std::size_t around,
                                  const std::vector<Term> &extents) {
  const std::vector<compute::Subscript> &subscripts = statement.target.subscripts;
  const double *number = value::number_of(statement.value);
  if (statement.accumulate || !number || !statement.masks.empty() ||
      statement.loops.size() < around + subscripts.size())
    return std::nullopt;
  const std::size_t outside = statement.loops.size() - subscripts.size();
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const compute::Loop &loop = statement.loops[outside + k];
    if (subscripts[k].value != term::variable(loop.variable) || loop.low != Term(0) ||
        loop.high != extents[k] || term::mentions(statement.condition, loop.variable))
      return std::nullopt;
  }
  return *number;
}

/// Does the statement, which sets all of a local, do so before anything else in the loops over its modes
/// touches the same elements? Then they may as well be set in front of these loops.
bool comes_first_in_its_loops(const Statement &statement, const compute::Program &program) {
  const std::size_t outside = statement.loops.size() - statement.target.subscripts.size();
  return std::ranges::all_of(program.statements, [&](const Statement &other) {
    const std::size_t shared = compute::shared_loops(other.place, statement.place);
    if (other.place == statement.place || shared <= outside) return true;
    bool is_behind = true;
    compute::each_access(other, [&](const Access &access) {
      if (access.tensor != statement.target.tensor) return;
      is_behind = is_behind && other.place > statement.place;
      for (std::size_t loop = outside; is_behind && loop < shared; ++loop)
        is_behind = access.subscripts[loop - outside].value == term::variable(other.loops[loop].variable);
    });
    return is_behind;
  });
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
  if (!statement.accumulate && program.local_tensors.contains(statement.target.tensor) &&
      !is_total(statement.target)) {
    std::vector<Statement> steps = old_value_first(statement, is_total);
    if (steps.size() == 1) return steps;
    if (!steps.empty() && compute::may_convert_terms(statement, types)) {
      std::vector<Statement> rest = split(steps.back(), types, is_total, is_empty, program);
      steps.pop_back();
      std::ranges::move(rest, std::back_inserter(steps));
      return steps;
    }
  }
  auto is_sparse = [&](const compute::Value &term) {
    bool found = false;
    value::each_leaf<Access>(term, [&](const Access &access) {
      found = found || (!is_total(access) && compute::is_factor(statement, term, access));
    });
    return found;
  };
  std::vector<compute::Value> sparse, dense;
  std::size_t count = 0;
  for (const compute::Value &term : compute::reduced_parts(statement)) {
    ++count;
    (is_sparse(term) ? sparse : dense).push_back(term);
  }
  if (sparse.empty() || (statement.accumulate && count == 1)) return {statement};
  if (count > 1 && !compute::may_convert_terms(statement, types)) return {statement};
  check_split(statement, sparse, is_empty, program);
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

/// Without conversions of accesses to wider types, which are linear: of entries that add up, too.
static compute::Value without_widening(const compute::Value &value, const Statement &statement) {
  const auto *made = std::get_if<compute::Value::Apply>(&value.kind);
  if (const auto to = made ? value::made_by_conversion(made->op) : std::nullopt)
    if (const auto *access = std::get_if<Access>(&made->arguments.front().kind))
      if (const auto own = statement.types.find(access->tensor);
          own != statement.types.end() && value::common(own->second, *to) == *to)
        return made->arguments.front();
  return value::map_parts(value, [&](const auto &part) { return without_widening(part, statement); });
}

std::map<std::string, value::Role> roles_in(const Statement &statement) {
  std::map<std::string, value::Role> roles;
  value::each_role<Access>(
      without_widening(statement.value, statement), [&](const Access &access, value::Role role) {
        const auto [known, fresh] = roles.emplace(access.name(), role);
        if (!fresh)
          known->second = std::max({known->second, role, value::Role::Other}); // linear in none: x * x
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
  empty.condition = statement.condition; // which stands around its loops over modes
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

std::vector<Statement> in_order(std::vector<std::vector<Statement>> emptied,
                                std::vector<std::vector<Statement>> parts) {
  const auto most = [](const std::vector<std::vector<Statement>> &all) {
    std::size_t count = 0;
    for (const std::vector<Statement> &each : all)
      count = std::max(count, each.size());
    return static_cast<int>(count);
  };
  const int room = std::max(1, most(parts)) + most(emptied);
  std::vector<Statement> made;
  const auto add = [&](Statement &statement, int part) {
    for (int &number : statement.place)
      number *= room;
    statement.place.back() += part;
    made.push_back(std::move(statement));
  };
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::ranges::stable_sort(emptied[k], {}, &Statement::place); // what is in front of outer loops first
    int part = -static_cast<int>(emptied[k].size());
    for (Statement &each : emptied[k])
      add(each, part++);
    for (Statement &each : parts[k])
      add(each, part++);
  }
  return made;
}

std::size_t first_in_loops(const Statement &statement, const compute::Program &program) {
  const std::size_t outside = statement.loops.size() - statement.target.subscripts.size();
  const auto first = std::ranges::find_if(program.statements, [&](const Statement &other) {
    return other.place == statement.place || compute::shared_loops(other.place, statement.place) > outside;
  });
  return static_cast<std::size_t>(first - program.statements.begin());
}

std::optional<double> sets_to_nothing(const Statement &statement, std::size_t around,
                                      const compute::Program &program) {
  const std::string &local = statement.target.tensor;
  const std::optional<double> number = sets_all_to(statement, around, program.extents.at(local));
  return number && comes_first_in_its_loops(statement, program) && stands_for_nothing(*number, local, program)
             ? number
             : std::nullopt;
}

std::vector<Statement> set_from_nothing(const Statement &statement,
                                        const std::function<bool(const Access &)> &is_total,
                                        const compute::Program &program) {
  const bool is_set = !statement.is_free && !statement.accumulate && !statement.product;
  if (!is_set || !program.local_tensors.contains(statement.target.tensor) || is_total(statement.target))
    return {statement};
  std::set<std::string> sparse;
  bool has_factor = false;
  value::each_leaf<Access>(statement.value, [&](const Access &access) {
    if (!is_total(access)) sparse.insert(access.name());
    has_factor = has_factor || compute::is_factor(statement, statement.value, access);
  });
  if (sparse.empty() || has_factor || compute::reduced_parts(statement).size() != 1 ||
      compute::reads(statement, statement.target.tensor) ||
      !compute::is_nothing_without(statement, statement.value, sparse) ||
      loop_of_one_element(statement, loops_outside({statement.value}, statement), program))
    return {statement};
  Statement nothing = statement, added = statement;
  nothing.value = {value::Number{compute::identity_of(statement)}};
  added.accumulate = true;
  return {nothing, added};
}

std::vector<Statement> taken_apart(const Statement &statement,
                                   const std::map<std::string, value::Type> &types,
                                   const std::function<bool(const Access &, const Statement &)> &is_total,
                                   const std::function<IsOptional(const Statement &)> &optional_in,
                                   bool is_empty, const compute::Program &program) {
  const auto total_in = [&](const Statement &of) {
    return [&is_total, &of](const Access &access) { return is_total(access, of); };
  };
  std::vector<Statement> parts;
  const auto add = [&](const Statement &part) {
    for (const Statement &made : split(part, types, total_in(part), is_empty, program))
      parts.push_back(with_joined_reads(made, optional_in(made)));
  };
  const auto add_united = [&](const Statement &part) {
    std::ranges::for_each(unite(part, optional_in(part)), add);
  };
  for (const Statement &each : set_from_nothing(statement, total_in(statement), program))
    if (each.accumulate && !each.is_free && !is_empty && each.by == value::Operator::Add)
      // Terms first: in each by itself an operand may be stored several times.
      std::ranges::for_each(split(each, types, total_in(each), is_empty, program), add_united);
    else if (each.is_free || each.accumulate || is_empty)
      add_united(each);
    else
      add(each);
  return parts;
}

void keep_to_entries(std::vector<Statement> &parts, double nothing, const compute::Program &program) {
  if (parts.empty()) return;
  Statement &first = parts.front();
  const double *number = value::number_of(first.value);
  if (first.accumulate || !number || *number != nothing ||
      !stands_for_nothing(nothing, first.target.tensor, program))
    return;
  Access entry = first.target; // under a name of its own
  for (const Statement &statement : program.statements)
    compute::each_access(statement, [&](const Access &access) {
      if (access.tensor == entry.tensor) entry.occurrence = std::max(entry.occurrence, access.occurrence + 1);
    });
  first.masks.push_back({std::move(entry)});
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
