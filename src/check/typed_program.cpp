#include "check/typed_program.h"

#include "compute/mask.h"
#include "value/typed.h"

#include <algorithm>

namespace unravel::check {

using compute::Statement;
using value::Operator;
using value::Type;

namespace {

using Types = std::map<std::string, Type>;

bool is_subtracted(const compute::Value &value) {
  return std::ranges::any_of(value::parts_by(Operator::Add, value),
                             [](const auto &part) { return value::quotient_of(part).constant < 0; });
}

class Typing {
public:
  Typing(const compute::Program &program, const Types &types) : types_(types), made_{program} {}

  TypedProgram run() {
    if (is_line(made_.program))
      type_line();
    else
      for (Statement &each : statements_) {
        each.type = computed_in(each, {each.value}, each.accumulate);
        if (each.accumulate) each.type = with_sign(each, each.type);
      }
    for (Statement &each : statements_)
      each.types = types_;
    return std::move(made_);
  }

private:
  Type target_of(const Statement &statement) const {
    return compute::type_of(types_, statement.target.tensor);
  }

  /// C's common type of what the values read. What is added up or multiplied is promoted.
  Type computed_in(const Statement &statement, std::vector<compute::Value> values, bool is_part) const {
    const auto of_leaf = [&](const compute::Value &leaf) -> std::optional<Type> {
      const auto *access = leaf.as<compute::Access>();
      return access ? compute::type_of(types_, access->tensor) : Type::Int64;
    };
    const compute::Value all =
        values.size() == 1 ? std::move(values.front()) : value::apply(Operator::Add, std::move(values));
    const Type target = target_of(statement), own = value::computed_in(all, of_leaf).value_or(target);
    const bool is_sum = statement.by == Operator::Add || statement.by == Operator::Multiply;
    return own != target && is_part && is_sum ? value::promoted(own) : own;
  }

  /// Converts what is subtracted in the target to its type first.
  Type with_sign(const Statement &statement, Type type) const {
    const Type target = target_of(statement);
    const bool is_unsigned = value::is_integer(type) && !value::facts_of(type).is_signed;
    const bool is_negated = type != target && is_unsigned && statement.by == Operator::Add &&
                            !statement.product && is_subtracted(statement.value);
    return is_negated ? value::common(type, target) : type;
  }

  /// Are both computed at a point, or none?
  static bool are_of_one_case(const Statement &one, const Statement &other) {
    return one.condition == other.condition && compute::to_text(one.masks) == compute::to_text(other.masks);
  }

  void type_line() {
    const Statement first = statements_.front();
    const bool reduces = std::ranges::any_of(statements_, compute::reduces_points);
    std::vector<compute::Value> values;
    for (const Statement &each : statements_)
      values.push_back(each.value);
    const Type own = computed_in(first, std::move(values), first.accumulate || reduces);
    const Type target = target_of(first);
    for (Statement &each : statements_)
      each.type = own;
    if (own == target) return;
    if (statements_.size() == 1 && !reduces) return add_signs();
    const bool has_fractions = !value::is_integer(own);
    const bool is_chosen = first.by == Operator::Minimum || first.by == Operator::Maximum;
    const bool is_rounded = has_fractions && !value::is_integer(target);
    if (is_rounded || first.by == Operator::Any) return; // term by term, which the order of them doesn't tell
    if (has_fractions && !is_chosen) return collect();
    if (!reduces && std::ranges::none_of(statements_, reads_shifted)) {
      if (first.accumulate) add_signs();
      return collect();
    }
    if (value::laws_of(first.by).is_idempotent && !first.product) return join();
    add_signs();
  }

  static bool reads_shifted(const Statement &statement) {
    bool found = false;
    value::each_leaf<compute::Access>(statement.value, [&](const compute::Access &read) {
      found = found || std::ranges::any_of(read.subscripts, &compute::Subscript::shift);
    });
    return found;
  }

  void add_signs() {
    for (Statement &each : statements_) {
      const bool is_part = statements_.front().accumulate || compute::reduces_points(each) ||
                           std::ranges::count_if(statements_, [&](const Statement &other) {
                             return are_of_one_case(each, other);
                           }) > 1;
      if (is_part) each.type = with_sign(each, each.type);
    }
  }

  /// Its terms are one value: has one of them a sign, all have it.
  void collect() {
    Type wide = statements_.front().type;
    for (const Statement &each : statements_)
      wide = value::common(wide, each.type);
    for (Statement &each : statements_)
      each.type = wide;
    made_.collected_in = wide;
  }

  /// Reduces values at points of all indices: max(A(i,j), b(i)) is converted, not its parts.
  void join() {
    std::vector<Statement> joined;
    for (Statement &each : statements_) {
      const auto same =
          std::ranges::find_if(joined, [&](const Statement &other) { return are_of_one_case(each, other); });
      if (same == joined.end()) {
        joined.push_back(std::move(each));
        continue;
      }
      same->value = value::reduced(same->by, std::vector{std::move(same->value), std::move(each.value)});
      for (std::string &index : each.indices)
        if (std::ranges::find(same->indices, index) == same->indices.end())
          same->indices.push_back(std::move(index));
    }
    statements_ = std::move(joined);
  }

  const Types &types_;
  TypedProgram made_;
  std::vector<Statement> &statements_ = made_.program.statements;
};

} // namespace

bool is_line(const compute::Program &program) {
  const auto &all = program.statements;
  return !all.empty() && std::ranges::all_of(all, [&](const Statement &statement) {
    return statement.is_free && statement.target.tensor == all.front().target.tensor;
  });
}

TypedProgram typed(const compute::Program &program, const Types &types) {
  return Typing(program, types).run();
}

} // namespace unravel::check
