#include "c_text.h"
#include "golden.h"

namespace unravel::test {
namespace {

std::string outcome(const std::string &content) {
  return outcome_of_c(content);
}

TEST(CfrontGolden, EveryFilePrintsAsRecorded) {
  SKIP_WITHOUT_CLANG();
  for (const std::string &name : golden_names("cfront", ""))
    golden_run("cfront", name, outcome);
}

/// Files named refused_ hold only texts that are refused, the others none.
TEST(CfrontGolden, ExactlyTheRefusedFilesAreRefused) {
  SKIP_WITHOUT_CLANG();
  int read = 0;
  for (const std::string &name : golden_names("cfront", ""))
    for (const std::string &input : golden_inputs("cfront", name)) {
      bool is_refused = outcome(input).find("error: ") != std::string::npos;
      EXPECT_EQ(is_refused, name.find("refused_") == 0) << name << ": " << input;
      read += !is_refused;
    }
  EXPECT_GE(read, 30);
}

/// What is printed is a program, and prints the same.
TEST(CfrontGolden, PrintedProgramsCanBeReadBack) {
  SKIP_WITHOUT_CLANG();
  for (const std::string &name : golden_names("cfront", "")) {
    if (name.find("refused_") == 0) continue;
    for (const std::string &input : golden_inputs("cfront", name)) {
      std::string printed = outcome(input);
      auto source = std::make_shared<const text::Source>("program", printed);
      EXPECT_EQ(parse::to_text(parse::parse_program(source)), printed) << name;
    }
  }
}

} // namespace
} // namespace unravel::test
