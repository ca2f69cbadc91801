// Whatever is handed in: a program, or a message with a place. Never a crash, never a bug of ours.
#include "c_text.h"
#include "golden.h"

#include <random>

namespace unravel::test {
namespace {

std::vector<std::string> all_inputs() {
  std::vector<std::string> inputs;
  for (const std::string &name : golden_names("cfront", ""))
    for (const std::string &input : golden_inputs("cfront", name))
      inputs.push_back(input);
  return inputs;
}

void expect_no_bug(const std::string &text) {
  try {
    cfront::read(c_source(text), "");
  } catch (const report::Error &error) {
    EXPECT_EQ(report::exit_code(error.diagnostic().kind), 1) << error.what() << text;
  }
}

TEST(CfrontRobust, TruncatedTexts) {
  SKIP_WITHOUT_CLANG();
  bool all = std::getenv("UNRAVEL_TEST_ALL") != nullptr;
  std::size_t step = all ? 1 : 23, begin = 0;
  for (const std::string &input : all_inputs()) {
    if (input.find("#include") != std::string::npos) continue; // slow, and nothing new
    for (std::size_t size = begin++ % step; size < input.size(); size += step)
      expect_no_bug(input.substr(0, size));
  }
}

/// Valid tokens in odd places: most are errors of the C, some are read otherwise.
TEST(CfrontRobust, ExchangedTokens) {
  SKIP_WITHOUT_CLANG();
  const std::vector<std::string> tokens = {
      "i",  "j", "n", "0",  "1",      "-1",  "+", "-", "*", "/",   "(", ")", "++", "--", "<", "<=",
      "!=", "=", ";", "&&", "double", "int", "x", "y", "A", "[i]", "{", "}", ",",  "?",  ":", "unsigned"};
  std::mt19937 random(7);
  bool all = std::getenv("UNRAVEL_TEST_ALL") != nullptr;
  for (const std::string &input : all_inputs()) {
    if (input.find("#include") != std::string::npos || input.empty()) continue;
    for (int round = 0; round < (all ? 100 : 8); ++round) {
      std::string text = input;
      for (std::size_t k = 0; k < 1 + random() % 2; ++k) {
        std::size_t at = random() % text.size();
        text.replace(at, random() % 3, " " + tokens[random() % tokens.size()] + " ");
      }
      expect_no_bug(text);
    }
  }
}

TEST(CfrontRobust, DeepAndLong) {
  SKIP_WITHOUT_CLANG();
  std::string brackets = std::string(200, '(') + "1" + std::string(200, ')');
  EXPECT_EQ(outcome_of_c("void f(double *s) { *s = " + brackets + "; }"), "tensor s;\ns = 1;\n");
  std::string sum = "1", factors = "(n + 1)", nest, blocks;
  for (int k = 0; k < 3000; ++k)
    sum += " + x[" + std::to_string(k) + "]";
  for (int k = 0; k < 40; ++k)
    factors += " * (n + m + k)";
  for (int k = 0; k < 100; ++k)
    nest += "for (int i" + std::to_string(k) + " = 0; i" + std::to_string(k) + " < n; i" + std::to_string(k) +
            "++) ";
  for (int k = 0; k < 200; ++k)
    blocks += "{ ";
  // 2^60 cases, if all were told apart.
  std::string cases = "void f(unsigned n, const double *x, double y[n + 60]) { for (unsigned i = 0; i < n; "
                      "i++) if (i >= 60) {";
  for (int k = 0; k < 40; ++k)
    cases += " if (i != n - " + std::to_string(k) + ")";
  cases += " if (i - 60 < n";
  for (int k = 0; k < 20; ++k)
    cases += " && (i < " + std::to_string(k) + " || i > " + std::to_string(k + 2) + ")";
  std::string outcome = outcome_of_c(cases + ") y[i] = x[i]; } }");
  EXPECT_NE(outcome.find("y(i) = x(i);"), std::string::npos) << outcome;
  auto kind_of = [](const std::string &text) {
    std::string said = outcome_of_c(text);
    std::size_t begin = said.find('[', said.find("error: "));
    return begin == std::string::npos ? said : said.substr(begin, said.find(']', begin) + 1 - begin);
  };
  // The brackets in the messages' own texts come later than the kind only where the text has none.
  EXPECT_NE(outcome_of_c("void f(double *s, double *x) { *s = " + sum + "; }").find("[expression-too-large]"),
            std::string::npos);
  EXPECT_EQ(kind_of("void f(int n, int m, int k, double *s) { if (" + factors + " < 3) *s = 1; }"),
            "[not-affine]");
  EXPECT_EQ(kind_of("void f(int n, double *s) { " + nest + "*s += 1; }"), "[expression-too-large]");
  EXPECT_EQ(outcome_of_c("void f(double *s) {" + blocks + "*s = 1;" + std::string(200, '}') + "}"),
            "tensor s;\ns = 1;\n");
  EXPECT_EQ(outcome_of_c("void f(int n, double *x) { x[4611686018427387904 * n * 4] = 1; }"),
            "f.c:1:28: error: the factors of a subscript or bound don't fit in 64 bits [number-too-large]\n"
            "  1 | void f(int n, double *x) { x[4611686018427387904 * n * 4] = 1; }\n"
            "    |                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

/// So deep that a parser without a limit runs out of stack; and long, which is another thing.
TEST(CfrontRobust, DeeperThanAnyStack) {
  SKIP_WITHOUT_CLANG();
  for (int depth : {5000, 100000}) {
    auto many = [&](const std::string &text) {
      std::string all;
      for (int k = 0; k < depth; ++k)
        all += text;
      return all;
    };
    for (const std::string &statement :
         {"y[i] = x[i]" + many("+ x[i]") + ";", "y[i] = " + many("- ") + "x[i];",
          "y[i] = " + many("(double)") + "x[i];", many("y[i] = ") + "x[i];", many("if (n) ") + "y[i] = x[i];",
          many("if (n) y[i] = 0; else ") + "y[i] = x[i];", "y[i] = " + many("M ") + "x[i];"}) {
      SCOPED_TRACE(statement.substr(0, 40));
      const std::string said =
          outcome_of_c("#define M + x[i] *\n"
                       "void f(int n, double *y, double *x) { for (int i = 0; i < n; i++) " +
                       statement + " }");
      EXPECT_TRUE(said.find("[expression-too-large]") != std::string::npos ||
                  said.find("[c-subset]") != std::string::npos)
          << said.substr(0, 300);
    }
    if (depth > 5000) continue;
    // Initial values and statements stand side by side.
    EXPECT_EQ(outcome_of_c("static const double table[] = {" + many("1, 2, 3, 4, 5, ") + "3};\n" +
                           "void f(double *s) { " + many("{ { } }") + many("; ;") + "*s = 1; }"),
              "tensor s;\ns = 1;\n");
  }
}

} // namespace
} // namespace unravel::test
