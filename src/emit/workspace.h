#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/loop.h"

#include <string>
#include <vector>

/// The C text around a kernel's workspace, and the entry for the compiler in process. All but the entry are
/// empty where the program has no workspace.
namespace unravel::emit {

/// The struct `<kernel>_workspace`.
std::string workspace_struct(const loop::Program &program, const Names &names,
                             const Expressions &expressions);
/// `void <kernel>_workspace_init(...)` and `_free`, declared or defined.
std::string workspace_prototypes(const loop::Program &program, const Names &names);
std::string workspace_functions(const loop::Program &program, const Names &names,
                                const Expressions &expressions);
/// How many threads a team may have, a C expression: as many as the caller's workspace says, or OpenMP.
std::string threads_text(const Names &names, const Expressions &expressions);

/// The elements from one thread's part to the next one's.
term::Term padded_part(const loop::WorkspaceArray &array, const Expressions &expressions);
/// Of marks: where their blocks begin.
term::Term first_block(const loop::WorkspaceArray &array);
/// How many elements of C the array has: bits lie 32 to one.
term::Term elements_of(const loop::WorkspaceArray &array, const Expressions &expressions);
/// Lines of the kernel's comment.
std::string workspace_documentation(const loop::Program &program, const Names &names);
/// unravel_entry and what goes with it (EmitOptions::in_process).
std::string entry_text(const loop::Program &program, const Names &names);

} // namespace unravel::emit
