#include "golden.h"
#include "parse_text.h"
#include "places.h"

namespace unravel::test {
namespace {

using Outcome = std::string (*)(const std::string &);

/// The file's name says which language it holds.
Outcome outcome_for(const std::string &name) {
  if (name.find("notation") == 0 || name == "fail_notation") return outcome_of_assignment;
  if (name.find("program") != std::string::npos) return outcome_of_program;
  if (name.find("schedule") != std::string::npos) return outcome_of_schedule;
  if (name.find("reference") != std::string::npos) return outcome_of_reference;
  return outcome_of_layouts;
}

bool is_mistake(const std::string &output) {
  return output.find("error: ") != std::string::npos;
}

TEST(ParseGolden, EveryFilePrintsAsRecorded) {
  for (const std::string &name : golden_names("parse", ""))
    golden_run("parse", name, outcome_for(name));
}

/// A file named fail_ holds only texts that are refused, every other file none.
TEST(ParseGolden, ExactlyTheFailFilesFail) {
  for (const std::string &name : golden_names("parse", "fail_"))
    for (const std::string &input : golden_inputs("parse", name))
      EXPECT_TRUE(is_mistake(outcome_for(name)(input))) << name << ": " << input;
  for (const char *prefix : {"layout", "notation", "program", "schedule", "reference"})
    for (const std::string &name : golden_names("parse", prefix))
      for (const std::string &input : golden_inputs("parse", name))
        EXPECT_FALSE(is_mistake(outcome_for(name)(input))) << name << ": " << input;
}

TEST(ParseGolden, PrintedTextPrintsTheSame) {
  int texts = 0;
  for (const char *prefix : {"layout", "notation", "program", "schedule", "reference"})
    for (const std::string &name : golden_names("parse", prefix))
      for (const std::string &input : golden_inputs("parse", name)) {
        std::string printed = outcome_for(name)(input);
        if (printed.empty()) continue;
        EXPECT_EQ(outcome_for(name)(printed), printed) << name;
        ++texts;
      }
  EXPECT_GE(texts, 35);
}

TEST(ParseGolden, ShippedLayoutsPrintTheSame) {
  std::filesystem::path folder = std::filesystem::path(unravel::test::source_folder()) / "layouts";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder layouts/";
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".layout") continue;
    auto source = text::Source::from_file(entry.path().string());
    std::string printed = parse::to_text(parse::parse_layout_file(source));
    EXPECT_EQ(outcome_of_layouts(printed), printed) << entry.path();
  }
}

} // namespace
} // namespace unravel::test
