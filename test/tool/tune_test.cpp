// run --tune: plans are measured, the fastest is taken and kept.
#include "places.h"
#include "tool.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

using nlohmann::json;

const std::vector<std::string> line = {"run",    "y(i) = A(i,j) * B(j,k) * x(k)",
                                       "-f",     "A=csr",
                                       "-f",     "B=csr",
                                       "-i",     "A=random:200x200,density=0.1",
                                       "-i",     "B=random:200x200,density=0.1",
                                       "--check"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), line.begin(), line.end());
  return more;
}

TEST(ToolTune, TheFastestIsTakenAndKept) {
  Desk desk;
  const std::string cache = desk.path("cache").string();
  const auto tuned = [&](const std::vector<std::string> &more, const std::string &x = "x=random") {
    std::vector<std::string> command{"env", "UNRAVEL_CACHE_DIR=" + cache, unravel::test::tool_path()};
    for (const std::string &word : with({"-i", x, "--tune", "60", "--json"}))
      command.push_back(word);
    command.insert(command.end(), more.begin(), more.end());
    const Outcome ran = desk.execute(command);
    EXPECT_EQ(ran.code, 0) << ran.error;
    const json out = ran.json();
    EXPECT_EQ(out.at("check").at("ok"), true);
    return out.at("tuning");
  };
  const json first = tuned({});
  const json &trials = first.at("trials");
  ASSERT_GE(trials.size(), 3u); // by itself, as written, other plans
  EXPECT_EQ(trials[0].at("schedule"), "");
  EXPECT_EQ(trials[1].at("schedule"), "plan none");
  EXPECT_EQ(first.at("kept"), false);
  const std::size_t best = first.at("best");
  for (const json &trial : trials)
    EXPECT_LE(trials.at(best).at("ms"), trial.at("ms"));
  const json again = tuned({});
  EXPECT_EQ(again.at("kept"), true);
  EXPECT_LE(again.at("trials").size(), 2u);
  EXPECT_EQ(again.at("trials").at(again.at("best").get<std::size_t>()).at("schedule"),
            trials.at(best).at("schedule"));
  EXPECT_EQ(tuned({}, "x=ones").at("kept"), true); // other values
  EXPECT_EQ(tuned({"--type", "f32"}).at("kept"), false);
  EXPECT_EQ(tuned({"--no-cache"}).at("kept"), false);
}

/// A pipe can be read once.
TEST(ToolTune, InputsAreReadOnce) {
  Desk desk;
  std::string matrix = "%%MatrixMarket matrix coordinate real general\n40 40 80\n";
  for (int k = 0; k < 80; ++k)
    matrix += std::to_string(k % 40 + 1) + " " + std::to_string(k * 7 % 40 + 1) + " " +
              std::to_string(k + 1) + "\n";
  desk.write("a.mtx", matrix);
  const Outcome ran =
      desk.execute({"sh", "-c",
                    "mkfifo pipe.mtx; cat a.mtx > pipe.mtx & timeout 300 " + unravel::test::tool_path() +
                        " run 'y(i) = A(i,j) * B(j,k) * x(k)' -f A=csr -f B=csr -i A=pipe.mtx -i "
                        "B=random:40x40,density=0.1 "
                        "-i x=ones --tune 60 --no-cache --check --json --report page.html"});
  ASSERT_EQ(ran.code, 0) << ran.error;
  const json out = ran.json();
  EXPECT_EQ(out.at("check").at("ok"), true);
  EXPECT_GE(out.at("tuning").at("trials").size(), 3u);
  EXPECT_NE(desk.read("page.html").find("class=\"plan-picture\""), std::string::npos);
}

/// Beside plans there are schedules of theirs: here constant extents of short dense modes.
TEST(ToolTune, SchedulesBesidePlans) {
  Desk desk;
  const Outcome ran = desk.unravel({"run", "Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", "-f", "T=csf3", "-i",
                                    "T=random:30x40x50,entries=600,seed=3", "-i", "U=random:40x8", "-i",
                                    "V=random:50x8", "--tune", "60", "--no-cache", "--check", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_EQ(ran.json().at("check").at("ok"), true);
  const json trials = ran.json().at("tuning").at("trials");
  EXPECT_TRUE(std::ranges::any_of(trials, [](const json &trial) {
    return trial.at("schedule").get<std::string>().find("bound r = 8") != std::string::npos;
  })) << trials;
}

TEST(ToolTune, TextForPeople) {
  Desk desk;
  const Outcome ran =
      desk.unravel(with({"-i", "x=ones", "--tune", "0.000001", "--no-cache"})); // no other kernel is begun
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_NE(ran.error.find("tune  "), std::string::npos) << ran.error;
  EXPECT_NE(ran.error.find(" s of 1e-06 s)\n"), std::string::npos) << ran.error;
  EXPECT_NE(ran.out.find("ms without a schedule; no other kernel was measured\n"), std::string::npos)
      << ran.out;
  const Outcome scheduled =
      desk.unravel(with({"-i", "x=ones", "--tune", "0.000001", "--no-cache", "-s", "serial"}));
  EXPECT_EQ(scheduled.code, 0) << scheduled.error;
  EXPECT_NE(scheduled.out.find("ms as scheduled; no other kernel was measured\n"), std::string::npos)
      << scheduled.out;
}

TEST(ToolTune, Refusals) {
  Desk desk;
  const Outcome none =
      desk.unravel({"run", spmv, "-f", "A=csr", "-i", "A=random:5x5", "-i", "x=ones", "--tune", "1"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.error.find("there are no plans to choose from: "), std::string::npos) << none.error;
  EXPECT_EQ(desk.unravel(with({"-i", "x=ones", "--tune", "1", "-s", "plan 1"})).code, 2);
  EXPECT_EQ(desk.unravel(with({"-i", "x=ones", "--tune", "0"})).code, 2);
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\ninf\n2\n");
  const Outcome infinite =
      desk.unravel({"run", "y(i) = A(i,j) * B(j,k) * x(k)", "-f", "A=csr", "-f", "B=csr", "-i", "A=ones:3x3",
                    "-i", "B=ones:3x3", "-i", "x=x.mtx", "--tune", "1"});
  EXPECT_EQ(infinite.code, 1);
  EXPECT_NE(infinite.error.find("plans can't be measured on data with infinities or NaN"), std::string::npos)
      << infinite.error;
}

} // namespace
} // namespace unravel::tool::test
