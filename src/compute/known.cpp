#include "compute/known.h"

#include "value/typed.h"

namespace unravel::compute {

using value::Scalar;
using value::Type;

namespace {

class Evaluator {
public:
  Evaluator(const std::map<std::string, Type> &types, const std::function<Known(const Access &)> &known)
      : types_(types), known_(known) {}

  Known of(const Value &tree, Type type) const {
    if (const double *number = value::number_of(tree)) return Known::of(Scalar::written(*number, type));
    if (const auto *access = std::get_if<Access>(&tree.kind)) return as(type, known_(*access));
    const auto *made = std::get_if<Value::Apply>(&tree.kind);
    if (!made || made->op == value::Operator::Complex) return {};
    const auto below = value::type_below(
        *made, [&](const Value &leaf) { return type_of_leaf(leaf); }, type);
    return as(type,
              below ? as(value::type_above(made->op, *below), applied(*made, *below)) : applied(*made, type));
  }

private:
  static Known as(Type type, Known known) {
    if (known.kind == Known::Kind::Number) known.number = value::converted(known.number, type);
    return known;
  }

  std::optional<Type> type_of_leaf(const Value &leaf) const {
    const auto *access = std::get_if<Access>(&leaf.kind);
    if (!access) return Type::Int64;
    const auto found = types_.find(access->tensor);
    return found == types_.end() ? std::nullopt : std::optional(found->second);
  }

  Known applied(const Value::Apply &made, Type type) const {
    std::vector<Scalar> numbers;
    std::optional<double> absorbs;
    for (std::size_t k = 0; k < made.arguments.size(); ++k) {
      const Known argument = of(made.arguments[k], type);
      if (argument.kind == Known::Kind::Nothing) return argument;
      if (argument.kind == Known::Kind::Unknown) continue;
      numbers.push_back(argument.number);
      if (!absorbs && argument.number.imaginary == 0)
        absorbs = value::absorbed(made.op, k, argument.number.number());
    }
    if (absorbs) return Known::of(Scalar::of(*absorbs, type));
    if (numbers.size() < made.arguments.size()) return {};
    // As C computes with integers of fewer than 32 bits.
    return Known::of(value::evaluate_exactly(made.op, value::promoted(type), std::move(numbers)));
  }

  const std::map<std::string, Type> &types_;
  const std::function<Known(const Access &)> &known_;
};

} // namespace

Known known_value(const Value &tree, Type type, const std::map<std::string, Type> &types,
                  const std::function<Known(const Access &)> &known) {
  return Evaluator(types, known).of(tree, type);
}

} // namespace unravel::compute
