#pragma once

#include "loop/walk.h"

#include <optional>
#include <set>
#include <string>

/// What a program says of its arrays and sizes, by qualified names, and where slots lie.
namespace unravel::loop {

/// Calls `visit` for each array of the parameters, with its qualified name.
void each_array(const Program &program,
                const std::function<void(const std::string &name, const ArrayParameter &array,
                                         const TensorParameter &parameter)> &visit);
/// The array that has it, of index arrays and value arrays of parameters; null where there is none.
const ArrayParameter *find_array(const std::string &name, const Program &program);
/// The same of the workspace.
const WorkspaceArray *find_workspace(const std::string &name, const Program &program);

/// Sizes and counts of the parameters.
std::set<std::string> sizes_of(const Program &program);
/// Is the term over these, and given sizes, alone?
bool is_over_sizes(const term::Term &term, const Program &program);

/// How many elements an array has.
term::Term slots_of(const ArrayParameter &array);
/// The same of an array of a parameter or of the workspace; none where there is no such array.
std::optional<term::Term> slots_of(const std::string &array, const Program &program);
/// What its elements are.
std::optional<ElementType> element_type(const std::string &array, const Program &program);

/// Whether one thread does the iterations, one by one, in order.
bool is_serial(const For &loop);
/// And nothing says yet that they may go into vectors.
bool is_plain(const For &loop);

/// How often the statements read or write elements of a value array, or all of it.
int mentions_of(const Block &block, const std::string &array);

/// Whether a slot is the variable plus something that doesn't mention it.
bool runs_along(const term::Term &slot, const std::string &variable);

/// How far a slot moves with each step of the variable: a term without it. Nothing where that isn't the same
/// everywhere.
std::optional<term::Term> stride_of(const term::Term &slot, const std::string &variable);

} // namespace unravel::loop
