#include "emit/mentioned.h"

#include "loop/copies.h"
#include "loop/arrays.h"
#include "loop/vector_sums.h"
#include "loop/walk.h"

#include <algorithm>
#include <map>

namespace unravel::emit {

using namespace loop;
using term::Term;

std::set<std::string> mentioned(const Block &body) {
  std::set<std::string> names = names_read(body);
  each_statement(body, [&](const Statement &statement) {
    if (const auto *wanted = std::get_if<Prefetch>(&statement.kind)) names.insert(wanted->array);
    if (const auto *loop = std::get_if<For>(&statement.kind);
        loop && loop->parallel && !loop->parallel->copied.empty())
      names.insert({copies_of(loop->parallel->copied, copied_by(*loop)), marks_of(loop->parallel->copied)});
  });
  Effects effects = effects_of(body);
  names.insert(effects.stored.begin(), effects.stored.end());
  return names;
}

bool is_work_in_pragma(const For &loop, const Program &program) {
  return loop.parallel && loop.parallel->work && is_over_sizes(*loop.parallel->work, program);
}

Block without_work(Block block, const Program &program) {
  for (Statement &statement : block) {
    if (auto *loop = std::get_if<For>(&statement.kind)) {
      if (is_work_in_pragma(*loop, program)) loop->parallel->work.reset();
      loop->masked.reset();
    }
    for (Block *inner : blocks_of(statement))
      *inner = without_work(std::move(*inner), program);
  }
  return block;
}

Block without_parallel(Block block) {
  std::erase_if(block, [](const Statement &statement) {
    const auto *loop = std::get_if<For>(&statement.kind);
    return loop && loop->parallel;
  });
  for (Statement &statement : block)
    for (Block *inner : blocks_of(statement))
      *inner = without_parallel(std::move(*inner));
  return block;
}

void add_extents(const Program &program, const Block &body, std::set<std::string> &names) {
  std::map<std::string, const ArrayParameter *> arrays;
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      if (array.extents.size() > 1) arrays.emplace(parameter.name + "." + array.name, &array);
  each_statement(body, [&](const Statement &statement) {
    each_own_term(statement, [&](const Term &term) {
      for (const Term &load : applications_of(term)) {
        const auto *call = load.as<term::Apply>();
        const auto found = arrays.find(call->function);
        if (found == arrays.end()) continue;
        bool is_zero = true; // the slot so far
        for (std::size_t k = 1; k < call->arguments.size(); ++k) {
          is_zero = is_zero && call->arguments[k - 1] == Term(0);
          if (!is_zero) names.merge(variables_of(found->second->extents[k]));
        }
      }
    });
  });
}

namespace {

/// With what is used before the body.
std::set<std::string> used_anywhere(const Program &program, const std::set<std::string> &used) {
  std::set<std::string> all = used;
  for (const WorkspaceArray &array : program.workspace)
    if (used.contains(array.name)) all.merge(variables_of(array.extent));
  for (const Precondition &condition : program.preconditions) {
    auto names = variables_of(condition.formula);
    all.insert(names.begin(), names.end());
    for (const Term &load : applications_of(condition.formula))
      all.insert(load.as<term::Apply>()->function);
  }
  return all;
}

} // namespace

bool is_used(const std::string &size, const Program &program, const std::set<std::string> &used) {
  return used_anywhere(program, used).contains(size);
}

bool is_used(const TensorParameter &parameter, const Program &program, const std::set<std::string> &used) {
  if (parameter.assembled) return true; // its members are set
  const std::set<std::string> all = used_anywhere(program, used);
  auto holds = [&](const std::string &name) { return all.contains(parameter.name + "." + name); };
  return std::any_of(parameter.sizes.begin(), parameter.sizes.end(), holds) ||
         std::any_of(parameter.counts.begin(), parameter.counts.end(), holds) ||
         std::any_of(parameter.arrays.begin(), parameter.arrays.end(),
                     [&](const auto &array) { return holds(array.name); });
}

} // namespace unravel::emit
