#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/loop.h"

#include <string>

/// The C text around a kernel's workspace, and the entry for the compiler in process. All but the entry are
/// empty where the program has no workspace.
namespace unravel::emit {

/// The struct `<kernel>_workspace`.
std::string workspace_struct(const loop::Program &program, const Names &names,
                             const Expressions &expressions);
/// `void <kernel>_workspace_init(...)` and `_free`, declared or defined.
std::string workspace_prototypes(const loop::Program &program, const Names &names);
std::string workspace_functions(const loop::Program &program, const Names &names);
/// Lines of the kernel's comment.
std::string workspace_documentation(const loop::Program &program, const Names &names);
/// unravel_entry and what goes with it (EmitOptions::in_process).
std::string entry_text(const loop::Program &program, const Names &names);

} // namespace unravel::emit
