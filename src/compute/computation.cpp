#include "compute/computation.h"

#include "report/diagnostic.h"
#include "term/term.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unravel::compute {

using parse::Expression;
using report::Kind;

namespace {

class Maker {
public:
  explicit Maker(const parse::AssignmentTree &tree) : tree_(tree) {}

  Computation make() {
    result_.text = tree_.span.text();
    Statement made;
    made.accumulate = tree_.op == parse::AssignmentTree::Operator::Add;
    made.target = access(tree_.target, true);
    multiply(tree_.value, made.summands.emplace_back());
    made.is_free = true;
    made.indices = result_.indices;
    made.place = {0};
    made.span = tree_.span;
    result_.program.statements.push_back(std::move(made));
    return std::move(result_);
  }

private:
  void note_index(const std::string &index) {
    if (std::find(result_.indices.begin(), result_.indices.end(), index) == result_.indices.end())
      result_.indices.push_back(index);
  }

  /// index, index + 2, index - 1, 2 + index.
  Subscript subscript(const Expression &written) {
    auto refuse = [&]() {
      report::fail(Kind::bad_subscript, written.span,
                   fmt::format("`{}` is not an index variable plus a constant", written.span.text()),
                   "subscripts are i, i+1, i-1 and the like; other affine subscripts are not supported yet");
    };
    Subscript result;
    switch (written.kind) {
    case Expression::Kind::Name: result.index = written.name.text; break;
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
    result.value = term::variable(result.index) + term::Term(result.shift);
    note_index(result.index);
    return result;
  }

  Access access(const Expression &written, bool is_result) {
    if (written.kind != Expression::Kind::Name && written.kind != Expression::Kind::Call)
      report::fail(Kind::bad_subscript, written.span,
                   fmt::format("`{}` is not a tensor access", written.span.text()));
    Access made;
    made.tensor = written.name.text;
    made.span = written.span;
    for (const Expression &child : written.children) {
      if (child.kind == Expression::Kind::Call)
        report::fail(
            Kind::bad_subscript, child.span,
            fmt::format("`{}` can't be a subscript of a tensor `{}`", child.span.text(), made.tensor),
            "functions such as max, abs or sqrt are not supported, nor are subscripts that a tensor "
            "holds");
      made.subscripts.push_back(subscript(child));
    }
    auto known = std::find_if(result_.tensors.begin(), result_.tensors.end(),
                              [&](const TensorUse &use) { return use.name == made.tensor; });
    if (known == result_.tensors.end()) {
      result_.tensors.push_back({made.tensor, made.subscripts.size(), is_result, written.span});
    } else if (known->is_result) {
      report::fail(Kind::result_is_operand, written.span,
                   fmt::format("the result `{}` is also an operand", made.tensor),
                   "compute into a tensor of another name");
    } else if (known->order != made.subscripts.size()) {
      report::fail(Kind::order_mismatch, written.span,
                   fmt::format("`{}` has {} subscript{} here, but {} before", made.tensor,
                               made.subscripts.size(), made.subscripts.size() == 1 ? "" : "s", known->order));
    }
    made.occurrence = ++occurrences_[made.tensor];
    return made;
  }

  void multiply(const Expression &written, Product &into) {
    switch (written.kind) {
    case Expression::Kind::Integer: into.constant *= static_cast<double>(written.integer); return;
    case Expression::Kind::Decimal: into.constant *= written.decimal; return;
    case Expression::Kind::Negate:
      into.constant = -into.constant;
      multiply(written.children[0], into);
      return;
    case Expression::Kind::Multiply:
      for (const Expression &child : written.children)
        multiply(child, into);
      return;
    case Expression::Kind::Name:
    case Expression::Kind::Call: into.factors.push_back(access(written, false)); return;
    case Expression::Kind::Divide:
      if (written.children[1].kind == Expression::Kind::Integer ||
          written.children[1].kind == Expression::Kind::Decimal) {
        double divisor = written.children[1].kind == Expression::Kind::Integer
                             ? static_cast<double>(written.children[1].integer)
                             : written.children[1].decimal;
        if (divisor == 0) report::fail(Kind::not_a_product, written.children[1].span, "division by zero");
        into.constant /= divisor;
        multiply(written.children[0], into);
        return;
      }
      report::fail(Kind::not_a_product, written.span, "division by a tensor is not supported yet",
                   "products of tensors and constants are; keep the reciprocals in a tensor");
    case Expression::Kind::Add:
    case Expression::Kind::Subtract:
      report::fail(Kind::not_a_product, written.span,
                   fmt::format("`{}` is a sum: sums of tensors are not supported yet", written.span.text()),
                   "compute each term by itself, accumulating with `+=`");
    case Expression::Kind::Modulo:
    case Expression::Kind::Compare:
    case Expression::Kind::And:
    case Expression::Kind::Or:
    case Expression::Kind::Not:
    case Expression::Kind::Implies:
    case Expression::Kind::Truth:
    case Expression::Kind::Falsity: break;
    }
    report::fail(Kind::not_a_product, written.span, fmt::format("`{}` is not a product", written.span.text()),
                 "the right side is a product of tensors and constants");
  }

  const parse::AssignmentTree &tree_;
  Computation result_;
  std::map<std::string, int> occurrences_;
};

} // namespace

Computation make_computation(const parse::AssignmentTree &tree) {
  return Maker(tree).make();
}

} // namespace unravel::compute
