#include "loop/passes.h"
#include "loop/types.h"
#include "loop/walk.h"

#include <algorithm>

namespace unravel::loop {

namespace {

using term::Term;

/// The name that a statement writes without declaring it (of a variable or a local), or empty.
std::string written_name(const Statement &statement) {
  if (const auto *assignment = statement.as<Assign>()) return assignment->variable;
  const Local *local = statement.is<Blas>() ? nullptr : written_local(statement);
  return local ? local->name : "";
}

std::string declared_name(const Statement &statement) {
  if (const auto *let = statement.as<Let>()) return let->variable;
  if (const auto *declaration = statement.as<Declare>()) return declaration->variable;
  if (const auto *declaration = statement.as<DeclareValue>()) return declaration->name;
  return {};
}

/// Whether a name is read from `begin` on, other than to compute its own next value.
bool is_read(const Block &block, std::size_t begin, const std::string &name) {
  const auto reads = [&](const Statement &statement) {
    if (written_name(statement) == name) return false;
    bool found = tests(statement, name);
    each_own_term(statement, [&](const Term &term) { found = found || mentions(term, name); });
    each_own_value(statement, [&](const Value &value) {
      each_local(value, [&](const Local &local) { found = found || local.name == name; });
    });
    return found;
  };
  return std::any_of(block.begin() + static_cast<std::ptrdiff_t>(begin), block.end(),
                     [&](const Statement &each) { return holds(each, reads); });
}

void remove_writes(Block &block, std::size_t begin, const std::string &name) {
  auto is_write = [&](const Statement &statement) { return written_name(statement) == name; };
  block.erase(std::remove_if(place(block, begin), block.end(), is_write), block.end());
  for (std::size_t k = begin; k < block.size(); ++k) {
    auto *loop = block[k].as<For>();
    if (loop && loop->parallel && loop->parallel->sum == name) loop->parallel->sum.clear();
    for (Block *inner : blocks_of(block[k]))
      remove_writes(*inner, 0, name);
  }
}

/// x := x, s = s, y[p] = y[p] or m(p) := m(p).
bool assigns_itself(const Statement &statement) {
  if (const auto *assignment = statement.as<Assign>())
    return assignment->value == term::variable(assignment->variable);
  if (const auto *set = statement.as<SetElement>()) return set->value == term::apply(set->array, {set->slot});
  const auto *store = statement.as<Store>();
  if (!store) return false;
  if (const auto *local = std::get_if<Local>(&store->target)) {
    const auto *from = store->value.as<Local>();
    return from && from->name == local->name;
  }
  const auto *from = store->value.as<Element>();
  return from && same_place(*from, std::get<Element>(store->target));
}

/// An else that never runs is dropped; an if with nothing but an else becomes an if.
void tidy_else(Statement &statement) {
  auto *guard = statement.as<If>();
  if (guard && is_true(guard->condition)) guard->otherwise.clear();
  if (!guard || !guard->then.empty() || guard->otherwise.empty()) return;
  guard->condition = negation(guard->condition);
  std::swap(guard->then, guard->otherwise);
}

/// One round, from the end to the beginning; true when something was dropped.
bool drop_once(Block &block) {
  bool dropped = false;
  for (std::size_t k = block.size(); k-- > 0;) {
    for (Block *inner : blocks_of(block[k]))
      dropped = drop_once(*inner) || dropped;
    tidy_else(block[k]);
    std::string name = declared_name(block[k]);
    bool unread = !name.empty() && !is_read(block, k + 1, name);
    if (!unread && !is_hollow(block[k]) && !assigns_itself(block[k])) continue;
    if (unread) remove_writes(block, k + 1, name);
    block.erase(place(block, k));
    dropped = true;
  }
  return dropped;
}

} // namespace

Block drop_unused(Block block) {
  while (drop_once(block)) {
  }
  return block;
}

Block drop_tests_of_integers(Block block, const Types &types) {
  std::erase_if(block, [&](const Statement &statement) {
    const auto *test = statement.as<IfValue>();
    return test && test->test == IfValue::Test::NotANumber && value::is_integer(types.of_local(test->local));
  });
  for (Statement &statement : block)
    for (Block *inner : blocks_of(statement))
      *inner = drop_tests_of_integers(std::move(*inner), types);
  return block;
}

} // namespace unravel::loop
