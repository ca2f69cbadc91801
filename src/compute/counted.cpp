#include "compute/counted.h"

#include "compute/build_tree.h"
#include "compute/coordinates.h"
#include "compute/known.h"
#include "text/contains.h"

#include <algorithm>
#include <iterator>
#include <limits>
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

/// A term of which one value is enough for all elements along some indices that aren't stored.
struct CountedTerm {
  std::vector<Access> sparse;    // each once; those with fewer indices are read at all points, as dense ones
  std::size_t read = 0;          // the first ones, by the value; the others are absent by its mask
  std::vector<std::string> over; // the indices that are counted over
  std::string least;             // or of which the least coordinate is wanted
  std::vector<std::string> kept; // the others of the sparse operands
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

bool reads_f64(const Statement &statement, const Value &value) {
  bool all = true;
  value::each_leaf<Access>(value, [&](const Access &access) {
    all = all && type_of(statement.types, access.tensor) == value::Type::Float64;
  });
  return all;
}

/// The value, numbers in place of what is known whatever operands hold: 0 times an element is 0. Only where
/// all is computed in f64, as a number has no type of its own.
Value settled(const Statement &statement, Value value, bool is_f64) {
  const Known known = is_f64 ? known_value(value, value::Type::Float64, statement.types,
                                           [](const Access &) { return Known(); })
                             : Known();
  if (known.kind == Known::Kind::Number) return {value::Number{known.number.number()}};
  auto *made = std::get_if<Value::Apply>(&value.kind);
  if (!made) return value;
  for (Value &argument : made->arguments) {
    const bool is_test = made->op == Operator::ToBool && reads_f64(statement, argument);
    argument = settled(statement, std::move(argument), is_f64 || is_test);
  }
  const double *is_true = value::number_of(made->arguments.front());
  if (is_f64 && made->op == Operator::Select && is_true) return Value(made->arguments[*is_true != 0 ? 1 : 2]);
  return value;
}

/// Does a value grow with an index (1), fall (-1), or not depend on it (0)? Nothing where that isn't known.
std::optional<int> direction(const Value &value, const std::string &index) {
  if (!indices_in(value).contains(index)) return 0;
  if (value.is<Access>()) return std::nullopt;
  if (const auto *coordinate = value.as<term::Term>()) {
    for (const auto &[atom, factor] : term::linear_form(*coordinate).parts)
      if (atom == term::variable(index)) return factor < 0 ? -1 : 1;
    return std::nullopt;
  }
  const auto &made = std::get<Value::Apply>(value.kind);
  std::size_t first = 0;
  int sign = 1;
  switch (made.op.kind()) {
  case Operator::Select:
    if (direction(made.arguments.front(), index) != 0) return std::nullopt;
    first = 1;
    break;
  case Operator::Negate: sign = -1; break;
  case Operator::Add:
  case Operator::Minimum:
  case Operator::Maximum:
  case Operator::ToInt64:
  case Operator::ToFloat64: break;
  default: return std::nullopt;
  }
  int all = 0;
  for (std::size_t k = first; k < made.arguments.size(); ++k) {
    const std::optional<int> one = direction(made.arguments[k], index);
    if (!one || all * *one < 0) return std::nullopt;
    if (*one != 0) all = *one;
  }
  return sign * all;
}

/// Finds an index with which the value grows, where the least value is wanted, in a type in which it doesn't
/// wrap around. Empty where there is none.
std::string least_of(const Statement &statement, const Value &value,
                     const std::vector<std::string> &indices) {
  const value::Type target = type_of(statement.types, statement.target.tensor);
  if (statement.by == Operator::Minimum && (target == value::Type::Int64 || target == value::Type::Float64))
    for (auto index = indices.rbegin(); index != indices.rend(); ++index)
      if (const std::optional<int> sign = direction(value, *index); sign && *sign > 0) return *index;
  return {};
}

std::optional<CountedTerm> counted_term(const Statement &statement, const IsTotal &is_total) {
  const bool is_reduced = statement.by == Operator::Add || value::laws_of(statement.by).is_idempotent;
  if (!statement.is_free || statement.product || !is_reduced ||
      !std::ranges::all_of(statement.masks, &Mask::is_absent) || !term::is_true(statement.condition) ||
      !is_total(statement.target))
    return std::nullopt;
  CountedTerm made;
  std::set<std::string> texts, names;
  bool fits = are_each_once(statement.target) && has_plain_subscripts(statement);
  std::size_t most = 0;
  value::each_leaf<Access>(statement.value, [&](const Access &access) {
    if (!is_total(access)) most = std::max(most, access.subscripts.size());
  });
  const auto is_read = [&](const Access &access) {
    return is_total(access) || access.subscripts.size() < most;
  };
  const auto add = [&](const Access &access) {
    fits = fits && are_each_once(access);
    if (texts.insert(to_text(access)).second) made.sparse.push_back(access);
  };
  value::each_leaf<Access>(statement.value, [&](const Access &access) {
    if (is_read(access)) return;
    names.insert(access.name());
    add(access);
  });
  made.read = made.sparse.size();
  for (const Mask &mask : statement.masks) {
    fits = fits && !is_total(mask.access);
    add(mask.access);
  }
  if (!fits || made.read == 0 || is_nothing_without(statement, statement.value, names)) return std::nullopt;
  const std::vector<std::string> of_target = indices_of(statement.target),
                                 of_sparse = indices_of(made.sparse.front());
  for (const Access &access : made.sparse)
    if (!std::ranges::is_permutation(indices_of(access), of_sparse)) return std::nullopt;
  made.elsewhere = value::map_leaves<Value>(
      statement.value, term::overloaded{[&](const Access &access) {
                                          return is_read(access) ? Value{access}
                                                                 : nothing_of(statement, access);
                                        },
                                        [](const term::Term &coordinate) { return Value{coordinate}; }});
  made.elsewhere = settled(statement, std::move(made.elsewhere),
                           statement.type == value::Type::Float64 && reads_f64(statement, statement.value));
  const std::set<std::string> used = indices_in(made.elsewhere);
  std::vector<std::string> summed;
  for (const std::string &index : statement.indices)
    if (!contains(of_target, index)) {
      if (!contains(of_sparse, index)) return std::nullopt;
      summed.push_back(index);
    }
  std::ranges::copy_if(summed, std::back_inserter(made.over),
                       [&](const std::string &index) { return !used.contains(index); });
  if (made.over.empty()) made.least = least_of(statement, made.elsewhere, summed);
  std::ranges::copy_if(of_sparse, std::back_inserter(made.kept), [&](const std::string &index) {
    return !contains(made.over, index) && index != made.least;
  });
  return made.over.empty() && made.least.empty() ? std::nullopt : std::optional(std::move(made));
}

/// The index of a subscript plus a number.
Access shifted(Access access, const std::string &index, std::int64_t by) {
  for (Subscript &subscript : access.subscripts)
    if (subscript.index == index) subscript.value = subscript.value + term::Term(by);
  return access;
}

class Counter {
public:
  Counter(const Program &lines, TakenNames &taken, const IsTotal &is_total)
      : lines_(lines), is_total_(is_total), taken_(taken), span_(lines.statements.front().span) {}

  std::optional<CountedRest> program() {
    std::vector<StatementTree> terms;
    std::set<std::string> begun;
    const Statement first = lines_.statements.front();
    if (is_list_of_all(first)) made_.sum = taken_.fresh("sum");
    for (Statement statement : lines_.statements) {
      if (!made_.sum.empty()) {
        statement.types[made_.sum] = type_of(statement.types, statement.target.tensor);
        statement.target.tensor = made_.sum;
      }
      const std::optional<CountedTerm> counted = counted_term(statement, is_total_);
      // The counts read what is collected, which stands first.
      std::vector<StatementTree> &to = is_total_(statement.target) ? terms : counting_;
      if (!statement.accumulate && begun.insert(statement.target.tensor).second)
        to.push_back(beginning(statement));
      StatementTree one = assigned(statement, expression_of(statement.target),
                                   expression_of_term(statement.value, statement), true);
      if (counted) one.assignment.mask = visited(*counted, std::move(one.assignment.mask));
      append(to, in_loops(names(statement.indices, span_), {std::move(one)}));
      if (counted) append(to, rest(statement, *counted));
    }
    if (made_.counts.empty() && made_.coordinates.empty()) return std::nullopt;
    std::vector<StatementTree> body = std::move(counting_);
    append(body, std::move(terms));
    if (!made_.sum.empty()) append(body, in_loops(names(indices_of(first.target), span_), {whole(first)}));
    made_.program = program_with(lines_, std::move(body));
    for (const auto &[tensor, sizes] : declared_)
      made_.program.tensors.push_back({{tensor, span_}, sizes});
    return std::move(made_);
  }

private:
  Expression name_expression(const std::string &name) const { return access_expression({name, span_}, {}); }

  /// Tells whether the line sets a vector that lists its elements: it has all of them, if anything is
  /// counted.
  bool is_list_of_all(const Statement &line) const {
    return !is_total_(line.target) && !lines_.local_tensors.contains(line.target.tensor) &&
           line.target.subscripts.size() == 1 && !line.accumulate && line.by == Operator::Add;
  }

  /// Sets the result, once all of it is in a local.
  StatementTree whole(const Statement &first) const {
    Statement made = first; // the masks and the product are those of its parts
    made.masks.clear();
    made.product.reset();
    Access sum = first.target;
    sum.tensor = made_.sum;
    return assigned(made, expression_of(first.target), expression_of(sum), false);
  }

  StatementTree beginning(const Statement &statement) const {
    if (!lines_.local_tensors.contains(statement.target.tensor) && statement.target.tensor != made_.sum)
      return clearing(statement);
    return let(expression_of(statement.target), identity_of(statement));
  }

  StatementTree let(const Expression &local, double first) const {
    return assign(StatementTree::Kind::Local, AssignOp::Set, local, parse::number_expression(first, span_));
  }

  /// Is any of the sparse operands stored?
  static Expression stored(const std::vector<Access> &sparse) {
    std::vector<Expression> any;
    for (const Access &access : sparse)
      any.push_back(expression_of(access));
    if (any.size() == 1) return any.front();
    const text::Span span = any.front().span;
    return parse::over(Expression::Kind::Or, std::move(any), span);
  }

  /// Is any stored that the value reads, where the mask holds?
  static Expression visited(const CountedTerm &term, std::optional<Expression> mask) {
    Expression any =
        stored({term.sparse.begin(), term.sparse.begin() + static_cast<std::ptrdiff_t>(term.read)});
    if (!mask) return any;
    const text::Span span = any.span;
    return parse::over(Expression::Kind::And, {std::move(any), std::move(*mask)}, span);
  }

  /// The local with that count or coordinate, which `make` makes where there is none.
  template <class Make>
  Expression local_of(const CountedTerm &term, const std::string &wanted, std::vector<std::string> &all,
                      const Make &make) {
    std::string text = term.least;
    for (const Access &access : term.sparse)
      text += " " + to_text(access);
    for (const std::string &index : term.kept)
      text += " " + index;
    const auto [known, is_new] = of_text_.emplace(std::move(text), std::string());
    if (is_new) known->second = taken_.fresh(wanted);
    const Expression local = access_expression({known->second, span_}, names(term.kept, span_));
    if (is_new) {
      all.push_back(known->second);
      make(local);
    }
    return local;
  }

  /// The count of what isn't stored.
  Expression count(const CountedTerm &term) {
    return local_of(term, "missing", made_.counts, [&](const Expression &local) {
      counting_.push_back(assign(StatementTree::Kind::Local, AssignOp::Set, local, extent(term, term.over)));
      StatementTree one =
          assign(StatementTree::Kind::Assign, AssignOp::Subtract, local, parse::number_expression(1, span_));
      one.assignment.mask = stored(term.sparse);
      append(counting_, in_loops(names(indices_of(term.sparse.front()), span_), {std::move(one)}));
    });
  }

  /// The least coordinate that isn't stored, inf where all are.
  Expression least(const CountedTerm &term) {
    return local_of(term, "free", made_.coordinates, [&](const Expression &local) {
      const Expression index = name_expression(term.least), zero = parse::number_expression(0, span_),
                       one = parse::number_expression(1, span_);
      const auto reduction = [&](const std::string &by, Expression value, std::vector<Expression> where) {
        StatementTree made = assign(StatementTree::Kind::Assign, AssignOp::Reduce, local, std::move(value));
        made.assignment.reduction = {by, span_};
        made.assignment.mask = parse::over(Expression::Kind::And, std::move(where), span_);
        return in_loops(names(indices_of(term.sparse.front()), span_), {std::move(made)});
      };
      Expression is_first = parse::over(Expression::Kind::Compare, {index, zero}, span_);
      is_first.comparisons = {Expression::Comparison::Equal};
      std::vector<Access> neighbours;
      for (const Access &access : term.sparse)
        neighbours.push_back(shifted(access, term.least, 1));
      counting_.push_back(let(local, 0));
      append(counting_,
             reduction("max", parse::number_expression(inf, span_), {stored(term.sparse), is_first}));
      std::vector<StatementTree> next =
          reduction("min", parse::over(Expression::Kind::Add, {index, one}, span_),
                    {stored(term.sparse), parse::over(Expression::Kind::Not, {stored(neighbours)}, span_)});
      for (StatementTree *loop = &next.front(); loop->kind == StatementTree::Kind::For;
           loop = &loop->body.front())
        if (loop->variable.text == term.least) {
          loop->low = zero;
          loop->high = parse::over(Expression::Kind::Subtract, {extent(term, {term.least}), one}, span_);
        }
      append(counting_, std::move(next));
    });
  }

  /// The product of the extents of these indices.
  Expression extent(const CountedTerm &term, const std::vector<std::string> &indices) {
    const Access &access = term.sparse.front();
    const std::string operand = operand_of(access.tensor);
    const auto known = lines_.extents.find(operand);
    bool is_known = true;
    std::vector<Expression> modes, sizes;
    for (std::size_t k = 0; k < access.subscripts.size(); ++k) {
      const std::string &index = access.subscripts[k].index;
      const bool has_size = known != lines_.extents.end() && is_declared({known->second[k]});
      modes.push_back(has_size ? term_expression(known->second[k], span_) : name_expression(size_of(index)));
      if (contains(indices, index)) sizes.push_back(modes.back());
      is_known = is_known && has_size;
    }
    if (!is_known) declared_[operand] = std::move(modes);
    return product_expression(std::move(sizes));
  }

  /// That a local tensor holds.
  std::string operand_of(const std::string &tensor) const {
    if (lines_.local_tensors.contains(tensor))
      for (const Statement &line : lines_.statements)
        if (const auto *operand = line.value.as<Access>(); operand && line.target.tensor == tensor)
          return operand->tensor;
    return tensor;
  }

  std::string size_of(const std::string &index) {
    const auto [size, is_new] = sizes_.emplace(index, std::string());
    if (is_new) size->second = taken_.fresh("n_" + index);
    return size->second;
  }

  Expression less(Expression one, Expression other) const {
    Expression made = parse::over(Expression::Kind::Compare, {std::move(one), std::move(other)}, span_);
    made.comparisons = {Expression::Comparison::Less};
    return made;
  }

  /// The value at the least coordinate that isn't stored, which `local` holds.
  static Value at_least(const CountedTerm &term, const Value &local) {
    const auto at = [&](const term::Term &coordinate) -> Value {
      std::vector<Value> parts;
      for (const auto &[atom, factor] : term::linear_form(coordinate).parts)
        if (atom == term::variable(term.least))
          parts.push_back(
              value::product(std::vector<Value>{{value::Number{static_cast<double>(factor)}}, local}));
      if (parts.empty()) return {coordinate};
      const term::Term others = term::substitute(coordinate, {{term.least, term::Term(0)}});
      if (others != term::Term(0)) parts.push_back({others});
      return value::sum(std::move(parts));
    };
    return value::map_leaves<Value>(term.elsewhere,
                                    term::overloaded{[](const Access &access) { return Value{access}; }, at});
  }

  std::vector<StatementTree> rest(const Statement &statement, const CountedTerm &term) {
    const bool is_counted = term.least.empty();
    const Expression local = is_counted ? count(term) : least(term);
    Expression any = is_counted ? less(parse::number_expression(0, span_), local)
                                : less(local, extent(term, {term.least}));
    // It is computed in the types of the term, and then added as one of the target.
    const value::Type target = type_of(statement.types, statement.target.tensor);
    const bool is_plain = statement.type == target && target == value::Type::Float64;
    const Value elsewhere =
        is_counted ? term.elsewhere : at_least(term, coordinate_of(statement, local, term));
    Expression value = expression_of(is_plain ? elsewhere : in_type(target, elsewhere), statement);
    if (statement.by == Operator::Add) value = product_expression({local, value});
    Expression chosen = access_expression({"select", span_}, {});
    chosen.kind = Expression::Kind::Call;
    chosen.children = {std::move(any), std::move(value),
                       expression_of(in_type(target, {value::Number{identity_of(statement)}}), statement)};
    std::vector<std::string> indices = indices_of(statement.target);
    std::ranges::copy_if(term.kept, std::back_inserter(indices),
                         [&](const std::string &index) { return !contains(indices, index); });
    StatementTree made = assigned(statement, expression_of(statement.target), std::move(chosen), true);
    made.assignment.mask.reset(); // it is counted
    return in_loops(names(indices, span_), {std::move(made)});
  }

  /// What the local holds, in the type that the statement is computed in, as the index was.
  Value coordinate_of(const Statement &statement, const Expression &local, const CountedTerm &term) const {
    Access access;
    access.tensor = local.name.text;
    access.span = span_;
    for (const std::string &index : term.kept)
      access.subscripts.push_back({index, 0, term::variable(index)});
    return statement.type == value::Type::Int64 ? Value{access} : in_type(statement.type, {access});
  }

  static constexpr double inf = std::numeric_limits<double>::infinity();

  const Program &lines_;
  const IsTotal &is_total_;
  TakenNames &taken_;
  const text::Span span_;
  CountedRest made_;
  std::vector<StatementTree> counting_;
  std::map<std::string, std::string> of_text_, sizes_;      // locals; extents of indices
  std::map<std::string, std::vector<Expression>> declared_; // of tensors the extents
};

} // namespace

std::optional<CollectedOperands> with_collected_operands(const Program &lines, TakenNames &taken,
                                                         const std::set<std::string> &operands) {
  CollectedOperands made{lines, {}};
  std::vector<Statement> collecting;
  bool has_fill = false;
  for (Statement &statement : made.lines.statements) {
    each_read(statement, [&](Access &access) {
      if (!operands.contains(access.tensor)) return;
      has_fill = has_fill || access.fill_or_zero() != 0;
      const auto [local, is_new] = made.locals.emplace(access.tensor, std::string());
      const value::Type type = type_of(lines.statements.front().types, access.tensor);
      if (is_new) {
        local->second = taken.fresh("all");
        Statement &one = collecting.emplace_back();
        one.value = {access};
        one.target = access;
        one.target.tensor = local->second;
        one.target.occurrence = 1;
        one.is_free = true;
        one.indices = indices_of(access);
        one.span = statement.span;
        one.type = type;
        one.types = {{access.tensor, type}, {local->second, type}};
        made.lines.local_tensors[local->second] = 0;
      }
      access.tensor = local->second;
    });
    for (const auto &[operand, local] : made.locals)
      statement.types[local] = type_of(statement.types, operand);
  }
  if (has_fill) return std::nullopt;
  made.lines.statements.insert(made.lines.statements.begin(), collecting.begin(), collecting.end());
  return made;
}

std::optional<CountedRest> with_counted_rest(const Program &lines, TakenNames &taken,
                                             const IsTotal &is_total) {
  return Counter(lines, taken, is_total).program();
}

} // namespace unravel::compute
