#pragma once

#include <cstddef>

/// The C interface of the in-process compiler, the module `libunravel-clang.so`. It is a shared object of its
/// own because loading Clang and LLVM takes tens of milliseconds, which a command that compiles nothing and a
/// kernel that is cached must not pay: the room `build` opens it with dlopen when the first text has to be
/// compiled. Nothing but what is declared here crosses the border: no C++ type, no exception, no LLVM header.
extern "C" {

/// Raised with every change of this file; the room refuses a module of another version.
enum { unravel_clang_interface_version = 1 };

/// All functions may be called from any thread. Messages are NUL-terminated and released with `free`.
struct UnravelClang {
  int version;
  /// Compiles C text (`size` bytes) and links it in memory. Returns a kernel, or null and sets `*message` to
  /// the compiler's diagnostics.
  void *(*compile)(const char *text, std::size_t size, char **message);
  /// The address of a function that the text defines, or null.
  void *(*find_symbol)(void *kernel, const char *name);
  /// The dlopen handle of the OpenMP runtime that the kernel calls, or null where it calls none. Not to be
  /// closed.
  void *(*openmp_runtime)(void *kernel);
  /// Writes the kernel's machine code to the file `path` as a shared object that dlopen can load. Returns 1,
  /// or 0 and sets `*message`.
  int (*link)(void *kernel, const char *path, char **message);
  /// Frees the kernel and its machine code.
  void (*release)(void *kernel);
};

/// What the module exports; the room `cfront` adds its own part (cfront/clang/interface.h).
const UnravelClang *unravel_clang();
}
