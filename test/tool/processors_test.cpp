// Emitted C goes to processors that nobody here has seen: it is compiled for several, and run on those that
// can be, aarch64 by an emulator.
#include "tool.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace unravel::tool::test {
namespace {

/// A compiler's command, and what runs its programs here, if anything must.
struct Target {
  std::vector<std::string> compile, run;
};

std::vector<Target> targets() {
  std::vector<Target> all;
#ifdef __x86_64__
  for (const char *compiler : {"gcc", "clang-19"}) {
    all.push_back({{compiler, "-march=x86-64"}, {}});
    if (__builtin_cpu_supports("avx2")) all.push_back({{compiler, "-march=x86-64-v3"}, {}});
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      for (const char *gathers : {"-DUNRAVEL_GATHERS=0", "-DUNRAVEL_GATHERS=1", "-DNO_CHOICE"})
        all.push_back({{compiler, "-march=x86-64-v4", gathers}, {}});
  }
#endif
  all.push_back({{"aarch64-linux-gnu-gcc", "-static"}, {"qemu-aarch64"}});
  std::erase_if(all, [](const Target &target) {
    return !has_program(target.compile[0]) || (!target.run.empty() && !has_program(target.run[0]));
  });
  return all;
}

/// The numbers behind the head of a .mtx of a vector.
std::vector<double> numbers_of(const std::string &text) {
  std::istringstream lines(text);
  std::vector<double> numbers;
  bool head = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '%') continue;
    if (!head) numbers.push_back(std::stod(line.substr(line.find_last_of(' ') + 1)));
    head = false;
  }
  return numbers;
}

/// The rows have lengths from 0 to 40: those of a power law, and a matrix of even rows.
class Processors : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Processors, programs_give_the_same_result) {
  Desk desk;
  ASSERT_EQ(desk.unravel({"generate", "rmat:scale=8,edges=9", "-o", "uneven.mtx"}).code, 0);
  ASSERT_EQ(desk.unravel({"generate", "banded:300,width=5", "-o", "even.mtx"}).code, 0);
  std::vector<std::string> compile{"compile"};
  compile.insert(compile.end(), GetParam().begin(), GetParam().end());
  compile.insert(compile.end(), {"--main", "-o", "program.c"});
  Outcome made = desk.unravel(compile);
  ASSERT_EQ(made.code, 0) << made.error;
  const std::vector<Target> all = targets();
  if (all.empty()) GTEST_SKIP() << "none of the compilers is installed";
  std::map<std::string, std::vector<double>> expected; // by the matrix
  for (const char *matrix : {"uneven.mtx", "even.mtx"}) {
    std::vector<std::string> run{"run"};
    run.insert(run.end(), GetParam().begin(), GetParam().end());
    const std::string input = fmt::format("A={}", matrix);
    run.insert(run.end(), {"-i", input, "-i", "x=ones", "-o", "y=expected.mtx"});
    Outcome wanted = desk.unravel(run);
    ASSERT_EQ(wanted.code, 0) << wanted.error;
    expected[matrix] = numbers_of(desk.read("expected.mtx"));
    ASSERT_FALSE(expected[matrix].empty());
  }
  for (const Target &target : all) {
    std::vector<std::string> command = target.compile;
    command.insert(command.end(),
                   {"-O2", "-Wall", "-Wextra", "-Werror", "program.c", "-o", "program", "-lm"});
    Outcome compiled = desk.execute(command);
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    for (const auto &[matrix, numbers] : expected) {
      const std::string name = fmt::format("{} {}, {}", target.compile[0], target.compile[1], matrix);
      command = target.run;
      command.insert(command.end(), {"./program", fmt::format("A={}", matrix), "x=ones", "-o", "y.mtx"});
      Outcome ran = desk.execute(command);
      ASSERT_EQ(ran.code, 0) << name << "\n" << ran.error;
      const std::vector<double> result = numbers_of(desk.read("y.mtx"));
      ASSERT_EQ(result.size(), numbers.size()) << name;
      for (std::size_t k = 0; k < result.size(); ++k)
        ASSERT_NEAR(result[k], numbers[k], 1e-9 * (1 + std::abs(numbers[k]))) << name << ", element " << k;
    }
  }
}

const std::string product = "y(i) = A(i,j) * x(j)";

INSTANTIATE_TEST_SUITE_P(Kernels, Processors,
                         testing::Values(std::vector<std::string>{product, "-f", "A=csr"},
                                         std::vector<std::string>{product, "-f", "A=csr", "-f", "x=sv"},
                                         std::vector<std::string>{product, "-f", "A=ell"},
                                         std::vector<std::string>{product, "-f", "A=sell<8>"},
                                         std::vector<std::string>{product, "-f", "A=sellcs<8>"},
                                         std::vector<std::string>{product, "-f", "A=bcsr<2,4>"}));

} // namespace
} // namespace unravel::tool::test
