// Values as C expressions, each computed in one type (loop/types.h). Sums and products of signed integers are
// computed without sign, where C lets them wrap around, and converted back as a whole.
#include "emit/expression.h"
#include "loop/arrays.h"

#include "value/own.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unravel::emit {

using loop::ElementType;
using term::overloaded;
using value::Operator;

namespace {

bool is_ring(Operator op) {
  return op == Operator::Add || op == Operator::Multiply || op == Operator::Negate;
}

/// An integer of that type.
std::string literal_of(const value::Scalar &number) {
  if (number.type == ElementType::Int64 && number.integer == INT64_MIN) return "INT64_MIN";
  if (value::facts_of(number.type).is_signed || value::facts_of(number.type).bytes < 4)
    return std::to_string(number.integer);
  // What is computed of literals alone has all bits of the type, too.
  return std::to_string(static_cast<std::uint64_t>(number.integer)) +
         (value::facts_of(number.type).bytes == 8 ? "ull" : "u");
}

} // namespace

std::string joined_by(const std::string &function, const std::vector<std::string> &arguments) {
  std::string text = arguments.front();
  for (std::size_t k = 1; k < arguments.size(); ++k)
    text = fmt::format("{}({}, {})", function, text, arguments[k]);
  return text;
}

const char *end_of_c(ElementType type) {
  return value::type_of_parts(type) == ElementType::Float32 ? "f" : "";
}

void Expressions::need_type(ElementType type) const {
  if (type == ElementType::Bool) need("bool");
  if (value::is_complex(type)) need("complex");
  if (value::is_integer(type) && type != ElementType::Bit && type != ElementType::Int32 &&
      type != ElementType::Int64)
    need("integers");
}

std::string Expressions::suffix_of(ElementType type) const {
  if (type == ElementType::Float64) return "";
  if (type == ElementType::Float32) return "_f";
  if (value::is_complex(type)) return "_" + loop::name_of(type);
  need("integers");
  need_type(type);
  return "_" + loop::name_of(type);
}

std::string Expressions::print_number(double number) const {
  if (value::is_integer(type_)) {
    need("integers");
    if (std::isinf(number)) return number > 0 ? value::greatest_text(type_) : value::least_text(type_);
    return literal_of(value::Scalar::written(number, type_));
  }
  const bool single = value::type_of_parts(type_) == ElementType::Float32;
  const char *suffix = single ? "f" : "";
  if (std::isnan(number)) return fmt::format("(0.0{0} / 0.0{0})", suffix);
  bool infinite = std::isinf(number) || (single && std::isinf(static_cast<float>(number)));
  if (infinite) return fmt::format("({}1.0{} / 0.0{})", number < 0 ? "-" : "", suffix, suffix);
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + suffix;
}

Expressions::Printed Expressions::print_value(const loop::Value &value) const {
  return std::visit(
      overloaded{
          [&](const loop::Number &x) {
            return Printed{print_number(x.value), std::signbit(x.value) ? unary : primary, false};
          },
          [&](const loop::Element &x) {
            const bool is_pair = !paired_along_.empty() && loop::runs_along(x.slot, paired_along_);
            return Printed{is_pair ? pair_at(x) : element(x), primary, false};
          },
          [&](const loop::Local &x) {
            return Printed{names_.variable(x.name), primary, false};
          },
          [&](const term::Term &x) {
            const Printed printed = print(x);
            if (!printed.narrow) return printed;
            return cast("int64_t", printed);
          },
          [&](const loop::Value::Apply &x) {
            if (const auto made = value::made_by_conversion(x.op)) return print_converted(x, *made);
            if (const auto below = types_.below_part(x)) return print_part(x, *below);
            if (value::is_complex(type_)) return print_complex(x);
            return value::is_integer(type_) && is_ring(x.op) ? print_wrapping(value) : print_applied(x);
          },
      },
      value.kind);
}

Expressions::Printed Expressions::print_converted(const loop::Value::Apply &x, ElementType made) const {
  const loop::Value &argument = x.arguments.front();
  const ElementType outer = type_, from = types_.of(argument).value_or(value::type_of_parts(made));
  type_ = from;
  const auto *integer = argument.as<term::Term>();
  Printed printed = integer && from != made ? print(*integer) : print_value(argument);
  type_ = outer;
  if (from == made) return printed;
  if (value::is_complex(from) && !value::is_complex(made) && made != ElementType::Bool) {
    need_type(from);
    printed = {fmt::format("creal{}({})", end_of_c(from), printed.text), primary, false};
    if (value::type_of_parts(from) == made) return printed;
  }
  if (!value::is_integer(from) && value::is_integer(made) && made != ElementType::Bool)
    return {fmt::format("unravel_from_real{}({})", need_typed("from_real", made), printed.text), primary,
            false};
  need_type(made);
  if (made == ElementType::Bool && argument.is<loop::Value::Apply>())
    return {fmt::format("({} != 0)", wrap(printed.text, printed.binding <= equality)), primary, false};
  return cast(c_type(made), printed);
}

/// Sums and products of integers, in the type without a sign; what is in them is converted to it.
Expressions::Printed Expressions::print_unsigned(const loop::Value &value) const {
  const ElementType plain = value::without_sign(type_);
  const auto *made = value.as<loop::Value::Apply>();
  if (const double *number = value::number_of(value)) {
    const auto whole = value::converted(value::Scalar::written(*number, type_), plain);
    return {literal_of(whole), primary, false};
  }
  if (!made || !is_ring(made->op)) {
    Printed printed = print_value(value);
    const ElementType own = types_.of(value).value_or(type_);
    if (own == plain) return printed;
    need_type(plain);
    need("integers");
    return cast(c_type(plain), printed);
  }
  const Printed first = print_unsigned(made->arguments.front());
  if (made->op == Operator::Negate) return {"-" + wrap(first.text, first.binding <= unary), unary, false};
  return print_chain(*made, first, [&](const loop::Value &part) { return print_unsigned(part); });
}

/// Keeps the compiler from regrouping a sum, a quotient, or a product of three with what stands around it.
Expressions::Printed Expressions::in_order(Printed printed) const {
  if (!keeps_order_ || value::is_integer(type_)) return printed;
  need("in_order");
  return {fmt::format("UNRAVEL_IN_ORDER({})", printed.text), primary, false};
}

/// A sum or a product. The order of evaluation is the program's: no parentheses on the left, but for a sum in
/// a product.
Expressions::Printed
Expressions::print_chain(const loop::Value::Apply &x, const Printed &first,
                         const std::function<Printed(const loop::Value &)> &print) const {
  const bool is_sum = x.op == Operator::Add;
  const int own = is_sum ? additive : multiplicative;
  Printed made{wrap(first.text, first.binding < own), own, false};
  for (std::size_t k = 1; k < x.arguments.size(); ++k) {
    const auto *negative = is_sum ? arguments_of(Operator::Negate, x.arguments[k]) : nullptr;
    const Printed printed = print(negative ? negative->front() : x.arguments[k]);
    made.text +=
        fmt::format(" {} {}", negative ? "-" : laws_of(x.op).symbol,
                    wrap(printed.text, is_sum ? printed.binding <= additive : printed.binding < unary));
    if (x.op != Operator::Multiply || x.arguments.size() > 2) made = in_order(made);
  }
  return made;
}

Expressions::Printed Expressions::print_wrapping(const loop::Value &value) const {
  Printed printed = print_unsigned(value);
  if (!value::facts_of(type_).is_signed) return printed;
  return cast(c_type(type_), printed);
}

Expressions::Printed Expressions::print_applied(const loop::Value::Apply &x) const {
  const std::optional<Printed> condition = x.op == Operator::Select && value::is_complex(type_)
                                               ? print_as_real(x.arguments.front())
                                               : std::nullopt;
  const Printed first = condition ? *condition : print_value(x.arguments.front());
  switch (x.op.kind()) {
  case Operator::Negate: return {"-" + wrap(first.text, first.binding <= unary), unary, false};
  case Operator::Stored:
    if (value::is_integer(type_)) return first;
    return {fmt::format("unravel_stored{}({})", need_typed("stored", type_), first.text), primary, false};
  case Operator::Divide:
    if (value::is_integer(type_)) return print_called(x, first);
    break;
  case Operator::Add:
  case Operator::Multiply: break;
  default: return print_called(x, first);
  }
  return print_chain(x, first, [&](const loop::Value &part) { return print_value(part); });
}

std::string Expressions::need_typed(const std::string &name, ElementType type) const {
  const std::string suffix = suffix_of(type);
  if (!value::is_floating(type))
    need(name + suffix);
  else
    need(type == plain_type() ? name : name + "@" + loop::name_of(type));
  return suffix;
}

std::string Expressions::own_function(const loop::Operator &op, ElementType type) const {
  const auto used = std::pair(op, type);
  if (std::find(own_functions_.begin(), own_functions_.end(), used) == own_functions_.end())
    own_functions_.push_back(used);
  return own_names_.at(op.own()->name) + suffix_of(type);
}

/// The operator's function in the C files, or that of the user's own one.
std::string Expressions::function_of(const loop::Operator &op, ElementType type) const {
  if (op.own()) return own_function(op, type);
  const std::string name(laws_of(op).name);
  return fmt::format("unravel_{}{}", name, need_typed(name, type));
}

/// A call of the operator's function in the C files, or of mathematics; of two arguments at a time.
std::string Expressions::called_with(const loop::Operator &op, const std::vector<std::string> &arguments,
                                     ElementType type) const {
  if (op.own()) {
    const std::string function = own_function(op, type);
    if (arguments.size() == op.own()->arguments.size())
      return fmt::format("{}({})", function, fmt::join(arguments, ", "));
    return joined_by(function, arguments);
  }
  const std::string name(laws_of(op).name);
  const bool is_absolute = op == Operator::Absolute;
  if (value::is_complex(type) && op == Operator::Multiply) return complex_product(arguments, type);
  if (value::is_real(op) || (is_absolute && !value::is_integer(type))) {
    need("mathematics");
    const char *prefix = value::is_complex(type) ? "c" : is_absolute ? "f" : "";
    return fmt::format("{}{}{}({})", prefix, name, end_of_c(type), fmt::join(arguments, ", "));
  }
  const std::string function = function_of(op, type);
  if (arguments.size() == 1) return fmt::format("{}({})", function, arguments.front());
  return joined_by(function, arguments);
}

Expressions::Printed Expressions::print_called(const loop::Value::Apply &x, const Printed &first) const {
  switch (x.op.kind()) {
  case Operator::First:
  case Operator::Conjugate: // of real numbers
  case Operator::RealPart: return first;
  case Operator::ImaginaryPart: return {print_number(0), primary, false};
  case Operator::Second: return print_value(x.arguments[1]);
  case Operator::Pair: return {print_number(1), primary, false};
  case Operator::Equal:
  case Operator::NotEqual:
  case Operator::AtMost:
  case Operator::Less: {
    const Printed second = print_value(x.arguments[1]);
    const std::string symbol(x.op == Operator::Equal ? "==" : laws_of(x.op).symbol);
    return {fmt::format("({})({} {} {})", c_type(type_), wrap(first.text, first.binding < additive), symbol,
                        wrap(second.text, second.binding < additive)),
            unary, false};
  }
  case Operator::Select: {
    const Printed then = print_value(x.arguments[1]), otherwise = print_value(x.arguments[2]);
    return {fmt::format("({} != 0 ? {} : {})", wrap(first.text, first.binding < additive), then.text,
                        otherwise.text),
            primary, false};
  }
  default: break;
  }
  std::vector<std::string> arguments{first.text};
  for (std::size_t k = 1; k < x.arguments.size(); ++k)
    arguments.push_back(print_value(x.arguments[k]).text);
  return {called_with(x.op, arguments, type_), primary, false};
}

/// In the target's type; integers add up and multiply without sign, as in print_wrapping.
std::string Expressions::reduction(const std::string &target, ElementType type, const loop::Operator &by,
                                   const loop::Value &value) const {
  const std::string_view symbol = laws_of(by).symbol;
  const auto *negative = by == Operator::Add ? arguments_of(Operator::Negate, value) : nullptr;
  if (symbol.empty() || ((type == ElementType::Bool || value::is_complex(type)) && symbol == "*"))
    return fmt::format("{} = {};", target, called_with(by, {target, this->value(value, type)}, type));
  if (!value::is_integer(type)) {
    if (negative) return fmt::format("{} -= {};", target, this->value(negative->front(), type));
    return fmt::format("{} {}= {};", target, symbol, this->value(value, type));
  }
  const ElementType plain = value::without_sign(type);
  const Printed added = added_part(negative ? negative->front() : value, type);
  const std::string_view sign = negative ? "-" : symbol;
  if (type == plain) return fmt::format("{} {}= {};", target, sign, added.text);
  const bool needs_parentheses = symbol == "*" || negative ? added.binding < unary : added.binding < additive;
  return fmt::format("{0} = ({1})(({2}){0} {3} {4});", target, c_type(type), c_type(plain), sign,
                     wrap(added.text, needs_parentheses));
}

std::string Expressions::reduction(const std::string &target, ElementType type, const loop::Operator &by,
                                   const std::string &reduced) const {
  const std::string_view symbol = laws_of(by).symbol;
  if (symbol.empty() || (type == ElementType::Bool && symbol == "*"))
    return fmt::format("{} = {};", target, called_with(by, {target, reduced}, type));
  const ElementType plain = value::without_sign(type);
  if (!value::is_integer(type) || type == plain) return fmt::format("{} {}= {};", target, symbol, reduced);
  return fmt::format("{0} = ({1})(({2}){0} {3} ({2}){4});", target, c_type(type), c_type(plain), symbol,
                     reduced);
}

Expressions::AtomicText Expressions::atomic_reduction(const std::string &target, ElementType type,
                                                      const loop::Operator &by,
                                                      const loop::Value &value) const {
  const std::string_view symbol = laws_of(by).symbol;
  if (!symbol.empty() && !value::is_integer(type)) return {reduction(target, type, by, value), true};
  if (!symbol.empty() && type != ElementType::Bool) {
    need("integers");
    const auto *negative = by == Operator::Add ? arguments_of(Operator::Negate, value) : nullptr;
    const std::string text =
        value::facts_of(type).is_signed ? fmt::format("*(u{} *)&{}", c_type(type), target) : target;
    return {fmt::format("{} {}= {};", text, negative ? "-" : symbol,
                        added_part(negative ? negative->front() : value, type).text),
            true};
  }
  need("atomically");
  const loop::Operator called = by == Operator::Add ? loop::Operator(Operator::Or) : by; // of bools
  return {fmt::format("UNRAVEL_ATOMICALLY({}, {}, {}, {});", c_type(type), function_of(called, type), target,
                      this->value(value, type)),
          false};
}

/// The value in the type without sign that an integer of that type is added in.
Expressions::Printed Expressions::added_part(const loop::Value &value, ElementType type) const {
  const ElementType plain = value::without_sign(type), outer = type_;
  need_type(plain);
  need("integers");
  type_ = types_.of(value).value_or(type);
  Printed printed;
  if (value::without_sign(type_) == plain && value::is_integer(type_)) {
    printed = print_unsigned(value);
  } else {
    printed = print_value(value);
    printed = cast(c_type(plain), printed);
  }
  type_ = outer;
  return printed;
}

std::string Expressions::value(const loop::Value &value, ElementType wanted) const {
  const ElementType outer = type_;
  type_ = types_.of(value).value_or(wanted);
  std::string text = print_value(value).text;
  type_ = outer;
  return text;
}

std::string Expressions::value(const loop::Value &value) const {
  return this->value(value, plain_type());
}

std::string Expressions::pair(const loop::Value &value, const std::string &variable) {
  paired_along_ = variable;
  std::string text = this->value(value);
  paired_along_.clear();
  return text;
}

std::string Expressions::pair_at(const loop::Element &element) const {
  return fmt::format("unravel_pair{}_at(&{})", need_typed("pairs", type_of(element.array)),
                     this->element(element));
}

} // namespace unravel::emit
