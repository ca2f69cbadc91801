#pragma once

#include "cfront/cfront.h"
#include "parse/parse.h"
#include "report/diagnostic.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace unravel::test {

inline std::shared_ptr<const text::Source> c_source(const std::string &content) {
  return std::make_shared<const text::Source>("f.c", content);
}

/// The program that a C text's function is, printed; what is refused, as a user sees it.
inline std::string outcome_of_c(const std::string &content, const std::string &function = "") {
  try {
    return parse::to_text(cfront::read(c_source(content), function).tree);
  } catch (const report::Error &error) {
    return error.what();
  }
}

#define SKIP_WITHOUT_CLANG()                                                                                 \
  if (!cfront::is_available()) GTEST_SKIP() << "configured without Clang (UNRAVEL_JIT=OFF)"

} // namespace unravel::test
