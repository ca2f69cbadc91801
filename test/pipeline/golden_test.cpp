// What each stage prints for representative computations, and the C text of a few. A case is its request:
// a new one needs no code.
#include "golden.h"
#include "pipeline/request_text.h"

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;

namespace {

/// Of the dependences the verdicts alone: relations and witnesses are the provers' to choose.
std::string verdict_lines(const std::string &text) {
  std::istringstream lines(text);
  std::string line, kept;
  while (std::getline(lines, line))
    if (line.compare(0, 1, " ") != 0) kept += line + "\n";
  return kept;
}

/// An input may end with the stages that its file shows, `--stages finds, scan`, where all would be too many.
std::string request_of(const std::string &input) {
  return input.substr(0, input.find("\n--stages "));
}

std::string stages_of(const std::string &input) {
  Request request = read_request_text(request_of(input));
  request.details = true;
  const std::string shown = input.substr(request_of(input).size());
  std::string text;
  for (const Stage &stage : compile(request).stages) {
    if (!shown.empty() && shown.find(stage.name) == std::string::npos) continue;
    if (stage.name == "layouts and computation" || stage.name == "prover" || stage.name == "loops" ||
        stage.name.starts_with("pass "))
      continue;
    text += "== " + stage.name + "\n";
    text += stage.name == "dependences" ? verdict_lines(stage.text) : stage.text;
    if (!text.empty() && text.back() != '\n') text += '\n';
  }
  return text;
}

std::string c_text_of(const std::string &input) {
  return c_text(compile_text(input));
}

} // namespace

TEST(PipelineGolden, stages) {
  for (const std::string &name : unravel::test::golden_names("pipeline", "stages_")) {
    SCOPED_TRACE(name);
    unravel::test::golden_run("pipeline", name, stages_of);
  }
}

TEST(PipelineGolden, c_text) {
  for (const std::string &name : unravel::test::golden_names("pipeline", "c_")) {
    SCOPED_TRACE(name);
    unravel::test::golden_run("pipeline", name, [](const std::string &input) {
      return unravel::test::with_named_parts(c_text_of(input));
    });
  }
}

/// Whole messages: the place is the user's own text.
TEST(PipelineGolden, refused_finds) {
  unravel::test::golden_run("pipeline", "refused_finds", message_of);
}

TEST(PipelineGolden, refused_sharing) {
  unravel::test::golden_run("pipeline", "refused_sharing", message_of);
}

TEST(PipelineGolden, refused_loops) {
  unravel::test::golden_run("pipeline", "refused_loops", message_of);
}

TEST(PipelineGolden, compiling_again_gives_the_same_text) {
  for (const std::string &name : unravel::test::golden_names("pipeline", "stages_"))
    for (const std::string &input : unravel::test::golden_inputs("pipeline", name))
      EXPECT_EQ(c_text_of(request_of(input)), c_text_of(request_of(input))) << input;
}
