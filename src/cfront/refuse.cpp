#include "cfront/refuse.h"

#include "report/diagnostic.h"

namespace unravel::cfront {

void refuse(const text::Span &span, const std::string &message, const std::string &hint) {
  report::fail(report::Kind::c_subset, span, message, hint);
}

void refuse_not_affine(const text::Span &span, const std::string &message, const std::string &hint) {
  report::fail(report::Kind::not_affine, span, message,
               hint.empty()
                   ? "subscripts, bounds and conditions are sums of loop variables and sizes, each with a "
                     "constant factor"
                   : hint);
}

void fail_too_deep(const text::Place &place) {
  report::fail(report::Kind::expression_too_large, place, "this is nested too deeply");
}

void refuse_statement(const Node &node) {
  const std::string hint =
      "supported are `for` loops that count by one, `if` on loop variables and sizes, and assignments";
  switch (node.kind) {
  case UnravelWhile:
    refuse(node.span, "a `while` loop is not supported", "write `for (int i = 0; i < n; i++)`");
  case UnravelDo: refuse(node.span, "a `do` loop is not supported", "write `for (int i = 0; i < n; i++)`");
  case UnravelSwitch: refuse(node.span, "a `switch` is not supported", "write `if` and `else`");
  case UnravelGoto: refuse(node.span, "a `goto` is not supported", hint);
  case UnravelLabel: refuse(node.span, "a label is not supported", hint);
  case UnravelBreak:
    refuse(node.span, "`break` is not supported: a loop executes all iterations within its bounds",
           "put the condition into the loop's bounds");
  case UnravelContinue:
    refuse(node.span, "`continue` is not supported",
           "put what follows into an `if` of the opposite condition");
  case UnravelReturn:
    refuse(node.span, "`return` is supported only as the last statement, without a value",
           "return results through parameters: `double *s`, and `*s = ...`");
  case UnravelTooDeep: fail_too_deep(node.span.place());
  default: refuse(node.span, "this statement is not supported", hint);
  }
}

void refuse_expression(const Node &node) {
  switch (node.kind) {
  case UnravelTooDeep: fail_too_deep(node.span.place());
  case UnravelCall:
    refuse(node.span, "the call of " + quoted(node.children[0]) + " is not supported",
           "supported functions: `fmin`, `fmax`, `fabs`, `sqrt`, `exp`, `log`, `pow`, `sin`, `cos`, `tan`, "
           "`tanh`, "
           "`floor`, `ceil`, `fma`; of complex numbers `conj`, `creal`, `cimag`, `cabs`, `csqrt`, `cexp`, "
           "`clog`, "
           "`csin`, `ccos`, `ctan`, `ctanh`");
  case UnravelAssign:
    refuse(node.span, "an assignment inside an expression is not supported", "write it as a statement");
  case UnravelConditional:
    refuse(node.span, "a choice by loop variables inside an expression is not supported",
           "write `if` and `else`; a loop's bound may be the minimum or maximum of two values");
  case UnravelUnary:
    if (node.text == "++" || node.text == "--")
      refuse(node.span, "`" + node.text + "` inside an expression is not supported",
             "write it as a statement");
    refuse(node.span, "the operator `" + node.text + "` is not supported here");
  case UnravelBinary: refuse(node.span, "the operator `" + node.text + "` is not supported here");
  case UnravelOtherExpression: refuse(node.span, "this expression is not supported");
  default: refuse(node.span, quoted(node) + " is not supported here");
  }
}

std::string quoted(const Node &node) {
  std::string text = node.span.text();
  for (char &c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return "`" + (text.size() <= 50 ? text : text.substr(0, 47) + "...") + "`";
}

} // namespace unravel::cfront
