// Inputs that are generated: of each name its own, unless a seed is given.
#include "tool/tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// The entries of a random matrix A beside B, as a file.
std::string written(const Desk &desk, const std::string &tensor, const std::string &options) {
  const Outcome outcome =
      desk.unravel({"run", "C(i,j) = " + tensor + "(i,j)", "-f", tensor + "=csr", "-f", "C=coo", "-i",
                    tensor + "=random:9x9,density=0.3" + options, "-o", "C=c.mtx"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  return desk.read("c.mtx");
}

TEST(RandomInputs, EachNameHasItsOwn) {
  const Desk desk;
  EXPECT_NE(written(desk, "A", ""), written(desk, "B", ""));
  EXPECT_EQ(written(desk, "A", ""), written(desk, "A", ""));
  EXPECT_EQ(written(desk, "A", ",seed=5"), written(desk, "B", ",seed=5"));
}

TEST(RandomInputs, OneSeedOfTwoIsNoted) {
  const Desk desk;
  const auto notes = [&](const std::string &of_b) {
    return desk
        .unravel(
            {"run", "C(i,j) = A(i,k) * B(k,j)", "-i", "A=random:9x9,seed=5", "-i", "B=" + of_b, "--json"})
        .json()
        .at("notes")
        .dump();
  };
  EXPECT_EQ(notes("random:9x9,seed=5"),
            R"(["A and B have the same shape and seed: what is random of them is the same"])");
  EXPECT_EQ(notes("random:9x8,seed=5"), "[]");
  EXPECT_EQ(notes("random:9x9,seed=6"), "[]");
  EXPECT_EQ(notes("random:9x9"), "[]");
}

} // namespace
} // namespace unravel::tool::test
