// Files that the tool writes: none over another one, none over the text that a kernel is made of; and JSON of
// any bytes.
#include "cfront/cfront.h"
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string two = "for i { y(i) = x(i); z(i) = 2*x(i); }";

TEST(ToolOutputs, NoTwoInOneFile) {
  Desk desk;
  std::filesystem::create_symlink(".", desk.path("here"));
  const std::vector<std::vector<std::string>> all = {
      {"-o", "y=a.mtx", "-o", "z=a.mtx"},          {"-o", "y=a.mtx", "-o", "z=./here/a.mtx"},
      {"-o", "y=folder", "-o", "z=folder/"},       {"-o", "y=a.txt", "--emit-c", "a.txt"},
      {"-o", "y=a.txt", "--report", "here/a.txt"}, {"--emit-c", "a.c", "--report", "a.c"}};
  for (std::vector<std::string> arguments : all) {
    arguments.insert(arguments.begin(), {"run", two, "-i", "x=ones:3"});
    const Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.error;
    EXPECT_NE(outcome.error.find("to be written twice [bad-option]\n  hint: name another file for one of"),
              std::string::npos)
        << outcome.error;
  }
  EXPECT_EQ(desk.files(), std::vector<std::string>{"here"});
  EXPECT_EQ(desk.unravel({"run", two, "-i", "x=ones:3", "-o", "y=a.mtx", "-o", "z=b.mtx"}).code, 0);
}

TEST(ToolOutputs, NoneOverTheSource) {
  Desk desk;
  const std::string text = "for i { y(i) = x(i); }";
  for (const std::string name : {"text.c", "text.h"}) {
    desk.write(name, text);
    const std::vector<std::vector<std::string>> all = {
        {"compile", "-F", name, "-o", "./text.c"},
        {"run", "-F", name, "-i", "x=ones:3", "-o", "y=" + name},
        {"run", "-F", name, "-i", "x=ones:3", "--emit-c", name},
        {"run", "-F", name, "-i", "x=ones:3", "--report", name},
        {"explain", "-F", name, "--report", name},
        {"tile", "-F", name, "--report", name}};
    for (const std::vector<std::string> &arguments : all) {
      const Outcome outcome = desk.unravel(arguments);
      EXPECT_EQ(outcome.code, 2) << outcome.error;
      EXPECT_NE(outcome.error.find("is the text that the kernel is made of [bad-option]"), std::string::npos)
          << outcome.error;
      EXPECT_EQ(desk.read(name), text);
    }
    EXPECT_EQ(desk.files(), std::vector<std::string>{name});
    std::filesystem::remove(desk.path(name));
  }
  if (!cfront::is_available()) return;
  const std::string nest =
      "void f(int n, const double x[n], double y[n]) {\n  for (int i = 0; i < n; i++) y[i] = x[i];\n}\n";
  desk.write("g.c", nest);
  EXPECT_EQ(desk.unravel({"compile", "--from", "g.c:f", "-o", "g.c"}).code, 2);
  EXPECT_EQ(desk.read("g.c"), nest);
}

/// The header is written where the C file is, too.
TEST(ToolOutputs, BothFilesOrNone) {
  Desk desk;
  std::filesystem::create_directory(desk.path("d.c"));
  EXPECT_EQ(desk.unravel({"compile", "y(i) = x(i)", "-o", "d.c"}).code, 1);
  EXPECT_EQ(desk.files(), std::vector<std::string>{"d.c"});
  EXPECT_EQ(desk.unravel({"compile", "y(i) = x(i)", "-o", "e.c"}).code, 0);
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"d.c", "e.c", "e.h"}));
}

TEST(ToolOutputs, JsonOfBytesThatAreNoText) {
  Desk desk;
  desk.write("mine.layout", "# caf\xe9\n" + shipped_layout("csr"));
  const std::vector<std::vector<std::string>> all = {
      {"generate", "ones:3x3", "-o", "a\xff.mtx"},
      {"convert", "a\xff.mtx", "b\xff.mtx"},
      {"layout", "show", "mine.layout"},
      {"explain", spmv, "-f", "A=mine.layout"},
      {"compile", spmv, "-f", "A=mine.layout"},
      {"run", spmv, "-f", "A=mine.layout", "-i", "A=a\xff.mtx", "-i", "x=ones", "-o", "y=y\xff.mtx"}};
  for (std::vector<std::string> arguments : all) {
    arguments.emplace_back("--json");
    const Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments[0] << outcome.error;
    EXPECT_TRUE(outcome.json().is_object()) << arguments[0];
  }
}

} // namespace
} // namespace unravel::tool::test
