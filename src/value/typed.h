#pragma once

#include "value/tree.h"

#include <optional>

/// What a tree of operators is computed in.
namespace unravel::value {

struct TypedParts {
  std::optional<Type> common; // of what is read
  bool is_real = false;       // a root and the like
  bool is_fraction = false;   // a number that no integer type holds
  bool is_complex = false;    // a complex number
};

/// What a tree of these parts is computed in.
inline std::optional<Type> computed_in(const TypedParts &parts) {
  const bool is_integral = !parts.common || is_integer(*parts.common);
  if (parts.is_complex) return complex_of(parts.common.value_or(Type::Float64));
  if (is_integral && (parts.is_real || (parts.is_fraction && parts.common))) return Type::Float64;
  return parts.common;
}

template <class Value, class OfLeaf>
void collect_types(const Value &tree, const OfLeaf &of_leaf, bool is_alone, TypedParts &parts) {
  const auto add = [&](Type type) {
    parts.common = parts.common ? common(*parts.common, type) : is_alone ? type : promoted(type);
  };
  if (const double *number = number_of(tree)) {
    parts.is_fraction = parts.is_fraction || !holds(Type::Int64, *number);
    return;
  }
  const auto *made = std::get_if<typename Value::Apply>(&tree.kind);
  if (!made) {
    if (const std::optional<Type> type = of_leaf(tree)) add(*type);
    return;
  }
  if (const std::optional<Type> type = made_by_conversion(made->op)) return add(*type);
  if (made->op == Operator::Complex) {
    parts.is_complex = true;
    return;
  }
  if (takes_part(made->op)) {
    TypedParts below;
    collect_types(made->arguments.front(), of_leaf, false, below);
    if (const auto own = computed_in(below); own && is_complex(*own)) return add(type_of_parts(*own));
    if (below.common) add(*below.common);
    parts.is_real = parts.is_real || below.is_real;
    parts.is_fraction = parts.is_fraction || below.is_fraction;
    return;
  }
  parts.is_real = parts.is_real || is_real(made->op);
  for (const Value &argument : made->arguments)
    collect_types(argument, of_leaf, is_alone && made->op == Operator::Stored, parts);
}

/// C's common type of the leaves, of which of_leaf(tree) says it or that it isn't known; of a leaf alone the
/// leaf's own. The parts and the absolute value of a complex number are read as real ones. Numbers have the
/// type of what is around them, but for those that no integer type holds: among integers they make f64 of it,
/// and so do roots and the like. A complex number makes it complex. None: there is nothing but real numbers.
template <class Value, class OfLeaf>
std::optional<Type> computed_in(const Value &tree, const OfLeaf &of_leaf) {
  TypedParts parts;
  collect_types(tree, of_leaf, true, parts);
  return computed_in(parts);
}

/// What the arguments of an operator are computed in where that isn't the type around it, `outer`: what is
/// converted, or of which a part is taken; and what is real in a complex value, of an operator that complex
/// numbers don't have: the `x < 0` of select(x < 0, z, w). None of others.
template <class Apply, class OfLeaf>
std::optional<Type> type_below(const Apply &made, const OfLeaf &of_leaf, std::optional<Type> outer = {}) {
  if (const std::optional<Type> wanted = made_by_conversion(made.op))
    return computed_in(made.arguments.front(), of_leaf).value_or(type_of_parts(*wanted));
  if (takes_part(made.op)) {
    const std::optional<Type> own = computed_in(made.arguments.front(), of_leaf);
    return own && is_complex(*own) ? own : std::nullopt;
  }
  if (!outer || !is_complex(*outer) || holds_for_complex(made.op)) return std::nullopt;
  const Type own = computed_in(apply(made.op, made.arguments), of_leaf).value_or(type_of_parts(*outer));
  return is_complex(own) ? std::nullopt : std::optional(own);
}
/// And what it is turned into.
inline Type type_above(const Operator &op, Type below) {
  return made_by_conversion(op).value_or(type_of_parts(below));
}

} // namespace unravel::value
