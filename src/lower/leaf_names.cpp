#include "lower/leaf_names.h"

#include "loop/rename.h"
#include "loop/walk.h"

#include <fmt/format.h>

namespace unravel::lower {

using loop::Block;
using loop::Statement;

namespace {

/// The name that a statement declares for those after it, or null.
const std::string *declared_by(const Statement &statement) {
  if (auto *let = std::get_if<loop::Let>(&statement.kind)) return &let->variable;
  if (auto *declare = std::get_if<loop::Declare>(&statement.kind)) return &declare->variable;
  if (auto *declare = std::get_if<loop::DeclareValue>(&statement.kind)) return &declare->name;
  return nullptr;
}

} // namespace

std::map<std::string, std::string> names_in_place(const std::set<std::string> &names,
                                                  const std::set<std::string> &taken,
                                                  const std::set<std::string> &own) {
  std::map<std::string, std::string> others;
  for (const std::string &name : names) {
    if (!taken.contains(name)) continue;
    std::string other = name;
    for (int number = 2; taken.contains(other) || own.contains(other); ++number)
      other = fmt::format("{}_{}", name, number);
    others[name] = other;
  }
  return others;
}

std::set<std::string> declared_in(const Block &block) {
  std::set<std::string> names;
  for (const Statement &statement : block)
    if (const std::string *name = declared_by(statement)) names.insert(*name);
  return names;
}

void keep_apart(Block &leaf, std::set<std::string> &taken) {
  std::set<std::string> names = loop::effects_of(leaf).declared;
  loop::rename(leaf, names_in_place(names, taken, names));
  taken.merge(declared_in(leaf));
}

} // namespace unravel::lower
