#include "compute/argmin.h"
#include "compute/as_program.h"
#include "compute/coordinates.h"
#include "compute/fills.h"
#include "compute/known.h"
#include "compute/mask.h"
#include "compute/old_value.h"
#include "compute/subscripts.h"
#include "compute/summed.h"
#include "compute/summed_brackets.h"
#include "compute/value.h"

#include "report/diagnostic.h"
#include "term/limits.h"
#include "term/term.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace unravel::compute {

using parse::Expression;
using report::Kind;
using AssignOp = parse::AssignmentTree::Operator;

namespace {

class Maker {
public:
  Maker(const parse::AssignmentTree &tree, const Fills &fills)
      : tree_(tree), fills_(fills), operators_(tree.operators) {}

  Computation make() {
    result_.text = tree_.span.text();
    result_.program.operators = tree_.operators;
    check_target_name(tree_.target.name, operators_);
    subscripts_ = subscripts_of(tree_, operators_);
    const Access target = access(tree_.target, true);
    const std::vector<std::string> indices_of_result = result_.indices;
    Algebra algebra = algebra_of(tree_, operators_);
    if (tree_.op == AssignOp::Multiply) algebra.by = value::Operator::Multiply;
    Sum sum = sum_of(
        tree_.value, [this](const Expression &each) { return leaf(each); }, algebra, operators_);
    const std::set<std::string> of_result(indices_of_result.begin(), indices_of_result.end());
    if (algebra.is_plain()) {
      if (algebra.by == algebra.add) sum = summed_terms(std::move(sum), of_result, tree_.value.span);
      sum = with_affine_factors(std::move(sum),
                                [&](const Value &term) { return summed_indices(term, of_result); });
    }
    bool accumulate = tree_.op != AssignOp::Set;
    if (const auto by = accumulate ? std::nullopt : take_old_value(sum, target, algebra))
      accumulate = true, algebra.add = algebra.by = *by;
    const std::vector<MaskCase> cases = mask();
    const bool as_one = !accumulate && set_result_fill(algebra, indices_of_result);
    for (Value &term : reduced_terms(std::move(sum), algebra, as_one)) {
      Statement one;
      one.target = target;
      one.by = algebra.by;
      if (algebra.is_semiring) one.product = algebra.multiply;
      if (algebra.is_plain() && algebra.by == value::Operator::Add) one.condition = equalities_in(term);
      one.value = std::move(term);
      one.is_free = true;
      one.indices = indices_of_result;
      one.span = tree_.span;
      for (Statement &made : masked(one, cases)) {
        made.accumulate = std::exchange(accumulate, true);
        made.place = {static_cast<int>(result_.program.statements.size())};
        value::each_leaf<Access>(made.value, [&](const Access &read) {
          if (read.tensor == target.tensor) check_old_value(read, target);
        });
        each_read(made, [&](const Access &read) { note_operand(read, made.indices); });
        check_coordinates(made);
        result_.program.statements.push_back(std::move(made));
      }
    }
    return std::move(result_);
  }

private:
  /// Elements of the result for which nothing is computed are what its terms are reduced from: that is to be
  /// its fill. A line that reduces nothing may take any operator for that. Did it take another one?
  bool set_result_fill(Algebra &algebra, const std::vector<std::string> &of_result) {
    const auto fill = fills_.find(result_.tensors.front().name);
    if (fill == fills_.end() || fill->second == value::identity_of(algebra.by)) return false;
    const auto from = value::reduction_from(fill->second);
    if (!from || algebra.is_semiring || result_.indices != of_result) return false; // set_fills says so
    algebra.by = *from;
    return true;
  }

  Value leaf(const Expression &written) {
    if (written.kind == Expression::Kind::Name &&
        contains(subscripts_, written.name.text, &parse::Name::text))
      return {term::variable(written.name.text)};
    return {access(written, false)};
  }

  /// What a term subscripts with an index says which values it takes there: in its value, and in its mask.
  void check_coordinates(const Statement &term) const {
    const auto check = [&](const std::string &index, const text::Span &span) {
      if (contains(term.indices, index)) return;
      report::fail(Kind::unknown_extent, span,
                   fmt::format("`{}` is not a subscript in the term `{}`, so its range there is unknown",
                               index, to_text(term.value)),
                   "give the result or a factor of that term this index, or write a loop nest");
    };
    each_coordinate(term.value, [&](const std::string &index) { check(index, tree_.value.span); });
    for (const std::string &index : term::variables_of(term.condition))
      check(index, tree_.mask->span);
  }

  static void note(const std::string &index, std::vector<std::string> &indices) {
    if (!contains(indices, index)) indices.push_back(index);
  }

  /// Its indices are those of the result and the operands.
  std::vector<MaskCase> mask() {
    const std::vector<std::string> known = result_.indices;
    const auto check = [&](const std::string &index, const text::Span &span) {
      if (std::ranges::find(known, index) == known.end())
        report::fail(
            Kind::unknown_variable, span,
            fmt::format("`{}` is not an index of the result or an operand: a mask can't have other indices",
                        index),
            "");
    };
    return cases_of(
        tree_.mask,
        [&](const Expression &each) {
          Access made = access(each, false);
          if (made.tensor == result_.tensors.front().name)
            report::fail(Kind::result_is_operand, each.span,
                         fmt::format("the result `{}` is also a mask", made.tensor),
                         "compute into a tensor of another name");
          for (const Subscript &subscript : made.subscripts)
            check(subscript.index, each.span);
          return made;
        },
        [&](const parse::Name &name) {
          check(name.text, name.span);
          return term::variable(name.text);
        });
  }

  /// An element may be computed from what it held before, but not from other elements.
  void check_old_value(const Access &read, const Access &target) const {
    if (to_text(read) != to_text(target))
      report::fail(
          Kind::result_is_operand, read.span,
          fmt::format("`{}` is computed from another element of `{}`", target.span.text(), read.tensor),
          "compute into a tensor of another name, or write a program, whose loops say which of them "
          "is set first");
    std::set<std::string> indices;
    for (const Subscript &subscript : target.subscripts)
      if (subscript.shift != 0 || !indices.insert(subscript.index).second)
        report::fail(Kind::result_is_operand, read.span,
                     fmt::format("the old value `{}` of the result, whose subscripts aren't an index each",
                                 read.span.text()),
                     "write a program: it sets the elements that its loops come to");
  }

  static void note_operand(const Access &read, std::vector<std::string> &indices) {
    for (const Subscript &subscript : read.subscripts)
      note(subscript.index, indices);
  }

  /// index, index + 2, index - 1, 2 + index.
  Subscript subscript(const Expression &written) {
    auto refuse = [&]() {
      report::fail(Kind::bad_subscript, written.span,
                   fmt::format("`{}` is not an index variable plus a constant", written.span.text()),
                   hint_without_product(written, "subscripts are i, i+1, i-1 and the like; other affine "
                                                 "subscripts are not supported yet"));
    };
    Subscript result;
    switch (written.kind) {
    case Expression::Kind::Name:
      check_number_name(written.name, "index");
      result.index = written.name.text;
      break;
    case Expression::Kind::Add:
    case Expression::Kind::Subtract: {
      const Expression *name = &written.children[0];
      const Expression *number = &written.children[1];
      bool minus = written.kind == Expression::Kind::Subtract;
      if (!minus && name->kind == Expression::Kind::Integer) std::swap(name, number);
      if (number->kind != Expression::Kind::Integer ||
          (name->kind != Expression::Kind::Name && name->kind != Expression::Kind::Add &&
           name->kind != Expression::Kind::Subtract))
        refuse();
      result = subscript(*name);
      term::Term shift = term::Term(result.shift) + term::scale(minus ? -1 : 1, term::Term(number->integer));
      result.shift = shift.as<term::Constant>()->value;
      break;
    }
    default: refuse();
    }
    result.value =
        term::with_small_numbers(term::variable(result.index) + term::Term(result.shift), written.span);
    note(result.index, result_.indices);
    return result;
  }

  Access access(const Expression &written, bool is_result) {
    if (written.kind != Expression::Kind::Name && written.kind != Expression::Kind::Call)
      report::fail(Kind::bad_subscript, written.span,
                   fmt::format("`{}` is not a tensor access", written.span.text()));
    Access made;
    made.tensor = written.name.text;
    made.span = written.span;
    check_subscripts(written, operators_,
                     "sums need no word: all is added up over the indices that the result doesn't have");
    for (const Expression &child : written.children)
      made.subscripts.push_back(subscript(child));
    auto known = std::find_if(result_.tensors.begin(), result_.tensors.end(),
                              [&](const TensorUse &use) { return use.name == made.tensor; });
    if (known == result_.tensors.end()) {
      result_.tensors.push_back({made.tensor, made.subscripts.size(), is_result, written.span});
    } else if (known->order != made.subscripts.size()) {
      report::fail(Kind::order_mismatch, written.span,
                   fmt::format("`{}` has {} subscript{} here, but {} before", made.tensor,
                               made.subscripts.size(), made.subscripts.size() == 1 ? "" : "s", known->order));
    }
    made.occurrence = ++occurrences_[made.tensor];
    return made;
  }

  const parse::AssignmentTree &tree_;
  const Fills &fills_;
  const Operators operators_;
  Computation result_;
  std::map<std::string, int> occurrences_;
  std::vector<parse::Name> subscripts_;
};

} // namespace

Computation make_computation(const parse::AssignmentTree &tree, const Fills &fills) {
  if (is_argmin(tree)) return make_computation(with_argmin(tree, false), fills);
  Computation made = Maker(tree, fills).make();
  if (reads_old_value(made.program)) return make_computation(with_old_value(tree, made).tree, fills);
  set_fills(made, fills);
  return made;
}

std::optional<AsProgram> as_program(const parse::AssignmentTree &tree, const Fills &fills) {
  if (is_argmin(tree)) return AsProgram{with_argmin(tree, false)};
  if (auto program = with_summed_brackets(tree)) return AsProgram{std::move(*program)};
  Computation line = Maker(tree, fills).make();
  if (!reads_old_value(line.program)) return std::nullopt;
  ProgramOfOld program = with_old_value(tree, line);
  AsProgram made{std::move(program.tree), std::move(program.local)};
  set_fills(line, fills);
  made.line = with_old_operand(tree, std::move(line));
  return made;
}

value::Type type_of(const std::map<std::string, value::Type> &types, const std::string &name) {
  const auto found = types.find(name);
  return found == types.end() ? value::Type::Float64 : found->second;
}

double identity_of(const Statement &statement) {
  return value::identity_of(statement.by);
}

bool reads(const Statement &statement, const std::string &tensor) {
  bool found = false;
  each_read(statement, [&](const Access &read) { found = found || read.tensor == tensor; });
  return found;
}

bool is_factor(const Statement &statement, const Access &access) {
  for (const Mask &mask : statement.masks)
    if (mask.access.name() == access.name()) return !mask.is_absent;
  return is_factor(statement, statement.value, access);
}

bool is_factor(const Statement &statement, const Value &value, const Access &access) {
  return is_nothing_without(statement, value, {access.name()});
}

bool is_nothing_without(const Statement &statement, const Value &value, const std::set<std::string> &names) {
  const Known known = known_value(value, statement.type, statement.types, [&](const Access &read) {
    if (!names.contains(read.name())) return Known();
    if (statement.product && !read.fill) return Known::nothing();
    return Known::of(value::Scalar::of(read.fill_or_zero(), type_of(statement.types, read.tensor)));
  });
  if (known.kind != Known::Kind::Number) return known.kind == Known::Kind::Nothing;
  const auto target = statement.types.find(statement.target.tensor);
  const value::Type type = target == statement.types.end() ? statement.type : target->second;
  const value::Scalar made = value::converted(known.number, type);
  const auto identity = value::Scalar::of(identity_of(statement), type);
  return made.real == identity.real && made.integer == identity.integer && made.imaginary == 0;
}

bool is_converted_by_parts(const Statement &statement, const std::map<std::string, value::Type> &types) {
  using value::Type;
  const Type target = type_of(types, statement.target.tensor);
  if (statement.type == target || !value::is_integer(target)) return true;
  if (target == Type::Bool) return value::is_truth(statement.by);
  return value::is_integer(statement.type) && // they wrap around
         (statement.by == value::Operator::Add || statement.by == value::Operator::Multiply);
}

bool may_convert_terms(const Statement &statement, const std::map<std::string, value::Type> &types) {
  const value::Type target = type_of(types, statement.target.tensor);
  if (!is_converted_by_parts(statement, types)) return false;
  if (statement.type == target || !value::is_integer(statement.type)) return true;
  const auto bytes = [](value::Type type) { return value::facts_of(type).bytes; };
  return value::is_integer(target) && bytes(target) <= bytes(statement.type);
}

bool reduces_points(const Statement &statement) {
  std::set<std::string> kept;
  for (const Subscript &subscript : statement.target.subscripts)
    kept.insert(subscript.index);
  return statement.is_free && kept.size() < statement.indices.size();
}

bool is_reduced_before_conversion(const Program &program, const std::map<std::string, value::Type> &types) {
  if (program.statements.empty()) return false;
  const Statement &first = program.statements.front();
  const bool is_line = std::ranges::all_of(program.statements, [&](const Statement &each) {
    return each.is_free && each.target.tensor == first.target.tensor;
  });
  const value::Type target = type_of(types, first.target.tensor);
  const bool is_cut = !value::is_integer(first.type) && value::is_integer(target);
  const bool is_chosen = first.by == value::Operator::Minimum || first.by == value::Operator::Maximum ||
                         first.by == value::Operator::Any; // of what is cut in the same order
  if (!is_line || !is_cut || is_chosen) return false;
  return program.statements.size() > 1 || reduces_points(first);
}

double initial_of(const Program &program, const std::string &result) {
  if (const auto fill = fill_of(program, result)) return *fill;
  const Statement *first = free_statement_of(program, result);
  return first && first->accumulate ? identity_of(*first) : 0;
}

std::string fresh_tensor(const Computation &computation, const std::string &wanted) {
  const Program &program = computation.program;
  std::set<std::string> taken(computation.indices.begin(), computation.indices.end());
  for (const TensorUse &tensor : computation.tensors)
    taken.insert(tensor.name);
  for (const auto &locals : {program.local_tensors, program.locals})
    for (const auto &[local, around] : locals)
      taken.insert(local);
  for (const parse::OperatorTree &own : program.operators)
    taken.insert(own.name.text);
  taken.insert(program.sizes.begin(), program.sizes.end());
  std::string name = wanted;
  for (int number = 2; taken.contains(name); ++number)
    name = wanted + std::to_string(number);
  return name;
}

const Statement *free_statement_of(const Program &program, const std::string &target) {
  auto found = std::find_if(program.statements.begin(), program.statements.end(), [&](const Statement &each) {
    return each.is_free && each.target.tensor == target;
  });
  return found == program.statements.end() ? nullptr : &*found;
}

std::size_t shared_loops(const std::vector<int> &place, const std::vector<int> &other) {
  std::size_t common = 0, most = std::min(place.size(), other.size());
  while (common < most && place[common] == other[common])
    ++common;
  return common < most ? common : most - 1;
}

} // namespace unravel::compute
