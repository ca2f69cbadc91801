#pragma once

#include "prove/expression.h"

#include <cstddef>
#include <optional>
#include <vector>

/// Questions that are mostly about differences, decided without Z3.
namespace unravel::prove {

/// Can all formulas hold? True only with values for every variable and application that were put into every
/// formula; false only where the comparisons of the form x - y >= c, with everything else free, leave no way.
/// None where neither is seen within the effort (literals that are propagated): the solver is to be asked.
std::optional<bool> decide(Expressions &expressions, const std::vector<Id> &formulas, std::size_t effort);

} // namespace unravel::prove
