#pragma once

#include "value/operators.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Values as trees of operators over leaves.
namespace unravel::value {

struct Number {
  double value = 0;
};

template <class... Leaves> struct Tree {
  struct Apply {
    Operator op;
    std::vector<Tree> arguments;
  };
  std::variant<Number, Leaves..., Apply> kind;

  /// The value as one of that kind, else null.
  template <class Kind> const Kind *as() const { return std::get_if<Kind>(&kind); }
  template <class Kind> Kind *as() { return std::get_if<Kind>(&kind); }
  template <class Kind> bool is() const { return std::holds_alternative<Kind>(kind); }
};

template <class... Leaves> Tree<Leaves...> apply(Operator op, std::vector<Tree<Leaves...>> arguments) {
  return {typename Tree<Leaves...>::Apply{std::move(op), std::move(arguments)}};
}

template <class... Leaves> Tree<Leaves...> apply(Operator::Kind op, std::vector<Tree<Leaves...>> arguments) {
  return apply(Operator(op), std::move(arguments));
}

/// What an operator is applied to; none of a number or leaf.
template <class... Leaves> const std::vector<Tree<Leaves...>> &parts_of(const Tree<Leaves...> &tree) {
  static const std::vector<Tree<Leaves...>> none;
  const auto *made = std::get_if<typename Tree<Leaves...>::Apply>(&tree.kind);
  return made ? made->arguments : none;
}

/// The arguments where that operator makes the value, else null.
template <class... Leaves>
const std::vector<Tree<Leaves...>> *arguments_of(const Operator &op, const Tree<Leaves...> &tree) {
  const auto *made = std::get_if<typename Tree<Leaves...>::Apply>(&tree.kind);
  return made && made->op == op ? &made->arguments : nullptr;
}
template <class... Leaves>
std::vector<Tree<Leaves...>> *arguments_of(const Operator &op, Tree<Leaves...> &tree) {
  return const_cast<std::vector<Tree<Leaves...>> *>(arguments_of(op, std::as_const(tree)));
}

/// The number that it is, else null.
template <class Tree> const double *number_of(const Tree &tree) {
  const auto *number = std::get_if<Number>(&tree.kind);
  return number ? &number->value : nullptr;
}

template <class Tree> bool is_zero(const Tree &tree) {
  const double *number = number_of(tree);
  return number && *number == 0;
}

/// Calls visit(leaf) for each leaf of that kind, from left to right. `Value` is a tree, const or not.
template <class Leaf, class Value, class Visit> void each_leaf(Value &tree, const Visit &visit) {
  if (auto *leaf = std::get_if<Leaf>(&tree.kind)) visit(*leaf);
  using Apply = typename std::remove_const_t<Value>::Apply;
  if (auto *made = std::get_if<Apply>(&tree.kind))
    for (auto &argument : made->arguments)
      each_leaf<Leaf>(argument, visit);
}

/// What a value is of a leaf in it: linear, and so zero where the leaf is; linear but for what is added;
/// neither; divided by it.
enum class Role { Factor, InTerm, Other, Divisor };

/// Calls visit(leaf, role) for each leaf of that kind, from left to right.
template <class Leaf, class Value, class Visit>
void each_role(const Value &tree, const Visit &visit, Role role = Role::Factor) {
  if (const auto *leaf = std::get_if<Leaf>(&tree.kind)) visit(*leaf, role);
  const auto *made = std::get_if<typename Value::Apply>(&tree.kind);
  for (std::size_t k = 0; made && k < made->arguments.size(); ++k) {
    const Role here = is_linear_in(made->op, k)      ? Role::Factor
                      : made->op == Operator::Add    ? Role::InTerm
                      : made->op == Operator::Divide ? Role::Divisor
                                                     : Role::Other;
    each_role<Leaf>(made->arguments[k], visit, std::max(role, here));
  }
}

/// The tree with map(part) in place of each argument; a number or leaf as it was.
template <class Value, class Map> Value map_parts(const Value &tree, const Map &map) {
  const auto *made = std::get_if<typename Value::Apply>(&tree.kind);
  if (!made) return tree;
  std::vector<Value> arguments;
  for (const Value &argument : made->arguments)
    arguments.push_back(map(argument));
  return {typename Value::Apply{made->op, std::move(arguments)}};
}

// ---- sums and quotients of products

/// Of two whole numbers that doubles hold, a product that they don't: integers of 64 bits may.
inline bool is_rounded_product(double one, double other) {
  constexpr double most = 9007199254740992; // 2^53
  const auto is_exact = [](double number) {
    return std::fabs(number) <= most && std::floor(number) == number;
  };
  return is_exact(one) && is_exact(other) && std::fabs(one * other) > most;
}

/// Does single precision, too, hold the reciprocal of that number, with all of its digits?
inline bool has_reciprocal(double number) {
  return number == 0 || !std::isfinite(number) || std::isnormal(static_cast<float>(1 / number));
}

/// What a product or quotient is made of, however they are nested: constant * factor * ... / (divisor * ...),
/// which is its value but for rounding, and for the cuts of integers. No factor or divisor is a number, but
/// for one whose product with the constant would be rounded, and one that has no reciprocal; none is a
/// product, no factor is a quotient.
template <class Value> struct Quotient {
  double constant = 1;
  std::vector<Value> factors, divisors;

  /// What it is multiplied by, or divided.
  void take(const Value &by, bool divides = false) {
    std::vector<Value> &own = divides ? divisors : factors;
    const double *number = number_of(by);
    const auto *quotient = divides ? nullptr : arguments_of(Operator::Divide, by);
    if (number && (divides ? has_reciprocal(*number) : !is_rounded_product(constant, *number))) {
      constant = divides ? constant / *number : constant * *number;
    } else if (const auto *negative = arguments_of(Operator::Negate, by)) {
      constant = -constant;
      take(negative->front(), divides);
    } else if (const auto *product = arguments_of(Operator::Multiply, by)) {
      for (const Value &factor : *product)
        take(factor, divides);
    } else if (quotient) {
      take(quotient->at(0));
      take(quotient->at(1), true);
    } else {
      own.push_back(by);
    }
  }
};

template <class Value> Quotient<Value> quotient_of(const Value &tree) {
  Quotient<Value> made;
  made.take(tree);
  return made;
}

/// In one product, with its numbers as one in front; quotients among the factors are computed by themselves.
template <class Value> Value product(const std::vector<Value> &factors) {
  Quotient<Value> made;
  const auto take = [&](const auto &self, const Value &factor) -> void {
    const auto *negative = arguments_of(Operator::Negate, factor);
    if (negative) made.constant = -made.constant;
    const Value &of = negative ? negative->front() : factor;
    const auto *nested = arguments_of(Operator::Multiply, of);
    if (nested || negative) {
      for (const Value &part : nested ? *nested : *negative)
        self(self, part);
    } else if (arguments_of(Operator::Divide, of)) {
      made.factors.push_back(of);
    } else {
      made.take(of);
    }
  };
  for (const Value &factor : factors)
    take(take, factor);
  const bool is_negative = made.constant == -1 && !made.factors.empty();
  std::vector<Value> all;
  if (made.factors.empty() || (made.constant != 1 && !is_negative)) all.push_back({Number{made.constant}});
  all.insert(all.end(), made.factors.begin(), made.factors.end());
  Value whole = all.size() == 1 ? std::move(all.front()) : apply(Operator::Multiply, std::move(all));
  return is_negative ? apply(Operator::Negate, std::vector{std::move(whole)}) : whole;
}

/// A number that has a reciprocal is a factor.
template <class Value> Value quotient(const Value &dividend, const Value &divisor) {
  const double *number = number_of(divisor);
  if (number && has_reciprocal(*number)) return product(std::vector<Value>{{Number{1 / *number}}, dividend});
  return apply(Operator::Divide, std::vector{dividend, divisor});
}

template <class Value> Value negated(const Value &tree) {
  return product(std::vector<Value>{{Number{-1}}, tree});
}

/// The product or quotient with map(factor) in place of each factor that `quotient_of` finds, from left to
/// right; numbers stay.
template <class Value, class Map> Value map_factors(const Value &tree, const Map &map) {
  if (number_of(tree)) return tree;
  if (const auto *made = arguments_of(Operator::Divide, tree))
    return quotient(map_factors(made->at(0), map), made->at(1));
  const auto *made = arguments_of(Operator::Multiply, tree);
  if (!made) made = arguments_of(Operator::Negate, tree);
  if (!made) return map(tree);
  std::vector<Value> factors;
  for (const Value &factor : *made)
    factors.push_back(map_factors(factor, map));
  Value whole = product(factors);
  return arguments_of(Operator::Negate, tree) ? negated(whole) : whole;
}

/// Of no parts zero.
template <class Value> Value sum(std::vector<Value> parts) {
  if (parts.empty()) return {Number{0}};
  return parts.size() == 1 ? std::move(parts.front()) : apply(Operator::Add, std::move(parts));
}

/// The parts that an associative operator combines; else the value alone.
template <class Value> std::vector<Value> parts_by(const Operator &op, const Value &tree) {
  const std::vector<Value> *arguments = laws_of(op).is_associative ? arguments_of(op, tree) : nullptr;
  if (!arguments) return {tree};
  std::vector<Value> parts;
  for (const Value &argument : *arguments)
    for (Value &part : parts_by(op, argument))
      parts.push_back(std::move(part));
  return parts;
}

/// The operator's value, in the form that `product`, `quotient` and `sum` give it.
template <class Value> Value made_by(const Operator &op, std::vector<Value> arguments) {
  switch (op.kind()) {
  case Operator::Negate: return negated(arguments.front());
  case Operator::Add: return sum(std::move(arguments));
  case Operator::Multiply: return product(arguments);
  case Operator::Divide: return quotient(arguments[0], arguments[1]);
  default: break;
  }
  return apply(op, std::move(arguments));
}

/// The terms, combined by an operator that reduces; of none its identity.
template <class Value> Value reduced(const Operator &by, std::vector<Value> terms) {
  if (terms.empty()) return {Number{identity_of(by)}};
  return terms.size() == 1 ? std::move(terms.front()) : made_by(by, std::move(terms));
}

/// A sum multiplied out: its parts; of what is linear in a sum the values for its parts: of (a + b) * c,
/// a * c and b * c. Parts of arguments further to the right vary more slowly. Rounding differs from that of
/// the value as it is written.
template <class Value> std::vector<Value> multiplied_out(const Value &tree) {
  const auto *made = std::get_if<typename Value::Apply>(&tree.kind);
  if (!made) return {tree};
  std::vector<Value> terms;
  if (made->op == Operator::Add) {
    for (const Value &part : made->arguments)
      for (Value &term : multiplied_out(part))
        terms.push_back(std::move(term));
    return terms;
  }
  std::vector<std::vector<Value>> choices{{}}; // of arguments
  for (std::size_t k = 0; k < made->arguments.size(); ++k) {
    const Value &argument = made->arguments[k];
    std::vector<std::vector<Value>> longer;
    for (const Value &term :
         is_linear_in(made->op, k) ? multiplied_out(argument) : std::vector<Value>{argument})
      for (std::vector<Value> choice : choices) {
        choice.push_back(term);
        longer.push_back(std::move(choice));
      }
    choices = std::move(longer);
  }
  for (std::vector<Value> &choice : choices)
    terms.push_back(made_by(made->op, std::move(choice)));
  return terms;
}

/// The tree with map(leaf), a tree perhaps of other leaves, in place of each leaf that `map` takes, in the
/// form that `product`, `quotient` and `sum` give it. Other leaves stay as they are.
template <class To, class Value, class Map> To map_leaves(const Value &tree, const Map &map) {
  return std::visit(
      [&]<class Kind>(const Kind &kind) -> To {
        if constexpr (std::is_same_v<Kind, typename Value::Apply>) {
          std::vector<To> arguments;
          for (const Value &argument : kind.arguments)
            arguments.push_back(map_leaves<To>(argument, map));
          return made_by(kind.op, std::move(arguments));
        } else if constexpr (std::is_invocable_v<const Map &, const Kind &>) {
          return map(kind);
        } else {
          return {kind};
        }
      },
      tree.kind);
}

} // namespace unravel::value
