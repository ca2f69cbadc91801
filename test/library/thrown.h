#pragma once

#include "unravel/unravel.h"

#include <gtest/gtest.h>
#include <string>

namespace unravel::test {

/// The whole message of what is thrown, and its kind.
template <class Work> std::string thrown(Work work) {
  try {
    work();
  } catch (const Error &error) {
    EXPECT_FALSE(error.is_bug()) << error.what();
    return error.what();
  }
  return "nothing";
}

} // namespace unravel::test
