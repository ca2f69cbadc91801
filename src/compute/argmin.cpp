#include "compute/argmin.h"

#include "compute/build_tree.h"
#include "compute/own_operators.h"
#include "compute/subscripts.h"
#include "compute/taken_names.h"
#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace unravel::compute {

using parse::AssignmentTree;
using parse::Expression;
using parse::Name;
using parse::StatementTree;
using report::Kind;
using AssignOp = AssignmentTree::Operator;

namespace {

const Expression *sum_in(const Expression &written) {
  if (written.kind == Expression::Kind::Add) return &written;
  for (const Expression &child : written.children)
    if (const Expression *found = sum_in(child)) return found;
  return nullptr;
}

/// Tensors' modes: an access of each, and whether a plain index subscripts it in one of them.
using Modes = std::map<std::pair<std::string, std::size_t>, std::pair<text::Span, bool>>;

/// One such assignment taken apart.
class Argmin {
public:
  /// `outside`: the names that stand for one number each where the statement is executed.
  Argmin(const AssignmentTree &tree, const Operators &operators, const std::set<std::string> &outside)
      : tree_(tree), operators_(operators), span_(tree.value.span), name_(tree.value.name.text),
        by_(name_ == "argmin" ? "min" : "max") {
    check_form();
    add_subscripts(value(), operators, subscripts_);
    std::vector<Name> named;
    add_names(coordinate(), named);
    for (const Name &name : named)
      if (!outside.contains(name.text)) reduced_.push_back(name);
    if (reduced_.empty() || std::ranges::any_of(reduced_, [&](auto &each) { return !is_subscript(each); }))
      report::fail(Kind::unknown_variable, coordinate().span,
                   fmt::format("`{}` has no index that subscripts something in `{}` and is not the result's",
                               coordinate().span.text(), value().span.text()),
                   fmt::format("name the index whose value is wanted: `p(i) = {}(j, A(i,j))`", name_));
  }

  const std::vector<Name> &reduced() const { return reduced_; }

  /// All other indices must be those of the result.
  void check_indices(const std::set<std::string> &outside) const {
    for (const Name &name : subscripts_)
      if (!outside.contains(name.text) && !contains(reduced_, name.text, &Name::text))
        report::fail(Kind::unknown_variable, name.span,
                     fmt::format("`{}` is neither an index of the result nor in `{}`", name.text,
                                 coordinate().span.text()),
                     fmt::format("compute the sum over `{}` first, into a tensor of its own", name.text));
  }

  /// The loops that a line becomes have the extents of what they subscript.
  void check_extents() const {
    Modes modes;
    add_modes(value(), modes);
    if (tree_.mask) add_modes(*tree_.mask, modes);
    for (const auto &[mode, found] : modes)
      if (const auto &[span, is_known] = found; !is_known)
        report::fail(
            Kind::unknown_extent, span,
            fmt::format("`{}`: no plain index subscripts mode {} of `{}`, so `{}` can't know how far "
                        "it reaches",
                        span.text(), mode.second, mode.first, name_),
            fmt::format("compute it first, into a tensor of its own, as in `B(i,j) = A(i,j+1)`, then "
                        "`p(i) = {}(j, B(i,j))`",
                        name_));
  }

  /// Of the values.
  StatementTree to_best(const Expression &best) const { return reduction(by_, best, value()); }

  /// Of the coordinates of what is best.
  StatementTree to_coordinate(const Expression &best, const Expression &at) const {
    Expression is_best;
    is_best.kind = Expression::Kind::Compare;
    is_best.span = span_;
    is_best.children = {value(), best};
    is_best.comparisons = {Expression::Comparison::Equal};
    // Behind `bool` the types of what is compared don't matter: the coordinate stays an integer.
    return reduction(
        "min", at,
        parse::called("select", {parse::called("bool", {is_best}, span_), coordinate(), infinity(1)}, span_));
  }

  /// Over the indices, each of an array's extent: best, then its coordinate.
  std::vector<StatementTree> reductions(const std::vector<Name> &around, const Expression &best,
                                        const Expression &at, std::vector<StatementTree> between) const {
    std::vector<Name> loops = around;
    loops.insert(loops.end(), reduced_.begin(), reduced_.end());
    std::vector<StatementTree> made = in_loops(loops, {to_best(best)});
    append(made, std::move(between));
    append(made, in_loops(loops, {to_coordinate(best, at)}));
    return made;
  }

  const text::Span &span() const { return span_; }
  Expression worst() const { return infinity(by_ == "min" ? 1 : -1); }
  Expression none() const { return infinity(1); }

private:
  const Expression &coordinate() const { return tree_.value.children[0]; }
  const Expression &value() const { return tree_.value.children[1]; }

  void add_modes(const Expression &written, Modes &modes) const {
    const bool is_access = written.kind == Expression::Kind::Call && !operators_.called(written.name.text);
    for (std::size_t k = 0; k < written.children.size(); ++k) {
      const bool is_plain = written.children[k].kind == Expression::Kind::Name;
      if (is_access) {
        auto &known =
            modes.emplace(std::pair(written.name.text, k), std::pair(written.span, false)).first->second;
        known.second = known.second || is_plain;
      }
      add_modes(written.children[k], modes);
    }
  }

  bool is_subscript(const Name &name) const { return contains(subscripts_, name.text, &Name::text); }

  Expression infinity(int sign) const {
    return number_expression(sign * std::numeric_limits<double>::infinity(), span_);
  }

  void check_form() const {
    if (tree_.value.children.size() != 2)
      report::fail(Kind::unknown_operator, span_,
                   fmt::format("`{}` takes a coordinate and a value, not {} argument{}", name_,
                               tree_.value.children.size(), tree_.value.children.size() == 1 ? "" : "s"),
                   fmt::format("write `p(i) = {}(j, A(i,j))`", name_));
    if (tree_.op != AssignOp::Set)
      report::fail(Kind::unknown_operator, span_,
                   fmt::format("a coordinate that `{}` finds is assigned by `=`", name_),
                   "what it is reduced with would be another coordinate");
    if (!tree_.semiring) return;
    if (tree_.semiring->add.text != by_)
      report::fail(Kind::unknown_operator, tree_.semiring->add.span,
                   fmt::format("`{}` reduces by `{}`, not by `{}`", name_, by_, tree_.semiring->add.text),
                   fmt::format("write `in {}.{}`", by_, tree_.semiring->multiply.text));
    if (coordinate().kind != Expression::Kind::Name)
      report::fail(Kind::not_a_product, coordinate().span,
                   fmt::format("`{}` is no index: with `in` the coordinate of `{}` is one index",
                               coordinate().span.text(), name_),
                   "leave out `in`; `mask A(i,j)` leaves what A stores");
    if (const Expression *sum = sum_in(value()))
      report::fail(Kind::not_a_product, sum->span,
                   fmt::format("`{}` is a sum: with `in` the value that `{}` looks at is one product",
                               sum->span.text(), name_),
                   "compute the sum by itself first, into a tensor of its own");
  }

  StatementTree reduction(const std::string &by, const Expression &target, Expression made) const {
    StatementTree one = assign(StatementTree::Kind::Assign, AssignOp::Reduce, target, std::move(made));
    one.assignment.reduction = {by, span_};
    one.assignment.span = one.span = tree_.span;
    one.assignment.mask = tree_.mask;
    if (tree_.semiring)
      one.assignment.semiring = parse::SemiringTree{{by, span_}, tree_.semiring->multiply, span_};
    return one;
  }

  const AssignmentTree &tree_;
  const Operators &operators_;
  const text::Span span_;
  const std::string name_, by_;
  std::vector<Name> subscripts_, reduced_;
};

StatementTree let(const Expression &target, Expression value) {
  return assign(StatementTree::Kind::Local, AssignOp::Set, target, std::move(value));
}

StatementTree set(const Expression &target, Expression value) {
  return assign(StatementTree::Kind::Assign, AssignOp::Set, target, std::move(value));
}

/// With a scalar, where the loops around have given the result's indices their values.
std::vector<StatementTree> by_rows_text(const Argmin &made, const Expression &target, bool is_local,
                                        TakenNames &taken) {
  const Expression best = access_expression({taken.fresh("best"), target.span}, {});
  std::vector<StatementTree> body{let(best, made.worst())};
  for (StatementTree &each : made.reductions({}, best, target, {(is_local ? let : set)(target, made.none())}))
    body.push_back(std::move(each));
  return body;
}

std::vector<Name> indices_of_result(const Expression &target) {
  std::vector<Name> indices;
  for (const Expression &subscript : target.children) {
    if (subscript.kind != Expression::Kind::Name || contains(indices, subscript.name.text, &Name::text))
      report::fail(Kind::bad_subscript, subscript.span,
                   fmt::format("`{}`: what a result of coordinates is subscripted by are indices, each once",
                               target.span.text()));
    indices.push_back(subscript.name);
  }
  return indices;
}

std::set<std::string> texts_of(const std::vector<Name> &names) {
  std::set<std::string> texts;
  for (const Name &name : names)
    texts.insert(name.text);
  return texts;
}

class ArgminRewriter {
public:
  explicit ArgminRewriter(const parse::ProgramTree &tree) : operators_(tree.operators), taken_(tree) {
    std::vector<Name> sizes;
    for (const parse::SizeTree &size : tree.sizes)
      outside_.insert(size.name.text);
    for (const parse::TensorTree &tensor : tree.tensors)
      for (const Expression &extent : tensor.extents)
        add_names(extent, sizes);
    for (const Name &size : sizes)
      outside_.insert(size.text);
  }

  std::vector<StatementTree> rewritten(std::vector<StatementTree> body) {
    std::vector<StatementTree> made;
    for (StatementTree &statement : body) {
      const bool is_local = statement.kind == StatementTree::Kind::Local;
      if ((is_local || statement.kind == StatementTree::Kind::Assign) && is_argmin(statement.assignment)) {
        const Expression &target = statement.assignment.target;
        if (is_local && !target.children.empty())
          report::fail(
              Kind::not_supported, statement.span,
              fmt::format("`{}` as the first value of a local tensor", statement.assignment.value.name.text),
              "set it in a loop behind `let`, element by element");
        const Argmin parts(statement.assignment, operators_, outside_);
        for (StatementTree &each : by_rows_text(parts, target, is_local, taken_))
          made.push_back(std::move(each));
        continue;
      }
      const bool is_loop = statement.kind == StatementTree::Kind::For;
      const bool is_news = is_loop && outside_.insert(statement.variable.text).second;
      statement.body = rewritten(std::move(statement.body));
      if (is_news) outside_.erase(statement.variable.text);
      made.push_back(std::move(statement));
    }
    return made;
  }

private:
  const Operators operators_;
  TakenNames taken_;
  std::set<std::string> outside_;
};

} // namespace

bool is_argmin(const std::string &name) {
  return name == "argmin" || name == "argmax";
}

bool is_argmin(const AssignmentTree &assignment) {
  return assignment.value.kind == Expression::Kind::Call && is_argmin(assignment.value.name.text);
}

namespace {

/// An assignment that is a line, checked as one.
struct CheckedLine {
  explicit CheckedLine(const AssignmentTree &line)
      : operators(line.operators), indices(indices_of_result(line.target)), outside(texts_of(indices)),
        parts(line, operators, outside) {
    parts.check_indices(outside);
    parts.check_extents();
  }

  Expression best_of(const std::vector<Name> &modes, TakenNames &taken) const {
    return access_expression({taken.fresh("best"), parts.span()}, modes);
  }

  const Operators operators;
  const std::vector<Name> indices;
  const std::set<std::string> outside;
  const Argmin parts;
};

/// The loops' assignment, where they are all loops over its target's indices, each over a whole mode.
const AssignmentTree *line_in(const StatementTree &loops) {
  std::set<std::string> variables;
  const StatementTree *inner = &loops;
  for (; inner->kind == StatementTree::Kind::For && inner->body.size() == 1; inner = &inner->body.front()) {
    if (inner->low || inner->high || inner->until) return nullptr;
    variables.insert(inner->variable.text);
  }
  if (variables.empty() || inner->kind != StatementTree::Kind::Assign || !is_argmin(inner->assignment))
    return nullptr;
  std::vector<Name> indices;
  for (const Expression &subscript : inner->assignment.target.children)
    add_names(subscript, indices);
  return texts_of(indices) == variables ? &inner->assignment : nullptr;
}

class LineReplacer {
public:
  LineReplacer(const parse::ProgramTree &program, const MadeOfLine &made_of)
      : operators_(program.operators), made_of_(made_of) {}

  /// Is one replaced?
  bool replace_in(std::vector<StatementTree> &body) const {
    bool has_news = false;
    std::vector<StatementTree> all;
    for (StatementTree &statement : body) {
      std::optional<std::vector<StatementTree>> made;
      if (const AssignmentTree *found = line_in(statement)) {
        AssignmentTree line = *found;
        line.operators = operators_;
        made = made_of_(line);
      }
      if (made) {
        has_news = true;
        append(all, std::move(*made));
      } else {
        has_news = replace_in(statement.body) || has_news;
        all.push_back(std::move(statement));
      }
    }
    body = std::move(all);
    return has_news;
  }

private:
  const std::vector<parse::OperatorTree> &operators_;
  const MadeOfLine &made_of_;
};

} // namespace

parse::ProgramTree with_argmin(const AssignmentTree &assignment, bool by_rows) {
  const CheckedLine line(assignment);
  TakenNames taken(assignment);
  const Argmin &made = line.parts;
  const std::vector<Name> &indices = line.indices;
  parse::ProgramTree program;
  program.operators = assignment.operators;
  program.span = assignment.span;
  const Expression &target = assignment.target;
  if (by_rows || indices.empty()) {
    program.body = in_loops(indices, by_rows_text(made, target, false, taken));
    return program;
  }
  const Expression best = line.best_of(indices, taken);
  program.body = {let(best, made.worst())};
  for (StatementTree &each :
       made.reductions(indices, best, target, in_loops(indices, {set(target, made.none())})))
    program.body.push_back(std::move(each));
  return program;
}

std::pair<AssignmentTree, AssignmentTree> lines_of_argmin(const AssignmentTree &assignment,
                                                          TakenNames &taken) {
  const CheckedLine line(assignment);
  const Expression best = line.best_of(line.indices, taken);
  std::pair made(line.parts.to_best(best).assignment,
                 line.parts.to_coordinate(best, assignment.target).assignment);
  made.first.operators = made.second.operators = assignment.operators;
  return made;
}

std::optional<parse::ProgramTree> with_lines_of_argmin(parse::ProgramTree program,
                                                       const MadeOfLine &made_of) {
  const bool has_news = LineReplacer(program, made_of).replace_in(program.body);
  return has_news ? std::optional(std::move(program)) : std::nullopt;
}

parse::ProgramTree with_argmin(parse::ProgramTree program) {
  ArgminRewriter rewriter(program);
  program.body = rewriter.rewritten(std::move(program.body));
  return program;
}

void fail_argmin_inside(const Expression &written) {
  report::fail(Kind::unknown_operator, written.span,
               fmt::format("`{}` stands alone as a value that is assigned", written.name.text),
               fmt::format("in a program assign it first: `let at = {};`", written.span.text()));
}

} // namespace unravel::compute
