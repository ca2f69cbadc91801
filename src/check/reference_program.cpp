#include "check/reference_program.h"

#include "check/free_statement.h"
#include "check/operand_entries.h"
#include "check/reference_join.h"
#include "check/rounding.h"
#include "check/stored_elements.h"
#include "check/supports.h"
#include "check/typed_value.h"
#include "compute/reduced_parts.h"
#include "report/diagnostic.h"
#include "value/typed.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <list>
#include <optional>
#include <set>

namespace unravel::check {

using compute::Access;
using compute::Statement;
using data::Coordinates;

namespace {

struct Variables : term::Environment {
  std::map<std::string, std::int64_t> values;
  std::int64_t variable(const std::string &name) const override { return values.at(name); }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override {
    report::require(false, "a program's subscripts apply no function");
    return 0;
  }
};

class Runner {
public:
  /// `is_sparse`: of results only the elements are kept that something is computed for.
  Runner(const compute::Program &program, const ProgramInput &input, bool is_sparse = false)
      : statements_(program.statements), input_(input), is_sparse_(is_sparse) {
    variables_.values = input.sizes;
    for (std::size_t k = 0; k < statements_.size(); ++k) {
      if (!statements_[k].is_free || (adds_product(statements_[k], input) && !is_sparse)) continue;
      if (!statements_[k].accumulate) cleared_.insert(k);
      statements_[k] = in_loops(statements_[k], input);
      terms_.insert(&statements_[k]);
      for (const compute::Loop &loop : statements_[k].loops)
        variables_.values.erase(loop.variable); // an extent of that name
    }
    for (const Statement &statement : statements_)
      if (!statement.is_free)
        compute::each_read(statement, [&](const Access &access) {
          if (auto operand = input.operands.find(access.tensor); operand != input.operands.end())
            operands_.try_emplace(access.tensor, *operand->second, type_of(access.tensor));
        });
    for (const auto &[name, result] : input.results) {
      Written &written = results_[name];
      written.shape = result.shape;
      if (is_sparse) {
        first_ = identity_of(statements_.front());
        if (program.statements.front().accumulate)
          first_ = constant(compute::initial_of(program, name), type_of(name));
        continue;
      }
      written.elements.resize(static_cast<std::size_t>(data::element_count(result.shape)));
      for (std::size_t k = 0; k < result.initial.size(); ++k)
        written.elements[k] = initial_of(result, k, type_of(name));
    }
    for (const auto &[name, around] : program.local_tensors) {
      Written &written = results_[name];
      for (const term::Term &extent : program.extents.at(name))
        written.shape.push_back(std::max<std::int64_t>(0, value_of(extent)));
      written.elements.resize(static_cast<std::size_t>(data::element_count(written.shape)));
    }
    stored_.emplace(program, statements_, input.listed);
  }

  SparseReference run_sparse() {
    body(0, statements_.size(), 0);
    const Written &written = results_.at(statements_.front().target.tensor);
    SparseReference result{written.shape, {}, {}, {}, static_cast<double>(first_.value)};
    result.choices = choices_[statements_.front().target.tensor];
    result.type = type_of(statements_.front().target.tensor);
    for (const auto &[offset, element] : written.sparse)
      result.offset.push_back(offset), append(element, result);
    return result;
  }

  ProgramReference run() {
    body(0, statements_.size(), 0);
    ProgramReference reference;
    for (const auto &[name, given] : input_.results) {
      const Written &written = results_.at(name);
      Reference &result = reference.results[name];
      result.shape = written.shape;
      result.has_truths = std::ranges::any_of(statements_, [&](const compute::Statement &statement) {
        return statement.target.tensor == name && statement.accumulate && value::is_truth(statement.by);
      });
      result.choices = choices_[name];
      result.type = type_of(name);
      for (const Value &element : written.elements)
        append(element, result);
    }
    reference.missing = missing_;
    reference.missing_span = missing_span_;
    return reference;
  }

private:
  struct Written {
    std::vector<std::int64_t> shape;
    std::vector<Value> elements;
    std::map<Offset, Value> sparse;
  };

  template <class Result> static void append(const Value &element, Result &result) {
    result.value.push_back(static_cast<double>(element.value));
    result.magnitude.push_back(element.magnitude);
    if (value::is_complex(result.type)) result.imaginary.push_back(static_cast<double>(element.imaginary));
    if (value::is_integer(result.type)) result.integer.push_back(element.integer);
  }

  static Value initial_of(const ProgramResult &result, std::size_t k, value::Type type) {
    const double imaginary = result.imaginary.empty() ? 0 : result.imaginary[k];
    if (result.in_halves) return entry_of(result.initial[k], imaginary, true, type);
    if (value::is_integer(type)) return constant(result.initial[k], type);
    return {result.initial[k], 0, imaginary};
  }

  std::int64_t value_of(const term::Term &term) const { return term::evaluate(term, variables_); }

  void body(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first + 1;
      while (last < end && statements_[last].place[depth] == statements_[first].place[depth])
        ++last;
      if (depth == 0 && cleared_.contains(first)) {
        for (Value &element : results_.at(statements_[first].target.tensor).elements)
          element = identity_of(statements_[first]);
        choices_.erase(statements_[first].target.tensor);
      }
      if (statements_[first].is_free)
        join(statements_[first]);
      else if (statements_[first].loops.size() == depth)
        execute(statements_[first]);
      else
        loop(first, last, depth);
      first = last;
    }
  }

  void loop(std::size_t begin, std::size_t end, std::size_t depth) {
    const compute::Loop &head = statements_[begin].loops[depth];
    std::int64_t low = value_of(head.low), high = value_of(head.high);
    restrict(begin, end, head.variable, low, high);
    std::int64_t &variable = variables_.values[head.variable];
    std::vector<std::int64_t> room;
    const std::vector<std::int64_t> *entries =
        end - begin == 1 ? entries_along(statements_[begin], depth, room) : nullptr;
    if (entries) {
      for (std::int64_t each : *entries)
        if (low <= each && each < high) variable = each, body(begin, end, depth + 1);
    } else {
      locals_.erase(head.until);
      for (std::int64_t each = low; each < high; ++each) {
        variable = each, body(begin, end, depth + 1);
        if (!head.until.empty() && is_last_round(head.until)) break;
      }
    }
    variables_.values.erase(head.variable);
  }

  /// Does the test that ends rounds hold, or was it never executed, as nothing in them was?
  bool is_last_round(const std::string &test) const {
    const auto ends = locals_.find(test);
    return ends == locals_.end() || ends->second.value != 0;
  }

  /// Leaves out values at which no statement's condition holds: a band may be wider than its matrix.
  void restrict(std::size_t begin, std::size_t end, const std::string &variable, std::int64_t &low,
                std::int64_t &high) const {
    std::int64_t first = high, last = low; // of the statements together
    for (std::size_t k = begin; k < end; ++k) {
      std::int64_t own_low = low, own_high = high;
      for (const term::Term &part : term::conjuncts(statements_[k].condition)) {
        const auto *compare = part.as<term::Compare>();
        if (!compare) continue;
        const std::int64_t factor = term::coefficient_of(compare->left, variable);
        const term::Term rest = compare->left - term::scale(factor, term::variable(variable));
        const std::set<std::string> names = term::variables_of(rest);
        if ((factor != 1 && factor != -1) || !std::ranges::all_of(names, [&](const std::string &name) {
              return variables_.values.contains(name);
            }))
          continue;
        const std::int64_t bound = -factor * value_of(rest); // where the left side is 0
        const bool is_equal = compare->relation == term::Relation::Equal;
        if (factor > 0 || is_equal) own_low = std::max(own_low, bound);
        if (factor < 0 || is_equal) own_high = std::min(own_high, bound + 1);
      }
      first = std::min(first, own_low);
      last = std::max(last, own_high);
    }
    low = std::max(low, first);
    high = std::min(high, last);
  }

  /// The values of the loop's variable for which one of a support has entries, where the statement adds
  /// nothing for others; increasing. `room`: for those of several accesses.
  const std::vector<std::int64_t> *entries_along(const Statement &statement, std::size_t depth,
                                                 std::vector<std::int64_t> &room) {
    if (!statement.accumulate) return nullptr;
    const std::string &variable = statement.loops[depth].variable;
    for (const Support &support : supports_of(statement)) {
      if (support.size() == 1) {
        if (const auto *own = entries_along(*support.front(), variable)) return own;
        continue;
      }
      room.clear();
      const bool says_so = std::ranges::all_of(support, [&](const Access *access) {
        const std::vector<std::int64_t> *own = entries_along(*access, variable);
        if (own) room.insert(room.end(), own->begin(), own->end());
        return own != nullptr;
      });
      if (!says_so) continue;
      std::ranges::sort(room);
      room.erase(std::unique(room.begin(), room.end()), room.end());
      return &room;
    }
    return nullptr;
  }

  /// Asked once for each statement, not at each of its iterations.
  const std::vector<Support> &supports_of(const Statement &statement) {
    const auto [known, is_fresh] = supports_.try_emplace(&statement);
    if (is_fresh)
      known->second = check::supports_of(statement, [this](const Access &read) {
        const auto operand = operands_.find(read.tensor);
        return operand != operands_.end() && operand->second.is_sparse();
      });
    return known->second;
  }

  /// Those of a factor for which it has entries, where it says so.
  const std::vector<std::int64_t> *entries_along(const Access &factor, const std::string &variable) {
    auto operand = operands_.find(factor.tensor);
    if (operand == operands_.end() || !operand->second.is_sparse()) return nullptr;
    std::size_t along = factor.subscripts.size();
    Coordinate others;
    for (std::size_t k = 0; k < factor.subscripts.size(); ++k) {
      const compute::Subscript &subscript = factor.subscripts[k];
      if (subscript.index == variable && subscript.shift == 0 && along == factor.subscripts.size()) {
        along = k;
        continue;
      }
      for (const std::string &name : term::variables_of(subscript.value))
        if (name == variable || !variables_.values.contains(name)) return nullptr;
      others.push_back(value_of(subscript.value));
    }
    return along < factor.subscripts.size() ? &operand->second.along(along, others) : nullptr;
  }

  Coordinate coordinate_of(const Access &access) const {
    Coordinate result;
    for (const compute::Subscript &subscript : access.subscripts)
      result.push_back(value_of(subscript.value));
    return result;
  }

  Offset offset_of(const Access &access) {
    Offset offset = 0;
    if (access.is_local) return offset;
    const std::vector<std::int64_t> &shape = results_.at(access.tensor).shape;
    const Coordinate at = coordinate_of(access);
    for (std::size_t k = 0; k < at.size(); ++k)
      offset = offset * static_cast<std::size_t>(shape[k]) + static_cast<std::size_t>(at[k]);
    return offset;
  }

  Value &element(const Access &access) {
    if (access.is_local) return locals_[access.tensor];
    Written &result = results_.at(access.tensor);
    const Offset offset = offset_of(access);
    if (!is_sparse_ || input_.results.count(access.tensor) == 0)
      return result.elements.at(static_cast<std::size_t>(offset));
    return result.sparse.try_emplace(offset, first_).first->second;
  }

  /// Null where nothing is stored.
  const Value *read(const Access &access, Value &room) {
    if (access.is_local || results_.contains(access.tensor)) {
      if (stored_->has(access.tensor) && !is_stored(access)) return nullptr;
      const Value &own = element(access);
      const auto choices = choices_.find(access.tensor);
      if (choices == choices_.end() || !choices->second.contains(offset_of(access))) return &own;
      room = own, room.magnitude = std::numeric_limits<double>::infinity(); // whatever it is
      return &room;
    }
    return operands_.at(access.tensor).find(coordinate_of(access));
  }

  /// `any` may choose each value that isn't 0; what becomes of its choice isn't known.
  void note_choice(const Statement &statement, Value &before, const Value &value) {
    const auto choice = [](const Value &of) {
      return Choice{static_cast<double>(of.value), of.magnitude, static_cast<double>(of.imaginary),
                    of.integer};
    };
    const auto known = choices_.find(statement.target.tensor);
    if (statement.accumulate && statement.by == value::Operator::Any) {
      if (value.size() == 0 || before.size() == 0) return;
      std::vector<Choice> &choices = choices_[statement.target.tensor][offset_of(statement.target)];
      if (choices.empty()) choices.push_back(choice(before));
      choices.push_back(choice(value));
    } else if (known != choices_.end() && known->second.erase(offset_of(statement.target)) > 0) {
      before.magnitude = std::numeric_limits<double>::infinity();
    }
  }

  void join(const Statement &statement) {
    std::list<Coordinates> made;
    const Reference sums = check::evaluate(product_of(statement, input_, made));
    std::vector<Value> &elements = results_.at(statement.target.tensor).elements;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (!statement.accumulate) elements[k] = {};
      elements[k].value = held(elements[k].value + sums.value[k], type_of(statement.target.tensor));
      elements[k].magnitude += sums.magnitude[k];
    }
  }

  void execute(const Statement &statement) {
    if (!value_of(statement.condition) || is_masked_out(statement) || is_of_nothing(statement)) return;
    const value::Type type = type_of(statement.target.tensor);
    const std::optional<Evaluated> made = evaluate(statement, statement.type);
    const Value identity = identity_of(statement);
    const double *number = value::number_of(statement.value);
    const value::Type from = number ? value::Scalar::written(*number).type : statement.type;
    Value value = made ? taken_as(statement.value, made->value, from, type) : identity;
    if (!value::is_integer(type)) value.magnitude += sum_of_sizes(statement, value);
    if (may_wrap_apart(statement, type) && value.value != in_type(statement, type).value)
      value.magnitude = std::numeric_limits<double>::infinity();
    if (statement.accumulate && (!made || (!made->is_stored && is_same(value, identity, type)))) return;
    // A result that lists its entries gets none where a product has none.
    const bool lists_entries = stored_->has(statement.target.tensor);
    const bool is_left_out = !made && input_.results.contains(statement.target.tensor) && lists_entries;
    if (is_left_out) value = constant(statement.target.fill.value_or(0), type);
    if (lists_entries) {
      const bool is_there =
          !is_left_out && (!made || made->is_stored ||
                           !is_same(value, constant(stored_->fill_of(statement.target), type), type));
      stored_->note(statement, coordinate_of(statement.target), is_there);
    }
    Value &target = element(statement.target);
    note_choice(statement, target, value);
    const double magnitude = target.magnitude + value.magnitude;
    target = statement.accumulate ? combined(statement.by, {target, value}, type) : value;
    if (statement.accumulate && statement.by == value::Operator::Add && !value::is_integer(type) &&
        target.is_known())
      target.magnitude = magnitude; // terms are added in any order
  }

  /// The absolute values of the terms that are written, brackets evaluated: a statement's terms may be added
  /// in any order.
  double sum_of_sizes(const Statement &statement, const Value &value) {
    const auto *terms = value::arguments_of(value::Operator::Add, statement.value);
    if (!terms || terms_.contains(&statement)) return value.size();
    double sum = 0;
    for (const compute::Value &term : *terms)
      if (const std::optional<Evaluated> made = evaluate(term, statement.product.has_value(), statement.type))
        sum += made->value.size();
    return sum;
  }

  /// Have they the same value? Of the second only the real part isn't 0.
  static bool is_same(const Value &value, const Value &real, value::Type type) {
    if (value::is_integer(type)) return value.integer == real.integer;
    return value.value == real.value && value.imaginary == 0;
  }

  /// Is nothing stored of what the statement reduces by, where the operators' laws say that this is nothing?
  /// Then it isn't executed, though it may have numbers or dense elements.
  bool is_of_nothing(const Statement &statement) const {
    if (!statement.accumulate) return false;
    std::set<std::string> absent;
    bool is_any_stored = false;
    value::each_leaf<Access>(statement.value, [&](const Access &read) {
      const auto operand = operands_.find(read.tensor);
      if (!stored_->has(read.tensor) && (operand == operands_.end() || !operand->second.is_sparse()))
        return; // each element is there
      if (is_stored(read))
        is_any_stored = true;
      else
        absent.insert(read.name());
    });
    return !is_any_stored && !absent.empty() &&
           compute::is_nothing_without(statement, statement.value, absent);
  }

  /// Does the kernel perhaps convert what it computes of each entry of a coordinate, which wraps around by
  /// itself, and then add up?
  bool may_wrap_apart(const Statement &statement, value::Type type) const {
    if (!value::is_integer(statement.type) || value::is_complex(type)) return false;
    if (value::is_integer(type) && value::bits_of(type) <= value::bits_of(statement.type)) return false;
    bool has_sums = false;
    value::each_leaf<Access>(statement.value, [&](const Access &read) {
      const auto operand = operands_.find(read.tensor);
      has_sums = has_sums || (operand != operands_.end() && operand->second.has_sums());
    });
    return has_sums;
  }

  /// The value, where all of it is computed in that type.
  Value in_type(const Statement &statement, value::Type type) {
    const std::optional<Evaluated> made = evaluate(statement, type);
    return made ? made->value : identity_of(statement);
  }

  bool is_masked_out(const Statement &statement) const {
    return std::ranges::any_of(
        statement.masks, [&](const compute::Mask &mask) { return is_stored(mask.access) == mask.is_absent; });
  }

  bool is_stored(const Access &access) const {
    if (stored_->has(access.tensor)) return stored_->contains(access.tensor, coordinate_of(access));
    return operands_.at(access.tensor).find(coordinate_of(access)) != nullptr;
  }

  struct Evaluated {
    Value value;
    bool is_stored = true; // else it is what it is where nothing is stored
    double nothing = 0;    // and that is, whatever the type: infinities absorb what they meet
  };

  /// The statement's value; with a product, what is there of the parts that are reduced, if any is.
  std::optional<Evaluated> evaluate(const Statement &statement, value::Type type) {
    if (!statement.product) return evaluate(statement.value, false, type);
    const std::vector<compute::Value> parts = compute::reduced_parts(statement);
    if (parts.size() == 1) return evaluate(statement.value, true, type);
    Evaluated all{identity_of(statement, type), false};
    bool is_any = false;
    for (const compute::Value &part : parts) {
      const std::optional<Evaluated> made = evaluate(part, true, type);
      if (!made) continue;
      is_any = true;
      all.value = combined(statement.by, {all.value, made->value}, type);
      all.is_stored = all.is_stored || made->is_stored;
    }
    return is_any ? std::optional(all) : std::nullopt;
  }

  /// Nothing where a part isn't stored, and nothing is made of that; or what it is there, whatever that
  /// meets.
  std::optional<Evaluated> evaluate(const compute::Value &tree, bool absent_is_nothing, value::Type type) {
    if (const double *number = value::number_of(tree)) return Evaluated{written(*number, type)};
    if (const auto *access = std::get_if<Access>(&tree.kind)) {
      Value room;
      const value::Type own = type_of(access->tensor);
      if (const Value *value = read(*access, room))
        return Evaluated{value::is_integer(own) ? as_read(*value, type) : *value};
      if (absent_is_nothing && !access->fill) return std::nullopt;
      const double fill = access->fill_or_zero();
      const Value nothing = constant(fill, own);
      return Evaluated{value::is_integer(own) ? as_read(nothing, type) : nothing, false, fill};
    }
    if (const auto *coordinate = std::get_if<term::Term>(&tree.kind)) {
      const value::Scalar number{value::Type::Int64, 0, value_of(*coordinate)};
      return Evaluated{as_read(of_integer(number), type)};
    }
    const auto &made = std::get<compute::Value::Apply>(tree.kind);
    const std::optional<value::Type> own = type_below(made, type);
    const value::Type below = own.value_or(type), above = own ? value::type_above(made.op, below) : type;
    std::vector<Value> arguments;
    bool is_stored = false;
    std::optional<double> absorbs;
    for (std::size_t k = 0; k < made.arguments.size(); ++k) {
      const std::optional<Evaluated> argument = evaluate(made.arguments[k], absent_is_nothing, below);
      if (!argument) return std::nullopt;
      is_stored = is_stored || argument->is_stored;
      arguments.push_back(argument->value);
      if (argument->is_stored) continue;
      if (!absorbs) absorbs = value::absorbed(made.op, k, argument->nothing);
      if (made.op == value::Operator::Divide && k > 0)
        value::each_leaf<Access>(made.arguments[k], [&](const Access &access) { note_missing(access); });
    }
    if (absorbs) return Evaluated{constant(*absorbs, above), false, *absorbs};
    Value value = value::made_by_conversion(made.op)
                      ? taken_as(made.arguments.front(), arguments.front(), below, above)
                      : combined(made.op, arguments, above);
    value = converted(value, above, type);
    if (may_lie_beyond_cut(made, arguments.front(), type, operands_) ||
        may_be_rounded_otherwise(made, arguments.front(), below, operands_))
      value.magnitude = std::numeric_limits<double>::infinity();
    return Evaluated{value, is_stored, static_cast<double>(value.value)};
  }

  /// An integer, also a sum of entries, in what is computed in that type.
  static Value as_read(const Value &integer, value::Type type) {
    if (value::is_integer(type)) return of_integer(exactly(integer, type), integer.is_known());
    return {integer.value,
            integer.is_known() ? std::fabs(static_cast<double>(integer.value)) : integer.magnitude};
  }

  /// From one type to another. Of what is cut to an integer nothing is known where rounding errors of several
  /// steps may decide to which.
  Value taken_as(const compute::Value &tree, const Value &value, value::Type from, value::Type to) const {
    Value made = converted(value, from, to);
    if (!value::is_integer(from) && value::is_integer(to) && !is_one_step(tree, operands_) &&
        may_be_cut_otherwise(value, from))
      made.magnitude = std::numeric_limits<double>::infinity();
    return made;
  }

  std::optional<value::Type> type_below(const compute::Value::Apply &made, value::Type outer) const {
    const auto of_leaf = [&](const compute::Value &leaf) {
      const auto *access = std::get_if<Access>(&leaf.kind);
      return std::optional(access ? type_of(access->tensor) : value::Type::Int64);
    };
    return value::type_below(made, of_leaf, outer);
  }

  value::Type type_of(const std::string &tensor) const { return compute::type_of(input_.types, tensor); }

  /// As the target holds it.
  Value identity_of(const Statement &statement) const {
    return identity_of(statement, type_of(statement.target.tensor));
  }

  static Value identity_of(const Statement &statement, value::Type type) {
    return constant(compute::identity_of(statement), type);
  }

  void note_missing(const Access &divisor) {
    Value room;
    if (missing_.empty() && divisor.fill_or_zero() == 0 && !read(divisor, room))
      missing_ = where(divisor), missing_span_ = divisor.span;
  }

  std::string where(const Access &access) const {
    std::string at;
    for (const compute::Subscript &subscript : access.subscripts)
      for (const std::string &name : term::variables_of(subscript.value)) {
        std::string part = fmt::format("{} = {}", name, variables_.values.at(name));
        if (at.find(part) == std::string::npos) at += (at.empty() ? "" : ", ") + part;
      }
    return fmt::format("`{}`{}{}", compute::to_text(access), at.empty() ? "" : " at ", at);
  }

  std::vector<Statement> statements_;
  const ProgramInput &input_;
  const bool is_sparse_;
  Value first_; // that elements of a sparse result begin with
  std::map<const Statement *, std::vector<Support>> supports_;
  std::set<const Statement *> terms_; // of lines: a sum is a bracket there
  std::set<std::size_t> cleared_;     // statements before which the target is set to the identity
  Variables variables_;
  std::map<std::string, Entries> operands_;
  std::map<std::string, Value> locals_;
  std::map<std::string, Choices> choices_; // of results and locals
  std::optional<StoredElements> stored_;   // of tensors of which that matters
  std::map<std::string, Written> results_;
  std::string missing_;
  text::Span missing_span_;
};

} // namespace

ProgramReference evaluate_program(const compute::Program &program, const ProgramInput &input) {
  return Runner(program, input).run();
}

SparseReference evaluate_sparse_program(const compute::Program &program, const ProgramInput &input) {
  report::require(has_sparse_reference(program),
                  "a sparse reference is that of free statements of one target");
  const Statement &first = program.statements.front();
  const bool adds_to_fill = first.accumulate && compute::initial_of(program, first.target.tensor) != 0;
  if (adds_to_fill || !std::ranges::all_of(program.statements, [&](const Statement &statement) {
        return adds_product(statement, input);
      }))
    return Runner(program, input, true).run_sparse();
  std::list<Coordinates> made;
  std::vector<ReferenceProduct> products;
  for (const Statement &statement : program.statements)
    products.push_back(product_of(statement, input, made));
  return evaluate_sparse(products);
}

bool has_sparse_reference(const compute::Program &program) {
  const auto &all = program.statements;
  return !all.empty() && std::ranges::all_of(all, [&](const Statement &statement) {
    return statement.is_free && statement.target.tensor == all.front().target.tensor;
  });
}

} // namespace unravel::check
