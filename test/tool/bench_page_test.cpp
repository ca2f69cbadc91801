// The page of benchmark results that bench/page.py makes of a file of results: whole, escaped, with every
// table, target and bar; and what scripts/bench says of options that it doesn't know.
#include "page_check.h"
#include "places.h"
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string results = R"json({
  "date": "2026-11-22T10:00+00:00", "commit": "abc1234 2026-11-22", "quick": true, "seconds": 12,
  "machine": {"processor": "A <processor>", "cores": 2, "vectors": "AVX2", "caches": ["L2 1 MiB"],
              "memory": "8 GiB", "virtual": false, "system": "Debian"},
  "versions": {"Unravel": "0.1.0"}, "peers": {"Eigen": "3.4.0", "librsb": null},
  "remarks": ["librsb is missing"],
  "programs": [
    {"program": "bench_one", "about": "One & other", "seconds": 1, "errors": [], "left_out": [], "tables": [
      {"name": "a", "title": "y = A<x>", "unit": "ms", "threads": 2, "load": [1.25, 7.5], "columns": ["ours"],
       "ratios": [
         {"name": "ours / peer", "better": "lower", "cases": 2, "geometric mean": 1, "least": 0.5, "greatest": 2},
         {"name": "for the record", "better": "higher", "cases": 1, "geometric mean": 3, "least": 3, "greatest": 3}],
       "rows": [
         {"input": "<script>alert(1)</script>", "entries": 5, "figures": {"ours": 0.25},
          "ratios": {"ours / peer": 0.5, "for the record": 3}, "notes": {"best \"peer\"": "Eigen & co"}},
         {"input": "b.mtx", "entries": 9, "figures": {"ours": 1234.5}, "ratios": {"ours / peer": 2}, "notes": {}}],
       "targets": [
         {"name": "ours / peer, greatest", "column": "ours / peer", "statistic": "greatest", "direction": "at most",
          "wanted": 1.5, "reached": 2, "input": "b.mtx", "met": false},
         {"name": "ours / peer, geometric mean", "column": "ours / peer", "statistic": "geometric mean",
          "direction": "at most", "wanted": 1.1, "reached": 1, "input": "", "met": true},
         {"name": "files, least", "column": "files", "statistic": "least", "direction": "at least", "wanted": 1,
          "reached": null, "input": "", "met": null}]}]},
    {"program": "bench_two", "about": "Fails", "seconds": 0, "errors": ["a <b> & c"], "left_out": [], "tables": []},
    {"program": "bench_three", "about": "Left out", "seconds": 0, "errors": [], "tables": [],
     "left_out": ["not run: SciPy is missing"]}]
})json";

std::string source(const std::string &path) {
  return unravel::test::source_folder() + "/" + path;
}

/// Without files beside the scripts.
std::vector<std::string> python(const std::string &script, const std::vector<std::string> &arguments) {
  std::vector<std::string> command = {"python3", "-B", source(script)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(BenchPage, TablesTargetsAndBars) {
  if (!has_program("python3")) GTEST_SKIP() << "no Python is installed";
  Desk desk;
  desk.write("results.json", results);
  Outcome outcome = desk.execute(python("bench/page.py", {"results.json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const std::string page = desk.read("results.html");
  EXPECT_EQ(complaints_about(page), std::vector<std::string>());
  for (const char *part :
       {"A &lt;processor&gt;", "y = A&lt;x&gt;</a>", "librsb missing", "<li>librsb is missing</li>",
        "Other jobs were running: the load was up to 7.5 on 2 cores",
        "Targets: 1 met, 1 missed, 1 not measured",
        "ours / peer, greatest 2, wanted at most 1.5: <span class=\"missed\">",
        "<span class=\"met\">✓ met</span>", "<td class=\"number\">1234</td>", "best &quot;peer&quot;",
        "Eigen &amp; co", "a &lt;b&gt; &amp; c", "&lt;script&gt;alert(1)&lt;/script&gt;: 0.5</title>",
        "not run: SciPy is missing", "load 1.2 to 7.5"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("<script"), std::string::npos);
  for (const char *part : {"src=", "url(", "@import", "<link", "://"}) // needs nothing else
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  // A bar for each ratio of each input and one for a mean of several; what is on the good side of 1 or at it.
  EXPECT_EQ(count(page, "<svg "), 2u);
  EXPECT_EQ(count(page, "<g class=\"good\">"), 2u);
  EXPECT_EQ(count(page, "<g class=\"bad\">"), 1u);
  EXPECT_EQ(count(page, "<g class=\"good mean\">"), 1u);
  EXPECT_EQ(count(page, "<line class=\"target\""), 2u);
}

TEST(BenchPage, SaysWhatItCantRead) {
  if (!has_program("python3")) GTEST_SKIP() << "no Python is installed";
  Desk desk;
  desk.write("text.json", "{");
  desk.write("other.json", "{\"programs\": []}");
  for (const char *file : {"text.json", "other.json", "none.json"}) {
    Outcome outcome = desk.execute(python("bench/page.py", {file}));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.error.find(std::string("page.py: ") + file), 0u) << outcome.error;
  }
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"other.json", "text.json"}));
}

TEST(Bench, RefusesWhatItDoesntKnow) {
  if (!has_program("python3")) GTEST_SKIP() << "no Python is installed";
  Desk desk;
  const std::vector<std::pair<std::vector<std::string>, std::string>> all = {
      {{"--quik"}, "unrecognized arguments: --quik"},
      {{"--only", "spmw"}, "there is no benchmark `spmw`; there are build_latency, "},
      {{"--data", "nowhere"}, "there is no folder nowhere of input files"},
      {{"--record", "My machine"}, "`My machine` is no name for a machine"}};
  for (const auto &[arguments, message] : all) {
    Outcome outcome = desk.execute(python("bench/run.py", arguments));
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_NE(outcome.error.find(message), std::string::npos) << outcome.error;
  }
  EXPECT_EQ(desk.files(), std::vector<std::string>());
}

} // namespace
} // namespace unravel::tool::test
