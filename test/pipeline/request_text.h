#pragma once

#include "loop/walk.h"
#include "odd_layouts.h"
#include "pipeline.h"
#include "report/diagnostic.h"

#include <sstream>

/// Requests from text, as on the command line: the expression, then options, one per line.
namespace unravel::pipeline::test {

/// "y(i) = A(i,j) * x(j)\n-f A=csr\n-s order i\n--find x=binary". The options may also stand in one line each
/// of -f A=L, -s TEXT, --find x=METHOD, --count NAME=NUMBER.
inline Request read_request_text(const std::string &text) {
  Request request;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, request.expression);
  while (std::getline(lines, line)) {
    std::size_t space = line.find(' ');
    std::string option = line.substr(0, space),
                value = space == std::string::npos ? "" : line.substr(space + 1);
    std::size_t equals = value.find('=');
    if (option == "-f")
      request.formats[value.substr(0, equals)] = unravel::test::layout_reference(value.substr(equals + 1));
    else if (option == "-s")
      request.schedules.push_back(value);
    else if (option == "--find")
      request.finds.push_back(value);
    else if (option == "--count")
      request.counts[value.substr(0, equals)] = std::stod(value.substr(equals + 1));
    else
      throw std::runtime_error("no option of a test request: " + line);
  }
  request.name = "kernel";
  return request;
}

inline Compilation compile_text(const std::string &text) {
  return compile(read_request_text(text));
}

/// The message that a request gives, or "no error".
inline std::string message_of(const std::string &text) {
  try {
    compile_text(text);
  } catch (const report::Error &error) {
    return error.what();
  }
  return "no error";
}

/// "i: parallel, A.p: reduction".
inline std::string verdicts_of(const Compilation &compilation, std::size_t leaf = 0) {
  std::string text;
  for (const depend::LoopVerdict &verdict : compilation.leaves.at(leaf).verdicts)
    text += (text.empty() ? "" : ", ") + verdict.variable + ": " + depend::name_of(verdict.verdict);
  return text;
}

/// The first loop that runs in parallel, or null.
inline const loop::For *parallel_loop(const loop::Block &block) {
  const loop::For *found = nullptr;
  loop::each_statement(block, [&](const loop::Statement &statement) {
    const auto *loop = std::get_if<loop::For>(&statement.kind);
    if (!found && loop && loop->parallel) found = loop;
  });
  return found;
}

/// The variable of the loop that runs in parallel, or empty.
inline std::string parallel_of(const Compilation &compilation, std::size_t leaf = 0) {
  const plan::LeafPlan &plan = compilation.leaves.at(leaf).plan;
  return plan.parallel ? plan.nest.levels.at(*plan.parallel).variable : "";
}

/// "x.p: sequential, U.a: direct".
inline std::string finds_of(const Compilation &compilation, std::size_t leaf = 0) {
  std::string text;
  const plan::LeafPlan &plan = compilation.leaves.at(leaf).plan;
  for (const plan::LevelPlan &level : plan.finds.levels)
    text += (text.empty() ? "" : ", ") + plan.nest.levels.at(level.level).variable + ": " +
            plan::name_of(level.method());
  return text;
}

} // namespace unravel::pipeline::test
