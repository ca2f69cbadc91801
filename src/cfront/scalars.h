#pragma once

#include "cfront/syntax.h"

#include <map>
#include <set>
#include <vector>

/// Scalars that are declared without a value: `double s;`. In a program every scalar has a first value; so
/// each gets a place, as far inside as its uses allow: a sum of its own in every iteration of a loop is one
/// that the loop doesn't carry.
namespace unravel::cfront {

/// Where scalars without an initial value come into being.
struct ScalarPlaces {
  std::set<const Node *> first; // assignments that are first values
  std::map<const Node *, std::vector<int>>
      before; // statements before which they get one, 0 that nothing reads
};

/// The statements as one list, without braces and commas.
std::vector<const Node *> flattened(const Node &statement);

/// The first place where the variable may be read without having been assigned, or null.
const Node *read_too_early(const std::vector<const Node *> &statements, int declaration);

/// Precondition: nothing is read too early.
void place_scalar(const std::vector<const Node *> &statements, int declaration, ScalarPlaces &places);

/// Whether the variable occurs in what the node is made of.
bool mentions(const Node &node, int declaration);

/// The variables that the node assigns or counts, beside those that it declares with a value.
void collect_assigned(const Node &node, std::set<int> &declarations);

} // namespace unravel::cfront
