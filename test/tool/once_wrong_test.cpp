#include "places.h"
#include "tool/tool.h"

#include <fstream>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

TEST(OnceWrong, IsRight) {
  const Desk desk;
  std::ifstream file(unravel::test::source_folder() + "/test/tool/once_wrong.txt");
  std::size_t tried = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++tried;
    std::string kind; // of the refusal that is expected
    const std::size_t first = line.find(' ');
    if (line.compare(0, 1, "[") == 0) {
      kind = line.substr(0, first);
      line = line.substr(first + 1);
    }
    const Outcome outcome =
        desk.execute({"sh", "-c", unravel::test::tool_path() + " " + line + " --budget 0.5"});
    EXPECT_EQ(outcome.code, kind.empty() ? 0 : 1) << line << "\n" << outcome.out << outcome.error;
    EXPECT_NE(outcome.error.find(kind), std::string::npos) << line << "\n" << outcome.error;
  }
  EXPECT_GT(tried, 5u);
}

} // namespace
} // namespace unravel::tool::test
