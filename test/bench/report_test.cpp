// What benchmark programs write with --json: the numbers of each line, statistics, targets met and missed.
#include "bench/report.h"

#include <fstream>
#include <gtest/gtest.h>

namespace unravel::bench {
namespace {

nlohmann::json written(const std::string &file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream);
}

TEST(Report, NumbersStatisticsAndTargets) {
  const std::string file = testing::TempDir() + "unravel_report_test.json";
  std::vector<std::string> words = {"program", "--json", file};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  Report report(static_cast<int>(arguments.size()), arguments.data(), "bench_of_test");
  Table &table = report.table("short", "A title", "ms", 2);
  table.expect("ours / peer", Better::lower, {{Statistic::mean, 1}, {Statistic::greatest, 1.5}});
  table.expect("peer / ours", Better::higher, {{Statistic::least, 0.5}, {Statistic::median, 3}});
  table.expect("of files", Better::higher, {{Statistic::mean, 1.2}});
  for (double ratio : {0.5, 2.0, 0.5}) {
    table.row("input " + std::to_string(ratio).substr(0, 3), 7);
    table.figure("ours", ratio);
    table.ratio("ours / peer", ratio);
    table.ratio("peer / ours", 1 / ratio);
    table.note("which", "the <peer>");
  }
  report.finish(table);

  const nlohmann::json all = written(file);
  EXPECT_EQ(all["program"], "bench_of_test");
  const nlohmann::json &made = all["tables"][0];
  EXPECT_EQ(made["threads"], 2);
  EXPECT_EQ(made["columns"], nlohmann::json({"ours"}));
  EXPECT_EQ(made["rows"].size(), 3u);
  EXPECT_EQ(made["rows"][1],
            nlohmann::json::parse(R"({"input": "input 2.0", "entries": 7, "figures": {"ours": 2},
            "ratios": {"ours / peer": 2, "peer / ours": 0.5}, "notes": {"which": "the <peer>"}})"));
  EXPECT_EQ(made["ratios"][0]["better"], "lower");
  EXPECT_NEAR(made["ratios"][0]["geometric mean"], 0.79370, 1e-5);
  EXPECT_EQ(made["ratios"][1]["least"], 0.5);

  const nlohmann::json &targets = made["targets"];
  ASSERT_EQ(targets.size(), 5u);
  EXPECT_EQ(targets[0]["name"], "ours / peer, geometric mean");
  EXPECT_EQ(targets[0]["direction"], "at most");
  EXPECT_EQ(targets[0]["met"], true);
  EXPECT_EQ(targets[1]["met"], false);
  EXPECT_EQ(targets[1]["reached"], 2);
  EXPECT_EQ(targets[1]["input"], "input 2.0");
  EXPECT_EQ(targets[2]["direction"], "at least");
  EXPECT_EQ(targets[2]["met"], true); // exactly what is wanted
  EXPECT_EQ(targets[3]["met"], false);
  // Nothing was measured of it: neither met nor missed.
  EXPECT_TRUE(targets[4]["met"].is_null());
  EXPECT_TRUE(targets[4]["reached"].is_null());
}

TEST(Report, IsOnlyPrintedWithoutAFile) {
  std::string word = "program";
  char *arguments[] = {word.data()};
  Report report(1, arguments, "bench_of_test");
  Table &table = report.table("short", "A title", "ms", 1);
  table.row("input");
  table.figure("ours", 1);
  testing::internal::CaptureStdout();
  table.print_row();
  report.finish(table);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("ours"), std::string::npos);
  EXPECT_EQ(text.find("target"), std::string::npos);
}

TEST(Report, SaysWhereItCantWrite) {
  std::vector<std::string> words = {"program", "--json", "/nowhere/there/is.json"};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  Report report(static_cast<int>(arguments.size()), arguments.data(), "bench_of_test");
  Table &table = report.table("short", "A title", "ms", 1);
  try {
    report.finish(table);
    FAIL() << "a file in a folder that is not there was written";
  } catch (const std::runtime_error &error) {
    EXPECT_STREQ(error.what(), "can't write /nowhere/there/is.json");
  }
}

} // namespace
} // namespace unravel::bench
