#include "tool/wavefront_answers.h"

#include "choose/wavefronts.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace unravel::tool {

namespace {

using nlohmann::json;
using pipeline::Compilation;

/// Outermost loops that carry something else than additions, each name once.
std::vector<std::string> carrying_loops(const Compilation &compilation) {
  std::vector<std::string> loops;
  for (std::size_t k = 0; k < compilation.leaves.size(); ++k) {
    const std::vector<std::string> &around = compilation.combination.leaves[k].loops;
    if (around.empty() || std::ranges::find(loops, around.front()) != loops.end()) continue;
    for (const depend::LoopVerdict &verdict : compilation.leaves[k].verdicts)
      if (verdict.variable == around.front() && verdict.verdict == depend::Verdict::Carried)
        loops.push_back(around.front());
  }
  return loops;
}

WavefrontAnswer answer(pipeline::Request request, const std::string &loop) {
  const std::vector<std::string> schedules = request.schedules;
  WavefrontAnswer result{loop, nullptr, ""};
  for (const char *packed : {" packed", ""}) {
    request.schedules = schedules;
    request.schedules.push_back("wavefront " + loop + packed);
    report::Diagnostic why;
    if (auto made = report::unless_refused([&] { return pipeline::compile(request); }, &why)) {
      result.possible = std::make_shared<const Compilation>(std::move(*made));
      return result;
    }
    result.hindrance = why.message;
  }
  return result;
}

const combine::IterationSpace &statement_of(const Compilation &compilation, const depend::Visit &visit) {
  return compilation.combination.leaves[compilation.wavefronts->first + visit.statement];
}

} // namespace

std::vector<WavefrontAnswer> wavefront_answers(const pipeline::Request &request,
                                               const Compilation &compilation) {
  std::vector<WavefrontAnswer> answers;
  if (compilation.wavefronts) {
    const auto &space = compilation.combination.leaves[compilation.wavefronts->first];
    answers.push_back({space.loops.front(), std::make_shared<const Compilation>(compilation), ""});
  } else if (compilation.combination.has_loops()) {
    for (const std::string &loop : carrying_loops(compilation))
      answers.push_back(answer(request, loop));
  }
  return answers;
}

std::string to_text(const std::vector<WavefrontAnswer> &answers) {
  std::string text;
  for (const WavefrontAnswer &answer : answers) {
    if (answer.possible)
      text += fmt::format("wavefronts of {}: possible\n{}", answer.loop,
                          choose::to_text(*answer.possible->wavefronts, answer.possible->combination, "  "));
    else
      text += fmt::format("wavefronts of {}: none, {}\n", answer.loop, answer.hindrance);
  }
  return text;
}

json to_json(const std::vector<WavefrontAnswer> &answers) {
  json all = json::array();
  for (const WavefrontAnswer &answer : answers) {
    json made = {{"loop", answer.loop},
                 {"possible", answer.possible != nullptr},
                 {"hindrance", answer.possible ? json(nullptr) : json(answer.hindrance)},
                 {"waits", json::array()},
                 {"packed", json::array()}};
    if (answer.possible) {
      for (const depend::Visit &visit : answer.possible->wavefronts->visits)
        made["waits"].push_back({{"instances", statement_of(*answer.possible, visit).span.text()},
                                 {"order", choose::order_of(visit)},
                                 {"iteration", term::to_text(visit.partner)}});
      for (const plan::PackedSegment &segment : answer.possible->wavefronts->packed)
        made["packed"].push_back({{"indices", segment.indices},
                                  {"values", segment.values},
                                  {"from", term::to_text(segment.lower)},
                                  {"to", term::to_text(segment.upper)}});
    }
    all.push_back(std::move(made));
  }
  return all;
}

} // namespace unravel::tool
