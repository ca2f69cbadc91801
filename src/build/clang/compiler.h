#pragma once

#include <llvm/ADT/SmallVector.h>
#include <string>

namespace unravel::build {

/// The machine code of one C text, as an ELF object, or the compiler's diagnostics where it has none.
struct Object {
  bool made = false;
  llvm::SmallVector<char, 0> code;
  std::string diagnostics;
};

/// C text -> position-independent object code for this machine's processor, by Clang, all in memory: no file
/// is read or written, and an #include of anything fails.
Object compile_object(const char *text, std::size_t size);

} // namespace unravel::build
