// Ctrl-C at any time: the command ends at once, as one that was interrupted, and leaves nothing half done.
#include "places.h"
#include "tool/tool.h"

#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// Runs it, interrupts it after so long, and says in milliseconds how long it then took to end; -1: it was
/// done before that.
int time_to_end(const Desk &desk, const std::string &command, int milliseconds) {
  const std::string script = "trap - INT; TMPDIR=$PWD/tmp " + command +
                             " >/dev/null 2>&1 & child=$!; sleep " +
                             fmt::format("{:.3f}", milliseconds * 1e-3) +
                             "; kill -INT $child 2>/dev/null; begin=$(date +%s%N); wait $child; code=$?; "
                             "echo $code $((($(date +%s%N) - begin) / 1000000))";
  // Interactive: else the shell lets what runs beside it ignore the signal.
  const Outcome outcome = desk.execute({"bash", "-c", "set -m; " + script});
  int code = -1, took = -1;
  EXPECT_EQ(std::sscanf(outcome.out.c_str(), "%d %d", &code, &took), 2) << outcome.out << outcome.error;
  if (code == 0) return -1;
  EXPECT_EQ(code, 130) << milliseconds << " ms: " << command;
  return took;
}

TEST(Interrupt, EndsEveryCommand) {
  const Desk desk;
  std::filesystem::create_directory(desk.path("tmp"));
  const std::string tool = unravel::test::tool_path();
  const std::vector<std::string> commands = {
      tool + " explain 'C(i,l) = A(i,j) * B(j,k) * C2(k,l)' -f A=csr -f B=csr -f C2=csr --budget 20",
      tool + " run 'y(i) = A(i,j) * x(j)' -f A=csr -i A=random:200000x200000,entries=3000000 -i x=random -o "
             "y=y.mtx --no-cache",
      tool + " convert random:100000x100000,entries=2000000 out -f csr"};
  int interrupted = 0;
  for (int k = 0; k < 40; ++k) {
    const int took =
        time_to_end(desk, commands[static_cast<std::size_t>(k) % commands.size()], 20 + 37 * k % 700);
    if (took < 0) continue;
    ++interrupted;
    EXPECT_LT(took, 500) << commands[static_cast<std::size_t>(k) % commands.size()];
    for (const std::string &file : desk.files())
      EXPECT_TRUE(file == "tmp" || file == "out" || file == "y.mtx") << file;
    EXPECT_TRUE(std::filesystem::is_empty(desk.path("tmp")));
  }
  EXPECT_GT(interrupted, 20);
}

} // namespace
} // namespace unravel::tool::test
