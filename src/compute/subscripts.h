#pragma once

#include "compute/own_operators.h"
#include "parse/tree.h"

#include <string>
#include <vector>

/// Names in what is written, each once, in the order of the text.
namespace unravel::compute {

/// Adds all names that stand by themselves.
void add_names(const parse::Expression &written, std::vector<parse::Name> &names);

/// Adds those in the subscripts of tensors: such a name is an index in values, too.
void add_subscripts(const parse::Expression &written, const Operators &operators,
                    std::vector<parse::Name> &names);
/// Returns those of a whole line, the target's first.
std::vector<parse::Name> subscripts_of(const parse::AssignmentTree &line, const Operators &operators);

/// Refuses values as subscripts of a tensor: often its name is meant as that of an operator. `how_to_sum`: a
/// hint, where it is `sum`.
void check_subscripts(const parse::Expression &access, const Operators &operators,
                      const std::string &how_to_sum);

} // namespace unravel::compute
