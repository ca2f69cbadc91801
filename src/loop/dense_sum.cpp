#include "loop/dense_sum.h"

#include "loop/gathered_sum.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

/// A sequential loop of a plain form.
bool is_plain_loop(const Statement &statement) {
  if (const auto *counted = std::get_if<For>(&statement.kind))
    return !counted->parallel && counted->together == 1;
  return std::holds_alternative<While>(statement.kind);
}

bool is_float64(const std::string &array, const Program &program) {
  return element_type(array, program) == ElementType::Float64;
}

bool is_size(const Term &bound, const Program &program) {
  if (const auto *number = bound.as<term::Constant>()) return number->value > 0;
  const auto *name = bound.as<term::Variable>();
  return name &&
         std::any_of(program.parameters.begin(), program.parameters.end(), [&](const auto &parameter) {
           return std::any_of(parameter.sizes.begin(), parameter.sizes.end(), [&](const std::string &size) {
             return parameter.name + "." + size == name->name;
           });
         });
}

/// A product of elements, locals and numbers, or its negative.
bool is_product(const Value &value) {
  if (const auto *negative = arguments_of(Operator::Negate, value)) return is_product(negative->front());
  const auto *factors = arguments_of(Operator::Multiply, value);
  auto is_leaf = [](const Value &factor) { return parts_of(factor).empty(); };
  return factors ? std::all_of(factors->begin(), factors->end(), is_leaf) : is_leaf(value);
}

class Nest {
public:
  Nest(const Statement &loop, const Program &program)
      : loop_(loop), program_(program), effects_(effects_of(loop)) {}

  std::optional<DenseSum> find() {
    each_statement(loop_, [&](const Statement &inner) { look_at(inner); });
    if (!good_ || !found_.inner || effects_.breaks || has_sum_beside(loop_)) return {};
    const auto &target = std::get<Element>(found_.sum->target);
    std::set<std::string> outside = effects_.stored;
    outside.insert(effects_.assigned.begin(), effects_.assigned.end());
    outside.erase(target.array);
    if (!std::includes(effects_.declared.begin(), effects_.declared.end(), outside.begin(), outside.end()))
      return {};
    const For &inner = *found_.inner;
    Term rest = target.slot - term::variable(inner.variable);
    if (inner.lower != Term(0) || inner.step != 1 || inner.simd || !is_size(inner.upper, program_) ||
        !runs_along(target.slot, inner.variable) || effects_.changes(rest) ||
        effects_.mentions_declared(rest))
      return {};
    return reads_well(target.array) ? std::optional(found_) : std::nullopt;
  }

private:
  /// Are there other sums in loops of their own? They would be computed once for each part of the stretch.
  bool has_sum_beside(const Statement &statement) const {
    for (const Block *block : blocks_of(statement))
      for (const Statement &inner : *block) {
        bool leads = false, loops = false, adds = false;
        each_statement(inner, [&](const Statement &each) {
          const auto *sum = std::get_if<Accumulate>(&each.kind);
          leads = leads || (sum && sum == found_.sum);
          adds = adds || sum;
          loops = loops || std::holds_alternative<For>(each.kind);
        });
        if (leads ? has_sum_beside(inner) : loops && adds) return true;
      }
    return false;
  }

  void look_at(const Statement &statement) {
    if (const auto *counted = std::get_if<For>(&statement.kind); counted && counted->body.size() == 1) {
      const auto *sum = std::get_if<Accumulate>(&counted->body[0].kind);
      if (sum && std::holds_alternative<Element>(sum->target) && &statement != &loop_) {
        good_ = good_ && !found_.inner && !sum->atomic && sum->by == Operator::Add && is_product(sum->value);
        found_ = {counted, sum};
      }
    }
    if (const auto *sum = std::get_if<Accumulate>(&statement.kind))
      good_ = good_ && (sum == found_.sum || std::holds_alternative<Local>(sum->target));
    if (const auto *store = std::get_if<Store>(&statement.kind))
      good_ = good_ && std::holds_alternative<Local>(store->target);
    good_ = good_ && (!is_loop(statement) || is_plain_loop(statement)) &&
            !std::holds_alternative<Zero>(statement.kind) &&
            !std::holds_alternative<SetElement>(statement.kind) &&
            !std::holds_alternative<Sort>(statement.kind) && !std::holds_alternative<Reserve>(statement.kind);
  }

  /// Nothing of the result; in the product, what vectors can be made of.
  bool reads_well(const std::string &result) const {
    bool well = is_float64(result, program_);
    each_statement(loop_, [&](const Statement &inner) {
      each_own_value(inner, [&](const Value &value) {
        each_element(value, [&](const Element &element) {
          well = well && element.array != result && is_float64(element.array, program_);
        });
      });
    });
    const std::string &variable = found_.inner->variable;
    each_element(found_.sum->value, [&](const Element &element) {
      well = well && (!mentions(element.slot, variable) || runs_along(element.slot, variable));
    });
    return well;
  }

  const Statement &loop_;
  const Program &program_;
  Effects effects_;
  DenseSum found_;
  bool good_ = true;
};

} // namespace

int mentions_of(const Block &block, const std::string &array) {
  int count = 0;
  each_statement(block, [&](const Statement &statement) {
    each_own_value(statement, [&](const Value &value) {
      each_element(value, [&](const Element &element) { count += element.array == array; });
    });
    const Target *target = nullptr;
    if (const auto *store = std::get_if<Store>(&statement.kind)) target = &store->target;
    if (const auto *add = std::get_if<Accumulate>(&statement.kind)) target = &add->target;
    if (const auto *call = std::get_if<Blas>(&statement.kind)) {
      target = &call->target;
      count += call->left.array == array || (call->right && call->right->array == array);
    }
    if (const auto *ahead = std::get_if<Prefetch>(&statement.kind)) count += ahead->array == array;
    const auto *element = target ? std::get_if<Element>(target) : nullptr;
    count += element ? element->array == array
                     : blocks_of(statement).empty() && effects_of(statement).touches(array);
  });
  return count;
}

bool is_plain(const For &loop) {
  return loop.step == 1 && !loop.parallel && loop.together == 1 && !loop.simd && !loop.masked && !loop.team &&
         !loop.in_lanes;
}

bool runs_along(const Term &slot, const std::string &variable) {
  return !mentions(slot - term::variable(variable), variable);
}

std::optional<Term> stride_of(const Term &slot, const std::string &variable) {
  if (!mentions(slot, variable)) return Term(0);
  if (slot.as<term::Variable>()) return Term(1);
  if (const auto *product = slot.as<term::Product>()) {
    const bool in_left = mentions(product->left, variable);
    if (in_left && mentions(product->right, variable)) return std::nullopt;
    const std::optional<Term> stride = stride_of(in_left ? product->left : product->right, variable);
    if (!stride) return std::nullopt;
    return term::multiply(*stride, in_left ? product->right : product->left);
  }
  const auto *sum = slot.as<term::Linear>();
  if (!sum) return std::nullopt;
  Term total(0);
  for (const auto &[part, coefficient] : sum->parts) {
    const std::optional<Term> stride = stride_of(part, variable);
    if (!stride) return std::nullopt;
    total = total + term::scale(coefficient, *stride);
  }
  return total;
}

bool clears_stretch(const Statement &loop, const DenseSum &sum) {
  const auto *counted = std::get_if<For>(&loop.kind);
  if (!counted || counted->parallel || counted->body.size() != 1 || counted->lower != sum.inner->lower ||
      counted->upper != sum.inner->upper || counted->step != 1)
    return false;
  const auto *store = std::get_if<Store>(&counted->body[0].kind);
  const auto *element = store ? std::get_if<Element>(&store->target) : nullptr;
  const auto *number = store ? std::get_if<Number>(&store->value.kind) : nullptr;
  const auto &target = std::get<Element>(sum.sum->target);
  return element && number && number->value == 0 && element->array == target.array &&
         element->slot - term::variable(counted->variable) ==
             target.slot - term::variable(sum.inner->variable);
}

std::optional<DenseSum> dense_sum(const Statement &loop, const Program &program) {
  if (!is_plain_loop(loop)) return {};
  return Nest(loop, program).find();
}

} // namespace unravel::loop
