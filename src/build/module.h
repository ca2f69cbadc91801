#pragma once

namespace unravel::build {

/// What the module libunravel-clang.so exports as `name`, or null. The first call loads the module, and with
/// it Clang and LLVM; it is never unloaded. Throws kind `no-compiler` where it can't be loaded.
void *module_symbol(const char *name);

} // namespace unravel::build
