#pragma once

#include "golden.h"
#include "scratch_folder.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace unravel::test {

/// Calls `check` with the library that each of the compilers at hand makes of the text, strictly, with
/// vectors of several widths and with none; false where there is no compiler.
inline bool with_each_compiler(const std::string &text, const std::function<void(void *library)> &check) {
  ScratchFolder folder;
  const std::string file = folder.write("kernels.c", text);
  // Clang 19 warns of what it makes itself of -march=native on processors with AVX10. The last one has no
  // vectors of GNU C.
  int number = 0;
  for (const std::string compiler :
       {"gcc -O1 -fsanitize=undefined -fsanitize-undefined-trap-on-error", "gcc -O3 -march=native",
        "gcc -O3 -march=haswell", "clang-19 -O3 -march=native -Wno-invalid-feature-combination",
        "clang-19 -O2", "gcc -O2 -U__GNUC__"}) {
    if (!is_installed(compiler.substr(0, compiler.find(' ')))) continue;
    if (compiler.find("haswell") != std::string::npos && !__builtin_cpu_supports("avx2")) continue;
    const std::string library = folder.path(fmt::format("kernels{}.so", number++));
    EXPECT_EQ(folder.run(compiler + " -std=c99 -shared -fPIC -Wall -Wextra -Wshadow -pedantic -Werror " +
                         file + " -o " + library),
              "");
    void *handle = dlopen(library.c_str(), RTLD_NOW);
    if (!handle) {
      ADD_FAILURE() << dlerror();
      continue;
    }
    SCOPED_TRACE(compiler);
    check(handle);
    dlclose(handle);
  }
  return number > 0;
}

/// A program that each of the compilers at hand makes of the text, strictly, succeeds in silence.
inline void expect_runs(const std::string &text, const std::vector<std::string> &compilers) {
  bool any = false;
  for (const std::string &compiler : compilers) {
    if (!is_installed(compiler.substr(0, compiler.find(' ')))) continue;
    any = true;
    ScratchFolder folder;
    const std::string file = folder.write("kernel.c", text);
    ASSERT_EQ(folder.run(compiler + " -Wall -Wextra -Werror " + file + " -o " + folder.path("kernel")), "")
        << compiler;
    EXPECT_EQ(folder.run(folder.path("kernel")), "") << compiler;
  }
  if (!any) GTEST_SKIP() << "no compiler is installed";
}

} // namespace unravel::test
