// Kernels that do far more than their tensors ask for are warned of, others aren't.
#include "pipeline/request_text.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::pipeline::test;

namespace {

std::string warnings_of(const std::string &request) {
  std::string warnings;
  for (const report::Diagnostic &warning : compile_text(request).warnings)
    if (warning.kind == report::Kind::excess_steps) warnings += report::render(warning, "warning");
  return warnings;
}

} // namespace

TEST(Excess, is_warned_of) {
  const std::string found = warnings_of("y(i) = A(i,j) * x(j)\n-f A=csc\n-s order i, j");
  EXPECT_EQ(found.substr(0, found.find(':')), "warning");
  EXPECT_NE(found.find("for each `i`"), std::string::npos) << found;
  EXPECT_NE(found.find("slots and pairs that meet [excess-steps]"), std::string::npos) << found;
  EXPECT_NE(found.find("sizes aren't known here"), std::string::npos) << found;
}

TEST(Excess, is_none_where_entries_are_walked) {
  EXPECT_EQ(warnings_of("y(i) = A(i,j) * x(j)\n-f A=csc"), "");
  EXPECT_EQ(warnings_of("C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n-f B=bcsr<2,2>\n-f C=csr"), "");
}
