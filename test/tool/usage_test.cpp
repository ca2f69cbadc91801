// Options and commands: help, exit codes, what is said of wrong ones.
#include "places.h"
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::vector<std::vector<std::string>> commands = {
    {},           {"run"},     {"compile"},        {"explain"},
    {"deps"},     {"layout"},  {"layout", "show"}, {"layout", "check"},
    {"generate"}, {"convert"}, {"tile"},           {"machine"}};

TEST(ToolUsage, EveryCommandHasHelpWithAnExample) {
  Desk desk;
  for (std::vector<std::string> command : commands) {
    std::string name = command.empty() ? "unravel" : command.back();
    command.push_back("--help");
    Outcome help = desk.unravel(command);
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_EQ(help.error, "") << name;
    EXPECT_NE(help.out.find("Usage:"), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("\n  unravel "), std::string::npos) << help.out;
  }
  EXPECT_TRUE(desk.files().empty());
}

/// What help says of the function's name is so.
TEST(ToolUsage, NameOfTheFunction) {
  const Desk desk;
  EXPECT_NE(desk.unravel({"compile", "--help"})
                .out.find("name of the C function (default: of `compile -o spmv.c` spmv, else kernel)"),
            std::string::npos);
  EXPECT_NE(desk.unravel({"compile", spmv}).out.find("\nint kernel("), std::string::npos);
  EXPECT_EQ(desk.unravel({"compile", spmv, "-o", "spmv.c"}).code, 0);
  EXPECT_NE(desk.read("spmv.c").find("\nint spmv("), std::string::npos);
}

TEST(ToolUsage, Version) {
  Outcome version = Desk().unravel({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.find("0."), 0u) << version.out;
}

struct Wrong {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(ToolUsage, WrongOptionsAndCommands) {
  const std::vector<Wrong> all = {
      {{},
       "error: a subcommand is required [bad-option]\n  hint: `unravel --help` lists commands and options\n"},
      {{"bogus"},
       "error: there is no command `bogus` [bad-option]\n  hint: `unravel --help` lists commands and "
       "options\n"},
      {{"run"},
       "error: expression is required [bad-option]\n  hint: `unravel run --help` lists commands and "
       "options\n"},
      {{"run", "--bogus", "y = x"},
       "error: the following argument was not expected: --bogus [bad-option]\n"
       "  hint: `unravel run --help` lists commands and options\n"},
      {{"run", "y = x", "--index", "int16"},
       "error: --index: int16 not in {int32,int64} [bad-option]\n"
       "  hint: `unravel run --help` lists commands and options\n"},
      {{"run", "y = x", "--threads", "0"},
       "error: --threads: Value 0 not in range 1 to 4096 [bad-option]\n"
       "  hint: `unravel run --help` lists commands and options\n"},
      {{"run", "y = x", "-f", "A"},
       "error: `-f A`: a name, `=` and a value are expected [bad-option]\n  hint: as in -f A=csr\n"},
      {{"run", "y = x", "-i", "A="},
       "error: `-i A=`: a name, `=` and a value are expected [bad-option]\n  hint: as in -i A=file.mtx\n"},
      {{"run", "y = x", "-f", "x=dense", "-f", "x=sv"}, "error: `-f` is given twice for `x` [bad-option]\n"},
      {{"run", "y(i+1) = 2", "--size", "i=-1"},
       "error: `--size i=-1`: the extent of an index is not negative [bad-option]\n"},
      {{"run", "y = x", "--size", "i=99999999999999999999"},
       "error: `--size i=99999999999999999999`: an integer of 64 bits is expected [bad-option]\n"},
      {{"run", "y = x", "--tune", "nan"},
       "error: --tune: `nan` is not a number of seconds, more than 0 [bad-option]\n"
       "  hint: `unravel run --help` lists commands and options\n"},
      {{"run", "y = x", "--tune", "0"},
       "error: --tune: `0` is not a number of seconds, more than 0 [bad-option]\n"
       "  hint: `unravel run --help` lists commands and options\n"},
      {{"serve", "--memory", "10M"},
       "error: `--memory 10M` is too little for any answer [bad-option]\n  hint: give at least 512M\n"},
      {{"run", "y = x", "--max-memory", "3Q"},
       "error: `--max-memory 3Q` is not a number of 64 bits, 0 or more [bad-option]\n  hint: as in "
       "--max-memory 4G\n"},
      {{"compile", "y = 1", "-o", "kernel.txt"},
       "error: `-o kernel.txt`: the name of a C file is expected [bad-option]\n  hint: as in -o kernel.c\n"},
      {{"convert", "random:3x3"},
       "error: output is required [bad-option]\n  hint: `unravel convert --help` lists commands and "
       "options\n"},
      {{"convert", "random:3x3", "folder"},
       "error: `folder` is to be a folder of arrays, but no layout is given for them [bad-option]\n"
       "  hint: add -f csr, or name a file.mtx, file.tns, file.npy or file.npz\n"},
      {{"convert", "random:3x3", "a.mtx", "--from", "csr"},
       "error: `--from csr`: `random:3x3` is not a folder of arrays [bad-option]\n"},
      {{"convert", "random:3x3", "a", "-f", "csr", "--max-memory", "much"},
       "error: `--max-memory much` is not a number of 64 bits, 0 or more [bad-option]\n"
       "  hint: as in --max-memory 4G\n"},
      {{"generate", "random:3x3"},
       "error: --output is required [bad-option]\n  hint: `unravel generate --help` lists commands and "
       "options\n"},
      {{"layout", "chekc", "csr"},
       "error: `unravel layout` has no command `chekc` [bad-option]\n  hint: did you mean `check`?\n"},
      {{"layout", "check", "csr", "--budget", "nan"},
       "error: --budget: `nan` is not a number of seconds, 0 or more [bad-option]\n"
       "  hint: `unravel layout check --help` lists commands and options\n"},
      {{"compile", "y = 1", "--prefix", "_"},
       "error: --prefix: a C name that begins with a letter and has no `__` is expected, as in my_ "
       "[bad-option]\n  hint: `unravel compile --help` lists commands and options\n"},
      {{"tile", "y = x", "--no-validate"},
       "error: `--no-validate` is about data, but none are given [bad-option]\n"
       "  hint: add -i A=FILE, or leave it out\n"},
      {{"tile", "y = x", "--combine", "x=min"},
       "error: `--combine` is about data, but none are given [bad-option]\n"
       "  hint: add -i A=FILE, or leave it out\n"},
      {{"plan", spmv, "--max-memory", "1G"},
       "error: `--max-memory` is about data, but none are given [bad-option]\n"
       "  hint: add -i A=FILE, or leave it out\n"},
      {{"plan", spmv, "-f", "A=csr", "-i", "A=ones:3x3", "--size", "A.NNZ=5"},
       "error: `--size A.NNZ=5`: where data are given, counts are taken from them [bad-option]\n"
       "  hint: leave it out, or leave out -i\n"},
  };
  Desk desk;
  for (const Wrong &wrong : all) {
    Outcome outcome = desk.unravel(wrong.arguments);
    EXPECT_EQ(outcome.code, 2) << wrong.message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, wrong.message);
  }
  EXPECT_TRUE(desk.files().empty());
}

/// What is at fault is named as the user has given it.
TEST(ToolUsage, AWrongBudgetOfTheEnvironment) {
  const Outcome outcome =
      Desk().execute({"env", "UNRAVEL_BUDGET=x", unravel::test::tool_path(), "compile", "y = x"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.error.starts_with("error: UNRAVEL_BUDGET: `x` is not a number of seconds, 0 or more"))
      << outcome.error;
}

TEST(ToolUsage, WrongOptionsForPrograms) {
  Outcome outcome = Desk().unravel({"run", "--json", "y = x", "--repeat", "x"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.json().at("error").at("kind"), "bad-option");
}

TEST(ToolUsage, UnknownMethods) {
  Outcome outcome = Desk().unravel({"compile", spmv, "-f", "A=csr", "-f", "x=sv", "--find", "x=magic"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error,
            "--find:1:3: error: expected a way to find (`direct`, `probe`, `seq`, `gallop`, `binary`, "
            "`hash`, `map`, `scan` "
            "or `auto`), saw `magic` [syntax-error]\n"
            "  1 | x=magic\n"
            "    |   ^~~~~\n");
}

/// Of two requests that exclude each other none is dropped.
TEST(ToolUsage, Contradictions) {
  Desk desk;
  auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"compile", spmv, "-f", "A=csr", "-f", "x=sv"});
    Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 1);
    return outcome.error.substr(0, outcome.error.find('\n'));
  };
  EXPECT_EQ(error({"--find", "x=seq", "--find", "x=binary"}),
            "--find:1:3: error: `x` is to be found by `seq` and by `binary` [syntax-error]");
  EXPECT_EQ(error({"-s", "find x by seq", "--find", "x=binary"}),
            "--find:1:3: error: `x` is to be found by `seq` and by `binary` [syntax-error]");
  EXPECT_EQ(error({"-s", "parallel i; serial"}),
            "-s:1:10: error: `serial` and `parallel i` contradict each other [syntax-error]");
  EXPECT_EQ(desk.unravel({"compile", spmv, "-f", "x=sv", "-s", "find x by seq", "--find", "x=seq"}).code, 0);
}

} // namespace
} // namespace unravel::tool::test
