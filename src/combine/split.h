#pragma once

#include "compute/computation.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Statements that are taken apart.
namespace unravel::combine {

/// A statement whose value isn't zero wherever a sparse factor isn't stored becomes several: what is dense,
/// then each product with sparse factors, added; unless it isn't converted by parts. `is_total`: is the
/// access stored wherever the statement is executed? `is_empty`: the target is zero before. `program`:
/// the statement's. A sparse local whose elements are computed from their own old values alone, as in
/// `w(i) *= x(i)`, is changed where it has entries. Throws limits.
std::vector<compute::Statement> split(const compute::Statement &statement,
                                      const std::map<std::string, value::Type> &types,
                                      const std::function<bool(const compute::Access &)> &is_total,
                                      bool is_empty, const compute::Program &program);

/// The roles of a statement's accesses in its value, by name. A mask's is Other: several entries of one
/// coordinate would count as one.
std::map<std::string, value::Role> roles_in(const compute::Statement &statement);

/// Which accesses of a statement may not be stored where it is executed, and are looked for.
using IsOptional = std::function<bool(const compute::Access &, value::Role)>;

/// The statement with one access for all optional ones that are the same access to the same tensor, so that
/// it is looked for once: `x` in select(x(i) > 1, x(i), y(i)).
compute::Statement with_joined_reads(const compute::Statement &statement, const IsOptional &is_optional);

/// Where there is nothing to do unless one of the optional accesses is stored, a statement for each of them,
/// in which those before it aren't: of max(A, B) one where A is, and one where B is and A isn't. Each point
/// has one of them. Else the statement. Precondition: the target is zero before, or the statement reduces.
std::vector<compute::Statement> unite(const compute::Statement &statement, const IsOptional &is_optional);

/// Of a statement that sets elements of a local, and makes nothing where none of what may be absent is
/// stored: one that sets them to that, and one that adds to them. `w(i) = select(x(i) > 1, x(i), 0)` is
/// executed where x has entries then. Else the statement, also where one read alone is a factor (split).
std::vector<compute::Statement> set_from_nothing(const compute::Statement &statement,
                                                 const std::function<bool(const compute::Access &)> &is_total,
                                                 const compute::Program &program);

/// All of these: what is done one after the other for a statement, each where what it reads is stored.
std::vector<compute::Statement>
taken_apart(const compute::Statement &statement, const std::map<std::string, value::Type> &types,
            const std::function<bool(const compute::Access &, const compute::Statement &)> &is_total,
            const std::function<IsOptional(const compute::Statement &)> &optional_in, bool is_empty,
            const compute::Program &program);

// ---- Where local tensors begin that have no place for each element.

/// Takes all entries out of the local that the statement writes, in front of its own loops: those behind the
/// first `around`.
compute::Statement emptied_before(const compute::Statement &statement, std::size_t around);
/// The statement in place of one that sets all of the local, but not as its first: in each round.
compute::Statement emptied_instead(const compute::Statement &statement, std::size_t around);

/// All of them in the order of the text, each with a place of its own, which is in the order of the places
/// that they had. `parts`: of each statement of the program, at its place; `emptied`: what is done in front
/// of that, perhaps in front of loops around it.
std::vector<compute::Statement> in_order(std::vector<std::vector<compute::Statement>> emptied,
                                         std::vector<std::vector<compute::Statement>> parts);

/// The number of the program's first statement in the loops over the target's modes.
std::size_t first_in_loops(const compute::Statement &statement, const compute::Program &program);

/// Of a statement's parts the first one, where it sets elements of a local to what those are that have no
/// entry, is executed at entries alone.
void keep_to_entries(std::vector<compute::Statement> &parts, double nothing, const compute::Program &program);

/// The number to which it sets all of the local, where elements that aren't stored may stand for it, and that
/// may be done in front of its loops.
std::optional<double> sets_to_nothing(const compute::Statement &statement, std::size_t around,
                                      const compute::Program &program);
/// Does the statement, which sets all of a local, stand in more loops than the local?
bool is_inside(const compute::Statement &statement, std::size_t around);

/// Is it a `let` of a local whose elements something else sets?
bool is_set_otherwise(const compute::Statement &statement, const compute::Program &program);

} // namespace unravel::combine
