#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "lower/elements.h"

#include <functional>

/// Local tensors of which a flag per coordinate says what is stored (layout `bitmap`): a set of coordinates,
/// kept as bits. As long as it has few members these are listed, too, and whoever goes over them sorts the
/// list; behind that the words of bits are looked through. The elements of what isn't stored are zero, so
/// that nothing is set where a member comes, if values begin at zero.
namespace unravel::lower {

struct Members {
  std::string tensor;
  std::string bits, list, room; // arrays of the workspace; the last one to sort the list
  std::string count;            // the variable: how many are listed
  term::Term extent;
  std::string value;                                  // the array of values
  std::function<term::Term(const term::Term &)> slot; // of it, by member
  double initial = 0;                                 // what a member's value begins with

  /// Are all members listed, and is another one?
  term::Term are_listed() const;
};

/// Is it such a local, of one mode?
bool has_members(const combine::LocalTensor &local, const Extents &extents);

/// Takes all members out.
loop::Block without_members(const Members &members);

/// Makes the coordinate a member; a value that doesn't begin at zero is set, by the last statement in an If
/// that stands alone. `listed`: are_listed held at some time since the last one that wasn't: the
/// list has room for all coordinates.
loop::Block insert_member(const Members &members, const term::Term &coordinate, bool listed);

/// The body for each member, from the least on; it is made for each of the two ways.
loop::Block over_members(const Members &members, const std::string &variable,
                         const std::function<loop::Block()> &body);

/// In the block, from where the members begin: counts beforehand how many coordinates are made members, twice
/// or not, where its loops tell, and lets that decide whether members are listed, for all of the block.
void decide_ahead(loop::Block &block, const Members &members);

/// Puts what without_members has made into the loops over members that the block ends with, if they touch
/// nothing but their own member's element. Otherwise false.
bool joined_with(loop::Block &block, const loop::Block &without);

} // namespace unravel::lower
