
#include "loop/arrays.h"
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
        good_ = good_ && !found_.inner && !sum->atomic && sum->by == Operator::Add &&
                is_product(sum->value, [](const Value &factor) { return parts_of(factor).empty(); });
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
    bool well = reads_float64_beside(result, {loop_}, program_);
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
  return Nest(loop, program).find();
}

} // namespace unravel::loop
