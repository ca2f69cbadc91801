#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <set>

namespace unravel::loop {

namespace {

using Arrays = std::set<std::string>;

/// Of values: those of assembled results, and those of the workspace that no value reads.
Arrays unwanted(const Program &program) {
  Arrays arrays;
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      if (parameter.assembled && array.is_value) arrays.insert(parameter.name + "." + array.name);
  Arrays of_workspace;
  for (const WorkspaceArray &array : program.workspace)
    if (array.has_values()) of_workspace.insert(array.name);
  each_statement(program.body, [&](const Statement &statement) {
    each_own_value(statement, [&](const Value &value) {
      each_element(value, [&](const Element &element) { of_workspace.erase(element.array); });
    });
    if (const auto *loop = std::get_if<For>(&statement.kind); loop && loop->parallel)
      of_workspace.erase(loop->parallel->copied);
  });
  arrays.merge(of_workspace);
  return arrays;
}

bool writes_to(const Statement &statement, const Arrays &arrays) {
  const auto is_one = [&](const Target &target) {
    const auto *element = std::get_if<Element>(&target);
    return element && arrays.contains(element->array);
  };
  if (const auto *store = std::get_if<Store>(&statement.kind)) return is_one(store->target);
  if (const auto *sum = std::get_if<Accumulate>(&statement.kind)) return is_one(sum->target);
  if (const auto *zero = std::get_if<Zero>(&statement.kind)) return arrays.contains(zero->array);
  if (const auto *call = std::get_if<Blas>(&statement.kind)) return is_one(call->target);
  if (const auto *ahead = std::get_if<Prefetch>(&statement.kind)) return arrays.contains(ahead->array);
  return false;
}

/// Reserves nothing for arrays of the workspace that go; assembled results keep theirs.
bool drop_writes(Block &block, const Arrays &arrays) {
  bool dropped = std::erase_if(block, [&](const Statement &each) { return writes_to(each, arrays); }) > 0;
  for (Statement &statement : block) {
    if (auto *reserve = std::get_if<Reserve>(&statement.kind); reserve && reserve->count.empty())
      std::erase_if(reserve->arrays, [&](const std::string &array) { return arrays.contains(array); });
    for (Block *inner : blocks_of(statement))
      dropped = drop_writes(*inner, arrays) || dropped;
  }
  std::erase_if(block, [](const Statement &each) {
    const auto *reserve = std::get_if<Reserve>(&each.kind);
    return reserve && reserve->arrays.empty();
  });
  return dropped;
}

} // namespace

Program without_values(Program program) {
  for (bool dropped = true; dropped;) {
    const Arrays arrays = unwanted(program);
    dropped = drop_writes(program.body, arrays);
    std::erase_if(program.workspace, [&](const WorkspaceArray &each) { return arrays.contains(each.name); });
    program = fold(std::move(program));
  }
  return program;
}

} // namespace unravel::loop
