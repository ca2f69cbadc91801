// Scanned nests. A golden case is a computation with formats, conditions and perhaps an order; a new one
// needs no code, and is executed on small arrays too (execute_test.cpp).
#include "golden.h"
#include "scan_text.h"

namespace unravel::test {
namespace {

std::string outcome_of(const std::string &input) {
  return text_or_message([&] {
    CombinationText text = read_combination_text(input);
    std::string result;
    for (const scan::Nest &nest : nests_of(text, combine_text(text)))
      result += (result.empty() ? "" : "and\n") + scan::to_text(nest);
    return result;
  });
}

TEST(ScanGolden, EveryFilePrintsAsRecorded) {
  for (const std::string &name : golden_names("scan", "")) {
    SCOPED_TRACE(name);
    golden_run("scan", name, outcome_of);
    for (const std::string &input : golden_inputs("scan", name))
      EXPECT_EQ(outcome_of(input).find("error: ") != std::string::npos, name.compare(0, 5, "fail_") == 0)
          << input;
  }
}

TEST(ScanMessage, NotBoundedHere) {
  EXPECT_EQ(outcome_of("y(i) = A(i,j) * x(j)\n-f A=csr\n-s order A.p, i, j, A.r, x.a, y.a"),
            "error: `A.p` is not bounded by the variables before it in this order [not-bounded-here]\n"
            "  hint: choose another order\n");
}

} // namespace
} // namespace unravel::test
