// `unravel machine` and --machine: what is shown, where it comes from, what is said of files that are none.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

TEST(ToolMachine, ShowsTheProfileThatIsKept) {
  Desk desk;
  const nlohmann::json first = desk.unravel({"machine", "--json"}).json();
  if (first.at("file").is_null()) GTEST_SKIP() << "the system doesn't say which processor this is";
  EXPECT_EQ(desk.unravel({"machine", "--json"}).json(), first); // not measured again
  EXPECT_GT(first.at("profile").at("wake"), 0);
  EXPECT_GT(first.at("thresholds").at("least_entries"), 0);
  Outcome text = desk.unravel({"machine"});
  EXPECT_EQ(text.code, 0);
  for (const char *part :
       {"\n== facts\n  wake ", " ns  to wake a sleeping thread and get its answer; decides: the least work ",
        "\n== what follows\n  least_entries ", "gathers_pay "})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  const nlohmann::json again = desk.unravel({"machine", "--measure", "--json"}).json();
  EXPECT_EQ(desk.unravel({"machine", "--json"}).json(), again); // that is kept now
}

TEST(ToolMachine, WritesWhatOtherCommandsRead) {
  Desk desk;
  Outcome written = desk.unravel({"machine", "--machine", "portable", "-o", "m.json", "--json"});
  EXPECT_EQ(written.error, "");
  EXPECT_TRUE(written.json().at("file").is_null());
  EXPECT_TRUE(written.json().at("gathers_pay"));
  EXPECT_EQ(written.json().at("thresholds").at("least_entries"), 1 << 19);
  EXPECT_EQ(nlohmann::json::parse(desk.read("m.json")), written.json().at("profile"));
  const std::vector<std::string> compile = {"compile", spmv, "-f", "A=csr"};
  auto with = [&](const std::string &machine) {
    std::vector<std::string> arguments = compile;
    arguments.insert(arguments.end(), {"--machine", machine});
    return desk.unravel(arguments).out;
  };
  const std::string portable = desk.unravel(compile).out;
  EXPECT_EQ(with("m.json"), portable);
  EXPECT_EQ(with("portable"), portable);
  nlohmann::json slow = written.json().at("profile");
  slow["wake"] = 800000;
  desk.write("slow.json", slow.dump());
  EXPECT_NE(portable.find(">= 524288)"), std::string::npos) << portable;
  EXPECT_NE(with("slow.json").find(">= 2097152)"), std::string::npos) << with("slow.json");
}

TEST(ToolMachine, EveryCommandOfKernelsTakesOne) {
  Desk desk;
  desk.unravel({"machine", "--machine", "portable", "-o", "m.json"});
  for (const char *command : {"compile", "explain", "deps"})
    EXPECT_EQ(desk.unravel({command, spmv, "-f", "A=csr", "--machine", "m.json"}).code, 0) << command;
  EXPECT_EQ(desk.unravel({"tile", spmv, "-f", "A=csr", "-s", "tile j by 4", "--machine", "m.json"}).code, 0);
  for (const char *machine : {"m.json", "here"}) {
    Outcome run = desk.unravel({"run", spmv, "-f", "A=csr", "-i", "A=poisson2d:5x5", "-i", "x=ones",
                                "--check", "--machine", machine});
    EXPECT_EQ(run.code, 0) << run.error;
  }
}

void expect_refused(const std::vector<std::string> &arguments, const std::string &file,
                    const std::string &message, int code = 1) {
  Desk desk;
  desk.write("m.json", file);
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, message);
}

TEST(ToolMachine, BadFilesAreRefused) {
  const std::vector<std::string> compile = {"compile", spmv, "-f", "A=csr", "--machine", "m.json"};
  expect_refused(compile, "",
                 "m.json:1:1: error: no JSON from here on [bad-machine-file]\n"
                 "  hint: `unravel machine -o FILE` writes such a file\n");
  expect_refused(compile, "{\n  \"wake\": 1,\n  \"brunch_miss\": 6\n}\n",
                 "m.json:3:3: error: a machine's profile has no `brunch_miss` [bad-machine-file]\n"
                 "  3 |   \"brunch_miss\": 6\n"
                 "    |   ^~~~~~~~~~~~~\n"
                 "  hint: did you mean `branch_miss`?\n");
  expect_refused(compile, "{\n  \"processor\": \"mine\",\n  \"wake\": -1\n}\n",
                 "m.json:3:3: error: `wake` is to be a number above 0, but is -1 [bad-machine-file]\n"
                 "  3 |   \"wake\": -1\n"
                 "    |   ^~~~~~\n"
                 "  hint: `unravel machine -o FILE` writes such a file\n");
  expect_refused(compile, "{\"processor\": \"mine\"}",
                 "m.json:1:1: error: `wake` is missing: to wake a sleeping thread and get its answer, in ns "
                 "[bad-machine-file]\n"
                 "  1 | {\"processor\": \"mine\"}\n"
                 "    | ^\n"
                 "  hint: `unravel machine -o FILE` writes such a file\n");
}

TEST(ToolMachine, WrongOptions) {
  expect_refused({"machine", "--measure", "--machine", "m.json"}, "{}",
                 "error: `--measure` is of this machine, but `--machine m.json` is given [bad-option]\n"
                 "  hint: leave one of them out\n",
                 2);
  Outcome outcome = Desk().unravel({"compile", spmv, "--machine", "none.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error.find("none.json: error: "), 0u) << outcome.error;
  EXPECT_NE(outcome.error.find("[cannot-read]"), std::string::npos) << outcome.error;
}

} // namespace
} // namespace unravel::tool::test
