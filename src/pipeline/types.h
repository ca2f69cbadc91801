#pragma once

#include "pipeline.h"

namespace unravel::pipeline {

/// Front::types, and from them the types of statements and layouts. Those that are there already are said: of
/// a tensor whose format says so. Of others the request's, or f64; of results and locals that nothing is said
/// of, what C makes of the operands' types. Throws mistakes: fills that their tensor's type doesn't hold.
void settle_types(const Request &request, Front &front);

/// Refuses a line whose value would have to be converted after it is reduced; `how` it is reduced: " by ...".
[[noreturn]] void fail_converted(const compute::Statement &line, const std::string &how);

/// Gives the list of a result that is packed behind the kernel values in which entries are added up.
void settle_list(layout::Layout &list, value::Type of_result);

/// Does the statement add up points that its target doesn't tell apart?
bool sums_up(const compute::Statement &statement);

/// In place of the front's line the program that it is taken apart into; what is said of the line is kept.
/// The types are settled then.
void put_program(const parse::ProgramTree &tree, compute::Fills fills, Front &front);

/// Before that, of a local that stands for the line's result: the result's type, in which values are added
/// up; where each element is one value, which is converted once, that in which it is computed.
void set_type_of_local(const std::string &local, Front &front);

/// The line's fills, and of its result what it begins with: a program begins with its result's fill.
compute::Fills fills_with_initial(const compute::Program &line);

/// In the line's place a program of plans, whose locals need no layouts; its result begins with what the
/// line's does.
void take_program(const Request &request, const parse::ProgramTree &tree, Front &front);

} // namespace unravel::pipeline
