#include "lower/leaf_names.h"

#include "loop/walk.h"

#include <fmt/format.h>
#include <map>

namespace unravel::lower {

using loop::Block;
using loop::Statement;
using term::Term;

namespace {

/// The name that a statement declares for those after it, or null.
std::string *declared_by(Statement &statement) {
  if (auto *let = std::get_if<loop::Let>(&statement.kind)) return &let->variable;
  if (auto *declare = std::get_if<loop::Declare>(&statement.kind)) return &declare->variable;
  if (auto *declare = std::get_if<loop::DeclareValue>(&statement.kind)) return &declare->name;
  return nullptr;
}

class Renaming {
public:
  void add(const std::string &from, const std::string &to) {
    names_[from] = to;
    variables_.emplace(from, term::variable(to));
  }

  void apply(Block &block) const {
    if (names_.empty()) return;
    loop::rewrite(
        block, [&](const Term &term) { return term::substitute(term, variables_); },
        [&](const loop::Value &value) { return renamed(value); });
    rename_written(block);
  }

private:
  void rename(std::string &name) const {
    if (auto found = names_.find(name); found != names_.end()) name = found->second;
  }

  void rename(loop::Target &target) const {
    if (auto *local = std::get_if<loop::Local>(&target)) rename(local->name);
  }

  loop::Value renamed(const loop::Value &value) const {
    return loop::map_leaves(value, [&](loop::Value leaf) {
      if (auto *local = std::get_if<loop::Local>(&leaf.kind)) rename(local->name);
      return leaf;
    });
  }

  void rename_written(Block &block) const {
    for (Statement &statement : block) {
      if (std::string *name = declared_by(statement)) rename(*name);
      if (auto *assign = std::get_if<loop::Assign>(&statement.kind)) rename(assign->variable);
      if (auto *store = std::get_if<loop::Store>(&statement.kind)) rename(store->target);
      if (auto *add = std::get_if<loop::Accumulate>(&statement.kind)) rename(add->target);
      if (auto *test = std::get_if<loop::IfValue>(&statement.kind)) rename(test->local);
      if (auto *loop = std::get_if<loop::For>(&statement.kind)) {
        rename(loop->variable);
        if (loop->parallel) rename(loop->parallel->sum);
      }
      if (auto *both = std::get_if<loop::Intersect>(&statement.kind))
        rename(both->first.variable), rename(both->second.variable);
      for (Block *inner : loop::blocks_of(statement))
        rename_written(*inner);
    }
  }

  std::map<std::string, std::string> names_;
  term::Substitution variables_;
};

} // namespace

void keep_apart(Block &leaf, std::set<std::string> &taken) {
  std::set<std::string> names = loop::effects_of(leaf).declared;
  Renaming renaming;
  for (const std::string &name : names) {
    if (!taken.contains(name)) continue;
    std::string other = name;
    for (int number = 2; taken.contains(other) || names.contains(other); ++number)
      other = fmt::format("{}_{}", name, number);
    renaming.add(name, other);
  }
  renaming.apply(leaf);
  for (Statement &statement : leaf)
    if (const std::string *name = declared_by(statement)) taken.insert(*name);
}

} // namespace unravel::lower
