#include "value/operators.h"

#include "value/complex.h"
#include "value/own.h"

#include <algorithm>

namespace unravel::value {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

constinit const std::array<Laws, operator_count> all_operators = {{
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
    {Operator::Sine, "sin", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Cosine, "cos", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Tangent, "tan", "", 1, false, false, false, Arguments::None, {}},
    {Operator::HyperbolicTangent, "tanh", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Floor, "floor", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Ceiling, "ceil", "", 1, false, false, false, Arguments::None, {}},
    {Operator::Conjugate, "conj", "", 1, false, false, false, Arguments::All, {}},
    {Operator::RealPart, "real", "", 1, false, false, false, Arguments::All, {}},
    {Operator::ImaginaryPart, "imag", "", 1, false, false, false, Arguments::All, {}},
    {Operator::Complex, "complex", "", 2, false, false, false, Arguments::None, {}},
    {Operator::First, "first", "", 2, false, false, true, Arguments::None, {}},
    {Operator::Second, "second", "", 2, false, false, true, Arguments::None, {}},
    {Operator::Pair, "pair", "", 2, false, true, false, Arguments::None, {}},
    {Operator::Any, "any", "", 2, true, true, true, Arguments::None, 0.0},
    {Operator::Select, "select", "", 3, false, false, false, Arguments::None, {}},
    {Operator::ToInt32, "to_int32", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToInt64, "to_int64", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToFloat32, "to_float32", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToFloat64, "to_float64", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToBool, "to_bool", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToInt8, "to_int8", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToInt16, "to_int16", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToUInt8, "to_uint8", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToUInt16, "to_uint16", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToUInt32, "to_uint32", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToUInt64, "to_uint64", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToComplex64, "to_complex64", "", 1, false, false, false, Arguments::None, {}},
    {Operator::ToComplex128, "to_complex128", "", 1, false, false, false, Arguments::None, {}},
}};

const Laws &laws_of(const Operator &op) {
  return op.own() ? op.own()->laws : all_operators[op.kind()];
}

std::optional<Operator> operator_called(std::string_view name) {
  if (const std::optional<Type> type = type_called(name)) return conversion_to(*type);
  const auto found = std::ranges::find_if(all_operators, [&](const Laws &laws) {
    return laws.symbol.empty() && laws.op != Operator::Negate && laws.op != Operator::Stored &&
           laws.op != Operator::Complex && !made_by_conversion(laws.op) && laws.name == name;
  });
  return found == all_operators.end() ? std::nullopt : std::optional(found->op);
}

std::string name_in_call(const Operator &op) {
  const std::optional<Type> made = made_by_conversion(op);
  return std::string(made ? facts_of(*made).word : laws_of(op).name);
}

bool is_real(const Operator &op) {
  if (op.own()) return op.own()->is_real;
  return op.kind() >= Operator::SquareRoot && op.kind() <= Operator::Ceiling; // functions of <math.h>
}

bool takes_part(const Operator &op) {
  return op == Operator::RealPart || op == Operator::ImaginaryPart || op == Operator::Absolute;
}

namespace {

/// Is a law of it that holds for real numbers one of complex numbers, too?
bool is_algebraic(const Definition &tree) {
  const auto *made = std::get_if<Definition::Apply>(&tree.kind);
  if (!made) return true;
  switch (made->op.kind()) {
  case Operator::Negate:
  case Operator::Add:
  case Operator::Multiply:
  case Operator::Divide:
  case Operator::First:
  case Operator::Second: return std::ranges::all_of(made->arguments, is_algebraic);
  default: return false;
  }
}

bool uses_only_complex(const Definition &tree) {
  const auto *made = std::get_if<Definition::Apply>(&tree.kind);
  return !made || (holds_for_complex(made->op) && !takes_part(made->op) && !made_by_conversion(made->op) &&
                   std::ranges::all_of(made->arguments, uses_only_complex));
}

bool has_laws(const OwnOperator &own) {
  const Laws &laws = own.laws;
  return laws.is_associative || laws.is_commutative || laws.is_idempotent || laws.identity || own.absorbing ||
         !own.distributes_over.empty() || std::isfinite(own.least) || std::isfinite(own.greatest);
}

} // namespace

bool holds_for_complex(const Operator &op) {
  if (const OwnOperator *own = op.own())
    return uses_only_complex(own->definition) && (!has_laws(*own) || is_algebraic(own->definition));
  switch (op.kind()) {
  case Operator::Stored:
  case Operator::Minimum:
  case Operator::Maximum:
  case Operator::And:
  case Operator::Or:
  case Operator::Xor:
  case Operator::Not:
  case Operator::AtMost:
  case Operator::Less:
  case Operator::Power:
  case Operator::Floor:
  case Operator::Ceiling: return false;
  default: return true;
  }
}

std::optional<Operator> reduction_from(double identity) {
  const auto found =
      std::ranges::find_if(all_operators, [&](const Laws &laws) { return laws.identity == identity; });
  return found == all_operators.end() ? std::nullopt : std::optional(found->op);
}

bool is_linear_in(const Operator &op, std::size_t argument) {
  switch (laws_of(op).linear) {
  case Arguments::None: return false;
  case Arguments::First: return argument == 0;
  case Arguments::All: return true;
  }
  return false;
}

bool is_truth(const Operator &op) {
  switch (op.kind()) {
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

double identity_of(const Operator &op) {
  return laws_of(op).identity.value();
}

bool is_reduction(const Operator &op) {
  const Laws &laws = laws_of(op);
  return laws.identity && laws.is_associative && laws.is_commutative;
}

std::string name_in_semiring(const Operator &op) {
  const Laws &laws = laws_of(op);
  return std::string(laws.symbol.empty() ? laws.name : laws.symbol);
}

std::string reduction_text(const Operator &op) {
  return name_in_semiring(op) + "=";
}

bool distributes(const Operator &inside, std::size_t argument, const Operator &over) {
  if (inside.own())
    return std::ranges::find(inside.own()->distributes_over, over) != inside.own()->distributes_over.end();
  // `any` is: of arguments that aren't 0, one; so what makes something else of 0 doesn't distribute over it.
  const bool is_any = over == Operator::Any;
  const bool is_idempotent = is_any || over == Operator::Minimum || over == Operator::Maximum ||
                             (over.own() && over.own()->laws.is_idempotent);
  switch (inside.kind()) {
  case Operator::Multiply: return over == Operator::Add || is_any;
  case Operator::Add: return over == Operator::Minimum || over == Operator::Maximum;
  case Operator::Minimum:
  case Operator::Maximum: return over == Operator::Minimum || over == Operator::Maximum;
  case Operator::And: return over == Operator::Or || over == Operator::And || over == Operator::Xor || is_any;
  case Operator::Or: return over == Operator::Or || over == Operator::And;
  case Operator::First: return argument == 0 || is_idempotent;
  case Operator::Second: return argument == 1 || is_idempotent;
  case Operator::Pair: return is_idempotent || over == Operator::Or || over == Operator::And;
  default: return false;
  }
}

std::optional<double> absorbed(const Operator &op, std::size_t argument, double given) {
  if (op.own()) return op.own()->absorbing == given ? op.own()->absorbing : std::nullopt;
  switch (op.kind()) {
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

namespace {

/// In the type's own order.
bool is_less(const Scalar &a, const Scalar &b) {
  if (facts_of(a.type).is_signed) return a.integer < b.integer;
  return static_cast<std::uint64_t>(a.integer) < static_cast<std::uint64_t>(b.integer);
}

Scalar quotient(const Scalar &a, const Scalar &b) {
  const auto dividend = static_cast<std::uint64_t>(a.integer),
             divisor = static_cast<std::uint64_t>(b.integer);
  if (divisor == 0) return {a.type, 0, 0};
  if (!facts_of(a.type).is_signed) return {a.type, 0, static_cast<std::int64_t>(dividend / divisor)};
  if (b.integer == -1) return converted({Type::Int64, 0, static_cast<std::int64_t>(0 - dividend)}, a.type);
  return {a.type, 0, a.integer / b.integer};
}

/// Of two integers of the same type.
Scalar of_integers(const Operator &op, const Scalar &a, const Scalar &b) {
  const auto one = static_cast<std::uint64_t>(a.integer), other = static_cast<std::uint64_t>(b.integer);
  const auto wrapped = [&](std::uint64_t bits) {
    return converted({Type::Int64, 0, static_cast<std::int64_t>(bits)}, a.type);
  };
  const auto truth = [&](bool holds) { return Scalar{a.type, 0, holds}; };
  switch (op.kind()) {
  case Operator::Add: return wrapped(one + other);
  case Operator::Multiply: return wrapped(one * other);
  case Operator::Divide: return quotient(a, b);
  case Operator::Minimum: return is_less(b, a) ? b : a;
  case Operator::Maximum: return is_less(a, b) ? b : a;
  case Operator::And: return truth(one != 0 && other != 0);
  case Operator::Or: return truth(one != 0 || other != 0);
  case Operator::Xor: return truth((one != 0) != (other != 0));
  case Operator::Equal: return truth(one == other);
  case Operator::NotEqual: return truth(one != other);
  case Operator::Less: return truth(is_less(a, b));
  case Operator::AtMost: return truth(!is_less(b, a));
  case Operator::Any: return one != 0 ? a : b;
  case Operator::Second: return b;
  case Operator::Pair: return truth(true);
  default: return a;
  }
}

} // namespace

Scalar evaluate_exactly(const Operator &op, Type type, std::vector<Scalar> arguments) {
  if (const std::optional<Type> made = made_by_conversion(op)) return converted(arguments.front(), *made);
  const auto is_of_complex = [](const Scalar &argument) { return is_complex(argument.type); };
  const Type within = std::ranges::any_of(arguments, is_of_complex) ? complex_of(type) : type;
  for (Scalar &argument : arguments)
    argument = converted(argument, within);
  if (op.own()) return evaluate_own(*op.own(), within, arguments);
  if (arguments.size() > 2 && laws_of(op).is_associative) { // each step is rounded
    Scalar result = arguments.front();
    for (std::size_t k = 1; k < arguments.size(); ++k)
      result = evaluate_exactly(op, type, {result, arguments[k]});
    return result;
  }
  if (is_complex(within)) {
    std::vector<std::complex<double>> numbers;
    for (const Scalar &argument : arguments)
      numbers.emplace_back(argument.real, argument.imaginary);
    const auto made = evaluate_complex<double>(op, numbers);
    return converted({Type::Complex128, made.real(), 0, made.imag()}, type);
  }
  if (!is_integer(type)) {
    std::vector<double> numbers;
    for (const Scalar &argument : arguments)
      numbers.push_back(argument.real);
    return Scalar::of(evaluate<double>(op, numbers), type);
  }
  Scalar result = arguments.front();
  const auto negated = converted(
      {Type::Int64, 0, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(result.integer))}, type);
  switch (op.kind()) {
  case Operator::Negate: return negated;
  case Operator::Absolute: return facts_of(type).is_signed && result.integer < 0 ? negated : result;
  case Operator::Not: return {type, 0, result.integer == 0};
  case Operator::ImaginaryPart: return {type, 0, 0};
  case Operator::Select: return arguments[result.integer != 0 ? 1 : 2];
  default: break;
  }
  return arguments.size() == 1 ? result : of_integers(op, result, arguments[1]);
}

} // namespace unravel::value
