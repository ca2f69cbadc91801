#include "value/operators.h"

#include <algorithm>

namespace unravel::value {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

const std::array<Laws, operator_count> all_operators = {{
    {Operator::Negate, "minus", "", 1, false, false, false, Arguments::All, {}},
    {Operator::Add, "sum", "+", 2, true, true, false, Arguments::None, 0.0},
    {Operator::Multiply, "product", "*", 2, true, true, false, Arguments::All, 1.0},
    {Operator::Divide, "quotient", "/", 2, false, false, false, Arguments::First, {}},
    {Operator::Stored, "stored", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Minimum, "min", "", 2, true, true, true, Arguments::None, infinity},
    {Operator::Maximum, "max", "", 2, true, true, true, Arguments::None, -infinity},
    {Operator::And, "and", "", 2, true, true, true, Arguments::None, 1.0},
    {Operator::Or, "or", "", 2, true, true, true, Arguments::None, 0.0},
    {Operator::Xor, "xor", "", 2, true, true, false, Arguments::None, 0.0},
    {Operator::Not, "not", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Equal, "equal", "=", 2, false, true, false, Arguments::None, {}},
    {Operator::NotEqual, "unequal", "!=", 2, false, true, false, Arguments::None, {}},
    {Operator::AtMost, "at most", "<=", 2, false, false, false, Arguments::None, {}},
    {Operator::Less, "less", "<", 2, false, false, false, Arguments::None, {}},
    {Operator::Absolute, "abs", "", 1, false, false, false, Arguments::None, {}},
    {Operator::SquareRoot, "sqrt", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Exponential, "exp", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Logarithm, "log", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Power, "pow", "", 2, false, false, false, Arguments::None, {}},
    {Operator::First, "first", "", 2, false, false, true, Arguments::None, {}},
    {Operator::Second, "second", "", 2, false, false, true, Arguments::None, {}},
    {Operator::Pair, "pair", "", 2, false, true, false, Arguments::None, {}},
    {Operator::Any, "any", "", 2, true, true, true, Arguments::None, 0.0},
    {Operator::Select, "select", "", 3, false, false, false, Arguments::None, {}},
}};

const Laws &laws_of(Operator op) {
  return all_operators[static_cast<std::size_t>(op)];
}

std::optional<Operator> operator_called(std::string_view name) {
  const auto found = std::ranges::find_if(all_operators, [&](const Laws &laws) {
    return laws.symbol.empty() && laws.op != Operator::Negate && laws.op != Operator::Stored &&
           laws.name == name;
  });
  return found == all_operators.end() ? std::nullopt : std::optional(found->op);
}

std::optional<Operator> reduction_from(double identity) {
  const auto found =
      std::ranges::find_if(all_operators, [&](const Laws &laws) { return laws.identity == identity; });
  return found == all_operators.end() ? std::nullopt : std::optional(found->op);
}

bool is_linear_in(Operator op, std::size_t argument) {
  switch (laws_of(op).linear) {
  case Arguments::None: return false;
  case Arguments::First: return argument == 0;
  case Arguments::All: return true;
  }
  return false;
}

bool is_truth(Operator op) {
  switch (op) {
  case Operator::And:
  case Operator::Or:
  case Operator::Xor:
  case Operator::Not:
  case Operator::Equal:
  case Operator::NotEqual:
  case Operator::AtMost:
  case Operator::Less: return true;
  default: return false;
  }
}

double identity_of(Operator op) {
  return laws_of(op).identity.value();
}

bool is_reduction(Operator op) {
  return laws_of(op).identity.has_value();
}

std::string name_in_semiring(Operator op) {
  const Laws &laws = laws_of(op);
  return std::string(laws.symbol.empty() ? laws.name : laws.symbol);
}

std::string reduction_text(Operator op) {
  return name_in_semiring(op) + "=";
}

bool distributes(Operator inside, std::size_t argument, Operator over) {
  const bool is_idempotent = over == Operator::Minimum || over == Operator::Maximum;
  if (over == Operator::Any) return true;
  switch (inside) {
  case Operator::Multiply: return over == Operator::Add;
  case Operator::Add: return over == Operator::Minimum || over == Operator::Maximum;
  case Operator::Minimum:
  case Operator::Maximum: return over == Operator::Minimum || over == Operator::Maximum;
  case Operator::And: return over == Operator::Or || over == Operator::And || over == Operator::Xor;
  case Operator::Or: return over == Operator::Or || over == Operator::And;
  case Operator::First: return argument == 0 || is_idempotent;
  case Operator::Second: return argument == 1 || is_idempotent;
  case Operator::Pair: return is_idempotent || over == Operator::Or || over == Operator::And;
  default: return false;
  }
}

std::optional<double> absorbed(Operator op, std::size_t argument, double given) {
  switch (op) {
  case Operator::Multiply:
  case Operator::And: return given == 0 ? std::optional(0.0) : std::nullopt;
  case Operator::Divide: return given == 0 && argument == 0 ? std::optional(0.0) : std::nullopt;
  case Operator::Add: return std::isinf(given) ? std::optional(given) : std::nullopt;
  case Operator::Minimum: return given == -infinity ? std::optional(given) : std::nullopt;
  case Operator::Maximum: return given == infinity ? std::optional(given) : std::nullopt;
  case Operator::Or: return given != 0 ? std::optional(1.0) : std::nullopt;
  case Operator::First: return argument == 0 ? std::optional(given) : std::nullopt;
  case Operator::Second: return argument == 1 ? std::optional(given) : std::nullopt;
  case Operator::Pair: return 1.0;
  default: return std::nullopt;
  }
}

} // namespace unravel::value
