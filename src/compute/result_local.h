#pragma once

#include "compute/computation.h"

#include <map>

/// Lines whose result gets its entries from a local tensor.
namespace unravel::compute {

/// A local tensor in which entries of the result are collected: over `modes`, in loops over the others. All
/// are index variables that subscript the result.
struct ResultLocal {
  std::string tensor;
  std::vector<std::string> around, modes;
  std::string layout; // the local's, unless the user gives it another one
  /// It is dense, and one of Program::masked_locals.
  bool is_masked = false;
  std::string why = {}; // it has that layout, for people; or empty
};

/// Terms of a line that statements of a plan add to the target, or to the local. In front of the loops around
/// the local is what doesn't change in them.
struct PlannedTerms {
  std::map<std::size_t, std::vector<parse::StatementTree>> terms; // by their numbers
  std::vector<parse::StatementTree> before = {};
};

/// May the line be written so: the result's subscripts are plain, each of another index variable, and no
/// operand's subscript is shifted?
bool may_have_result_local(const Program &line);

/// May the line's masks stand at what becomes of the local, and not at each product: they are the same in all
/// of its terms, say where the local's elements are wanted, one of them by what is stored, and it only adds?
bool may_mask_local(const Program &line, const ResultLocal &local);

/// The line as it is read back: an assignment, or a program where its terms have different masks.
std::string text_of_line(const Program &line);

/// The line as a program: `C(i,j) = A(i,j) + E(i,k) * F(k,j)` with w(j) in loops over i is
///
///     for i {
///       let w(j) = 0;
///       for j { w(j) += A(i,j); }
///       for k { for j { w(j) += E(i,k) * F(k,j); } }
///       for j { C(i,j) = w(j); }
///     }
///
/// (Kjolstad et al., CGO 2019, section 3: the workspace that scatters into a sparse result.) Of a masked
/// local, of `C(i,j) = E(i,k) * F(k,j) mask M(i,j)`:
///
///     for i {
///       for j { w(j) = 0 mask M(i,j); }
///       for k { for j { w(j) += E(i,k) * F(k,j); } }
///       for j { C(i,j) = w(j) mask M(i,j); }
///     }
///
/// Precondition: may_have_result_local.
parse::ProgramTree with_result_local(const Program &line, const ResultLocal &local,
                                     PlannedTerms planned = {});

/// The line as a program that has no such local: `y(i) = b(i) - A(i,j) * B(j,k) * x(k)`, of which the second
/// term is planned, is
///
///     for i { y(i) = 0; }
///     for i { y(i) += b(i); }
///     let w(j) = 0;
///     for j { for k { w(j) += B(j,k) * x(k); } }
///     for i { for j { y(i) += -1 * A(i,j) * w(j); } }
///
/// Precondition: may_have_result_local.
parse::ProgramTree with_planned_terms(const Program &line, PlannedTerms planned);

} // namespace unravel::compute
