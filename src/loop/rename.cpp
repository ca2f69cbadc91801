#include "loop/rename.h"

#include "loop/walk.h"

namespace unravel::loop {

using term::Term;

namespace {

std::string renamed(const std::string &name, const std::map<std::string, std::string> &by) {
  auto found = by.find(name);
  return found == by.end() ? name : found->second;
}

void rename_own(Statement &statement, const std::map<std::string, std::string> &by) {
  auto set = [&](std::string &name) { name = renamed(name, by); };
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
                     set(pointers.end), set(pointers.into);
                 },
                 [&](Intersect &x) { set(x.first.variable), set(x.second.variable); },
                 [&](Merge &x) {
                   set(x.variable);
                   for (MergedRange &merged : x.ranges)
                     set(merged.range.variable);
                 },
                 [&](Let &x) { set(x.variable); },
                 [&](Declare &x) { set(x.variable); },
                 [&](Assign &x) { set(x.variable); },
                 [&](DeclareValue &x) { set(x.name); },
                 [&](Store &x) { set_target(x.target); },
                 [&](Accumulate &x) { set_target(x.target); },
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
  for (Block *inner : blocks_of(statement))
    for (Statement &each : *inner)
      rename_own(each, by);
}

} // namespace

void rename(Block &block, const std::map<std::string, std::string> &by) {
  if (by.empty()) return;
  rewrite(
      block, [&](const Term &term) { return term::rename(term, by, {}); },
      [&](const Value &value) {
        return map_leaves(value, [&](const Value &leaf) {
          const auto *local = std::get_if<Local>(&leaf.kind);
          return local ? Value{Local{renamed(local->name, by)}} : leaf;
        });
      });
  for (Statement &statement : block)
    rename_own(statement, by);
}

} // namespace unravel::loop
