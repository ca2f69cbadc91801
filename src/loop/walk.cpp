#include "loop/walk.h"

#include "term/children.h"

#include <algorithm>
#include <iterator>

namespace unravel::loop {

using term::overloaded;
using term::Term;

namespace {

/// Slots, and terms that are values themselves.
void each_term(const Value &value, const std::function<void(const Term &)> &visit) {
  each_element(value, [&](const Element &element) { visit(element.slot); });
  value::each_leaf<Term>(value, visit);
}

void each_target_slot(const Target &target, const std::function<void(const Term &)> &visit) {
  if (const auto *element = std::get_if<Element>(&target)) visit(element->slot);
}

Value map_terms(const Value &value, const TermMap &terms) {
  if (const auto *term = std::get_if<Term>(&value.kind)) return {terms(*term)};
  if (const auto *element = std::get_if<Element>(&value.kind))
    return {Element{element->array, terms(element->slot)}};
  return map_parts(value, [&](const Value &part) { return map_terms(part, terms); });
}

void map_target(Target &target, const TermMap &terms) {
  if (auto *element = std::get_if<Element>(&target)) element->slot = terms(element->slot);
}

std::string tensor_of(const std::string &qualified) {
  return qualified.substr(0, qualified.find('.'));
}

std::string written_name(const Target &target) {
  return std::visit(
      overloaded{[](const Element &x) { return x.array; }, [](const Local &x) { return x.name; }}, target);
}

} // namespace

void each_element(const Value &value, const std::function<void(const Element &)> &visit) {
  value::each_leaf<Element>(value, visit);
}

void each_local(const Value &value, const std::function<void(const Local &)> &visit) {
  value::each_leaf<Local>(value, visit);
}

void each_own_term(const Statement &statement, const std::function<void(const Term &)> &visit) {
  const auto each_bound = [&] {
    for (const KeyedRange *range : keyed_ranges_of(statement))
      visit(range->lower), visit(range->upper);
  };
  std::visit(overloaded{
                 [&](const For &x) {
                   visit(x.lower), visit(x.upper);
                   if (x.parallel && x.parallel->work) visit(*x.parallel->work);
                   if (x.masked) visit(x.masked->when);
                 },
                 [&](const While &x) { visit(x.condition); },
                 [&](const Intersect &) { each_bound(); },
                 [&](const Merge &) { each_bound(); },
                 [&](const If &x) { visit(x.condition); },
                 [&](const Let &x) { visit(x.value); },
                 [&](const Declare &x) { visit(x.initial); },
                 [&](const Assign &x) { visit(x.value); },
                 [&](const DeclareValue &x) { each_term(x.initial, visit); },
                 [&](const Store &x) { each_term(x.value, visit), each_target_slot(x.target, visit); },
                 [&](const Accumulate &x) { each_term(x.value, visit), each_target_slot(x.target, visit); },
                 [&](const Zero &x) { visit(x.count); },
                 [&](const SetElement &x) { visit(x.value), visit(x.slot); },
                 [&](const Sort &x) { visit(x.count); },
                 [](const IfValue &) {},
                 [&](const Reserve &x) { visit(x.least); },
                 [&](const SetCount &x) { visit(x.value); },
                 [](const Break &) {},
                 [](const Miss &) {},
                 [&](const Prefetch &x) { visit(x.slot); },
                 [&](const Blas &x) {
                   for (const Blas::Axis &axis : x.axes)
                     visit(axis.extent), visit(axis.target), visit(axis.left), visit(axis.right);
                   each_term(x.scale, visit), visit(x.left.slot);
                   if (x.right) visit(x.right->slot);
                   each_target_slot(x.target, visit);
                 },
             },
             statement.kind);
}

void each_own_value(const Statement &statement, const std::function<void(const Value &)> &visit) {
  std::visit(overloaded{
                 [&](const DeclareValue &x) { visit(x.initial); },
                 [&](const Store &x) { visit(x.value); },
                 [&](const Accumulate &x) { visit(x.value); },
                 [](const For &) {},
                 [](const While &) {},
                 [](const Intersect &) {},
                 [](const Merge &) {},
                 [](const If &) {},
                 [](const Let &) {},
                 [](const Declare &) {},
                 [](const Assign &) {},
                 [](const Zero &) {},
                 [](const SetElement &) {},
                 [](const Sort &) {},
                 [](const IfValue &) {},
                 [](const Reserve &) {},
                 [](const SetCount &) {},
                 [](const Break &) {},
                 [](const Miss &) {},
                 [](const Prefetch &) {},
                 [&](const Blas &x) {
                   visit(x.scale), visit({x.left});
                   if (x.right) visit({*x.right});
                 },
             },
             statement.kind);
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

std::vector<const Block *> blocks_of(const Statement &statement) {
  if (const auto *loop = std::get_if<For>(&statement.kind)) return {&loop->body};
  if (const auto *loop = std::get_if<While>(&statement.kind)) return {&loop->body};
  if (const auto *loop = std::get_if<Intersect>(&statement.kind)) return {&loop->body};
  if (const auto *loop = std::get_if<Merge>(&statement.kind)) {
    std::vector<const Block *> blocks;
    for (const MergedRange &merged : loop->ranges)
      blocks.push_back(&merged.body);
    blocks.push_back(&loop->body);
    return blocks;
  }
  if (const auto *guard = std::get_if<If>(&statement.kind)) return {&guard->then, &guard->otherwise};
  if (const auto *guard = std::get_if<IfValue>(&statement.kind)) return {&guard->then};
  return {};
}

std::vector<Block *> blocks_of(Statement &statement) {
  std::vector<Block *> result;
  for (const Block *block : blocks_of(static_cast<const Statement &>(statement)))
    result.push_back(const_cast<Block *>(block)); // NOLINT: the statement is not const
  return result;
}

bool is_loop(const Statement &statement) {
  return std::holds_alternative<For>(statement.kind) || std::holds_alternative<While>(statement.kind) ||
         std::holds_alternative<Intersect>(statement.kind) || std::holds_alternative<Merge>(statement.kind);
}

std::vector<const KeyedRange *> keyed_ranges_of(const Statement &statement) {
  std::vector<const KeyedRange *> ranges;
  if (const auto *loop = std::get_if<Intersect>(&statement.kind)) ranges = {&loop->first, &loop->second};
  if (const auto *loop = std::get_if<Merge>(&statement.kind))
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
    if (const auto *sort = std::get_if<Sort>(&statement.kind))
      names.insert({sort->order, sort->keys, sort->room});
    if (const auto *test = std::get_if<IfValue>(&statement.kind)) names.insert(test->local);
  });
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

Value map_leaves(const Value &value, const std::function<Value(const Value &)> &map) {
  if (parts_of(value).empty()) return map(value);
  return map_parts(value, [&](const Value &part) { return map_leaves(part, map); });
}

void rewrite(Statement &statement, const TermMap &terms, const ValueMap &values) {
  auto value = [&](Value &x) { x = values(map_terms(x, terms)); };
  auto bounds = [&](KeyedRange &x) { x.lower = terms(x.lower), x.upper = terms(x.upper); };
  std::visit(overloaded{
                 [&](For &x) {
                   x.lower = terms(x.lower), x.upper = terms(x.upper);
                   if (x.parallel && x.parallel->work) x.parallel->work = terms(*x.parallel->work);
                   if (x.masked) x.masked->when = terms(x.masked->when);
                 },
                 [&](While &x) { x.condition = terms(x.condition); },
                 [&](Intersect &x) { bounds(x.first), bounds(x.second); },
                 [&](Merge &x) {
                   for (MergedRange &merged : x.ranges)
                     bounds(merged.range);
                 },
                 [&](If &x) { x.condition = terms(x.condition); },
                 [&](Let &x) { x.value = terms(x.value); },
                 [&](Declare &x) { x.initial = terms(x.initial); },
                 [&](Assign &x) { x.value = terms(x.value); },
                 [&](DeclareValue &x) { value(x.initial); },
                 [&](Store &x) { value(x.value), map_target(x.target, terms); },
                 [&](Accumulate &x) { value(x.value), map_target(x.target, terms); },
                 [&](Zero &x) { x.count = terms(x.count); },
                 [&](SetElement &x) { x.value = terms(x.value), x.slot = terms(x.slot); },
                 [&](Sort &x) { x.count = terms(x.count); },
                 [](IfValue &) {},
                 [&](Reserve &x) { x.least = terms(x.least); },
                 [&](SetCount &x) { x.value = terms(x.value); },
                 [](Break &) {},
                 [](Miss &) {},
                 [&](Prefetch &x) { x.slot = terms(x.slot); },
                 [&](Blas &x) { // whose left and right are no values that could be others
                   for (Blas::Axis &axis : x.axes)
                     for (Term *term : {&axis.extent, &axis.target, &axis.left, &axis.right})
                       *term = terms(*term);
                   value(x.scale), x.left.slot = terms(x.left.slot);
                   if (x.right) x.right->slot = terms(x.right->slot);
                   map_target(x.target, terms);
                 },
             },
             statement.kind);
  for (Block *block : blocks_of(statement))
    rewrite(*block, terms, values);
}

void rewrite(Block &block, const TermMap &terms, const ValueMap &values) {
  for (Statement &statement : block)
    rewrite(statement, terms, values);
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
  const auto *add = std::get_if<Accumulate>(&statement.kind);
  return add && add->by == Operator::Add ? add : nullptr;
}

namespace {

/// Of a block or a statement.
template <class Code> std::optional<Operator> reduction_in(const Code &code, const std::string &name) {
  std::optional<Operator> by;
  bool is_one = true;
  each_statement(code, [&](const Statement &statement) {
    const auto *add = std::get_if<Accumulate>(&statement.kind);
    if (!add || written_name(add->target) != name) return;
    is_one = is_one && by.value_or(add->by) == add->by;
    by = add->by;
  });
  return is_one ? by : std::nullopt;
}

} // namespace

bool reduces(const Statement &statement, const std::string &local) {
  const auto *accumulate = std::get_if<Accumulate>(&statement.kind);
  const auto *target = accumulate ? std::get_if<Local>(&accumulate->target) : nullptr;
  return target && target->name == local;
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
  const auto *counts = block.empty() ? nullptr : std::get_if<Assign>(&block.back().kind);
  if (!counts || counts->value != term::variable(counts->variable) + Term(1)) return "";
  const Term behind = term::variable(counts->variable);
  const Effects effects = effects_of(block);
  for (std::size_t k = 0; k + 1 < block.size(); ++k) {
    const auto *set = std::get_if<SetElement>(&block[k].kind);
    const auto *store = std::get_if<Store>(&block[k].kind);
    const auto *element = store ? std::get_if<Element>(&store->target) : nullptr;
    if (!(set ? set->slot == behind : element && element->slot == behind)) return "";
    bool reads = false;
    each_own_term(block[k], [&](const Term &term) {
      for (const Term &load : applications_of(term))
        reads = reads || effects.touches(load.as<term::Apply>()->function);
    });
    each_own_value(block[k], [&](const Value &value) {
      each_element(value, [&](const Element &read) { reads = reads || effects.touches(read.array); });
    });
    if (reads) return "";
  }
  return counts->variable;
}

bool may_test_together(const For &loop) {
  if (loop.step != 1 || loop.parallel || loop.body.empty()) return false;
  const auto *guard = std::get_if<If>(&loop.body.back().kind);
  if (!guard || !guard->otherwise.empty()) return false;
  Effects effects = effects_of(guard->then);
  if (effects.breaks || effects.changes(guard->condition)) return false;
  return std::all_of(loop.body.begin(), loop.body.end() - 1, [&](const Statement &statement) {
    const auto *let = std::get_if<Let>(&statement.kind);
    return let && !effects.changes(let->value);
  });
}

} // namespace unravel::loop
