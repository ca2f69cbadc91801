#include "loop/accumulate.h"

#include "loop/copies.h"

#include <algorithm>
#include <functional>

namespace unravel::loop {

namespace {

using term::Term;

class Accumulator {
public:
  Accumulator(FreshNames &names, const Safe &safe) : names_(names), safe_(safe) {}

  void block(Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      if (k + 1 < statements.size() && set_by_sum(statements[k], statements[k + 1]))
        statements.erase(place(statements, k));
      k = loop(statements, k);
      for (Block *inner : blocks_of(statements[k]))
        block(*inner);
    }
  }

  /// The sums of statement k; returns where it stands then.
  std::size_t loop(Block &statements, std::size_t k) {
    while (std::optional<Element> sum = summed_element(statements, k))
      k = introduce(statements, k, *sum);
    return k;
  }

private:
  /// y = 0; y += v; is y = v; so too with other operators and their identities.
  static bool set_by_sum(const Statement &zero, Statement &sum) {
    const auto *add = sum.as<Accumulate>();
    const Element *added = reduced_element(sum);
    const Element *element = added ? element_set_to(value::identity_of(add->by), zero) : nullptr;
    if (!element || add->atomic || !same_place(*element, *added)) return false;
    bool reads = false;
    each_element(add->value, [&](const Element &read) { reads = reads || read.array == element->array; });
    if (reads) return false;
    sum.kind = Store{*added, Value(add->value)};
    return true;
  }

  /// An element that a sequential loop adds to, if it is the same in all iterations.
  std::optional<Element> summed_element(const Block &statements, std::size_t k) const {
    const Statement &loop = statements[k];
    const auto *counted = loop.as<For>();
    if (!is_loop(loop) || (counted && counted->parallel)) return {};
    Effects effects = effects_of(loop);
    std::vector<Element> sums;
    each_statement(loop, [&](const Statement &inner) {
      if (const Element *element = reduced_element(inner)) sums.push_back(*element);
    });
    for (const Element &sum : sums) {
      Load load{term::apply(sum.array, {sum.slot}), true};
      bool fixed = !effects.changes(sum.slot) && !effects.mentions_declared(sum.slot);
      if (!fixed || !std::ranges::all_of(blocks_of(loop),
                                         [&](const Block *inner) { return only_adds_to(*inner, sum.array); }))
        continue;
      const auto by = reduction_of(loop, sum.array);
      if (by && ((safe_ && safe_(load.term)) || cleared_before(statements, k, sum, *by))) return sum;
    }
    return {};
  }

  /// Returns what the additions were made for.
  static Origins redirect(Block &statements, const Element &sum, const std::string &local) {
    Origins origins;
    for (Statement &statement : statements) {
      if (const Element *element = reduced_element(statement); element && same_place(*element, sum)) {
        auto &add = *statement.as<Accumulate>();
        add.target = Local{local}, add.atomic = false;
        if (!statement.origins.empty()) origins = joined(origins, {statement.origins.back()});
      }
      for (Block *inner : blocks_of(statement))
        origins = joined(origins, redirect(*inner, sum, local));
    }
    return origins;
  }

  static bool is_cleared(const Statement &statement, const Element &sum, Operator by) {
    const double identity = value::identity_of(by);
    if (const auto *zero = statement.as<Zero>())
      return identity == 0 && zero->array == sum.array && zero->count == Term(1) && sum.slot == Term(0);
    const Element *element = element_set_to(identity, statement);
    return element && same_place(*element, sum);
  }

  /// The statement before the k-th that sets the element to the identity, if the array isn't touched in
  /// between.
  static std::optional<std::size_t> cleared_before(const Block &statements, std::size_t k, const Element &sum,
                                                   Operator by) {
    while (k-- > 0) {
      if (is_cleared(statements[k], sum, by)) return k;
      Effects effects = effects_of(statements[k]);
      if (effects.touches(sum.array) || reads(statements[k], sum.array) || effects.changes(sum.slot) ||
          effects.breaks)
        return {};
    }
    return {};
  }

  /// Whether the statement may add to that element too.
  static bool adds_to(const Statement &statement, const Element &sum) {
    return holds(statement, [&](const Statement &inner) {
      const Element *element = reduced_element(inner);
      std::int64_t distance = 0;
      return element && element->array == sum.array &&
             (!constant_difference(element->slot, sum.slot, distance) || distance == 0);
    });
  }

  /// Takes the factors that the loop doesn't change out of what it adds to the local: a product in each of
  /// its iterations, behind Lets, of which some factor is left. Of loops along a dense mode only: others may
  /// be too short for it.
  std::vector<Value> take_common_factors(Statement &statement, const std::string &local) const {
    auto *loop = statement.as<For>();
    if (!loop || !behind_lets(loop->body) || !reduces(loop->body.back(), local) ||
        !addition_of(loop->body.back()) || !applications_of(loop->lower).empty() ||
        !applications_of(loop->upper).empty())
      return {};
    auto *add = loop->body.back().as<Accumulate>();
    auto *negative = arguments_of(Operator::Negate, add->value);
    Value &product = negative ? negative->front() : add->value;
    auto *factors = arguments_of(Operator::Multiply, product);
    Effects effects = effects_of(statement);
    if (!factors) return {};
    auto is_common = [&](const Value &factor) {
      const auto *element = factor.as<Element>();
      if (!element) return false;
      Load load{term::apply(element->array, {element->slot}), true};
      return safe_ && safe_(load.term) && !changes(effects, load);
    };
    auto first = std::stable_partition(factors->begin(), factors->end(), std::not_fn(is_common));
    if (first == factors->begin()) return {};
    std::vector<Value> common(std::make_move_iterator(first), std::make_move_iterator(factors->end()));
    factors->erase(first, factors->end());
    if (factors->size() == 1) {
      Value only = std::move(factors->front());
      product = std::move(only);
    }
    return common;
  }

  /// What multiplies the sum by the factors that are taken out of the loop, if there are any. An infinite one
  /// would give an infinity where the sum of infinities is NaN, and what is added up without them may be too
  /// large: then the sum is made again as it was.
  Block take_out_factors(Statement &statement, const std::string &local) {
    Block again{{Store{Local{local}, {Number{0}}}}, statement};
    std::vector<Value> factors = take_common_factors(statement, local);
    if (factors.empty()) return {};
    auto &repeated = std::get<For>(again.back().kind); // hardly ever
    repeated.comment.clear();
    repeated.simd = false;
    factors.push_back({Local{local}});
    std::string test = names_.name(local + "_test");
    return {{Store{Local{local}, apply(Operator::Multiply, std::move(factors))}},
            {DeclareValue{test, apply(Operator::Multiply, std::vector<Value>{{Number{0}}, {Local{local}}})}},
            {IfValue{test, std::move(again),
                     "a factor or the sum isn't finite: sum again, with the factors in each term",
                     IfValue::Test::NotANumber}}};
  }

  /// Whether what the statement adds to the element is added atomically.
  static bool adds_atomically(const Statement &statement, const Element &sum) {
    return holds(statement, [&](const Statement &inner) {
      const Element *element = reduced_element(inner);
      return element && same_place(*element, sum) && inner.as<Accumulate>()->atomic;
    });
  }

  /// Returns the loop's new place.
  std::size_t introduce(Block &statements, std::size_t k, const Element &sum) {
    std::string local = names_.name(sum.array.substr(0, sum.array.find('.')) + ".sum");
    const bool atomic = adds_atomically(statements[k], sum);
    const Operator by = reduction_of(statements[k], sum.array).value();
    const Value identity{Number{value::identity_of(by)}};
    Origins origins;
    for (Block *inner : blocks_of(statements[k]))
      origins = joined(origins, redirect(*inner, sum, local));
    Value total{Local{local}};
    Block scaling = take_out_factors(statements[k], local);
    std::size_t behind = k + 1 + scaling.size();
    statements.insert(place(statements, k + 1), std::make_move_iterator(scaling.begin()),
                      std::make_move_iterator(scaling.end()));
    std::optional<std::size_t> cleared = cleared_before(statements, k, sum, by);
    if (cleared && !adds_to(statements[k], sum)) {
      statements.insert(place(statements, behind), Statement{Store{sum, total}, origins});
      statements.erase(place(statements, *cleared));
      statements.insert(place(statements, k - 1), Statement{DeclareValue{local, identity}, origins});
      return k;
    }
    statements.insert(place(statements, behind), Statement{Accumulate{sum, total, atomic, by}, origins});
    statements.insert(place(statements, k), Statement{DeclareValue{local, identity}, origins});
    return k + 1;
  }

  FreshNames &names_;
  const Safe &safe_;
};

} // namespace

void accumulate_locally(Block &block, FreshNames &names, const Safe &safe) {
  Accumulator(names, safe).block(block);
}

std::size_t accumulate_of_loop(Block &block, std::size_t k, FreshNames &names, const Safe &safe) {
  return Accumulator(names, safe).loop(block, k);
}

Program accumulate_locally(Program program, const Known &known) {
  FreshNames names(program);
  accumulate_locally(program.body, names, known.safe);
  return program;
}

} // namespace unravel::loop
