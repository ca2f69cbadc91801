// Hash-consed expressions: normal forms as in room term, by number.
#include "prove/expression.h"

#include "term/quotient.h"
#include "text/contains.h"

#include <algorithm>
#include <numeric>

namespace unravel::prove {

namespace {

std::int64_t plus_exact(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw Overflow{};
  return result;
}

std::int64_t times_exact(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw Overflow{};
  return result;
}

std::size_t hash_of(const Expression &node) {
  std::size_t seed = static_cast<std::size_t>(node.op);
  auto mix = [&](std::size_t value) { seed = (seed ^ value) * 0x9e3779b97f4a7c15ULL + (seed >> 29); };
  mix(static_cast<std::size_t>(node.symbol));
  mix(static_cast<std::size_t>(node.number));
  for (Id child : node.children)
    mix(static_cast<std::size_t>(child));
  for (std::int64_t coefficient : node.coefficients)
    mix(static_cast<std::size_t>(coefficient));
  return seed;
}

std::int64_t divisor_of(const std::vector<std::int64_t> &coefficients) {
  std::int64_t divisor = 0;
  for (std::int64_t coefficient : coefficients)
    divisor = std::gcd(divisor, coefficient);
  return divisor;
}

} // namespace

bool Expression::operator==(const Expression &other) const {
  return op == other.op && symbol == other.symbol && number == other.number && children == other.children &&
         coefficients == other.coefficients;
}

Expressions::Expressions() {
  by_hash_.reserve(4096); // what a kernel of two sparse operands makes
  truth_ = intern({.op = Op::And});
  falsity_ = intern({.op = Op::Or});
}

Id Expressions::intern(Expression node) {
  std::size_t hash = hash_of(node);
  auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at)
    if (nodes_[static_cast<std::size_t>(at->second)] == node) return at->second;
  node.applies = node.applies || node.op == Op::Apply;
  for (Id child : node.children) {
    node.open = node.open || (*this)[child].open;
    node.applies = node.applies || (*this)[child].applies;
  }
  Id id = static_cast<Id>(nodes_.size());
  nodes_.push_back(std::move(node));
  by_hash_.emplace(hash, id);
  return id;
}

int Expressions::symbol(const std::string &name) {
  auto [at, fresh] = symbols_.emplace(name, static_cast<int>(names_.size()));
  if (fresh) names_.push_back(name);
  return at->second;
}

Id Expressions::bound_variable(const std::string &name) {
  // A name of its own, so that it differs from every variable of a question.
  Expression node{.op = Op::Variable, .symbol = static_cast<int>(names_.size()), .open = true};
  names_.push_back(name);
  return intern(std::move(node));
}

Id Expressions::constant(std::int64_t value) {
  return intern({.op = Op::Linear, .number = value});
}

Id Expressions::linear(std::vector<std::pair<Id, std::int64_t>> parts, std::int64_t constant) {
  std::ranges::sort(parts);
  Expression node{.op = Op::Linear, .number = constant};
  node.children.reserve(parts.size());
  node.coefficients.reserve(parts.size());
  for (const auto &[atom, coefficient] : parts) {
    if (!node.children.empty() && node.children.back() == atom) {
      node.coefficients.back() = plus_exact(node.coefficients.back(), coefficient);
    } else {
      node.children.push_back(atom);
      node.coefficients.push_back(coefficient);
    }
    if (node.coefficients.back() == 0) {
      node.children.pop_back();
      node.coefficients.pop_back();
    }
  }
  if (node.children.size() == 1 && node.coefficients[0] == 1 && constant == 0) return node.children[0];
  return intern(std::move(node));
}

Id Expressions::apply(int function, std::vector<Id> arguments) {
  return intern({.op = Op::Apply, .symbol = function, .children = std::move(arguments)});
}

Id Expressions::add(Id a, std::int64_t factor, Id b) {
  std::vector<std::pair<Id, std::int64_t>> parts;
  std::int64_t constant = 0;
  auto collect = [&](Id of, std::int64_t times) {
    const Expression &node = (*this)[of];
    if (node.op != Op::Linear) {
      parts.emplace_back(of, times);
      return;
    }
    for (std::size_t k = 0; k < node.children.size(); ++k)
      parts.emplace_back(node.children[k], times_exact(times, node.coefficients[k]));
    constant = plus_exact(constant, times_exact(times, node.number));
  };
  collect(a, 1);
  collect(b, factor);
  return linear(std::move(parts), constant);
}

Id Expressions::plus(Id a, std::int64_t constant) {
  if (constant == 0) return a;
  Expression node = (*this)[a];
  if (node.op != Op::Linear)
    return intern({.op = Op::Linear, .number = constant, .children = {a}, .coefficients = {1}});
  node.number = plus_exact(node.number, constant);
  if (node.children.size() == 1 && node.coefficients[0] == 1 && node.number == 0) return node.children[0];
  return intern(std::move(node));
}

std::pair<Id, std::int64_t> Expressions::split(Id a) {
  if ((*this)[a].op != Op::Linear || (*this)[a].number == 0) return {a, 0};
  std::int64_t number = (*this)[a].number;
  if (number == INT64_MIN) return {a, 0}; // has no negative: not split, which costs an instance at most
  return {plus(a, -number), number};
}

Id Expressions::equal_zero(Id a) {
  Expression node = (*this)[a];
  if (node.op != Op::Linear) return intern({.op = Op::Equal, .children = {a}});
  if (node.children.empty()) return node.number == 0 ? truth_ : falsity_;
  std::int64_t divisor = divisor_of(node.coefficients);
  if (node.number % divisor != 0) return falsity_;
  if (node.coefficients[0] < 0) divisor = -divisor;
  for (std::int64_t &coefficient : node.coefficients)
    coefficient /= divisor;
  node.number /= divisor;
  if (node.children.size() == 1 && node.coefficients[0] == 1 && node.number == 0)
    return intern({.op = Op::Equal, .children = {node.children[0]}});
  return intern({.op = Op::Equal, .children = {intern(std::move(node))}});
}

Id Expressions::at_least_zero(Id a) {
  Expression node = (*this)[a];
  if (node.op != Op::Linear) return intern({.op = Op::AtLeast, .children = {a}});
  if (node.children.empty()) return node.number >= 0 ? truth_ : falsity_;
  std::int64_t divisor = divisor_of(node.coefficients);
  if (divisor == 1) return intern({.op = Op::AtLeast, .children = {a}});
  std::vector<std::pair<Id, std::int64_t>> parts;
  for (std::size_t k = 0; k < node.children.size(); ++k)
    parts.emplace_back(node.children[k], node.coefficients[k] / divisor);
  return intern({.op = Op::AtLeast,
                 .children = {linear(std::move(parts), term::floor_quotient(node.number, divisor))}});
}

Id Expressions::junction(Op op, const std::vector<Id> &parts) {
  const Id zero = op == Op::And ? falsity_ : truth_;
  std::vector<Id> flat;
  auto append = [&](Id part) {
    if (!contains(flat, part)) flat.push_back(part);
  };
  for (Id part : parts) {
    if (part == zero) return zero;
    if ((*this)[part].op == op)
      for (Id inner : (*this)[part].children)
        append(inner);
    else
      append(part);
  }
  if (flat.size() == 1) return flat[0];
  return intern({.op = op, .children = std::move(flat)});
}

Id Expressions::negation(Id formula) {
  auto at = static_cast<std::size_t>(formula);
  if (at < negations_.size() && negations_[at] >= 0) return negations_[at];
  Id result = make_negation(formula);
  if (at >= negations_.size()) negations_.resize(nodes_.size(), -1);
  negations_[at] = result;
  return result;
}

Id Expressions::make_negation(Id formula) {
  if (formula == truth_) return falsity_;
  if (formula == falsity_) return truth_;
  const Op op = (*this)[formula].op;
  if (op == Op::Not) return (*this)[formula].children[0];
  if (op == Op::AtLeast) {
    Id left = (*this)[formula].children[0];
    return at_least_zero(plus(add(constant(0), -1, left), -1));
  }
  return intern({.op = Op::Not, .children = {formula}});
}

Id Expressions::divide(Op op, Id numerator, std::int64_t divisor) {
  const Expression &node = (*this)[numerator];
  if (node.op == Op::Linear && divisor_of(node.coefficients) % divisor == 0) {
    std::int64_t quotient = term::floor_quotient(node.number, divisor);
    if (op == Op::Modulo) return constant(node.number - divisor * quotient);
    std::vector<std::pair<Id, std::int64_t>> parts;
    for (std::size_t k = 0; k < node.children.size(); ++k)
      parts.emplace_back(node.children[k], node.coefficients[k] / divisor);
    return linear(std::move(parts), quotient);
  }
  return intern({.op = op, .number = divisor, .children = {numerator}});
}

Id Expressions::import(const term::Term &term) {
  if (auto at = imported_.find(term); at != imported_.end()) return at->second;
  Id id = import(term, {});
  imported_.emplace(term, id);
  return id;
}

Id Expressions::import(const term::Term &term, const std::map<std::string, Id> &bound) {
  auto down = [&](const term::Term &inner) { return bound.empty() ? import(inner) : import(inner, bound); };
  auto all = [&](const std::vector<term::Term> &terms) {
    std::vector<Id> result;
    result.reserve(terms.size());
    for (const term::Term &inner : terms)
      result.push_back(down(inner));
    return result;
  };
  auto many = [&](Op op, const std::vector<term::Term> &terms) {
    return intern({.op = op, .children = all(terms)});
  };
  return std::visit(
      term::overloaded{
          [&](const term::Constant &x) { return constant(x.value); },
          [&](const term::Variable &x) {
            if (auto at = bound.find(x.name); at != bound.end()) return at->second;
            return intern({.op = Op::Variable, .symbol = symbol(x.name)});
          },
          [&](const term::Linear &x) {
            std::vector<std::pair<Id, std::int64_t>> parts;
            parts.reserve(x.parts.size());
            for (const auto &[atom, coefficient] : x.parts)
              parts.emplace_back(down(atom), coefficient);
            return linear(std::move(parts), x.constant);
          },
          [&](const term::Apply &x) { return apply(symbol(x.function), all(x.arguments)); },
          [&](const term::FloorDivide &x) { return divide(Op::FloorDivide, down(x.numerator), x.divisor); },
          [&](const term::Modulo &x) { return divide(Op::Modulo, down(x.numerator), x.divisor); },
          [&](const term::Product &x) {
            return many(Op::Product, {x.left, x.right});
          },
          [&](const term::Minimum &x) { return many(Op::Minimum, x.of); },
          [&](const term::Maximum &x) { return many(Op::Maximum, x.of); },
          [&](const term::Compare &x) {
            return x.relation == term::Relation::Equal ? equal_zero(down(x.left))
                                                       : at_least_zero(down(x.left));
          },
          [&](const term::And &x) { return conjunction(all(x.parts)); },
          [&](const term::Or &x) { return disjunction(all(x.parts)); },
          [&](const term::Not &x) { return negation(down(x.of)); },
      },
      term.node().kind);
}

Id Expressions::Substitution::value_of(Id variable) const {
  for (const auto &[bound, value] : bound_)
    if (bound == variable) return value;
  return variable;
}

Id Expressions::Substitution::operator()(Id expression) {
  const Expression &node = all_[expression];
  if (only_open_ && !node.open) return expression;
  if (node.op == Op::Variable) return value_of(expression);
  if (node.children.empty()) return expression;
  if (only_open_) return rebuild(node);
  if (auto at = done_.find(expression); at != done_.end()) return at->second;
  Id result = rebuild(node);
  done_.emplace(expression, result);
  return result;
}

Id Expressions::Substitution::rebuild(const Expression &node) {
  auto down = [&](Id inner) { return (*this)(inner); };
  auto children = [&] {
    std::vector<Id> result;
    result.reserve(node.children.size());
    for (Id child : node.children)
      result.push_back(down(child));
    return result;
  };
  switch (node.op) {
  case Op::Variable: break;
  case Op::Apply: {
    std::vector<Id> arguments = children();
    for (Id &argument : arguments)
      if (auto at = folds_.find(argument); at != folds_.end()) argument = at->second;
    return all_.apply(node.symbol, std::move(arguments));
  }
  case Op::FloorDivide:
  case Op::Modulo: return all_.divide(node.op, down(node.children[0]), node.number);
  case Op::Product:
  case Op::Minimum:
  case Op::Maximum: return all_.intern({.op = node.op, .children = children()});
  case Op::Linear: {
    Id sum = all_.constant(node.number);
    std::vector<std::pair<Id, std::int64_t>> parts;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      Id value = down(node.children[k]);
      if (all_[value].op == Op::Linear)
        sum = all_.add(sum, node.coefficients[k], value);
      else
        parts.emplace_back(value, node.coefficients[k]);
    }
    if (parts.empty()) return sum;
    std::int64_t constant = 0;
    const Expression &rest = all_[sum];
    if (rest.op != Op::Linear) {
      parts.emplace_back(sum, 1);
    } else {
      for (std::size_t k = 0; k < rest.children.size(); ++k)
        parts.emplace_back(rest.children[k], rest.coefficients[k]);
      constant = rest.number;
    }
    return all_.linear(std::move(parts), constant);
  }
  case Op::Equal: return all_.equal_zero(down(node.children[0]));
  case Op::AtLeast: return all_.at_least_zero(down(node.children[0]));
  case Op::And: return all_.conjunction(children());
  case Op::Or: return all_.disjunction(children());
  case Op::Not: return all_.negation(down(node.children[0]));
  }
  return all_.truth();
}

} // namespace unravel::prove
