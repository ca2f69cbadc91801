#include "compute/brackets.h"

#include "compute/build_tree.h"
#include "compute/coordinates.h"
#include "compute/reduced_parts.h"
#include "compute/taken_names.h"
#include "text/contains.h"

#include <algorithm>
#include <utility>

namespace unravel::compute {

using parse::Name;
using parse::StatementTree;
using value::Operator;
using AssignOp = parse::AssignmentTree::Operator;

namespace {

const std::vector<Value> *bracket(const Value &factor) {
  return value::arguments_of(Operator::Add, factor);
}

std::set<std::string> sparse_in(const Value &value, const IsTotal &is_total) {
  std::set<std::string> names;
  value::each_leaf<Access>(value, [&](const Access &access) {
    if (!is_total(access)) names.insert(access.name());
  });
  return names;
}

/// Is each part of the bracket nothing where none of its sparse accesses is stored?
bool has_sparse_parts_alone(const Statement &statement, const std::vector<Value> &parts,
                            const IsTotal &is_total) {
  return std::ranges::all_of(parts, [&](const Value &part) {
    const std::set<std::string> sparse = sparse_in(part, is_total);
    return !sparse.empty() && is_nothing_without(statement, part, sparse);
  });
}

/// Has each part of the term's brackets, by itself, the points of the whole term? A shifted subscript says
/// which values its index takes, and so does one without a shift beside it.
bool keeps_points(const Statement &statement, const value::Quotient<Value> &product) {
  if (!statement.is_free) return true; // loops say which
  bool all_plain = true;
  std::set<std::string> in_brackets, plain, shifted;
  for (const Value &factor : product.factors)
    if (bracket(factor))
      value::each_leaf<Access>(factor, [&](const Access &access) {
        for (const Subscript &subscript : access.subscripts) {
          all_plain = all_plain && subscript.shift == 0;
          in_brackets.insert(subscript.index);
        }
      });
  const auto note = [&](const Access &access) {
    for (const Subscript &subscript : access.subscripts)
      (subscript.shift == 0 ? plain : shifted).insert(subscript.index);
  };
  note(statement.target);
  for (const Mask &mask : statement.masks)
    note(mask.access);
  for (const auto *outside : {&product.factors, &product.divisors})
    for (const Value &part : *outside)
      if (!bracket(part)) value::each_leaf<Access>(part, note);
  return all_plain && std::ranges::all_of(in_brackets, [&](const std::string &index) {
           return plain.contains(index) || !shifted.contains(index);
         });
}

void note_indices(const Statement &statement, const Value &value, std::vector<std::string> &indices) {
  const auto note = [&](const Access &access) {
    for (const Subscript &subscript : access.subscripts)
      if (!contains(indices, subscript.index)) indices.push_back(subscript.index);
  };
  value::each_leaf<Access>(value, note);
  for (const Mask &mask : statement.masks)
    note(mask.access);
}

/// Collects a line's brackets.
class Collector {
public:
  Collector(const Program &line, const parse::AssignmentTree &tree, const IsTotal &is_total)
      : line_(line), is_total_(is_total), taken_(tree) {}

  CollectedBrackets program() {
    std::vector<StatementTree> terms;
    for (const Statement &term : line_.statements) {
      const Value value = value::map_factors(term.value, [&](const Value &factor) {
        const auto *parts = bracket(factor);
        const bool is_collected =
            parts && !sparse_in(factor, is_total_).empty() && has_sparse_parts_alone(term, *parts, is_total_);
        return is_collected ? collected(term, factor, *parts) : factor;
      });
      std::vector<std::string> indices = indices_of(term.target);
      note_indices(term, value, indices);
      append(terms, in_loops(names(indices, term.span), {assigned(term, expression_of(term.target),
                                                                  expression_of_term(value, term), true)}));
    }
    if (!line_.statements.front().accumulate) made_.push_back(clearing(line_.statements.front()));
    append(made_, std::move(terms));
    return {program_with(line_, std::move(made_)), std::move(locals_)};
  }

private:
  /// The local that holds the bracket, read where that stands.
  Value collected(const Statement &term, const Value &factor, const std::vector<Value> &parts) {
    const auto [known, is_new] = of_text_.emplace(to_text(factor), Access());
    if (is_new) {
      std::vector<std::string> modes;
      note_indices({}, factor, modes);
      Access &local = known->second;
      local.tensor = taken_.fresh("sum");
      local.span = term.span;
      for (const std::string &mode : modes)
        local.subscripts.push_back({mode, 0, term::variable(mode)});
      locals_.emplace(local.tensor, modes.size());
      const parse::Expression element = expression_of(local);
      made_.push_back(
          assign(StatementTree::Kind::Local, AssignOp::Set, element, number_expression(0, term.span)));
      for (const Value &part : parts) {
        std::vector<std::string> indices = modes;
        note_indices({}, part, indices);
        append(made_, in_loops(names(indices, term.span), {assign(StatementTree::Kind::Assign, AssignOp::Add,
                                                                  element, expression_of_term(part, term))}));
      }
    }
    return {known->second};
  }

  const Program &line_;
  const IsTotal &is_total_;
  TakenNames taken_;
  std::vector<StatementTree> made_;
  std::map<std::string, Access> of_text_;
  std::map<std::string, std::size_t> locals_;
};

} // namespace

Brackets brackets_of(const Statement &statement, const Value &term, const IsTotal &is_total) {
  if (statement.product || statement.by != Operator::Add) return Brackets::Kept;
  const auto product = value::quotient_of(term);
  std::size_t count = 0;
  bool walks_all = false;
  std::set<std::string> inside;
  for (const Value &factor : product.factors)
    if (const auto *parts = bracket(factor)) {
      const std::set<std::string> sparse = sparse_in(factor, is_total);
      ++count;
      if (sparse.empty()) continue;
      inside.insert(sparse.begin(), sparse.end());
      walks_all = walks_all || !has_sparse_parts_alone(statement, *parts, is_total);
    }
  if (inside.empty() || !keeps_points(statement, product)) return Brackets::Kept;
  bool has_factor = std::ranges::any_of(statement.masks, [](const Mask &mask) { return !mask.is_absent; });
  value::each_leaf<Access>(term, [&](const Access &access) {
    has_factor = has_factor || (!is_total(access) && !inside.contains(access.name()) &&
                                is_nothing_without(statement, term, {access.name()}));
  });
  const bool is_integer_quotient = value::is_integer(statement.type) && !product.divisors.empty();
  if (is_integer_quotient) return Brackets::Kept; // each quotient is rounded
  if (count > 1) return has_factor || walks_all ? Brackets::Kept : Brackets::Several;
  const bool has_plans = has_factor && product.factors.size() > 2; // those take products apart
  return has_plans || (walks_all && !has_factor) ? Brackets::Out : Brackets::OneOrOut;
}

Program multiplied_out(const Program &program,
                       const std::function<bool(const Statement &, const Value &)> &which) {
  Program made = program;
  made.statements.clear();
  for (const Statement &statement : program.statements) {
    std::vector<Value> terms;
    for (const Value &term : reduced_parts(statement)) {
      if (!which(statement, term)) {
        terms.push_back(term);
        continue;
      }
      for (Value &each : value::multiplied_out(term))
        terms.push_back(std::move(each));
    }
    if (!statement.is_free) {
      made.statements.push_back(statement);
      made.statements.back().value = value::sum(std::move(terms));
      continue;
    }
    for (std::size_t k = 0; k < terms.size(); ++k) {
      Statement one = statement;
      one.accumulate = statement.accumulate || k > 0;
      one.indices.clear();
      for (const Subscript &subscript : statement.target.subscripts)
        if (!contains(one.indices, subscript.index)) one.indices.push_back(subscript.index);
      note_indices(statement, terms[k], one.indices);
      one.place = {static_cast<int>(made.statements.size())};
      one.value = std::move(terms[k]);
      made.statements.push_back(std::move(one));
    }
  }
  return made;
}

std::optional<CollectedBrackets> with_collected_brackets(const Program &line, const IsTotal &is_total) {
  const std::optional<parse::AssignmentTree> tree = assignment_of(line);
  if (!tree || !std::ranges::all_of(line.statements, has_plain_subscripts)) return std::nullopt;
  return Collector(line, *tree, is_total).program();
}

} // namespace unravel::compute
