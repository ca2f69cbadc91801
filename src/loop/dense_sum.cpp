
#include "loop/arrays.h"
#include "loop/types.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

/// A sequential loop of a plain form.
bool is_plain_loop(const Statement &statement) {
  if (const auto *counted = statement.as<For>()) return !counted->parallel && counted->together == 1;
  return statement.is<While>();
}

bool is_size(const Term &bound, const Program &program) {
  if (const auto *number = bound.as<term::Constant>()) return number->value > 0;
  const auto *name = bound.as<term::Variable>();
  return name && std::ranges::any_of(program.parameters, [&](const TensorParameter &parameter) {
           return std::ranges::any_of(parameter.sizes, [&](const std::string &size) {
             return parameter.name + "." + size == name->name;
           });
         });
}

/// The real number that a complex one is made of, or that it is among complex ones.
std::optional<Value> real_of(const Value &factor, const Types &types) {
  if (factor.is<Number>()) return factor;
  const auto *made = factor.as<Value::Apply>();
  const std::optional<ElementType> to = made ? value::made_by_conversion(made->op) : std::nullopt;
  if (!to || !value::is_complex(*to)) return std::nullopt;
  const std::optional<ElementType> from = types.of(made->arguments.front());
  if (from && value::is_complex(*from)) return std::nullopt;
  const ElementType parts = value::type_of_parts(*to);
  return !from || from == parts ? made->arguments.front()
                                : apply(value::conversion_to(parts), std::vector{made->arguments.front()});
}

class DenseNest {
public:
  DenseNest(const Statement &loop, const Program &program)
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
    const std::optional<ElementType> type = element_type(target.array, program_);
    return type && value::is_complex(*type) ? finds_row(target.array)
           : reads_well(target.array)       ? std::optional(found_)
                                            : std::nullopt;
  }

private:
  /// Are there other sums in loops of their own? They would be computed once for each part of the stretch.
  bool has_sum_beside(const Statement &statement) const {
    for (const Block *block : blocks_of(statement))
      for (const Statement &inner : *block) {
        bool leads = false, loops = false, adds = false;
        each_statement(inner, [&](const Statement &each) {
          const auto *sum = each.as<Accumulate>();
          leads = leads || (sum && sum == found_.sum);
          adds = adds || sum;
          loops = loops || each.is<For>();
        });
        if (leads ? has_sum_beside(inner) : loops && adds) return true;
      }
    return false;
  }

  void look_at(const Statement &statement) {
    if (const auto *counted = statement.as<For>(); counted && counted->body.size() == 1) {
      const auto *sum = counted->body[0].as<Accumulate>();
      if (reduced_element(counted->body[0]) && &statement != &loop_) {
        good_ = good_ && !found_.inner && !sum->atomic && sum->by == Operator::Add;
        found_ = {counted, sum};
      }
    }
    if (statement.is<Accumulate>() || statement.is<Store>())
      good_ = good_ && ((found_.sum && statement.as<Accumulate>() == found_.sum) || written_local(statement));
    good_ = good_ && (!is_loop(statement) || is_plain_loop(statement)) && !statement.is<Zero>() &&
            !statement.is<SetElement>() && !statement.is<Sort>() && !statement.is<Reserve>();
  }

  /// Nothing of the result; in the product, what vectors can be made of.
  bool reads_well(const std::string &result) const {
    bool well = reads_float64_beside(result, {loop_}, program_) &&
                is_product(found_.sum->value, [](const Value &factor) { return parts_of(factor).empty(); });
    const std::string &variable = found_.inner->variable;
    each_element(found_.sum->value, [&](const Element &element) {
      well = well && (!mentions(element.slot, variable) || runs_along(element.slot, variable));
    });
    return well;
  }

  /// The sum as one of complex numbers.
  std::optional<DenseSum> finds_row(const std::string &result) {
    bool reads = false;
    each_element(Block{loop_}, [&](const Element &read) { reads = reads || read.array == result; });
    const auto *negative = arguments_of(Operator::Negate, found_.sum->value);
    const std::string &along = found_.inner->variable;
    std::vector<Value> factors;
    for (Value &factor :
         value::parts_by(Operator::Multiply, negative ? negative->front() : found_.sum->value)) {
      const auto *element = factor.as<Element>();
      if (element && runs_along(element->slot, along)) {
        if (found_.row || element_type(element->array, program_) != element_type(result, program_)) return {};
        found_.row = *element;
        continue;
      }
      bool varies = false;
      each_element(factor, [&](const Element &read) { varies = varies || mentions(read.slot, along); });
      value::each_leaf<Term>(factor, [&](const Term &term) { varies = varies || mentions(term, along); });
      if (varies) return {};
      factors.push_back(std::move(factor));
    }
    if (reads || !found_.row) return {};
    const Types types(program_);
    std::vector<Value> real;
    for (const Value &factor : factors)
      if (std::optional<Value> part = real_of(factor, types)) real.push_back(std::move(*part));
    found_.is_scaled = real.size() == factors.size();
    if (found_.is_scaled) factors = std::move(real);
    found_.factor = factors.empty()       ? Value{Number{1}}
                    : factors.size() == 1 ? std::move(factors.front())
                                          : apply(Operator::Multiply, std::move(factors));
    return found_;
  }

  const Statement &loop_;
  const Program &program_;
  Effects effects_;
  DenseSum found_;
  bool good_ = true;
};

} // namespace

bool clears_stretch(const Statement &loop, const DenseSum &sum) {
  const auto *counted = loop.as<For>();
  if (!counted || counted->parallel || counted->body.size() != 1 || counted->lower != sum.inner->lower ||
      counted->upper != sum.inner->upper || counted->step != 1)
    return false;
  const Element *element = element_set_to(0, counted->body[0]);
  const auto &target = std::get<Element>(sum.sum->target);
  return element && element->array == target.array &&
         element->slot - term::variable(counted->variable) ==
             target.slot - term::variable(sum.inner->variable);
}

std::optional<DenseSum> dense_sum(const Statement &loop, const Program &program) {
  if (!is_plain_loop(loop)) return {};
  return DenseNest(loop, program).find();
}

} // namespace unravel::loop
