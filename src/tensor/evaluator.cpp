#include "tensor/evaluator.h"

#include "term/quotient.h"

#include <algorithm>

namespace unravel::tensor {

using term::Term;

Evaluator::Evaluator(const Term &term, const Tensor &tensor, const std::vector<std::string> &variables)
    : tensor_(tensor), variables_(&variables) {
  root_ = add(term);
  variables_ = nullptr;
}

std::size_t Evaluator::add(Node node) {
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

std::size_t Evaluator::add_all(Operation operation, const std::vector<Term> &parts) {
  Node node{operation, 0, nullptr, {}, {}};
  for (const Term &part : parts)
    node.children.push_back(add(part));
  return add(std::move(node));
}

std::size_t Evaluator::add_application(const term::Apply &application) {
  Node node{Operation::Apply, 0, nullptr, {}, {}};
  const layout::Array *declared = tensor_.layout.array(application.function);
  auto stored = tensor_.arrays.find(application.function);
  if (!declared || stored == tensor_.arrays.end() || !stored->second.is_integer() ||
      declared->extents.size() != application.arguments.size())
    return add(Node{});
  node.array = &stored->second;
  for (const Term &extent : declared->extents) {
    std::optional<std::int64_t> value = try_evaluate(extent, tensor_);
    if (!value) return add(Node{});
    node.numbers.push_back(*value);
  }
  for (const Term &argument : application.arguments)
    node.children.push_back(add(argument));
  return add(std::move(node));
}

std::size_t Evaluator::add(const Term &term) {
  return std::visit(
      term::overloaded{
          [&](const term::Constant &x) { return add(Node{Operation::Constant, x.value, nullptr, {}, {}}); },
          [&](const term::Variable &x) {
            auto found = std::find(variables_->begin(), variables_->end(), x.name);
            if (found != variables_->end())
              return add(Node{Operation::Variable, found - variables_->begin(), nullptr, {}, {}});
            std::optional<std::int64_t> number = number_of(tensor_, x.name);
            return add(number ? Node{Operation::Constant, *number, nullptr, {}, {}} : Node{});
          },
          [&](const term::Linear &x) {
            Node node{Operation::Linear, x.constant, nullptr, {}, {}};
            for (const auto &[atom, coefficient] : x.parts) {
              node.children.push_back(add(atom));
              node.numbers.push_back(coefficient);
            }
            return add(std::move(node));
          },
          [&](const term::Apply &x) { return add_application(x); },
          [&](const term::FloorDivide &x) {
            return add(Node{Operation::Floor, x.divisor, nullptr, {add(x.numerator)}, {}});
          },
          [&](const term::Modulo &x) {
            return add(Node{Operation::Modulo, x.divisor, nullptr, {add(x.numerator)}, {}});
          },
          [&](const term::Product &x) { return add_all(Operation::Product, {x.left, x.right}); },
          [&](const term::Minimum &x) { return add_all(Operation::Minimum, x.of); },
          [&](const term::Maximum &x) { return add_all(Operation::Maximum, x.of); },
          [&](const term::Compare &x) {
            return add_all(x.relation == term::Relation::Equal ? Operation::Equal : Operation::AtLeast,
                           {x.left});
          },
          [&](const term::And &x) { return add_all(Operation::And, x.parts); },
          [&](const term::Or &x) { return add_all(Operation::Or, x.parts); },
          [&](const term::Not &x) { return add_all(Operation::Not, {x.of}); },
      },
      term.node().kind);
}

std::int64_t Evaluator::linear_value(const Node &node, const std::int64_t *values, bool &defined) const {
  std::int64_t sum = node.number;
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(node.numbers[k], value_of(node.children[k], values, defined), &product) ||
        __builtin_add_overflow(sum, product, &sum))
      defined = false;
    if (!defined) return 0;
  }
  return sum;
}

std::int64_t Evaluator::element(const Node &node, const std::int64_t *values, bool &defined) const {
  std::int64_t slot = 0;
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    std::int64_t argument = value_of(node.children[k], values, defined);
    if (argument < 0 || argument >= node.numbers[k] || __builtin_mul_overflow(slot, node.numbers[k], &slot) ||
        __builtin_add_overflow(slot, argument, &slot))
      defined = false;
    if (!defined) return 0;
  }
  if (slot >= static_cast<std::int64_t>(node.array->size())) {
    defined = false;
    return 0;
  }
  return node.array->integer(static_cast<std::size_t>(slot));
}

std::int64_t Evaluator::value_of(std::size_t index, const std::int64_t *values, bool &defined) const {
  const Node &node = nodes_[index];
  auto child = [&](std::size_t k) { return value_of(node.children[k], values, defined); };
  auto extreme = [&](bool smallest) {
    std::int64_t result = child(0);
    for (std::size_t k = 1; k < node.children.size(); ++k)
      result = smallest ? std::min(result, child(k)) : std::max(result, child(k));
    return result;
  };
  auto decided_by = [&](bool decisive) {
    for (std::size_t part : node.children) {
      bool holds = value_of(part, values, defined) != 0;
      if (!defined) return std::int64_t{0};
      if (holds == decisive) return static_cast<std::int64_t>(decisive);
    }
    return static_cast<std::int64_t>(!decisive);
  };
  switch (node.operation) {
  case Operation::Constant: return node.number;
  case Operation::Variable: return values[node.number];
  case Operation::Linear: return linear_value(node, values, defined);
  case Operation::Apply: return element(node, values, defined);
  case Operation::Floor: return term::floor_quotient(child(0), node.number);
  case Operation::Modulo: {
    std::int64_t remainder = child(0) % node.number;
    return remainder < 0 ? remainder + node.number : remainder;
  }
  case Operation::Product: {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(child(0), child(1), &product)) defined = false;
    return product;
  }
  case Operation::Minimum: return extreme(true);
  case Operation::Maximum: return extreme(false);
  case Operation::Equal: return child(0) == 0;
  case Operation::AtLeast: return child(0) >= 0;
  case Operation::And: return decided_by(false);
  case Operation::Or: return decided_by(true);
  case Operation::Not: return child(0) == 0;
  case Operation::Undefined: break;
  }
  defined = false;
  return 0;
}

} // namespace unravel::tensor
