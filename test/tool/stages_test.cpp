// What rewritings make is printed by `explain` as programs, which are read back and run here.
#include "tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace unravel::tool::test {
namespace {

using nlohmann::json;

struct Line {
  std::string text, result;
  std::map<std::string, std::string> formats, inputs; // of its tensors; others are dense
  int plans = 6;                                      // so many are looked at, and what is taken by itself
};

std::vector<std::string> arguments_of(const std::string &command, const std::string &text,
                                      const std::map<std::string, std::string> &formats) {
  std::vector<std::string> arguments = {command, text};
  for (const auto &[tensor, format] : formats)
    arguments.insert(arguments.end(), {"-f", tensor + "=" + format});
  return arguments;
}

/// The result's file, checked by the tool.
std::string result_of(const Desk &desk, const Line &line, const std::string &text,
                      const std::map<std::string, std::string> &formats,
                      const std::map<std::string, std::string> &inputs,
                      const std::string &file = "result.npy") {
  std::vector<std::string> arguments = arguments_of("run", text, formats);
  for (const auto &[tensor, input] : inputs)
    arguments.insert(arguments.end(), {"-i", tensor + "=" + input});
  arguments.insert(arguments.end(), {"--check", "-o", line.result + "=" + file});
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << text << "\n" << outcome.error;
  return outcome.code == 0 ? desk.read(file) : "";
}

/// The texts of the stages whose names begin so.
std::vector<std::string> stages_of(const Desk &desk, const Line &line, const std::string &schedule,
                                   const std::string &name) {
  std::vector<std::string> arguments = arguments_of("explain", line.text, line.formats);
  arguments.insert(arguments.end(), {"-s", schedule, "--json"});
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << line.text << "\n" << outcome.error;
  std::vector<std::string> texts;
  if (outcome.code != 0) return texts;
  const json stages = outcome.json().at("stages");
  for (const json &stage : stages)
    if (stage.at("name").get<std::string>().starts_with(name)) texts.push_back(stage.at("text"));
  return texts;
}

const std::map<std::string, std::string> of_tensor = {{"T", "integers:5x6x7,density=0.2,seed=1"},
                                                      {"U", "integers:5x4,seed=2"},
                                                      {"V", "integers:6x4,seed=3"},
                                                      {"W", "integers:7x4,seed=4"}};

/// Values are small integers: each order of sums has the same result, to the last bit. The result of a
/// program is dense.
TEST(ToolStages, TermsInSharedLoopsAreProgramsThatAreReadBack) {
  const auto inputs = [](std::initializer_list<std::string> names) {
    std::map<std::string, std::string> some;
    for (const std::string &name : names)
      some.insert(*of_tensor.find(name));
    return some;
  };
  const std::map<std::string, std::string> of_rows = {
      {"S", "integers:8x9,density=0.3,seed=1"}, {"Q", "integers:8x4,seed=2"}, {"K", "integers:9x4,seed=3"}};
  const auto and_rows = [&](std::map<std::string, std::string> more) {
    more.insert(of_rows.begin(), of_rows.end());
    return more;
  };
  const std::vector<Line> lines = {
      {"Y(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)",
       "Y",
       {{"T", "csf3"}, {"Y", "like:T"}},
       inputs({"T", "U", "V", "W"})},
      {"Y(i,r) = 3 * T(i,j,k) * V(j,r) * W(k,r)", "Y", {{"T", "csf3"}}, inputs({"T", "V", "W"}), 3},
      {"Y(i,r,s) = T(i,j,k) * V(j,r) * W(k,s)", "Y", {{"T", "csf3"}}, inputs({"T", "V", "W"}), 3},
      {"Y(k,r) = T(i,j,k) * U(i,r) * V(j,r)", "Y", {{"T", "coo3"}}, inputs({"T", "U", "V"}), 3},
      {"Y(i,r,s) = 3 * T(i,j,k) * V(j,r) * W(k,s) - U(i,r) * U(i,s)",
       "Y",
       {{"T", "csf3"}},
       inputs({"T", "U", "V", "W"}),
       0},
      {"Y(i,q,r,s) = R(i,j,k,l) * V(j,q) * W(k,r) * X(l,s)",
       "Y",
       {{"R", "csf4"}},
       {{"R", "integers:3x6x7x4,density=0.2,seed=6"},
        {"V", "integers:6x4,seed=3"},
        {"W", "integers:7x4,seed=4"},
        {"X", "integers:4x2,seed=7"}},
       0},
      {"Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * K(j,r)", "Y", {{"S", "csr"}}, of_rows},
      {"Y(i,r) += 2 * S(i,j) * Q(i,k) * K(j,k) * V(j,r)",
       "Y",
       {{"S", "csr"}},
       and_rows({{"V", "integers:9x3,seed=4"}, {"Y", "integers:8x3,seed=5"}})},
      {"Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r) in min.+",
       "Y",
       {{"S", "csr fill inf"}, {"Q", "dense fill inf"}, {"K", "dense fill inf"}, {"V", "dense fill inf"}},
       and_rows({{"V", "integers:9x3,seed=4"}})},
      {"Y(i,m) = S(i,j) * Q(i,k) * K(j,k) * w(j,l) * X(l,m)",
       "Y",
       {{"S", "csr"}},
       and_rows({{"w", "integers:9x3,seed=4"}, {"X", "integers:3x2,seed=5"}})},
      {"Y(i,r) = D(i,r) - S(i,j) * Q(i,k) * K(j,k) * V(j,r) + 2 * S(j,i) * Q(j,k) * K(i,k) * X(i,r)",
       "Y",
       {{"S", "csr"}},
       {{"S", "integers:9x9,density=0.3,seed=1"},
        {"Q", "integers:9x4,seed=2"},
        {"K", "integers:9x4,seed=3"},
        {"V", "integers:9x3,seed=4"},
        {"X", "integers:9x3,seed=4"},
        {"D", "integers:9x3,seed=5"}},
       0},
  };
  const Desk desk;
  for (const Line &line : lines) {
    std::set<std::string> parts;
    for (int plan = 0; plan <= line.plans; ++plan)
      for (const std::string &text :
           stages_of(desk, line, plan == 0 ? "" : fmt::format("plan {}", plan), "parts"))
        parts.insert(text);
    EXPECT_FALSE(parts.empty()) << line.text;
    Line run = line;
    run.formats.erase(line.result);
    const std::string result = result_of(desk, run, line.text, run.formats, line.inputs);
    for (const std::string &text : parts) {
      const bool is_one_product = text.starts_with("# not in these loops");
      EXPECT_TRUE(is_one_product || text.find("let ") != std::string::npos) << text;
      EXPECT_EQ(result_of(desk, run, text, run.formats, line.inputs), result) << line.text << "\n" << text;
    }
  }
}

/// `reuse`: the program of the values, of a structure that is there.
TEST(ToolStages, ValuesOfAStructureAreProgramsThatAreReadBack) {
  const std::map<std::string, std::string> inputs = {{"A", "integers:9x9,density=0.2,seed=1"},
                                                     {"B", "integers:9x9,density=0.3,seed=2"},
                                                     {"M", "integers:9x9,density=0.5,seed=3"}};
  const Desk desk;
  for (const std::string text :
       {"C(i,j) = A(i,j) * B(i,j)", "C(i,j) = A(i,k) * B(k,j)", "C(i,j) = A(i,j) - 2 * B(i,j)",
        "C(i,j) = A(i,j) + A(j,i) * B(i,j)", "C(i,j) = A(i,k) * B(k,j) mask M(i,j) and i < j",
        "C(i,j) = A(i,j) * B(i,j) mask M(i,j) or j < i", "C(i,j) = A(i,k) * B(k,j) in min.+",
        "C(i,j) = A(i,j) * B(i,j) in max.*", "C(i,j) = A(i,k) * B(k,j) in or.and",
        "C(i,j) = 3 * max(A(i,j), B(i,j))"}) {
    const bool is_min = text.find("min.+") != std::string::npos,
               is_max = text.find("max.*") != std::string::npos;
    const std::string fill = is_min ? " fill inf" : is_max ? " fill -inf" : "";
    Line line{text, "C", {{"C", "csr" + fill}}, {}};
    for (const char *tensor : {"A", "B", "M"})
      if (text.find(tensor) != std::string::npos) {
        line.formats.emplace(tensor, "csr" + (tensor[0] == 'M' ? "" : fill));
        line.inputs.emplace(tensor, inputs.at(tensor));
      }
    const std::string result = result_of(desk, line, text, line.formats, line.inputs, "entries.mtx");
    const std::vector<std::string> stages = stages_of(desk, line, "reuse", "values: program");
    ASSERT_EQ(stages.size(), 1U) << text;
    EXPECT_NE(stages[0].find("mask"), std::string::npos) << stages[0];
    line.formats.emplace("C_entries", "csr");
    line.inputs.emplace("C_entries", "entries.mtx");
    EXPECT_EQ(result_of(desk, line, stages[0], line.formats, line.inputs, "values.mtx"), result)
        << text << "\n"
        << stages[0];
  }
}

} // namespace
} // namespace unravel::tool::test
