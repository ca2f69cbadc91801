// Sparse results of programs that can't be appended to them as they come.
#include "tool/tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// Results that are set in rounds, read, or added to by several statements, in a local of their own until the
/// end; of no rounds, of no entries, by several threads.
TEST(ToolRounds, MakeSparseResults) {
  const Desk desk;
  const std::vector<std::string> ones{"-i", "x=ones"}, rows{"-f", "w=bitmap"};
  const auto check = [&](const std::string &program, std::vector<std::string> more, const std::string &layout,
                         const std::string &input, const std::string &threads) {
    std::vector<std::string> arguments{"run",
                                       "tensor A(n, n), C(n, n), x(n), y(n), rounds; " + program,
                                       "--check",
                                       "-o",
                                       "C=C.mtx",
                                       "-f",
                                       "A=csr",
                                       "-f",
                                       "C=" + layout,
                                       "-i",
                                       "A=random:" + input,
                                       "--threads",
                                       threads};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = desk.unravel(arguments);
    EXPECT_EQ(outcome.code, 0) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << outcome.error;
  };
  for (const auto &[program, more] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"repeat 3 { for i { for j { C(i,j) = A(i,j)*x(j); } } for i { x(i) += 1; } }", {}},
           {"repeat 0 { for i { for j { C(i,j) += A(i,j); } } }", {}},
           {"for i { for j { C(i,j) = A(i,j); } } repeat 9 until rounds > 2 { rounds += 1; for i { let w(j) "
            "= 0; "
            "for k { for j { w(j) += C(i,k)*A(k,j); } } for j { C(i,j) = w(j); } } }",
            rows},
           {"repeat 2 { for i { for j { C(i,j) = 0; for k { C(i,j) += A(i,k)*A(k,j); } } } "
            "for i { for j { y(i) += C(i,j); } } }",
            {}},
           {"for i { for j { C(i,j) = A(i,j); } } for i { for j { C(i,j) *= 2; } }", {}},
           {"for i { for j { C(i,j) = n * A(i,j); } } for i { for j { C(i,j) += A(j,i)*x(i); } }", ones}}) {
    for (const char *input : {"300x300,density=0.02", "5x5,density=0", "0x0"})
      for (const char *threads : {"1", "2", "4"})
        check(program, more, "csr", input, threads);
    for (const char *layout : {"csc", "coo", "ell"})
      check(program, more, layout, "7x7,density=0.4", "1");
  }
}

} // namespace
} // namespace unravel::tool::test
