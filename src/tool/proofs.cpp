#include "tool/proofs.h"

#include "find/counterexample.h"
#include "report/diagnostic.h"
#include "tool/facts.h"
#include "tool/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace unravel::tool {

using find::Method;
using nlohmann::json;
using scan::Level;

namespace {

const prove::Question &question_of(const pipeline::Compilation &compilation,
                                   const find::Obligation &obligation) {
  return compilation.prover->log().at(obligation.question);
}

const char *verdict_of(const find::Obligation &obligation, const prove::Question &question) {
  if (question.answer == prove::Answer::Unknown) return "unknown";
  if (obligation.wanted_possible) return obligation.holds ? "possible, as it should be" : "impossible";
  return obligation.holds ? "proved" : "not proved";
}

/// The candidates, those that were tried in vain with a counterexample where one was found.
std::vector<find::Candidate> explained(const pipeline::Compilation &compilation, const pipeline::Leaf &leaf,
                                       const find::LevelPlan &plan) {
  std::vector<find::Candidate> all = plan.candidates;
  std::map<std::string, std::string> known; // several templates may need the same obligation
  for (find::Candidate &candidate : all) {
    if (candidate.proved || !candidate.tried) continue;
    auto [at, fresh] = known.emplace(candidate.reason, "");
    if (fresh) at->second = find::failure(leaf.plan.nest, plan, candidate.reason, *compilation.prover);
    candidate.reason = at->second;
  }
  return all;
}

/// For how long a walking position is kept.
std::string state_in_words(const find::LevelPlan &plan) {
  if (plan.state.empty()) return "one walk serves all visits";
  return fmt::format("one walk for each value of {}{}", fmt::join(plan.state, ", "),
                     plan.state_index.empty() ? "" : ", kept in an array");
}

std::string method_in_words(const find::LevelPlan &plan, const Level &level) {
  std::string range = fmt::format("[{}, {})", term::to_text(level.lower), term::to_text(level.upper));
  switch (plan.method) {
  case Method::Direct:
    return fmt::format("direct: what is looked for gives the position, {}", term::to_text(plan.position));
  case Method::Sequential:
    return fmt::format("sequential: walks {} through {}; {}{}", direction_name(plan), range,
                       state_in_words(plan), plan.advance ? ", and goes on behind a match" : "");
  case Method::Galloping:
    return fmt::format("galloping: walks {} through {} by growing steps; {}", direction_name(plan), range,
                       state_in_words(plan));
  case Method::Binary: return fmt::format("binary: bisects {} at each visit", range);
  case Method::Hash: return fmt::format("hash: a hash table of {}", range);
  case Method::Map: return fmt::format("map: a table by coordinate of {}", range);
  case Method::Scan:
    return fmt::format("scan: tests every position of {}{}", range, plan.unique ? " until the match" : "");
  }
  return {};
}

} // namespace

std::string proofs_text(const pipeline::Compilation &compilation) {
  std::string text;
  each_level(compilation, [&](const pipeline::Leaf &leaf, std::size_t index, const Level &level) {
    if (level.kind != Level::Kind::Find) return;
    const find::LevelPlan &plan = plan_of(leaf, index);
    text += fmt::format("{} by {}\n", level.variable, method_in_words(plan, level));
    for (const find::Candidate &candidate : explained(compilation, leaf, plan))
      if (candidate.method != plan.method || !candidate.proved)
        text += fmt::format("  not {}: {}\n", find::name_of(candidate.method), candidate.reason);
      else if (!candidate.reason.empty())
        text += fmt::format("  {}: {}\n", find::name_of(candidate.method), candidate.reason);
    for (const find::Obligation &obligation : plan.obligations) {
      const prove::Question &question = question_of(compilation, obligation);
      text += fmt::format("  {:<34} {:<26} {:6.2f} ms  {} instances  [{}]\n", obligation.name,
                          verdict_of(obligation, question), question.milliseconds, question.instances,
                          obligation.question);
    }
  });
  return text;
}

json proofs_json(const pipeline::Compilation &compilation) {
  json finds = json::array();
  each_level(compilation, [&](const pipeline::Leaf &leaf, std::size_t index, const Level &level) {
    if (level.kind != Level::Kind::Find) return;
    const find::LevelPlan &plan = plan_of(leaf, index);
    bool walks = plan.method == Method::Sequential || plan.method == Method::Galloping;
    json find = {{"tensor", level.tensor},
                 {"variable", level.variable},
                 {"template", find::name_of(plan.method)},
                 {"direction", walks ? json(direction_name(plan)) : json(nullptr)},
                 {"state", walks ? json(plan.state) : json::array()},
                 {"unique", plan.unique},
                 {"words", method_in_words(plan, level)},
                 {"candidates", json::array()},
                 {"obligations", json::array()}};
    for (const find::Candidate &candidate : explained(compilation, leaf, plan))
      find["candidates"].push_back({{"template", find::name_of(candidate.method)},
                                    {"proved", candidate.proved},
                                    {"tried", candidate.tried},
                                    {"reason", candidate.reason}});
    for (const find::Obligation &obligation : plan.obligations) {
      const prove::Question &question = question_of(compilation, obligation);
      bool unknown = question.answer == prove::Answer::Unknown;
      find["obligations"].push_back({{"name", obligation.name},
                                     {"verdict", unknown            ? "unknown"
                                                 : obligation.holds ? "proved"
                                                                    : "refuted"},
                                     {"ms", question.milliseconds},
                                     {"instances", question.instances}});
    }
    finds.push_back(std::move(find));
  });
  return finds;
}

json obligations_json(const pipeline::Compilation &compilation) {
  json all = json::array();
  each_level(compilation, [&](const pipeline::Leaf &leaf, std::size_t index, const Level &level) {
    if (level.kind != Level::Kind::Find) return;
    for (const find::Obligation &obligation : plan_of(leaf, index).obligations) {
      const prove::Question &question = question_of(compilation, obligation);
      all.push_back({{"variable", level.variable},
                     {"name", obligation.name},
                     {"verdict", verdict_of(obligation, question)},
                     {"holds", obligation.holds},
                     {"ms", question.milliseconds},
                     {"instances", question.instances},
                     {"question", obligation.question}});
    }
  });
  return all;
}

void write_smtlib(const std::string &folder, const prove::Prover &prover) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    report::fail(report::Kind::cannot_write, text::Place::of_file(folder),
                 fmt::format("cannot write: {}", error.message()));
  std::string index;
  for (std::size_t k = 0; k < prover.log().size(); ++k) {
    const prove::Question &question = prover.log()[k];
    std::string name = fmt::format("{:03}.smt2", k);
    write_text_file(folder + "/" + name, prover.smtlib(k));
    const char *answer = question.answer == prove::Answer::Refuted    ? "unsat"
                         : question.answer == prove::Answer::Possible ? "sat"
                                                                      : "unknown";
    index += fmt::format("{}\t{}\t{}\t{}\n", name, answer, question.about, question.name);
  }
  write_text_file(folder + "/index.txt", index);
}

} // namespace unravel::tool
