#pragma once

#include "space/set.h"
#include "term/term.h"

#include <optional>
#include <string>
#include <vector>

/// Sizes that no tensor has, and subscripts.
namespace unravel::combine {

/// Some of a statement's instances have a subscript outside of its tensor: what must hold of sizes so that
/// none has, where that is a question of the sizes that are given. It is one where these can be chosen,
/// whatever the tensors' sizes, but perhaps for small ones, so that the statement is executed and its
/// subscript stays inside, and for some tensors not just in one way; otherwise nothing. `sizes`: all that is
/// known of sizes, each of which it mentions.
std::optional<term::Term> sizes_inside(const space::Set &instances, const space::Set &outside,
                                       const space::Set &sizes, const std::vector<std::string> &given);

/// Over the program's own sizes; `size_of`: those that stand for them.
term::Term over_own_sizes(const term::Term &formula, const term::Substitution &size_of);
/// What the program calls it.
std::string name_of_size(const term::Term &atom, const term::Substitution &size_of);

} // namespace unravel::combine
