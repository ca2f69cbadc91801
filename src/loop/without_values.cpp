#include "loop/arrays.h"
#include "loop/passes.h"

#include <algorithm>
#include <set>

namespace unravel::loop {

namespace {

using Arrays = std::set<std::string>;

/// Of values: those of assembled results, and those of the workspace that no value reads.
Arrays unwanted(const Program &program) {
  Arrays arrays;
  each_array(program, [&](const std::string &name, const ArrayParameter &array, const auto &parameter) {
    if (parameter.assembled && array.is_value) arrays.insert(name);
  });
  Arrays of_workspace;
  for (const WorkspaceArray &array : program.workspace)
    if (array.has_values()) of_workspace.insert(array.name);
  each_element(program.body, [&](const Element &read) { of_workspace.erase(read.array); });
  each<For>(program.body, [&](const For &loop) {
    if (loop.parallel) of_workspace.erase(loop.parallel->copied);
  });
  arrays.merge(of_workspace);
  return arrays;
}

bool writes_to(const Statement &statement, const Arrays &arrays) {
  if (const Element *element = written_element(statement)) return arrays.contains(element->array);
  if (const auto *zero = statement.as<Zero>()) return arrays.contains(zero->array);
  const auto *ahead = statement.as<Prefetch>();
  return ahead && arrays.contains(ahead->array);
}

/// Reserves nothing for arrays of the workspace that go; assembled results keep theirs.
bool drop_writes(Block &block, const Arrays &arrays) {
  bool dropped = std::erase_if(block, [&](const Statement &each) { return writes_to(each, arrays); }) > 0;
  for (Statement &statement : block) {
    if (auto *reserve = statement.as<Reserve>(); reserve && reserve->count.empty())
      std::erase_if(reserve->arrays, [&](const std::string &array) { return arrays.contains(array); });
    for (Block *inner : blocks_of(statement))
      dropped = drop_writes(*inner, arrays) || dropped;
  }
  std::erase_if(block, [](const Statement &each) {
    const auto *reserve = each.as<Reserve>();
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
