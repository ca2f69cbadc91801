// Loops that keep their sums in vectors say so, and are such loops.
#include "loop/vector_sums.h"
#include "golden.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::loop {
namespace {

Program marked(const std::string &file) {
  return sums_in_vectors(
      parse_program(test::golden_inputs("loop", std::string("sums_in_vectors/") + file).at(0)));
}

/// Of the program with other text in some place.
std::string refusal(const Program &program, const std::string &from, const std::string &to) {
  std::string changed = to_text(program);
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from << "\n" << changed;
  if (at != std::string::npos) changed.replace(at, from.size(), to);
  try {
    verify(parse_program(changed));
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
  return "no error";
}

} // namespace

TEST(VectorSums, AreReadBack) {
  for (const char *file : {"stretch", "lanes", "pairs", "gathered", "tiles", "columns"}) {
    const Program program = marked(file);
    EXPECT_NO_THROW(verify(program));
    EXPECT_NE(to_text(program).find(fmt::format(" sums {} {{", file)), std::string::npos) << file;
    EXPECT_EQ(to_text(parse_program(to_text(program))), to_text(program));
    EXPECT_EQ(to_text(sums_in_vectors(program)), to_text(program));
  }
}

/// As a pass in between might leave them.
TEST(VectorSums, OfAnotherKindAreRefused) {
  const auto expect_refused = [](const char *file, const std::string &from, const std::string &to,
                                 const std::string &kind) {
    EXPECT_NE(refusal(marked(file), from, to)
                  .find(fmt::format("a loop is said to have sums of the kind `{}`, and has none", kind)),
              std::string::npos)
        << from;
  };
  for (const char *other : {"pairs", "lanes", "gathered", "clears_stretch"})
    expect_refused("stretch", " sums stretch {", fmt::format(" sums {} {{", other), other);
  expect_refused("stretch", "Y.val[r + i*Y.N] = 0", "Y.val[r + i*Y.N] = 1", "clears_stretch");
  expect_refused("tiles", " sums tiles {", " sums stretch {", "stretch");
  expect_refused("tiles", "* scale *", "*", "tiles"); // no column's elements
  expect_refused("columns", " sums columns {", " sums tiles {", "tiles");
  expect_refused("columns", "Y.part[s] *", "Y.part[0] *", "columns");
  expect_refused("lanes", " lanes sums lanes {", " sums lanes {", "lanes");
  expect_refused("pairs", " sums pairs {", " sums gathered {", "gathered");
  expect_refused("gathered", " simd sums gathered {", " sums gathered {", "gathered");
}

TEST(VectorSums, AreForgottenBeforeOtherPasses) {
  Program program = marked("stretch");
  forget_vector_sums(program.body);
  EXPECT_EQ(to_text(program).find(" sums "), std::string::npos);
  EXPECT_NE(to_text(improve(marked("stretch"))).find(" sums stretch {"), std::string::npos);
}

} // namespace unravel::loop
