#include "loop/rename.h"

#include "loop/arrays.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

namespace {

std::string renamed(const std::string &name, const std::map<std::string, std::string> &by) {
  auto found = by.find(name);
  return found == by.end() ? name : found->second;
}

void rename_own(Statement &statement, const std::map<std::string, std::string> &by) {
  auto set = [&](auto &...names) { ((names = renamed(names, by)), ...); };
  auto set_target = [&](Target &target) {
    if (auto *local = std::get_if<Local>(&target)) set(local->name);
  };
  std::visit(term::overloaded{
                 [&](For &x) {
                   set(x.variable);
                   if (x.parallel) set(x.parallel->sum);
                   if (!x.parallel || !x.parallel->appended) return;
                   for (Appended::Counter &counter : x.parallel->appended->counters)
                     set(counter.end);
                   for (Appended::Pointers &pointers : x.parallel->appended->pointers)
                     set(pointers.end, pointers.into);
                 },
                 [&](Intersect &x) { set(x.first.variable, x.second.variable); },
                 [&](Merge &x) {
                   set(x.variable);
                   for (MergedRange &merged : x.ranges)
                     set(merged.range.variable);
                 },
                 [&](Let &x) { set(x.variable); },
                 [&](Declare &x) { set(x.variable); },
                 [&](Assign &x) { set(x.variable); },
                 [&](ShareOut &x) { set(x.parts, x.share); },
                 [&](DeclareValue &x) { set(x.name); },
                 [&](Store &x) { set_target(x.target); },
                 [&](Accumulate &x) { set_target(x.target); },
                 [&](Blas &x) { set_target(x.target); },
                 [&](IfValue &x) { set(x.local); },
                 [](While &) {},
                 [](If &) {},
                 [](Zero &) {},
                 [](SetElement &) {},
                 [](Sort &) {},
                 [](Reserve &) {},
                 [](SetCount &) {},
                 [](Break &) {},
                 [](Miss &) {},
                 [](Prefetch &) {},
             },
             statement.kind);
}

} // namespace

void rename(Block &block, const std::map<std::string, std::string> &by) {
  if (by.empty()) return;
  rewrite(
      block, [&](const Term &term) { return term::rename(term, by, {}); },
      [&](const Value &value) {
        return map_leaves(value, [&](const Value &leaf) {
          const auto *local = leaf.as<Local>();
          return local ? Value{Local{renamed(local->name, by)}} : leaf;
        });
      });
  each_statement(block, [&](Statement &statement) { rename_own(statement, by); });
}

void join_parameters(Program &program, const std::string &from, const std::string &to) {
  const auto joined = [&](const std::string &name) {
    const bool is_own = find_workspace(name, program) != nullptr;
    return name.starts_with(from + ".") && !is_own ? to + name.substr(from.size()) : name;
  };
  const auto of_term = [&](const Term &term) {
    std::map<std::string, std::string> variables, functions;
    for (const std::string &name : term::variables_of(term))
      variables.emplace(name, joined(name));
    for (const Term &read : term::applications_of(term))
      functions.emplace(read.as<term::Apply>()->function, joined(read.as<term::Apply>()->function));
    return term::rename(term, variables, functions);
  };
  const auto of_range = [&](KeyedRange &range) { range.key = joined(range.key); };
  std::map<std::string, std::string> declared;
  for (const std::string &name : effects_of(program.body).declared)
    if (joined(name) != name) declared.emplace(name, joined(name));
  rename(program.body, declared);
  rewrite(program.body, of_term);
  each_statement(program.body, [&](Statement &statement) {
    std::visit(term::overloaded{
                   [&](For &x) {
                     if (x.masked) x.masked->pointers = joined(x.masked->pointers);
                   },
                   [&](Intersect &x) { of_range(x.first), of_range(x.second); },
                   [&](Merge &x) {
                     for (MergedRange &merged : x.ranges)
                       of_range(merged.range);
                   },
                   [&](Prefetch &x) { x.array = joined(x.array); },
                   [](auto &) {},
               },
               statement.kind);
  });
  for (WorkspaceArray &array : program.workspace) {
    array.extent = of_term(array.extent);
    array.when = of_term(array.when);
  }
  std::vector<Precondition> kept;
  for (Precondition &condition : program.preconditions) {
    condition.formula = of_term(condition.formula);
    const bool is_known = is_true(condition.formula) || std::ranges::any_of(kept, [&](const auto &other) {
                            return other.formula == condition.formula;
                          });
    if (!is_known) kept.push_back(std::move(condition));
  }
  program.preconditions = std::move(kept);
  std::erase_if(program.parameters, [&](const TensorParameter &each) { return each.name == from; });
  for (TensorParameter &each : program.parameters)
    if (each.structure == from) each.structure.clear();
}

} // namespace unravel::loop
