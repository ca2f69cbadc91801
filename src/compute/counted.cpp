#include "compute/counted.h"

#include "compute/build_tree.h"
#include "compute/coordinates.h"
#include "compute/taken_names.h"
#include "text/contains.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace unravel::compute {

using parse::Expression;
using parse::StatementTree;
using value::Operator;
using AssignOp = parse::AssignmentTree::Operator;

namespace {

bool are_each_once(const Access &access) {
  std::set<std::string> seen;
  return std::ranges::all_of(access.subscripts,
                             [&](const Subscript &subscript) { return seen.insert(subscript.index).second; });
}

/// A term that gives the same value wherever its sparse operands aren't stored.
struct CountedTerm {
  std::vector<Access> sparse;       // each once
  std::vector<std::string> summed;  // the indices that are counted over
  std::vector<std::string> counted; // the others of the sparse operands
  Value elsewhere;
};

/// Converts the value to that type, whatever is around it.
Value in_type(value::Type type, Value value) {
  if (type == value::Type::Float64 && value::number_of(value)) return value;
  return value::apply(value::conversion_to(type), std::vector{std::move(value)});
}

/// The fill of a tensor, as a number of its type.
Value nothing_of(const Statement &statement, const Access &access) {
  return in_type(type_of(statement.types, access.tensor), {value::Number{access.fill_or_zero()}});
}

std::optional<CountedTerm> counted_term(const Statement &statement, const IsTotal &is_total) {
  const bool is_reduced = statement.by == Operator::Add || value::laws_of(statement.by).is_idempotent;
  if (!statement.is_free || statement.product || !is_reduced || !statement.masks.empty() ||
      !term::is_true(statement.condition) || !is_total(statement.target))
    return std::nullopt;
  CountedTerm made;
  std::set<std::string> texts, names;
  bool fits = are_each_once(statement.target) && has_plain_subscripts(statement);
  value::each_leaf<Access>(statement.value, [&](const Access &access) {
    if (is_total(access)) return;
    fits = fits && are_each_once(access);
    names.insert(access.name());
    if (texts.insert(to_text(access)).second) made.sparse.push_back(access);
  });
  if (!fits || made.sparse.empty() || is_nothing_without(statement, statement.value, names))
    return std::nullopt;
  const std::vector<std::string> of_target = indices_of(statement.target),
                                 of_sparse = indices_of(made.sparse.front());
  for (const Access &access : made.sparse)
    if (!std::ranges::is_permutation(indices_of(access), of_sparse)) return std::nullopt;
  for (const std::string &index : statement.indices)
    if (!contains(of_target, index)) {
      if (!contains(of_sparse, index)) return std::nullopt;
      made.summed.push_back(index);
    }
  std::ranges::copy_if(of_sparse, std::back_inserter(made.counted),
                       [&](const std::string &index) { return contains(of_target, index); });
  made.elsewhere = value::map_leaves<Value>(
      statement.value, term::overloaded{[&](const Access &access) {
                                          return is_total(access) ? Value{access}
                                                                  : nothing_of(statement, access);
                                        },
                                        [](const term::Term &coordinate) { return Value{coordinate}; }});
  const std::set<std::string> used = indices_in(made.elsewhere);
  const bool is_same =
      std::ranges::none_of(made.summed, [&](const std::string &index) { return used.contains(index); });
  return is_same && !made.summed.empty() ? std::optional(std::move(made)) : std::nullopt;
}

class Counter {
public:
  Counter(const Program &line, const parse::AssignmentTree &tree, const IsTotal &is_total)
      : line_(line), is_total_(is_total), taken_(tree), span_(line.statements.front().span) {}

  std::optional<CountedRest> program() {
    std::vector<StatementTree> terms;
    for (const Statement &statement : line_.statements) {
      const std::optional<CountedTerm> counted = counted_term(statement, is_total_);
      StatementTree one = assigned(statement, expression_of(statement.target),
                                   expression_of_term(statement.value, statement), true);
      if (counted) one.assignment.mask = stored(*counted);
      append(terms, in_loops(names(statement.indices, span_), {std::move(one)}));
      if (counted) append(terms, rest(statement, *counted));
    }
    if (counts_.empty()) return std::nullopt;
    std::vector<StatementTree> body = std::move(counting_);
    if (!line_.statements.front().accumulate) body.push_back(clearing(line_.statements.front()));
    append(body, std::move(terms));
    CountedRest made{program_with(line_, std::move(body)), std::move(counts_)};
    for (const auto &[tensor, sizes] : declared_) {
      parse::TensorTree declared{{tensor, span_}, {}};
      for (const std::string &size : sizes)
        declared.extents.push_back(name_expression(size));
      made.program.tensors.push_back(std::move(declared));
    }
    return made;
  }

private:
  Expression name_expression(const std::string &name) const { return access_expression({name, span_}, {}); }

  /// Is any of the sparse operands stored?
  static Expression stored(const CountedTerm &term) {
    std::vector<Expression> any;
    for (const Access &access : term.sparse)
      any.push_back(expression_of(access));
    if (any.size() == 1) return any.front();
    const text::Span span = any.front().span;
    return parse::over(Expression::Kind::Or, std::move(any), span);
  }

  /// The count of what isn't stored.
  Expression count(const CountedTerm &term) {
    std::string text;
    for (const Access &access : term.sparse)
      text += to_text(access) + " ";
    for (const std::string &index : term.counted)
      text += index + " ";
    const auto [known, is_new] = of_text_.emplace(std::move(text), std::string());
    if (is_new) known->second = taken_.fresh("missing");
    const Expression local = access_expression({known->second, span_}, names(term.counted, span_));
    if (!is_new) return local;
    counts_.push_back(known->second);
    counting_.push_back(assign(StatementTree::Kind::Local, AssignOp::Set, local, extent(term)));
    StatementTree one =
        assign(StatementTree::Kind::Assign, AssignOp::Subtract, local, parse::number_expression(1, span_));
    one.assignment.mask = stored(term);
    append(counting_, in_loops(names(indices_of(term.sparse.front()), span_), {std::move(one)}));
    return local;
  }

  /// The extents of the indices that are counted over.
  Expression extent(const CountedTerm &term) {
    const Access &access = term.sparse.front();
    std::vector<std::string> &modes = declared_[access.tensor];
    for (std::size_t k = modes.size(); k < access.subscripts.size(); ++k)
      modes.push_back(size_of(access.subscripts[k].index));
    std::vector<Expression> sizes;
    for (const std::string &index : term.summed)
      sizes.push_back(name_expression(size_of(index)));
    return product_expression(std::move(sizes));
  }

  std::string size_of(const std::string &index) {
    const auto [size, is_new] = sizes_.emplace(index, std::string());
    if (is_new) size->second = taken_.fresh("n_" + index);
    return size->second;
  }

  std::vector<StatementTree> rest(const Statement &statement, const CountedTerm &term) {
    const Expression missing = count(term);
    Expression any =
        parse::over(Expression::Kind::Compare, {parse::number_expression(0, span_), missing}, span_);
    any.comparisons = {Expression::Comparison::Less};
    // It is computed in the types of the term, and then added as one of the target.
    const value::Type target = type_of(statement.types, statement.target.tensor);
    const bool is_plain = statement.type == target && target == value::Type::Float64;
    Expression value = expression_of(is_plain ? term.elsewhere : in_type(target, term.elsewhere), statement);
    if (statement.by == Operator::Add) value = product_expression({missing, value});
    Expression chosen = access_expression({"select", span_}, {});
    chosen.kind = Expression::Kind::Call;
    chosen.children = {std::move(any), std::move(value),
                       expression_of(in_type(target, {value::Number{identity_of(statement)}}), statement)};
    return in_loops(names(indices_of(statement.target), span_),
                    {assigned(statement, expression_of(statement.target), std::move(chosen), true)});
  }

  const Program &line_;
  const IsTotal &is_total_;
  TakenNames taken_;
  const text::Span span_;
  std::vector<StatementTree> counting_;
  std::vector<std::string> counts_;
  std::map<std::string, std::string> of_text_, sizes_;       // counts; extents of indices
  std::map<std::string, std::vector<std::string>> declared_; // of tensors the extents
};

} // namespace

std::optional<CountedRest> with_counted_rest(const Program &line, const IsTotal &is_total) {
  const std::optional<parse::AssignmentTree> tree = assignment_of(line);
  return tree ? Counter(line, *tree, is_total).program() : std::nullopt;
}

} // namespace unravel::compute
