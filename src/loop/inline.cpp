#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::overloaded;
using term::Term;

/// Uses of a name: how many, and whether one is evaluated more often than the place of the declaration.
struct Uses {
  int count = 0;
  bool repeated = false;
};

int own_uses(const Statement &statement, const std::string &name) {
  int count = 0;
  Term variable = term::variable(name);
  each_own_term(statement, [&](const Term &term) { count += occurrences(term, variable); });
  each_own_value(statement, [&](const Value &value) {
    each_local(value, [&](const Local &local) { count += local.name == name; });
  });
  return count + tests(statement, name);
}

void count_uses(const Block &block, std::size_t begin, const std::string &name, bool in_loop, Uses &uses) {
  for (std::size_t k = begin; k < block.size(); ++k) {
    const Statement &statement = block[k];
    int own = own_uses(statement, name);
    uses.count += own;
    uses.repeated = uses.repeated || (own && (in_loop || statement.is<While>()));
    for (const Block *inner : blocks_of(statement))
      count_uses(*inner, 0, name, in_loop || is_loop(statement), uses);
  }
}

Effects effects_after(const Block &block, std::size_t begin) {
  Effects result;
  for (std::size_t k = begin; k < block.size(); ++k)
    result.add(block[k]);
  return result;
}

void take_factors(const Value &product, double &number, std::vector<Value> &factors) {
  for (const Value &factor : parts_of(product)) {
    if (arguments_of(Operator::Multiply, factor))
      take_factors(factor, number, factors);
    else if (const double *constant = value::number_of(factor);
             constant && !value::is_rounded_product(number, *constant))
      number *= *constant;
    else
      factors.push_back(factor);
  }
}

/// A product without products in it, and without factors 1. Quotients in it stay: they may be invariant.
Value flatten(Value value) {
  if (!arguments_of(Operator::Multiply, value)) return value;
  double number = 1;
  std::vector<Value> factors;
  take_factors(value, number, factors);
  std::vector<Value> all;
  if (number != 1 || factors.empty()) all.push_back({Number{number}});
  all.insert(all.end(), factors.begin(), factors.end());
  return all.size() == 1 ? all[0] : apply(Operator::Multiply, std::move(all));
}

Value substitute_local(const Value &value, const std::string &name, const Value &by) {
  const auto *local = value.as<Local>();
  if (local && local->name == name) return flatten(by);
  return flatten(map_parts(value, [&](const Value &part) { return substitute_local(part, name, by); }));
}

void substitute_from(Block &block, std::size_t begin, const TermMap &terms, const ValueMap &values = {}) {
  for (std::size_t k = begin; k < block.size(); ++k)
    rewrite(block[k], terms, values);
}

/// Statements that compute the name's value themselves do the work of what defined it.
void inherit(Statement &statement, const std::string &name, const Origins &origins) {
  bool uses = false;
  each_own_term(statement, [&](const Term &term) { uses = uses || mentions(term, name); });
  if (uses) statement.origins = joined(statement.origins, origins);
  for (Block *inner : blocks_of(statement))
    for (Statement &each : *inner)
      inherit(each, name, origins);
}

bool inline_let(Block &block, std::size_t k, const Let &let) {
  if (effects_after(block, k + 1).changes(let.value)) return false;
  if (!let.value.as<term::Constant>() && !let.value.as<term::Variable>()) {
    Uses uses;
    count_uses(block, k + 1, let.variable, false, uses);
    if (uses.count != 1 || uses.repeated) return false;
  }
  term::Substitution by{{let.variable, let.value}};
  for (std::size_t behind = k + 1; behind < block.size(); ++behind)
    inherit(block[behind], let.variable, block[k].origins);
  substitute_from(block, k + 1, [&](const Term &term) {
    return mentions(term, by.begin()->first) ? substitute(term, by) : term;
  });
  return true;
}

/// Whether an IfValue asks for the local, which then needs its name.
bool is_tested(const Block &block, std::size_t begin, const std::string &local) {
  return std::any_of(block.begin() + static_cast<std::ptrdiff_t>(begin), block.end(), [&](const auto &each) {
    return holds(each, [&](const Statement &inner) { return tests(inner, local); });
  });
}

bool inline_value(Block &block, std::size_t k, const DeclareValue &declaration) {
  Effects after = effects_after(block, k + 1);
  bool changes = after.stored.contains(declaration.name);
  each_element(declaration.initial, [&](const Element &element) {
    changes = changes || after.touches(element.array) || after.changes(element.slot);
  });
  each_local(declaration.initial,
             [&](const Local &local) { changes = changes || after.stored.contains(local.name); });
  value::each_leaf<Term>(declaration.initial,
                         [&](const Term &term) { changes = changes || after.changes(term); });
  if (changes || is_tested(block, k + 1, declaration.name)) return false;
  bool trivial = declaration.initial.is<Number>() || declaration.initial.is<Local>();
  Uses uses;
  count_uses(block, k + 1, declaration.name, false, uses);
  if (!trivial && (uses.count != 1 || uses.repeated)) return false;
  substitute_from(block, k + 1, {}, [&](const Value &value) {
    return substitute_local(value, declaration.name, declaration.initial);
  });
  return true;
}

void inline_in(Block &block) {
  for (std::size_t k = 0; k < block.size();) {
    bool inlined = false;
    if (const auto *let = block[k].as<Let>())
      inlined = inline_let(block, k, Let(*let));
    else if (const auto *declaration = block[k].as<DeclareValue>())
      inlined = inline_value(block, k, DeclareValue(*declaration));
    if (inlined) {
      block.erase(place(block, k));
      continue;
    }
    for (Block *inner : blocks_of(block[k]))
      inline_in(*inner);
    ++k;
  }
}

} // namespace

Block inline_names(Block block) {
  rewrite(block, {}, flatten);
  inline_in(block);
  return block;
}

} // namespace unravel::loop
