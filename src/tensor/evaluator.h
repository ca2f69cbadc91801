#pragma once

#include "tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unravel::tensor {

/// A term over a tensor's sizes, counts and index arrays and over numbered variables, made ready to be
/// evaluated many times. Unlike term::evaluate it is safe on any data: reading an array outside its elements,
/// a missing name and 64-bit overflow give "undefined". The tensor must outlive it.
class Evaluator {
public:
  /// Variable k of `variables` is values[k] of what evaluate() is given; they hide the tensor's names.
  Evaluator(const term::Term &term, const Tensor &tensor, const std::vector<std::string> &variables);

  /// Formulas give 0 or 1; And and Or stop at the first part that decides.
  std::optional<std::int64_t> evaluate(const std::int64_t *values) const {
    bool defined = true;
    std::int64_t result = value_of(root_, values, defined);
    if (!defined) return std::nullopt;
    return result;
  }

private:
  enum class Operation {
    Constant,
    Variable,
    Linear,
    Apply,
    Floor,
    Modulo,
    Product,
    Minimum,
    Maximum,
    Equal,
    AtLeast,
    And,
    Or,
    Not,
    Undefined
  };
  struct Node {
    Operation operation = Operation::Undefined;
    std::int64_t number = 0; // constant, variable's number, divisor
    const data::Elements *array = nullptr;
    std::vector<std::size_t> children;
    std::vector<std::int64_t> numbers; // coefficients, or the array's extents
  };

  std::size_t add(const term::Term &term);
  std::size_t add(Node node);
  std::size_t add_application(const term::Apply &application);
  std::size_t add_all(Operation operation, const std::vector<term::Term> &parts);
  std::int64_t value_of(std::size_t node, const std::int64_t *values, bool &defined) const;
  std::int64_t linear_value(const Node &node, const std::int64_t *values, bool &defined) const;
  std::int64_t element(const Node &node, const std::int64_t *values, bool &defined) const;

  const Tensor &tensor_;
  const std::vector<std::string> *variables_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

} // namespace unravel::tensor
