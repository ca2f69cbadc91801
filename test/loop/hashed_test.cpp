// Arrays of the workspace of which a hash table has the few elements that are set.
#include "golden.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <gtest/gtest.h>

namespace unravel::loop {
namespace {

std::string text() {
  return test::golden_inputs("emit", "kernel_hashed").at(0);
}

Memory memory() {
  Memory made;
  made.sizes = {{"A.M", 3}, {"A.N", 6}, {"y.N", 3}, {"A.NNZ", 5}};
  made.indices = {{"A.rowptr", {0, 3, 3, 5}}, {"A.col", {4, 1, 4, 0, 5}}};
  made.values = {{"A.val", {1, 2, 3, 4, 5}}, {"y.val", {7, 7, 7}}};
  return made;
}

/// What is wrong with the kernel once `from` is `to`, or with its run.
std::string refusal(const std::string &from, const std::string &to) {
  std::string changed = text();
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) changed.replace(at, from.size(), to);
  try {
    const Program program = parse_program(changed);
    verify(program);
    Memory data = memory();
    interpret(program, data);
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
  return "no error";
}

std::string malformed(const std::string &from, const std::string &to) {
  const std::string prefix = "malformed loop program: ", found = refusal(from, to);
  return found.starts_with(prefix) ? found.substr(prefix.size()) : found;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(Hashed, TheTextIsReadBack) {
  const std::string printed = to_text(parse_program(text()));
  EXPECT_TRUE(contains(printed, "workspace w.map[A.N] : int32 = -1 per thread hashed\n"));
  EXPECT_EQ(to_text(parse_program(printed)), printed);
}

TEST(Hashed, IsInterpretedInAnyOrder) {
  const Program program = parse_program(text());
  for (const Program &each : {program, improve(program)})
    for (const unsigned seed : {0U, 1U, 2U, 3U}) {
      Memory data = memory();
      InterpretOptions options;
      options.permute_parallel = seed > 0;
      options.seed = seed;
      EXPECT_EQ(interpret(each, data, options), 0);
      EXPECT_EQ(data.values["y.val"], (std::vector<double>{20, 0, 41}));
    }
}

TEST(Hashed, NeedsRoomForEachElement) {
  EXPECT_EQ(refusal("w.NNZ + 1 : w.map", "w.NNZ : w.map"),
            "the hashed array `w.map` has room for 0 elements, not for more");
  EXPECT_TRUE(contains(refusal("    zero w.map, A.N\n", ""), "array `w.map` holds another value than -1"));
}

TEST(Hashed, IsVerified) {
  EXPECT_EQ(malformed("int32 = -1 per thread hashed", "int32 per thread hashed"),
            "array `w.map` can't lie in a hash table");
  EXPECT_EQ(
      malformed("workspace w.val[A.N] : float64 per thread", "workspace w.val[A.N] : float64 = 0 hashed"),
      "array `w.val` can't lie in a hash table");
  EXPECT_EQ(malformed("zero w.map, A.N", "zero w.map, 1"),
            "some elements of the hashed array `w.map` are taken out");
  EXPECT_EQ(malformed("= -1 per thread hashed", "= -1 hashed"),
            "iterations of a parallel loop race for the hash table of `w.map`");
  EXPECT_EQ(malformed("reserve room >= w.NNZ + 1 : w.map", "reserve room >= w.NNZ + 1 : w.map, w.idx"),
            "room is reserved in the hashed array `w.map` and in others");
}

} // namespace unravel::loop
