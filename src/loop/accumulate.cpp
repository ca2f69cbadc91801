#include "loop/load.h"
#include "loop/passes.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

class Accumulator {
public:
  Accumulator(const Program &program, const Safe &safe) : names_(program), safe_(safe) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      if (std::optional<Element> sum = summed_element(statements[k])) k = introduce(statements, k, *sum);
      if (Block *body = body_of(statements[k])) block(*body);
    }
  }

private:
  /// The one element that a sequential loop adds to, if it is the same in all iterations.
  std::optional<Element> summed_element(const Statement &loop) const {
    const auto *counted = std::get_if<For>(&loop.kind);
    if (counted ? counted->parallel.has_value() : !std::holds_alternative<While>(loop.kind)) return {};
    Effects effects = effects_of(loop);
    std::vector<Element> sums;
    each_statement(loop, [&](const Statement &inner) {
      const auto *sum = std::get_if<Accumulate>(&inner.kind);
      const auto *element = sum ? std::get_if<Element>(&sum->target) : nullptr;
      if (element) sums.push_back(*element);
    });
    for (const Element &sum : sums) {
      Load load{term::apply(sum.array, {sum.slot}), true};
      bool fixed = !effects.changes(sum.slot) && !effects.mentions_declared(sum.slot);
      if (fixed && only_added_to(loop, sum) && safe_ && safe_(load.term)) return sum;
    }
    return {};
  }

  /// Whether the loop touches the array in no other way than by adding to this element, sequentially.
  static bool only_added_to(const Statement &loop, const Element &sum) {
    bool only = true;
    auto touches = [&](const Target &target) {
      const auto *element = std::get_if<Element>(&target);
      return element && element->array == sum.array;
    };
    each_statement(loop, [&](const Statement &inner) {
      if (const auto *add = std::get_if<Accumulate>(&inner.kind); add && touches(add->target))
        only = only && std::get<Element>(add->target).slot == sum.slot;
      if (const auto *store = std::get_if<Store>(&inner.kind); store && touches(store->target)) only = false;
      if (const auto *zero = std::get_if<Zero>(&inner.kind); zero && zero->array == sum.array) only = false;
      if (const auto *nested = std::get_if<For>(&inner.kind); nested && nested->parallel) only = false;
      each_own_value(inner, [&](const Value &value) {
        each_element(value, [&](const Element &element) { only = only && element.array != sum.array; });
      });
    });
    return only;
  }

  static void redirect(Block &statements, const Element &sum, const std::string &local) {
    for (Statement &statement : statements) {
      if (auto *add = std::get_if<Accumulate>(&statement.kind)) {
        const auto *element = std::get_if<Element>(&add->target);
        if (element && element->array == sum.array) add->target = Local{local};
      }
      if (Block *body = body_of(statement)) redirect(*body, sum, local);
    }
  }

  static bool is_zeroed(const Statement &statement, const Element &sum) {
    const auto *store = std::get_if<Store>(&statement.kind);
    const auto *element = store ? std::get_if<Element>(&store->target) : nullptr;
    const auto *number = store ? std::get_if<Number>(&store->value.kind) : nullptr;
    return element && element->array == sum.array && element->slot == sum.slot && number &&
           number->value == 0;
  }

  /// Returns the loop's new place.
  std::size_t introduce(Block &statements, std::size_t k, const Element &sum) {
    std::string local = names_.name(sum.array.substr(0, sum.array.find('.')) + ".sum");
    redirect(*body_of(statements[k]), sum, local);
    auto at = [&](std::size_t place) { return statements.begin() + static_cast<std::ptrdiff_t>(place); };
    Value total{Local{local}};
    if (k > 0 && is_zeroed(statements[k - 1], sum)) {
      statements.insert(at(k + 1), Statement{Store{sum, total}});
      statements[k - 1] = {DeclareValue{local, Value{Number{0}}}};
      return k;
    }
    statements.insert(at(k + 1), Statement{Accumulate{sum, total}});
    statements.insert(at(k), Statement{DeclareValue{local, Value{Number{0}}}});
    return k + 1;
  }

  FreshNames names_;
  const Safe &safe_;
};

} // namespace

Program accumulate_locally(Program program, const Safe &safe) {
  Accumulator(program, safe).block(program.body);
  return program;
}

Program improve(Program program, const Safe &safe) {
  program = fold(std::move(program));
  program = accumulate_locally(std::move(program), safe);
  program = share(hoist(std::move(program), safe));
  return fold(std::move(program));
}

} // namespace unravel::loop
