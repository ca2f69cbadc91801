#pragma once

#include "combine/row_major.h"
#include "layout/insertion.h"
#include "loop/loop.h"

#include <map>
#include <string>
#include <vector>

/// Elements of arrays, from what layouts say of them.
namespace unravel::lower {

/// Of arrays, by their qualified names.
using Extents = std::map<std::string, std::vector<term::Term>>;

/// The array's slot, of a subscript for each extent; `by`: what stands for the names in them.
inline term::Term slot_of(const std::string &array, const std::vector<term::Term> &slots,
                          const Extents &extents, const term::Substitution &by) {
  return combine::row_major(term::substitute(slots, by), extents.at(array));
}

inline loop::SetElement set(const layout::IndexElement &element, const Extents &extents,
                            const term::Substitution &by) {
  return {element.array, slot_of(element.array, element.slots, extents, by),
          term::substitute(element.value, by)};
}

} // namespace unravel::lower
