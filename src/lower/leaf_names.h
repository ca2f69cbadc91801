#pragma once

#include "loop/loop.h"

#include <map>
#include <set>
#include <string>

/// The leaves of a kernel stand one after the other in one block.
namespace unravel::lower {

/// Of the names, those that are taken, with others in their place: as `p_2`, neither taken nor among `own`.
std::map<std::string, std::string> names_in_place(const std::set<std::string> &names,
                                                  const std::set<std::string> &taken,
                                                  const std::set<std::string> &own);

/// The names that the block declares for what follows in it.
std::set<std::string> declared_in(const loop::Block &block);

/// Renames what the leaf declares, anywhere in it, where an earlier leaf has declared the same name in its
/// outermost block: a state that both begin with, a sum. `taken`: those names of the leaves before; the
/// leaf's are added.
void keep_apart(loop::Block &leaf, std::set<std::string> &taken);

} // namespace unravel::lower
