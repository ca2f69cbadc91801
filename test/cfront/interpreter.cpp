#include "interpreter.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace unravel::test {

using parse::Expression;
using parse::StatementTree;

Interpreter::Interpreter(const parse::ProgramTree &tree, World &world) : tree_(tree), world_(world) {}

void Interpreter::run() {
  body(tree_.body);
}

std::int64_t Interpreter::integer(const Expression &e) const {
  auto child = [&](std::size_t k) { return integer(e.children[k]); };
  switch (e.kind) {
  case Expression::Kind::Integer: return e.integer;
  case Expression::Kind::Name:
    if (auto loop = loops_.find(e.name.text); loop != loops_.end()) return loop->second;
    return world_.sizes.at(e.name.text);
  case Expression::Kind::Negate: return -child(0);
  case Expression::Kind::Add: return child(0) + child(1);
  case Expression::Kind::Subtract: return child(0) - child(1);
  case Expression::Kind::Multiply: return child(0) * child(1);
  default: throw std::logic_error("no integer");
  }
}

bool Interpreter::holds(const Expression &e) const {
  switch (e.kind) {
  case Expression::Kind::And:
    for (const Expression &child : e.children)
      if (!holds(child)) return false;
    return true;
  case Expression::Kind::Or:
    for (const Expression &child : e.children)
      if (holds(child)) return true;
    return false;
  case Expression::Kind::Truth: return true;
  case Expression::Kind::Falsity: return false;
  case Expression::Kind::Compare: {
    std::int64_t a = integer(e.children[0]), b = integer(e.children[1]);
    switch (e.comparisons[0]) {
    case Expression::Comparison::Equal: return a == b;
    case Expression::Comparison::NotEqual: return a != b;
    case Expression::Comparison::Less: return a < b;
    case Expression::Comparison::AtMost: return a <= b;
    case Expression::Comparison::Greater: return a > b;
    case Expression::Comparison::AtLeast: return a >= b;
    }
    return false;
  }
  default: throw std::logic_error("no condition");
  }
}

Number &Interpreter::element(const Expression &e) {
  const std::string &name = e.name.text;
  if (e.kind == Expression::Kind::Name) {
    if (auto local = scalars_.find(name); local != scalars_.end()) return local->second;
    if (auto scalar = world_.scalars.find(name); scalar != world_.scalars.end()) return scalar->second;
    return world_.arrays.at(name).at(margin);
  }
  std::int64_t offset = 0;
  if (auto local = locals_.find(name); local != locals_.end()) {
    const std::vector<std::int64_t> &extents = local_extents_.at(name);
    for (std::size_t k = 0; k < e.children.size(); ++k)
      offset = offset * extents[k] + integer(e.children[k]);
    return local->second.at(static_cast<std::size_t>(offset));
  }
  const parse::TensorTree *declared = nullptr;
  for (const parse::TensorTree &tensor : tree_.tensors)
    if (tensor.name.text == name) declared = &tensor;
  for (std::size_t k = 0; k < e.children.size(); ++k) {
    if (k > 0) {
      if (!declared) throw std::logic_error("rows of unknown length");
      offset *= integer(declared->extents[k]);
    }
    offset += integer(e.children[k]);
  }
  return world_.arrays.at(name).at(static_cast<std::size_t>(margin + offset));
}

bool Interpreter::is_complex(const Expression &e) const {
  const std::string &name = e.name.text;
  if (e.kind == Expression::Kind::Imaginary || name == "complex64" || name == "complex128") return true;
  if (name == "f64" || name == "f32" || name == "real" || name == "imag" || name == "abs") return false;
  if (complex_.contains(name)) return true;
  for (const parse::TensorTree &tensor : tree_.tensors)
    if (tensor.name.text == name) return tensor.values.type.has_value();
  return std::ranges::any_of(e.children, [&](const Expression &child) { return is_complex(child); });
}

Number Interpreter::value(const Expression &e) {
  auto child = [&](std::size_t k) { return value(e.children[k]); };
  auto real = [&](std::size_t k) { return child(k).real(); };
  const auto truth = [](bool holds) { return Number(holds); };
  const std::string &name = e.name.text;
  switch (e.kind) {
  case Expression::Kind::Integer: return static_cast<double>(e.integer);
  case Expression::Kind::Decimal: return e.decimal;
  case Expression::Kind::Imaginary: return {0, e.decimal};
  case Expression::Kind::Call:
    if (name == "min") return std::fmin(real(0), real(1));
    if (name == "max") return std::fmax(real(0), real(1));
    if (name == "abs") return std::abs(child(0));
    if (name == "conj") return std::conj(child(0));
    if (name == "real" || name == "f64" || name == "f32") return real(0);
    if (name == "imag") return child(0).imag();
    if (name == "complex64" || name == "complex128")
      return is_complex(e.children[0]) ? child(0) : Number(real(0));
    if (name == "sqrt") return is_complex(e) ? std::sqrt(child(0)) : std::sqrt(real(0));
    if (name == "exp") return is_complex(e) ? std::exp(child(0)) : std::exp(real(0));
    if (name == "sin") return is_complex(e) ? std::sin(child(0)) : std::sin(real(0));
    if (name == "cos") return is_complex(e) ? std::cos(child(0)) : std::cos(real(0));
    if (name == "tan") return is_complex(e) ? std::tan(child(0)) : std::tan(real(0));
    if (name == "tanh") return is_complex(e) ? std::tanh(child(0)) : std::tanh(real(0));
    if (name == "log") return is_complex(e) ? std::log(child(0)) : std::log(real(0));
    if (name == "floor") return std::floor(real(0));
    if (name == "ceil") return std::ceil(real(0));
    if (name == "pow") return std::pow(real(0), real(1));
    if (name == "and") return truth(child(0) != 0.0 && child(1) != 0.0);
    if (name == "or") return truth(child(0) != 0.0 || child(1) != 0.0);
    if (name == "not") return truth(child(0) == 0.0);
    if (name == "select") return child(0) != 0.0 ? child(1) : child(2);
    return element(e);
  case Expression::Kind::Name:
    if (auto loop = loops_.find(name); loop != loops_.end()) return static_cast<double>(loop->second);
    if (auto size = world_.sizes.find(name); size != world_.sizes.end())
      return static_cast<double>(size->second);
    return element(e);
  case Expression::Kind::Compare:
    switch (e.comparisons[0]) {
    case Expression::Comparison::Equal: return truth(child(0) == child(1));
    case Expression::Comparison::NotEqual: return truth(child(0) != child(1));
    case Expression::Comparison::Less: return truth(real(0) < real(1));
    case Expression::Comparison::AtMost: return truth(real(0) <= real(1));
    case Expression::Comparison::Greater: return truth(real(0) > real(1));
    case Expression::Comparison::AtLeast: return truth(real(0) >= real(1));
    }
    return 0;
  case Expression::Kind::Negate: return -child(0);
  case Expression::Kind::Add: return child(0) + child(1);
  case Expression::Kind::Subtract: return child(0) - child(1);
  case Expression::Kind::Multiply: return child(0) * child(1);
  case Expression::Kind::Divide: return child(0) / child(1);
  default: throw std::logic_error("no number");
  }
}

void Interpreter::body(const std::vector<StatementTree> &statements) {
  using Operator = parse::AssignmentTree::Operator;
  for (const StatementTree &statement : statements) {
    const parse::AssignmentTree &assignment = statement.assignment;
    const bool writes =
        statement.kind == StatementTree::Kind::Local || statement.kind == StatementTree::Kind::Assign;
    if (writes && is_complex(assignment.value)) complex_.insert(assignment.target.name.text);
    switch (statement.kind) {
    case StatementTree::Kind::Local: {
      const std::string &name = assignment.target.name.text;
      if (assignment.target.kind == Expression::Kind::Name) {
        scalars_[name] = value(assignment.value);
        break;
      }
      std::int64_t count = 1;
      std::vector<std::int64_t> &extents = local_extents_[name];
      extents.clear();
      for (const std::optional<Expression> &extent : statement.extents)
        count *= extents.emplace_back(integer(*extent));
      std::vector<Number> elements(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
      auto outer = loops_;
      for (std::size_t element = 0; element < elements.size(); ++element) {
        auto rest = static_cast<std::int64_t>(element);
        for (std::size_t mode = extents.size(); mode-- > 0; rest /= extents[mode])
          loops_[assignment.target.children[mode].name.text] = rest % extents[mode];
        elements[element] = value(assignment.value);
      }
      loops_ = outer;
      locals_[name] = std::move(elements);
      break;
    }
    case StatementTree::Kind::Assign: {
      ++assignments_;
      const Number by = value(assignment.value);
      Number &target = element(assignment.target);
      switch (assignment.op) {
      case Operator::Set: target = by; break;
      case Operator::Add: target += by; break;
      case Operator::Subtract: target -= by; break;
      case Operator::Multiply: target *= by; break;
      case Operator::Divide: target /= by; break;
      case Operator::Reduce: throw std::logic_error("no operator of C");
      }
      break;
    }
    case StatementTree::Kind::For: {
      std::int64_t low = integer(*statement.low), high = integer(*statement.high);
      auto outer = loops_;
      for (std::int64_t k = low; k < high; ++k) {
        loops_[statement.variable.text] = k;
        body(statement.body);
      }
      loops_ = outer;
      break;
    }
    case StatementTree::Kind::If:
      if (holds(statement.condition)) body(statement.body);
      break;
    case StatementTree::Kind::Repeat: throw std::logic_error("no statement of C");
    }
  }
}

} // namespace unravel::test
