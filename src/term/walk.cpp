// Comparison of terms, and the walkers: look, rewrite, evaluate.
#include "report/diagnostic.h"
#include "term/children.h"
#include "term/nesting.h"
#include "term/quotient.h"
#include "term/solve.h"
#include "term/term.h"

#include <algorithm>
#include <functional>

namespace unravel::term {

namespace {

/// Rebuilds the term in normal form from its children, each mapped by `map`.
Term rebuild(const Term &term, const std::function<Term(const Term &)> &map) {
  auto all = [&](const std::vector<Term> &terms) {
    std::vector<Term> result;
    result.reserve(terms.size());
    for (const Term &inner : terms)
      result.push_back(map(inner));
    return result;
  };
  return std::visit(overloaded{
                        [&](const Constant &) { return term; },
                        [&](const Variable &) { return term; },
                        [&](const Linear &x) {
                          Term sum(x.constant);
                          for (const auto &[atom, coefficient] : x.parts)
                            sum = sum + scale(coefficient, map(atom));
                          return sum;
                        },
                        [&](const Apply &x) { return apply(x.function, all(x.arguments)); },
                        [&](const FloorDivide &x) { return floor_divide(map(x.numerator), x.divisor); },
                        [&](const Modulo &x) { return modulo(map(x.numerator), x.divisor); },
                        [&](const Product &x) { return multiply(map(x.left), map(x.right)); },
                        [&](const Minimum &x) { return minimum(all(x.of)); },
                        [&](const Maximum &x) { return maximum(all(x.of)); },
                        [&](const Compare &x) {
                          Term left = map(x.left);
                          return x.relation == Relation::Equal ? equal(left, Term()) : at_most(Term(), left);
                        },
                        [&](const And &x) { return conjunction(all(x.parts)); },
                        [&](const Or &x) { return disjunction(all(x.parts)); },
                        [&](const Not &x) { return negation(map(x.of)); },
                    },
                    term.node().kind);
}

} // namespace

void each_child(const Term &term, const std::function<void(const Term &)> &visit) {
  auto all = [&](const std::vector<Term> &terms) { std::for_each(terms.begin(), terms.end(), visit); };
  std::visit(overloaded{
                 [](const Constant &) {},
                 [](const Variable &) {},
                 [&](const Linear &x) {
                   for (const auto &part : x.parts)
                     visit(part.first);
                 },
                 [&](const Apply &x) { all(x.arguments); },
                 [&](const FloorDivide &x) { visit(x.numerator); },
                 [&](const Modulo &x) { visit(x.numerator); },
                 [&](const Product &x) { visit(x.left), visit(x.right); },
                 [&](const Minimum &x) { all(x.of); },
                 [&](const Maximum &x) { all(x.of); },
                 [&](const Compare &x) { visit(x.left); },
                 [&](const And &x) { all(x.parts); },
                 [&](const Or &x) { all(x.parts); },
                 [&](const Not &x) { visit(x.of); },
             },
             term.node().kind);
}

bool operator==(const Term &a, const Term &b) {
  if (a.node_ == b.node_) return true;
  if (a.hash() != b.hash()) return false;
  return (a <=> b) == 0;
}

std::strong_ordering operator<=>(const Term &a, const Term &b) {
  if (a.node_ == b.node_) return std::strong_ordering::equal;
  return a.node().kind <=> b.node().kind;
}

Term substitute(const Term &term, const Substitution &by) {
  if (by.empty()) return term;
  if (const auto *name = term.as<Variable>()) {
    auto found = by.find(name->name);
    return found == by.end() ? term : found->second;
  }
  if (term.as<Constant>()) return term;
  return rebuild(term, [&](const Term &inner) { return substitute(inner, by); });
}

std::vector<Term> substitute(std::vector<Term> terms, const Substitution &by) {
  for (Term &term : terms)
    term = substitute(term, by);
  return terms;
}

Term rename(const Term &term, const std::map<std::string, std::string> &variables,
            const std::map<std::string, std::string> &functions) {
  if (const auto *name = term.as<Variable>()) {
    auto found = variables.find(name->name);
    return found == variables.end() ? term : variable(found->second);
  }
  auto down = [&](const Term &inner) { return rename(inner, variables, functions); };
  if (const auto *call = term.as<Apply>()) {
    std::vector<Term> arguments;
    for (const Term &argument : call->arguments)
      arguments.push_back(down(argument));
    auto found = functions.find(call->function);
    return apply(found == functions.end() ? call->function : found->second, std::move(arguments));
  }
  return rebuild(term, down);
}

Term replace(const Term &term, const std::map<Term, Term> &by) {
  if (auto found = by.find(term); found != by.end()) return found->second;
  return rebuild(term, [&](const Term &inner) { return replace(inner, by); });
}

std::set<std::string> variables_of(const Term &term) {
  std::set<std::string> names;
  std::function<void(const Term &)> look = [&](const Term &inner) {
    if (const auto *name = inner.as<Variable>()) names.insert(name->name);
    each_child(inner, look);
  };
  look(term);
  return names;
}

bool mentions(const Term &term, const std::string &variable) {
  if (const auto *name = term.as<Variable>()) return name->name == variable;
  bool found = false;
  each_child(term, [&](const Term &inner) { found = found || mentions(inner, variable); });
  return found;
}

bool mentions_any(const Term &term, const std::set<std::string> &variables) {
  return std::ranges::any_of(variables_of(term), [&](auto &name) { return variables.contains(name); });
}

std::vector<Term> applications_of(const Term &term) {
  std::vector<Term> found;
  std::function<void(const Term &)> look = [&](const Term &inner) {
    each_child(inner, look);
    if (inner.as<Apply>() && std::find(found.begin(), found.end(), inner) == found.end())
      found.push_back(inner);
  };
  look(term);
  return found;
}

std::size_t nesting_of(const Term &term) {
  std::size_t deepest = 0;
  for (const Term &application : applications_of(term)) {
    std::size_t inside = 0;
    for (const Term &argument : application.as<Apply>()->arguments)
      inside = std::max(inside, nesting_of(argument));
    deepest = std::max(deepest, inside + 1);
  }
  return deepest;
}

std::int64_t coefficient_of(const Term &term, const std::string &name) {
  for (const auto &[atom, coefficient] : linear_form(term).parts)
    if (const auto *found = atom.as<Variable>(); found && found->name == name) return coefficient;
  return 0;
}

const Term *equation(const Term &formula) {
  const auto *compare = formula.as<Compare>();
  return compare && compare->relation == Relation::Equal ? &compare->left : nullptr;
}

const Term *inequality(const Term &formula) {
  const auto *compare = formula.as<Compare>();
  return compare && compare->relation == Relation::AtLeast ? &compare->left : nullptr;
}

std::optional<Term> solve_for(const std::string &variable, const Term &formula) {
  const Term *left = equation(formula);
  if (!left) return std::nullopt;
  std::int64_t coefficient = coefficient_of(*left, variable);
  if (coefficient != 1 && coefficient != -1) return std::nullopt;
  Term value = term::variable(variable) - scale(coefficient, *left);
  if (mentions(value, variable)) return std::nullopt;
  return value;
}

std::int64_t evaluate(const Term &term, const Environment &environment) {
  auto value = [&](const Term &inner) { return evaluate(inner, environment); };
  auto extreme = [&](const std::vector<Term> &of, bool smallest) {
    std::int64_t result = value(of.front());
    for (const Term &inner : of)
      result = smallest ? std::min(result, value(inner)) : std::max(result, value(inner));
    return result;
  };
  return std::visit(
      overloaded{
          [](const Constant &x) { return x.value; },
          [&](const Variable &x) { return environment.variable(x.name); },
          [&](const Linear &x) {
            std::int64_t sum = x.constant;
            for (const auto &[atom, coefficient] : x.parts)
              sum += coefficient * value(atom);
            return sum;
          },
          [&](const Apply &x) {
            std::vector<std::int64_t> arguments;
            for (const Term &argument : x.arguments)
              arguments.push_back(value(argument));
            return environment.apply(x.function, arguments);
          },
          [&](const FloorDivide &x) { return floor_quotient(value(x.numerator), x.divisor); },
          [&](const Modulo &x) {
            std::int64_t numerator = value(x.numerator);
            return numerator - x.divisor * floor_quotient(numerator, x.divisor);
          },
          [&](const Product &x) { return value(x.left) * value(x.right); },
          [&](const Minimum &x) { return extreme(x.of, true); },
          [&](const Maximum &x) { return extreme(x.of, false); },
          [&](const Compare &x) {
            std::int64_t left = value(x.left);
            return static_cast<std::int64_t>(x.relation == Relation::Equal ? left == 0 : left >= 0);
          },
          [&](const And &x) {
            return static_cast<std::int64_t>(
                std::all_of(x.parts.begin(), x.parts.end(), [&](auto &part) { return value(part) != 0; }));
          },
          [&](const Or &x) {
            return static_cast<std::int64_t>(
                std::any_of(x.parts.begin(), x.parts.end(), [&](auto &part) { return value(part) != 0; }));
          },
          [&](const Not &x) { return static_cast<std::int64_t>(value(x.of) == 0); },
      },
      term.node().kind);
}

} // namespace unravel::term
