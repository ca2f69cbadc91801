#include "loop/accumulate.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

class Accumulator {
public:
  Accumulator(FreshNames &names, const Safe &safe) : names_(names), safe_(safe) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      while (std::optional<Element> sum = summed_element(statements, k))
        k = introduce(statements, k, *sum);
      for (Block *inner : blocks_of(statements[k]))
        block(*inner);
    }
  }

private:
  /// An element that a sequential loop adds to, if it is the same in all iterations.
  std::optional<Element> summed_element(const Block &statements, std::size_t k) const {
    const Statement &loop = statements[k];
    const auto *counted = std::get_if<For>(&loop.kind);
    if (!is_loop(loop) || (counted && counted->parallel)) return {};
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
      if (fixed && only_added_to(loop, sum) &&
          ((safe_ && safe_(load.term)) || zeroed_before(statements, k, sum)))
        return sum;
    }
    return {};
  }

  static bool touches(const Target &target, const std::string &array) {
    const auto *element = std::get_if<Element>(&target);
    return element && element->array == array;
  }

  /// Whether the loop touches the array in no other way than by adding to elements of it, sequentially. Which
  /// of them may be the same doesn't matter: they are only added to.
  static bool only_added_to(const Statement &loop, const Element &sum) {
    bool only = true;
    each_statement(loop, [&](const Statement &inner) {
      if (const auto *store = std::get_if<Store>(&inner.kind); store && touches(store->target, sum.array))
        only = false;
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
        if (element && element->array == sum.array && element->slot == sum.slot) add->target = Local{local};
      }
      for (Block *inner : blocks_of(statement))
        redirect(*inner, sum, local);
    }
  }

  static bool is_zeroed(const Statement &statement, const Element &sum) {
    if (const auto *zero = std::get_if<Zero>(&statement.kind))
      return zero->array == sum.array && zero->count == Term(1) && sum.slot == Term(0);
    const auto *store = std::get_if<Store>(&statement.kind);
    const auto *element = store ? std::get_if<Element>(&store->target) : nullptr;
    const auto *number = store ? std::get_if<Number>(&store->value.kind) : nullptr;
    return element && element->array == sum.array && element->slot == sum.slot && number &&
           number->value == 0;
  }

  static bool mentions_array(const Statement &statement, const std::string &array) {
    bool found = effects_of(statement).stored.contains(array);
    each_statement(statement, [&](const Statement &inner) {
      each_own_value(inner, [&](const Value &value) {
        each_element(value, [&](const Element &element) { found = found || element.array == array; });
      });
    });
    return found;
  }

  /// The statement before the k-th that sets the element to zero, if the array isn't touched in between.
  static std::optional<std::size_t> zeroed_before(const Block &statements, std::size_t k,
                                                  const Element &sum) {
    while (k-- > 0) {
      if (is_zeroed(statements[k], sum)) return k;
      Effects effects = effects_of(statements[k]);
      if (mentions_array(statements[k], sum.array) || effects.changes(sum.slot) || effects.breaks) return {};
    }
    return {};
  }

  /// Whether the statement may add to that element too.
  static bool adds_to(const Statement &statement, const Element &sum) {
    bool found = false;
    each_statement(statement, [&](const Statement &inner) {
      const auto *add = std::get_if<Accumulate>(&inner.kind);
      if (!add || !touches(add->target, sum.array)) return;
      std::int64_t distance = 0;
      const Term &slot = std::get<Element>(add->target).slot;
      found = found || !constant_difference(slot, sum.slot, distance) || distance == 0;
    });
    return found;
  }

  /// Returns the loop's new place.
  std::size_t introduce(Block &statements, std::size_t k, const Element &sum) {
    std::string local = names_.name(sum.array.substr(0, sum.array.find('.')) + ".sum");
    redirect(*blocks_of(statements[k]).at(0), sum, local);
    auto at = [&](std::size_t place) { return statements.begin() + static_cast<std::ptrdiff_t>(place); };
    Value total{Local{local}};
    std::optional<std::size_t> zeroed = zeroed_before(statements, k, sum);
    if (zeroed && !adds_to(statements[k], sum)) {
      statements.insert(at(k + 1), Statement{Store{sum, total}});
      statements.erase(at(*zeroed));
      statements.insert(at(k - 1), Statement{DeclareValue{local, Value{Number{0}}}});
      return k;
    }
    statements.insert(at(k + 1), Statement{Accumulate{sum, total}});
    statements.insert(at(k), Statement{DeclareValue{local, Value{Number{0}}}});
    return k + 1;
  }

  FreshNames &names_;
  const Safe &safe_;
};

} // namespace

void accumulate_locally(Block &block, FreshNames &names, const Safe &safe) {
  Accumulator(names, safe).block(block);
}

Program accumulate_locally(Program program, const Safe &safe) {
  FreshNames names(program);
  accumulate_locally(program.body, names, safe);
  return program;
}

Program improve(Program program, const Safe &safe, const Counts &counts) {
  program = clear_in_blocks(cut_strips(fuse(fold(std::move(program)))));
  program = split_full_blocks(std::move(program), safe);
  program = accumulate_locally(std::move(program), safe);
  program = share(hoist(std::move(program), safe));
  return mask_sums(skip_empty_segments(fold(std::move(program)), counts), counts);
}

} // namespace unravel::loop
