#include "loop/walk.h"

#include "term/children.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace unravel::loop {

using term::overloaded;
using term::Term;

namespace {

/// Slots, and terms that are values themselves.
void each_term(const Value &value, const std::function<void(const Term &)> &visit) {
  each_element(value, [&](const Element &element) { visit(element.slot); });
  value::each_leaf<Term>(value, visit);
}

Value map_terms(const Value &value, const TermMap &terms) {
  if (const auto *term = value.as<Term>()) return {terms(*term)};
  if (const auto *element = value.as<Element>()) return {Element{element->array, terms(element->slot)}};
  return map_parts(value, [&](const Value &part) { return map_terms(part, terms); });
}

std::string tensor_of(const std::string &qualified) {
  return qualified.substr(0, qualified.find('.'));
}

std::string written_name(const Target &target) {
  return std::visit(
      overloaded{[](const Element &x) { return x.array; }, [](const Local &x) { return x.name; }}, target);
}

/// Calls `term` and `value` for those that the statement itself holds, in the order of evaluation: of values
/// those that are read, with the terms in them. (The operands of BLAS are no values that could be others.)
template <class OfTerm, class OfValue>
void each_part(Statement &statement, const OfTerm &term, const OfValue &value) {
  const auto target = [&](Target &x) {
    if (auto *element = std::get_if<Element>(&x)) term(element->slot);
  };
  const auto bounds = [&](auto &range) { term(range.lower), term(range.upper); };
  std::visit(overloaded{
                 [&](For &x) {
                   bounds(x);
                   if (x.parallel && x.parallel->work) term(*x.parallel->work);
                   if (x.masked) term(x.masked->when);
                 },
                 [&](While &x) { term(x.condition); },
                 [&](Intersect &x) { bounds(x.first), bounds(x.second); },
                 [&](Merge &x) {
                   for (MergedRange &merged : x.ranges)
                     bounds(merged.range);
                 },
                 [&](If &x) { term(x.condition); },
                 [&](Let &x) { term(x.value); },
                 [&](Declare &x) { term(x.initial); },
                 [&](Assign &x) { term(x.value); },
                 [&](ShareOut &x) { term(x.total), term(x.each); },
                 [&](DeclareValue &x) { value(x.initial); },
                 [&](Store &x) { value(x.value), target(x.target); },
                 [&](Accumulate &x) { value(x.value), target(x.target); },
                 [&](Zero &x) { term(x.count); },
                 [&](SetElement &x) { term(x.value), term(x.slot); },
                 [&](Sort &x) { term(x.count); },
                 [](IfValue &) {},
                 [&](Reserve &x) { term(x.least); },
                 [&](SetCount &x) { term(x.value); },
                 [](Break &) {},
                 [](Miss &) {},
                 [&](Prefetch &x) { term(x.slot); },
                 [&](Blas &x) {
                   for (Blas::Axis &axis : x.axes)
                     term(axis.extent), term(axis.target), term(axis.left), term(axis.right);
                   value(x.scale), term(x.left.slot);
                   if (x.right) term(x.right->slot);
                   target(x.target);
                 },
             },
             statement.kind);
}

/// To be looked at only.
Statement &changeable(const Statement &statement) {
  return const_cast<Statement &>(statement); // NOLINT
}

} // namespace

void each_element(const Value &value, const std::function<void(const Element &)> &visit) {
  value::each_leaf<Element>(value, visit);
}

void each_element(const Statement &statement, const std::function<void(const Element &)> &visit) {
  each_statement(statement, [&](const Statement &inner) {
    each_own_value(inner, [&](const Value &value) { each_element(value, visit); });
  });
}

void each_element(const Block &block, const std::function<void(const Element &)> &visit) {
  for (const Statement &statement : block)
    each_element(statement, visit);
}

void each_local(const Value &value, const std::function<void(const Local &)> &visit) {
  value::each_leaf<Local>(value, visit);
}

bool reads(const Statement &statement, const std::string &array) {
  bool found = false;
  each_element(statement, [&](const Element &read) { found = found || read.array == array; });
  return found;
}

bool reads(const Block &block, const std::string &array) {
  return std::ranges::any_of(block, [&](const Statement &each) { return reads(each, array); });
}

bool reads_one(const Statement &statement, const std::function<bool(const std::string &name)> &is_such) {
  bool found = false;
  each_own_term(statement, [&](const Term &term) {
    for (const Term &load : applications_of(term))
      found = found || is_such(load.as<term::Apply>()->function);
  });
  each_own_value(statement, [&](const Value &value) {
    each_element(value, [&](const Element &read) { found = found || is_such(read.array); });
    each_local(value, [&](const Local &read) { found = found || is_such(read.name); });
  });
  return found;
}

void each_own_term(const Statement &statement, const std::function<void(const Term &)> &visit) {
  each_part(
      changeable(statement), [&](const Term &term) { visit(term); },
      [&](const Value &value) { each_term(value, visit); });
}

void each_own_value(const Statement &statement, const std::function<void(const Value &)> &visit) {
  each_part(
      changeable(statement), [](const Term &) {}, [&](const Value &value) { visit(value); });
  if (const auto *call = statement.as<Blas>()) {
    visit({call->left});
    if (call->right) visit({*call->right});
  }
}

const Target *target_of(const Statement &statement) {
  if (const auto *store = statement.as<Store>()) return &store->target;
  if (const auto *reduced = statement.as<Accumulate>()) return &reduced->target;
  const auto *call = statement.as<Blas>();
  return call ? &call->target : nullptr;
}

const Element *written_element(const Statement &statement) {
  const Target *target = target_of(statement);
  return target ? std::get_if<Element>(target) : nullptr;
}

const Local *written_local(const Statement &statement) {
  const Target *target = target_of(statement);
  return target ? std::get_if<Local>(target) : nullptr;
}

const Element *reduced_element(const Statement &statement) {
  return statement.is<Accumulate>() ? written_element(statement) : nullptr;
}

const Local *reduced_local(const Statement &statement) {
  return statement.is<Accumulate>() ? written_local(statement) : nullptr;
}

const Element *element_set_to(double number, const Statement &statement) {
  const auto *store = statement.as<Store>();
  const double *value = store ? value::number_of(store->value) : nullptr;
  return value && *value == number ? written_element(statement) : nullptr;
}

bool same_place(const Element &one, const Element &other) {
  return one.array == other.array && one.slot == other.slot;
}

int occurrences(const Term &term, const Term &part) {
  if (term == part) return 1;
  int sum = 0;
  term::each_child(term, [&](const Term &inner) { sum += occurrences(inner, part); });
  return sum;
}

int occurrences(const Statement &statement, const Term &part) {
  int sum = 0;
  each_statement(statement, [&](const Statement &inner) {
    each_own_term(inner, [&](const Term &term) { sum += occurrences(term, part); });
  });
  return sum;
}

Origins joined(const Origins &first, const Origins &second) {
  Origins result;
  std::set_union(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(result));
  return result;
}

void append(Block &to, Block from) {
  for (Statement &statement : from)
    to.push_back(std::move(statement));
}

Block::iterator place(Block &block, std::size_t k) {
  return block.begin() + static_cast<std::ptrdiff_t>(k);
}

std::size_t replace(Block &block, std::size_t k, Block by) {
  const std::size_t count = by.size();
  block.insert(block.erase(place(block, k)), std::make_move_iterator(by.begin()),
               std::make_move_iterator(by.end()));
  return k + count;
}

const Statement *behind_lets(const Block &block) {
  const bool lets = !block.empty() && std::all_of(block.begin(), block.end() - 1,
                                                  [](const Statement &each) { return each.is<Let>(); });
  return lets ? &block.back() : nullptr;
}

std::vector<const Block *> blocks_of(const Statement &statement) {
  if (const auto *loop = statement.as<For>()) return {&loop->body};
  if (const auto *loop = statement.as<While>()) return {&loop->body};
  if (const auto *loop = statement.as<Intersect>()) return {&loop->body};
  if (const auto *loop = statement.as<Merge>()) {
    std::vector<const Block *> blocks;
    for (const MergedRange &merged : loop->ranges)
      blocks.push_back(&merged.body);
    blocks.push_back(&loop->body);
    return blocks;
  }
  if (const auto *guard = statement.as<If>()) return {&guard->then, &guard->otherwise};
  if (const auto *guard = statement.as<IfValue>()) return {&guard->then};
  return {};
}

std::vector<Block *> blocks_of(Statement &statement) {
  std::vector<Block *> result;
  for (const Block *block : blocks_of(std::as_const(statement)))
    result.push_back(const_cast<Block *>(block)); // NOLINT: the statement is not const
  return result;
}

bool is_loop(const Statement &statement) {
  return statement.is<For>() || statement.is<While>() || statement.is<Intersect>() || statement.is<Merge>();
}

std::vector<const KeyedRange *> keyed_ranges_of(const Statement &statement) {
  std::vector<const KeyedRange *> ranges;
  if (const auto *loop = statement.as<Intersect>()) ranges = {&loop->first, &loop->second};
  if (const auto *loop = statement.as<Merge>())
    for (const MergedRange &merged : loop->ranges)
      ranges.push_back(&merged.range);
  return ranges;
}

std::set<std::string> names_read(const Block &block) {
  std::set<std::string> names;
  each_statement(block, [&](const Statement &statement) {
    each_own_term(statement, [&](const Term &term) {
      names.merge(variables_of(term));
      for (const Term &load : applications_of(term))
        names.insert(load.as<term::Apply>()->function);
    });
    each_own_value(statement, [&](const Value &value) {
      each_element(value, [&](const Element &element) { names.insert(element.array); });
      each_local(value, [&](const Local &local) { names.insert(local.name); });
    });
    for (const KeyedRange *range : keyed_ranges_of(statement))
      names.insert(range->key);
    if (const auto *sort = statement.as<Sort>()) names.insert({sort->order, sort->keys, sort->room});
    if (const auto *test = statement.as<IfValue>()) names.insert(test->local);
  });
  return names;
}

std::set<std::string> names_in(const Block &block) {
  const Effects effects = effects_of(block);
  std::set<std::string> names = names_read(block);
  names.insert(effects.assigned.begin(), effects.assigned.end());
  names.insert(effects.stored.begin(), effects.stored.end());
  return names;
}

bool is_hollow(const Statement &statement) {
  auto blocks = blocks_of(statement);
  return !blocks.empty() &&
         std::all_of(blocks.begin(), blocks.end(), [](const Block *block) { return block->empty(); });
}

void each_statement(const Statement &statement, const std::function<void(const Statement &)> &visit) {
  visit(statement);
  for (const Block *block : blocks_of(statement))
    each_statement(*block, visit);
}

void each_statement(const Block &block, const std::function<void(const Statement &)> &visit) {
  for (const Statement &statement : block)
    each_statement(statement, visit);
}

void each_statement(Block &block, const std::function<void(Statement &)> &visit) {
  for (Statement &statement : block) {
    visit(statement);
    for (Block *inner : blocks_of(statement))
      each_statement(*inner, visit);
  }
}

bool holds(const Statement &statement, const std::function<bool(const Statement &)> &is_such) {
  return is_such(statement) || std::ranges::any_of(blocks_of(statement), [&](const Block *inner) {
           return holds(*inner, is_such);
         });
}

bool holds(const Block &block, const std::function<bool(const Statement &)> &is_such) {
  return std::ranges::any_of(block, [&](const Statement &each) { return holds(each, is_such); });
}

Value map_leaves(const Value &value, const std::function<Value(const Value &)> &map) {
  if (parts_of(value).empty()) return map(value);
  return map_parts(value, [&](const Value &part) { return map_leaves(part, map); });
}

void rewrite(Statement &statement, const TermMap &terms, const ValueMap &values) {
  each_part(
      statement,
      [&](Term &term) {
        if (terms) term = terms(term);
      },
      [&](Value &value) {
        if (terms) value = map_terms(value, terms);
        if (values) value = values(value);
      });
  for (Block *block : blocks_of(statement))
    rewrite(*block, terms, values);
}

void rewrite(Block &block, const TermMap &terms, const ValueMap &values) {
  for (Statement &statement : block)
    rewrite(statement, terms, values);
}

void map_elements(Block &block, const std::function<Element(const Element &)> &map) {
  const auto of_target = [&](Target &target) {
    if (auto *element = std::get_if<Element>(&target)) *element = map(*element);
  };
  rewrite(block, {}, [&](const Value &value) {
    return map_leaves(value, [&](const Value &leaf) {
      const auto *element = leaf.as<Element>();
      return element ? Value{map(*element)} : leaf;
    });
  });
  each_statement(block, [&](Statement &statement) {
    if (auto *store = statement.as<Store>()) of_target(store->target);
    if (auto *reduced = statement.as<Accumulate>()) of_target(reduced->target);
    if (auto *set = statement.as<SetElement>()) {
      const Element made = map({set->array, set->slot});
      set->array = made.array, set->slot = made.slot;
    }
  });
}

void Effects::add(const Statement &statement) {
  std::visit(overloaded{
                 [&](const For &x) { declared.insert(x.variable); },
                 [](const While &) {},
                 [&](const Intersect &x) {
                   declared.insert({x.first.variable, x.second.variable});
                 },
                 [&](const Merge &x) {
                   declared.insert(x.variable);
                   for (const MergedRange &merged : x.ranges)
                     declared.insert(merged.range.variable);
                 },
                 [](const If &) {},
                 [&](const Let &x) { declared.insert(x.variable); },
                 [&](const Declare &x) { declared.insert(x.variable); },
                 [&](const Assign &x) { assigned.insert(x.variable); },
                 [&](const ShareOut &x) {
                   declared.insert({x.parts, x.share});
                 },
                 [&](const DeclareValue &x) { declared.insert(x.name); },
                 [&](const Store &x) { stored.insert(written_name(x.target)); },
                 [&](const Accumulate &x) { stored.insert(written_name(x.target)); },
                 [&](const Zero &x) { stored.insert(x.array); },
                 [&](const SetElement &x) { stored.insert(x.array); },
                 [&](const Sort &x) {
                   stored.insert({x.order, x.room});
                   if (!x.keys.empty()) stored.insert(x.keys);
                 },
                 [](const IfValue &) {},
                 [&](const Reserve &x) { stored.insert(x.arrays.begin(), x.arrays.end()); },
                 [&](const SetCount &x) { assigned.insert(x.count), counted.insert(tensor_of(x.count)); },
                 [&](const Break &) { breaks = true; },
                 [&](const Miss &) { misses = true; },
                 [](const Prefetch &) {},
                 [&](const Blas &x) { stored.insert(written_name(x.target)); },
             },
             statement.kind);
  bool before = breaks;
  for (const Block *block : blocks_of(statement))
    for (const Statement &inner : *block)
      add(inner);
  if (is_loop(statement)) breaks = before;
}

bool Effects::changes(const Term &term) const {
  if (std::any_of(assigned.begin(), assigned.end(), [&](const auto &name) { return mentions(term, name); }))
    return true;
  if (stored.empty() && counted.empty()) return false;
  std::vector<Term> applications = applications_of(term);
  return std::any_of(applications.begin(), applications.end(), [&](const Term &application) {
    return touches(application.as<term::Apply>()->function);
  });
}

bool Effects::touches(const std::string &name) const {
  return stored.contains(name) || (!counted.empty() && counted.contains(tensor_of(name)));
}

bool Effects::mentions_declared(const Term &term) const {
  return std::any_of(declared.begin(), declared.end(),
                     [&](const auto &name) { return mentions(term, name); });
}

const Accumulate *addition_of(const Statement &statement) {
  const auto *add = statement.as<Accumulate>();
  return add && add->by == Operator::Add ? add : nullptr;
}

namespace {

/// Of a block or a statement.
template <class Code> std::optional<Operator> reduction_in(const Code &code, const std::string &name) {
  std::optional<Operator> by;
  bool is_one = true;
  each_statement(code, [&](const Statement &statement) {
    const auto *add = statement.as<Accumulate>();
    if (!add || written_name(add->target) != name) return;
    is_one = is_one && by.value_or(add->by) == add->by;
    by = add->by;
  });
  return is_one ? by : std::nullopt;
}

} // namespace

bool reduces(const Statement &statement, const std::string &local) {
  const Local *target = reduced_local(statement);
  return target && target->name == local;
}

bool tests(const Statement &statement, const std::string &local) {
  const auto *test = statement.as<IfValue>();
  return test && test->local == local;
}

std::optional<Operator> reduction_of(const Block &block, const std::string &name) {
  return reduction_in(block, name);
}

std::optional<Operator> reduction_of(const Statement &statement, const std::string &name) {
  return reduction_in(statement, name);
}

Effects effects_of(const Block &block) {
  Effects result;
  for (const Statement &statement : block)
    result.add(statement);
  return result;
}

Effects effects_of(const Statement &statement) {
  Effects result;
  result.add(statement);
  return result;
}

std::string appends_to(const Block &block) {
  const auto *counts = block.empty() ? nullptr : block.back().as<Assign>();
  if (!counts || counts->value != term::variable(counts->variable) + Term(1)) return "";
  const Term behind = term::variable(counts->variable);
  const Effects effects = effects_of(block);
  for (std::size_t k = 0; k + 1 < block.size(); ++k) {
    const auto *set = block[k].as<SetElement>();
    const Element *element = block[k].is<Store>() ? written_element(block[k]) : nullptr;
    if (!(set ? set->slot == behind : element && element->slot == behind)) return "";
    if (reads_one(block[k], [&](const std::string &name) { return effects.touches(name); })) return "";
  }
  return counts->variable;
}

bool adds_atomically(const Block &block) {
  return holds(block, [](const Statement &statement) {
    const auto *add = statement.as<Accumulate>();
    return add && add->atomic;
  });
}

bool may_test_together(const For &loop) {
  const Statement *last = behind_lets(loop.body);
  const auto *guard = last ? last->as<If>() : nullptr;
  if (loop.step != 1 || loop.parallel || !guard || !guard->otherwise.empty()) return false;
  const Effects effects = effects_of(guard->then);
  return !effects.breaks && !effects.changes(guard->condition) &&
         std::all_of(loop.body.begin(), loop.body.end() - 1, [&](const Statement &statement) {
           return !effects.changes(statement.as<Let>()->value);
         });
}

} // namespace unravel::loop
