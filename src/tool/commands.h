#pragma once

#include <CLI/CLI.hpp>

/// The commands. Each adds itself to the command line; its work is the callback, which may throw
/// report::Error and sets the exit code.
namespace unravel::tool {

void add_run(CLI::App &app, int &code, bool &as_json);
void add_compile(CLI::App &app, bool &as_json);
void add_explain(CLI::App &app, bool &as_json);
void add_deps(CLI::App &app, bool &as_json);
void add_plan(CLI::App &app, bool &as_json);
void add_tile(CLI::App &app, bool &as_json);
void add_layout(CLI::App &app, int &code, bool &as_json);
void add_generate(CLI::App &app, bool &as_json);
void add_convert(CLI::App &app, bool &as_json);
void add_machine(CLI::App &app, bool &as_json);
void add_serve(CLI::App &app);

} // namespace unravel::tool
