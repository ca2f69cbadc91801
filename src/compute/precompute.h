#pragma once

#include "compute/computation.h"

/// Workspaces: a part of a product is computed first (precompute; Kjolstad et al., CGO 2019, section 4).
namespace unravel::compute {

/// The assignment as a program in which the workspace gets the sums of its factors' product, in loops over
/// the indices that these share with the rest: `workspace w(j) for A(i,k) * B(k,j)` makes of `C(i,j) = A(i,k)
/// * B(k,j) * d(j)`
///
///     for i {
///       let w(j) = 0;
///       for k { for j { w(j) += A(i,k) * B(k,j); } }
///       for j { C(i,j) = w(j) * d(j); }
///     }
///
/// Where the assignment reduces by another operator than `+`, or says `in`, so does the workspace.
///
/// Throws mistakes (factors that the assignment hasn't, indices that are no subscripts of theirs, a name that
/// is taken) and limits (sums, quotients, operators whose laws don't allow it).
///
/// `factors_in`: the type to which a factor is converted, so that the workspace's product is computed in it.
parse::ProgramTree with_workspace(const parse::AssignmentTree &assignment,
                                  const parse::ScheduleTree::Workspace &workspace,
                                  std::optional<value::Type> factors_in = {});

/// Throws the limit where the types of the assignment, which is that line, don't allow a workspace. `made`:
/// the program with it.
void check_types_of_workspace(const parse::AssignmentTree &assignment, const Statement &line,
                              const Program &made);

} // namespace unravel::compute
