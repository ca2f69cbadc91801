#pragma once

#include <shared_mutex>

namespace unravel::build {

/// lld sets options of LLVM that the module's other functions read: it holds this alone, they share it.
std::shared_mutex &linker_mutex();

} // namespace unravel::build
