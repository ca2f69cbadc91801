#pragma once

#include "value/tree.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Operators of the user's own: a value over their arguments, and the laws that are stated of it. Rooms ask
/// the same questions of them as of those in the table (operators.h); a law that isn't stated isn't relied
/// upon.
namespace unravel::value {

/// An argument in a definition, by its number.
struct Argument {
  std::size_t number = 0;
};
using Definition = Tree<Argument>;

struct OwnOperator {
  std::string name;
  std::vector<std::string> arguments; // their names
  Definition definition;
  /// As in the table: associative, commutative, idempotent, with an identity. The name is set by
  /// own_operator.
  Laws laws{Operator::Own, {}, {}, 1, false, false, false, Arguments::None, {}};
  std::optional<double> absorbing;        // of two arguments: with this one, the value is it
  std::vector<Operator> distributes_over; // with either argument taken apart
  /// What values it is stated for: between these, as the values that it gives of such ones.
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  bool is_real = false; // it has fractions, or roots and the like: set by own_operator
};

/// The operator with that definition.
Operator own_operator(OwnOperator made);

/// A stated law that doesn't hold.
struct BrokenLaw {
  std::string law;    // "associative"
  std::string sample; // "f(f(1, 2), 3) is 0, but f(1, f(2, 3)) is 2"
};

/// Tests what is stated on numbers of that type: 0, 1, fractions, infinities (or an integer's ends) and
/// others, the same ones each time, within the range that is stated. Sums of floating point are equal but for
/// rounding. None: no stated law is broken by them.
std::optional<BrokenLaw> broken_law(const Operator &own, Type type);

/// Those of the user's own in a value, each once, behind those that their definitions use.
void collect_own(const Operator &op, std::vector<Operator> &own);
template <class Value> void collect_own_in(const Value &tree, std::vector<Operator> &own) {
  const auto *made = std::get_if<typename Value::Apply>(&tree.kind);
  if (!made) return;
  collect_own(made->op, own);
  for (const Value &argument : made->arguments)
    collect_own_in(argument, own);
}

/// "operator f(a, b)", and " : associative, identity 0", or nothing.
std::string head_text(const OwnOperator &own);
std::string laws_text(const OwnOperator &own);
/// As it is written: "operator f(a, b) = min(a + b, 1) : associative, identity 0".
std::string to_text(const OwnOperator &own);

} // namespace unravel::value
