// Which type each tensor's values have, and in which one each statement is computed.
#include "pipeline/types.h"

#include "combine/structure.h"
#include "compute/build_tree.h"
#include "compute/coordinates.h"
#include "compute/mask.h"
#include "compute/own_operators.h"
#include "parse/parse.h"

#include "report/diagnostic.h"
#include "value/exact.h"
#include "value/typed.h"

#include <cmath>
#include <fmt/format.h>
#include <set>

namespace unravel::pipeline {

namespace {

using report::Kind;
using Types = std::map<std::string, value::Type>;

std::optional<value::Type> known(const Types &types, const std::string &name) {
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// Does the statement add or multiply values, to what others compute or its own of other points?
bool sums(const compute::Statement &statement) {
  if (statement.by != value::Operator::Add && statement.by != value::Operator::Multiply) return false;
  return statement.accumulate || compute::reduces_points(statement);
}

auto type_of_leaf(const Types &types) {
  return [&types](const compute::Value &leaf) {
    const auto *access = std::get_if<compute::Access>(&leaf.kind);
    return access ? known(types, access->tensor) : std::optional(value::Type::Int64);
  };
}

/// As far as the types of what it reads are known.
std::optional<value::Type> type_of(const compute::Statement &statement, const Types &types) {
  return value::computed_in(statement.value, type_of_leaf(types));
}

bool are_terms_of_line(const compute::Statement &one, const compute::Statement &other) {
  return one.is_free && other.is_free && one.target.tensor == other.target.tensor;
}

/// The statements of a line are its terms, which are computed in one type: that of all that the line reads.
std::optional<value::Type> type_of_line(const std::vector<compute::Statement> &statements,
                                        const compute::Statement &term, const Types &types) {
  std::vector<compute::Value> terms;
  for (const compute::Statement &each : statements)
    if (are_terms_of_line(each, term)) terms.push_back(each.value);
  if (terms.size() < 2) return type_of(term, types);
  return value::computed_in(value::apply(value::Operator::Add, std::move(terms)), type_of_leaf(types));
}

/// And of the same case of its mask: both are computed at a point, or none is.
bool are_terms_of_case(const compute::Statement &one, const compute::Statement &other) {
  return are_terms_of_line(one, other) && one.condition == other.condition &&
         compute::to_text(one.masks) == compute::to_text(other.masks);
}

/// Is the value computed at the same points as others that have the target's indices?
bool has_points_of_target(const compute::Statement &term) {
  bool is_shifted = false;
  value::each_leaf<compute::Access>(term.value, [&](const compute::Access &read) {
    is_shifted = is_shifted || std::ranges::any_of(read.subscripts, &compute::Subscript::shift);
  });
  return !is_shifted && !compute::reduces_points(term);
}

/// Where terms can't be converted one by one, those of a case are one value, which is converted once: those
/// that are reduced by an idempotent operator with the indices of all, others where the line reduces nothing
/// else.
void join_terms(std::vector<compute::Statement> &statements, const Types &types) {
  for (std::size_t first = 0; first < statements.size(); ++first) {
    compute::Statement &line = statements[first];
    if (!line.is_free || compute::may_convert_terms(line, types)) continue;
    const auto is_term = [&](const compute::Statement &each) { return are_terms_of_case(each, line); };
    const bool takes_all = value::laws_of(line.by).is_idempotent && !line.product;
    std::vector<compute::Value> terms;
    std::vector<std::string> indices = line.indices;
    bool may_join = true;
    for (const compute::Statement &each : statements) {
      if (!is_term(each)) continue;
      terms.push_back(each.value);
      for (const std::string &index : each.indices)
        if (std::ranges::find(indices, index) == indices.end()) indices.push_back(index);
      may_join = may_join && (takes_all || has_points_of_target(each));
    }
    if (terms.size() < 2 || !may_join) continue;
    line.value = value::reduced(line.by, std::move(terms));
    line.indices = std::move(indices);
    const auto rest = statements.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    statements.erase(std::remove_if(rest, statements.end(), is_term), statements.end());
  }
}

bool is_subtracted(const compute::Value &value) {
  return std::ranges::any_of(value::parts_by(value::Operator::Add, value), [](const compute::Value &part) {
    const value::Quotient quotient = value::quotient_of(part);
    return quotient.constant < 0;
  });
}

/// Are values of the statement combined in the target, with each other or others?
bool is_part(const compute::Statement &statement, const std::vector<compute::Statement> &all) {
  if (!statement.is_free) return statement.accumulate;
  const auto is_of_line = [&](const auto &each) { return are_terms_of_line(each, statement); };
  const auto is_of_case = [&](const auto &each) { return are_terms_of_case(each, statement); };
  return compute::reduces_points(statement) || std::ranges::find_if(all, is_of_line)->accumulate ||
         std::ranges::count_if(all, is_of_case) > 1;
}

/// What is subtracted in the target is converted to its type before: negated without a sign it would be
/// another number there.
value::Type with_sign(const compute::Statement &statement, value::Type type, value::Type of_target) {
  const bool is_added = statement.by == value::Operator::Add && !statement.product;
  if (!is_added || !value::is_integer(type) || value::facts_of(type).is_signed ||
      !is_subtracted(statement.value))
    return type;
  return value::common(type, of_target);
}

/// A number that makes f64 of integers, also of those that other statements compute for the target.
bool has_fraction(const compute::Statement &statement) {
  value::TypedParts parts;
  value::collect_types(
      statement.value, [](const compute::Value &) { return std::optional<value::Type>(); }, true, parts);
  return parts.is_fraction;
}

/// The types of what statements write, where nothing says them: those of what is computed for it.
class TargetTypes {
public:
  /// `said`: types that are given. `open`: that of what nothing tells.
  TargetTypes(const std::vector<compute::Statement> &statements, const Types &said, value::Type open)
      : statements_(statements), said_(said), open_(open) {
    for (const compute::Statement &statement : statements) {
      const std::string &target = statement.target.tensor;
      if (sums(statement)) summed_.insert(target);
      if (has_fraction(statement)) fractions_.insert(target);
      numbers_.insert(target);
    }
    const auto reads_others = [&](const compute::Statement &statement) {
      return numbers_.contains(statement.target.tensor) && has_other_leaves(statement.value);
    };
    for (auto other = std::ranges::find_if(statements, reads_others); other != statements.end();
         other = std::ranges::find_if(statements, reads_others))
      numbers_.erase(other->target.tensor);
  }

  /// C promotes what it adds: a sum of int8 values is an int32.
  value::Type as_summed(const compute::Statement &statement, value::Type type) const {
    return summed_.contains(statement.target.tensor) ? value::promoted(type) : type;
  }

  /// Counts, and sums of integers into a scalar, have 64 bits, as NumPy's sums have.
  value::Type as_result(const compute::Statement &statement, value::Type type) const {
    const bool is_wide = sums_up(statement) && value::is_integer(type) &&
                         (statement.target.subscripts.empty() || type == value::Type::Bool);
    if (!is_wide) return as_summed(statement, type);
    return value::common(type, value::facts_of(value::promoted(type)).is_signed ? value::Type::Int64
                                                                                : value::Type::UInt64);
  }

  /// `before`: of what results hold before. What is read counts as soon as its type is known. Where no other
  /// is found, what numbers alone are set to gets one; then what is left.
  Types found(const Types &before) const {
    Types all = said_;
    for (const auto &[target, type] : before)
      join(target, type, all);
    while (join_computed(all) || join_numbers(all) || join_rest(all)) {
    }
    return all;
  }

private:
  /// Is there something else than numbers, and targets that numbers alone are set to?
  bool has_other_leaves(const compute::Value &value) const {
    bool found = false;
    value::each_leaf<compute::Access>(
        value, [&](const compute::Access &read) { found = found || !numbers_.contains(read.tensor); });
    compute::each_coordinate(value, [&](const std::string &) { found = true; });
    return found;
  }

  /// Is it another type then?
  bool join(const std::string &target, value::Type type, Types &all) const {
    if (said_.contains(target)) return false;
    if (value::is_integer(type) && fractions_.contains(target)) type = value::Type::Float64;
    const auto [own, is_new] = all.emplace(target, type);
    const value::Type joined = own->second == type ? type : value::common(own->second, type);
    return std::exchange(own->second, joined) != joined || is_new;
  }

  bool join_computed(Types &all) const {
    bool changed = false;
    for (const compute::Statement &statement : statements_)
      if (const auto type = type_of(statement, all))
        changed = join(statement.target.tensor, as_result(statement, *type), all) || changed;
    return changed;
  }

  /// What is set to numbers alone is like a number: it has the type of the statements that read it.
  bool join_numbers(Types &all) const {
    std::vector<std::pair<std::string, value::Type>> read;
    for (const compute::Statement &statement : statements_)
      if (const auto type = type_of(statement, all))
        value::each_leaf<compute::Access>(statement.value, [&](const compute::Access &access) {
          if (numbers_.contains(access.tensor) && !all.contains(access.tensor))
            read.emplace_back(access.tensor, value::type_of_parts(*type));
        });
    for (const auto &[target, type] : read)
      join(target, type, all);
    return !read.empty();
  }

  bool join_rest(Types &all) const {
    bool changed = false;
    for (const compute::Statement &statement : statements_)
      if (!all.contains(statement.target.tensor))
        changed = join(statement.target.tensor, open_, all) || changed;
    return changed;
  }

  const std::vector<compute::Statement> &statements_;
  const Types &said_;
  value::Type open_;
  std::set<std::string> summed_, fractions_, numbers_; // these: set to numbers alone
};

/// Of a tensor's values, as they are in its file, or in its arrays of which the layout leaves the type open.
std::optional<value::Type> type_of_data(const Request &request, const std::string &tensor,
                                        const layout::Layout &layout) {
  const auto arrays = request.arrays.find(tensor);
  if (arrays == request.arrays.end()) return known(request.files, tensor);
  return layout::type_of_open_values(layout,
                                     [&](const std::string &array) { return known(arrays->second, array); });
}

/// An infinite fill is the end of its tensor's type, which absorbs nothing: a sum with it wraps around,
/// whether a layout stores it or not.
void set_ends(compute::Statement &statement, const Types &types) {
  compute::each_read(statement, [&](compute::Access &access) {
    const value::Type own = known(types, access.tensor).value_or(statement.type);
    if (access.fill && value::is_integer(own)) access.fill = value::Scalar::of(*access.fill, own).number();
  });
}

void check_fills(const compute::Fills &fills, const Types &types) {
  for (const auto &[tensor, fill] : fills)
    if (const auto type = known(types, tensor); type && !std::isinf(fill) && !value::holds(*type, fill))
      report::fail(report::Kind::value_width,
                   fmt::format("the fill of `{}`, {}, is not a value of type {}", tensor, fill,
                               value::facts_of(*type).word),
                   "give the tensor a type that holds it");
}

text::Span span_of(const compute::Statement &statement) {
  return statement.target.span;
}

/// Operators that there are for the type in which they are computed.
class ComplexCheck {
public:
  ComplexCheck(const compute::Statement &statement, const Types &types)
      : statement_(statement), types_(types) {}

  void check() const {
    check(statement_.value, statement_.type);
    if (statement_.product && value::is_complex(statement_.type))
      require(*statement_.product, statement_.type);
    const value::Type target = known(types_, statement_.target.tensor).value_or(statement_.type);
    if (value::is_complex(target)) require(statement_.by, target);
    if (value::is_complex(statement_.type) && !value::is_complex(target) &&
        !value::number_of(statement_.value))
      report::fail(Kind::value_width, span_of(statement_),
                   fmt::format("`{}` is {}, but what is computed for it is {}", statement_.target.tensor,
                               value::facts_of(target).word, value::facts_of(statement_.type).word),
                   "take `real(...)`, `imag(...)` or `abs(...)` of it, or give the result a complex type");
  }

private:
  void check(const compute::Value &tree, value::Type type) const {
    const auto *made = std::get_if<compute::Value::Apply>(&tree.kind);
    if (!made) return;
    const auto of_leaf = [&](const compute::Value &leaf) {
      const auto *access = std::get_if<compute::Access>(&leaf.kind);
      return access ? known(types_, access->tensor) : std::optional(value::Type::Int64);
    };
    const auto below = value::type_below(*made, of_leaf, type);
    if (!below && value::is_complex(type)) require(made->op, type);
    for (const compute::Value &argument : made->arguments)
      check(argument, below.value_or(type));
  }

  void require(const value::Operator &op, value::Type type) const {
    if (value::holds_for_complex(op)) return;
    const value::Laws &laws = value::laws_of(op);
    const std::string name(laws.symbol.empty() ? laws.name : laws.symbol);
    const bool is_own = op.own() != nullptr;
    report::fail(Kind::value_width, span_of(statement_),
                 fmt::format("`{}` is not defined for complex numbers, in which `{}` is computed ({})", name,
                             statement_.target.tensor, value::facts_of(type).word),
                 is_own ? "its definition, or a law that is stated of it, is one of real numbers"
                 : op == value::Operator::Power ? "write `exp(b * log(a))`"
                 : value::is_truth(op) ? "complex numbers have no order, and are not truth values: compare "
                                         "`real(...)`, `imag(...)` or `abs(...)`"
                                       : "complex numbers have no order: take `real(...)`, `imag(...)` or "
                                         "`abs(...)` of them");
  }

  const compute::Statement &statement_;
  const Types &types_;
};

void settle_layout(layout::Layout &layout, value::Type type, value::Type open) {
  if (type != open) layout = layout::with_values(std::move(layout), type);
}

/// Tensors with index arrays of other widths have structs of other names.
void settle_indices(layout::Layout &layout, value::Type type, value::Type open) {
  bool changed = false;
  for (layout::Array &array : layout.arrays) {
    if (type == open || array.is_value || !array.element.empty()) continue;
    array.element = value::facts_of(type).name;
    changed = true;
  }
  if (!changed) return;
  if (layout.base_name.empty()) layout.base_name = layout.name;
  layout.base_name += "_" + std::string(value::facts_of(type).name);
}

void settle_indices(const Request &request, Front &front) {
  const std::string lender = combine::lender_of(front.structure, front.computation.program);
  for (auto &[tensor, layout] : front.layouts) {
    const bool borrows = !lender.empty() && tensor == front.computation.tensors.front().name;
    const auto known = request.elements.find(borrows ? lender : tensor);
    if (known == request.elements.end() || !known->second.index) continue;
    const auto packed = front.packed.find(tensor);
    settle_indices(packed == front.packed.end() ? layout : packed->second.layout, *known->second.index,
                   request.index);
  }
}

} // namespace

bool sums_up(const compute::Statement &statement) {
  if (statement.by != value::Operator::Add) return false;
  return statement.is_free ? statement.indices.size() > statement.target.subscripts.size()
                           : statement.accumulate;
}

void settle_types(const Request &request, Front &front) {
  const value::Type open = request.value.value_or(value::Type::Float64);
  Types &types = front.types;
  for (const auto &[tensor, elements] : request.elements)
    if (elements.value && front.layouts.contains(tensor)) types.emplace(tensor, *elements.value);
  std::vector<compute::Statement> &statements = front.computation.program.statements;
  Types before; // of what results hold before, to which they are updated
  for (const compute::TensorUse &use : front.computation.tensors) {
    const auto own = front.layouts.find(use.name);
    if (own == front.layouts.end()) continue;
    const auto packed = front.packed.find(use.name);
    const layout::Layout &layout = packed == front.packed.end() ? own->second : packed->second.layout;
    const bool is_open = std::ranges::any_of(
        layout.arrays, [](const layout::Array &array) { return array.is_value && array.element.empty(); });
    const std::optional<value::Type> data = type_of_data(request, use.name, layout);
    if (use.is_result && is_open && !request.value) {
      if (data && !types.contains(use.name)) before.emplace(use.name, *data);
      continue;
    }
    const value::Type wanted = request.value ? open : data.value_or(open);
    if (const auto type = layout::type_of_values(layout, wanted)) types.emplace(use.name, *type);
  }
  const TargetTypes written(statements, types, open);
  types.merge(written.found(before));
  for (compute::Statement &statement : statements) {
    const value::Type of_target = types.at(statement.target.tensor);
    statement.type = type_of_line(statements, statement, types).value_or(of_target);
  }
  join_terms(statements, types);
  for (compute::Statement &statement : statements) {
    const value::Type of_target = types.at(statement.target.tensor);
    const value::Type own = written.as_summed(statement, statement.type);
    if (statement.type != of_target)
      statement.type = is_part(statement, statements) ? with_sign(statement, own, of_target) : own;
    statement.types = types;
    set_ends(statement, types);
  }
  front.computation.types = types;
  for (const compute::Statement &statement : statements)
    ComplexCheck(statement, types).check();
  check_fills(front.computation.program.fills, types);
  compute::check_laws_in_types(front.computation.program, types);
  for (auto &[tensor, layout] : front.layouts)
    if (const auto type = known(types, tensor)) settle_layout(layout, *type, open);
  for (auto &[tensor, packed] : front.packed) {
    settle_layout(packed.layout, types.at(tensor), open);
    settle_list(front.layouts.at(tensor), types.at(tensor));
  }
  settle_indices(request, front);
}

void fail_converted(const compute::Statement &first, const std::string &how) {
  const std::string own(value::facts_of(first.type).word), result = first.target.tensor;
  const value::Type type = compute::type_of(first.types, result);
  report::fail(report::Kind::not_supported, first.target.span,
               fmt::format("what is reduced{} into `{}` is {}, and is converted to {} as a whole", how,
                           result, own, value::facts_of(type).word),
               fmt::format("give `{}` the type {}", result, own));
}

void settle_list(layout::Layout &list, value::Type of_result) {
  for (layout::Array &array : list.arrays)
    if (array.is_value) array.element = value::facts_of(value::widest(of_result)).word;
}

void put_program(const parse::ProgramTree &tree, compute::Fills fills, Front &front) {
  front.tree = tree;
  front.program = parse::to_text(tree);
  const compute::Computation before = std::move(front.computation);
  front.computation = compute::make_computation(tree, fills);
  front.computation.text = before.text;
  // However a line is computed, its kernel takes the tensors in the order of the line.
  std::ranges::stable_sort(front.computation.tensors, {}, [&](const compute::TensorUse &use) {
    return std::ranges::find(before.tensors, use.name, &compute::TensorUse::name) - before.tensors.begin();
  });
}

void set_type_of_local(const std::string &local, Front &front) {
  const std::vector<compute::Statement> &line = front.computation.program.statements;
  const bool is_one_value = std::ranges::all_of(line, [&](const compute::Statement &each) {
    const auto is_of_case = [&](const auto &other) { return are_terms_of_case(each, other); };
    return value::is_integer(each.type) && each.type == line.front().type && !compute::reduces_points(each) &&
           std::ranges::count_if(line, is_of_case) == 1;
  });
  front.types[local] =
      is_one_value ? line.front().type : front.types.at(front.computation.tensors.front().name);
}

compute::Fills fills_with_initial(const compute::Program &line) {
  const std::string &result = line.statements.front().target.tensor;
  compute::Fills fills = line.fills;
  if (const double initial = compute::initial_of(line, result); initial != 0) fills.emplace(result, initial);
  return fills;
}

void take_program(const Request &request, const parse::ProgramTree &tree, Front &front) {
  front.is_planned = true;
  put_program(tree, fills_with_initial(front.computation.program), front);
  settle_types(request, front);
}

} // namespace unravel::pipeline
