#pragma once

#include "compute/computation.h"
#include "plan/leaf.h"

#include <vector>

namespace unravel::choose {

/// A statement that is computed in parts: loops over index variables, a local tensor for each sum that another
/// part reads. Positions aren't named. `program`: where its names may not be taken.
/// Precondition: the plan has parts of the leaf's own (LeafPlan::hoists), and the statement is the leaf's.
std::vector<parse::StatementTree> trees_of_parts(const plan::LeafPlan &plan,
                                                 const compute::Statement &statement,
                                                 const parse::ProgramTree &program);

} // namespace unravel::choose
