// No name of a user's means something to the headers that the C text includes.
#include "emit/names.h"

#include "scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace unravel;

namespace {

constexpr const char *headers =
    "#include <ctype.h>\n#include <math.h>\n#include <stdbool.h>\n"
    "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <time.h>\n";

/// The names that are defined and not reserved.
std::string macros_in(const std::string &definitions) {
  std::istringstream lines(definitions);
  std::string free;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string define, name;
    words >> define >> name;
    name = name.substr(0, name.find('('));
    if (define == "#define" && !emit::is_reserved(name)) free += name + " ";
  }
  return free;
}

TEST(Reserved, AllMacrosOfTheHeaders) {
  bool any = false;
  for (const char *compiler : {"gcc", "clang-19"})
    for (const char *language : {"c -std=c99", "c -std=gnu17", "c++ -std=c++20"}) {
      if (!test::is_installed(compiler)) continue;
      any = true;
      test::ScratchFolder folder;
      const std::string file = folder.write("headers.c", headers);
      EXPECT_EQ(macros_in(folder.run(fmt::format("{} -x {} -dM -E {}", compiler, language, file))), "")
          << compiler << " " << language;
    }
  if (!any) GTEST_SKIP() << "no compiler is installed";
}

TEST(Reserved, NamesOfUsersAreKept) {
  for (const char *name :
       {"A", "M", "N", "NNZ", "A_M", "M_N", "M_NNZ", "A_col", "EDGES", "csr", "x", "C_", "INTS"})
    EXPECT_FALSE(emit::is_reserved(name)) << name;
}

} // namespace
