#pragma once

#include "value/complex.h"

#include <fmt/format.h>
#include <string>

/// Values as text.
namespace unravel::value {

/// As people write it; leaf_text(leaf) is a leaf's. `outside`: how tightly what stands around it binds.
template <class Value, class LeafText>
std::string to_text(const Value &tree, const LeafText &leaf_text, int outside = 0) {
  enum { Relation = 0, Sum = 1, Product = 2, Factor = 3 };
  auto in_brackets = [&](int own, const std::string &text) {
    return own < outside ? "(" + text + ")" : text;
  };
  const auto *made = std::get_if<typename Value::Apply>(&tree.kind);
  if (const double *number = number_of(tree)) return fmt::format("{}", *number);
  if (!made) return leaf_text(tree);
  auto argument = [&](std::size_t k, int binding) { return to_text(made->arguments[k], leaf_text, binding); };
  switch (made->op.kind()) {
  case Operator::Negate: {
    const bool is_quotient = arguments_of(Operator::Divide, made->arguments.front()); // -a / b divides -a
    return in_brackets(Product, "-" + argument(0, is_quotient ? Factor : Product));
  }
  case Operator::Divide:
    return in_brackets(Product, fmt::format("{} / {}", argument(0, Product), argument(1, Factor)));
  case Operator::Complex: {
    const std::complex<double> number = constant_of(tree).value();
    const bool is_negative = std::signbit(number.imag());
    const std::string imaginary = fmt::format("{}i", std::fabs(number.imag()));
    if (number.real() == 0) return is_negative ? in_brackets(Product, "-" + imaginary) : imaginary;
    return in_brackets(Sum, fmt::format("{} {} {}", number.real(), is_negative ? '-' : '+', imaginary));
  }
  case Operator::Add:
  case Operator::Multiply: break;
  default:
    if (const std::string_view symbol = laws_of(made->op).symbol; !symbol.empty())
      return in_brackets(Relation, fmt::format("{} {} {}", argument(0, Sum), symbol, argument(1, Sum)));
    std::string call = name_in_call(made->op);
    for (std::size_t k = 0; k < made->arguments.size(); ++k)
      call += (k == 0 ? "(" : ", ") + argument(k, Relation);
    return call + ")";
  }
  const int own = made->op == Operator::Add ? Sum : Product;
  std::string text = argument(0, own);
  for (std::size_t k = 1; k < made->arguments.size(); ++k) {
    const auto *negative = arguments_of(Operator::Negate, made->arguments[k]);
    text += own == Sum && negative
                ? " - " + to_text(negative->front(), leaf_text, Product)
                : fmt::format(" {} {}", laws_of(made->op).symbol, argument(k, own == Sum ? Sum : Factor));
  }
  return in_brackets(own, text);
}

} // namespace unravel::value
