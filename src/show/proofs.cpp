#include "show/proofs.h"

#include "data/output_file.h"
#include "find/counterexample.h"
#include "report/diagnostic.h"
#include "show/facts.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace unravel::show {

using nlohmann::json;
using scan::Level;

const prove::Question &question_of(const pipeline::Compilation &compilation,
                                   const plan::Obligation &obligation) {
  return compilation.prover->log().at(obligation.question);
}

const char *verdict_of(const plan::Obligation &obligation, const prove::Question &question) {
  if (question.answer == prove::Answer::Unknown) return "unknown";
  if (obligation.wanted_possible) return obligation.holds ? "possible, as it should be" : "impossible";
  return obligation.holds ? "proved" : "not proved";
}

std::vector<plan::Candidate> explained(const pipeline::Compilation &compilation, const scan::Nest &nest,
                                       const plan::LevelPlan &plan) {
  std::vector<plan::Candidate> all = plan.candidates;
  std::map<std::string, std::string> known; // several templates may need the same obligation
  for (plan::Candidate &candidate : all) {
    if (candidate.proved || !candidate.tried) continue;
    auto [at, fresh] = known.emplace(candidate.reason, "");
    if (fresh) at->second = find::failure(nest, plan, candidate.reason, *compilation.prover);
    candidate.reason = at->second;
  }
  return all;
}

/// For how long a walking position is kept.
static std::string state_in_words(const plan::Walk &walk) {
  if (walk.state.empty()) return "one walk serves all visits";
  return fmt::format("one walk for each value of {}{}", fmt::join(walk.state, ", "),
                     walk.state_index.empty() ? "" : ", kept in an array");
}

std::string method_in_words(const plan::LevelPlan &plan, const Level &level) {
  std::string range = fmt::format("[{}, {})", term::to_text(level.lower), term::to_text(level.upper));
  return std::visit(
      term::overloaded{
          [&](const plan::Direct &direct) {
            return fmt::format("direct: the target gives the position, {}", term::to_text(direct.position));
          },
          [&](const plan::Probe &probe) {
            return fmt::format("probe: searches {} from {} on, until an empty position", range,
                               term::to_text(probe.start));
          },
          [&](const plan::Walk &walk) {
            if (walk.gallops)
              return fmt::format("galloping: walks {} through {} by growing steps; {}",
                                 plan::name_of(walk.direction), range, state_in_words(walk));
            return fmt::format("sequential: walks {} through {}; {}{}", plan::name_of(walk.direction), range,
                               state_in_words(walk), walk.advance ? ", and goes on after a match" : "");
          },
          [&](const plan::Binary &) { return fmt::format("binary: bisects {} at each visit", range); },
          [&](const plan::HashMap &) { return fmt::format("hash: a hash table of {}", range); },
          [&](const plan::DenseMap &) { return fmt::format("map: a table by coordinate of {}", range); },
          [&](const plan::Scan &) {
            return fmt::format("scan: tests every position of {}{}", range,
                               plan.unique ? " until the match" : "");
          },
      },
      plan.how);
}

namespace {

/// Per find of a plan its template in words, the candidates that lost, the obligations.
std::string finds_text(const pipeline::Compilation &compilation, const plan::LeafPlan &plan) {
  std::string text;
  each_find(plan, [&](const plan::LevelPlan &own, const Level &level) {
    text += fmt::format("{} by {}\n", level.variable, method_in_words(own, level));
    for (const plan::Candidate &candidate : explained(compilation, plan.nest, own))
      if (candidate.method != own.method() || !candidate.proved)
        text += fmt::format("  not {}: {}\n", plan::name_of(candidate.method), candidate.reason);
      else if (!candidate.reason.empty())
        text += fmt::format("  {}: {}\n", plan::name_of(candidate.method), candidate.reason);
    for (const plan::Obligation &obligation : own.obligations) {
      const prove::Question &question = question_of(compilation, obligation);
      text += fmt::format("  {:<34} {:<26} {:6.2f} ms  {} instances  [{}]\n", obligation.name,
                          verdict_of(obligation, question), question.milliseconds, question.instances,
                          obligation.question);
    }
  });
  return text;
}

json candidate_json(const plan::Candidate &candidate) {
  return {{"template", plan::name_of(candidate.method)},
          {"proved", candidate.proved},
          {"tried", candidate.tried},
          {"reason", candidate.reason}};
}

json obligation_json(const plan::Obligation &obligation, const prove::Question &question) {
  bool unknown = question.answer == prove::Answer::Unknown;
  return {{"name", obligation.name},
          {"verdict", unknown            ? "unknown"
                      : obligation.holds ? "proved"
                                         : "refuted"},
          {"ms", question.milliseconds},
          {"instances", question.instances}};
}

/// A plan's finds, for `explain`.
json proved_finds_json(const pipeline::Compilation &compilation, const plan::LeafPlan &plan) {
  json finds = json::array();
  each_find(plan, [&](const plan::LevelPlan &own, const Level &level) {
    const plan::Walk *walk = own.walk();
    json find = {{"tensor", level.tensor},
                 {"variable", level.variable},
                 {"template", plan::name_of(own.method())},
                 {"direction", walk ? json(plan::name_of(walk->direction)) : json(nullptr)},
                 {"state", walk ? json(walk->state) : json::array()},
                 {"advance", walk ? json(walk->advance) : json(nullptr)},
                 {"unique", own.unique},
                 {"words", method_in_words(own, level)},
                 {"candidates", json::array()},
                 {"obligations", json::array()}};
    for (const plan::Candidate &candidate : explained(compilation, plan.nest, own))
      find["candidates"].push_back(candidate_json(candidate));
    for (const plan::Obligation &obligation : own.obligations)
      find["obligations"].push_back(obligation_json(obligation, question_of(compilation, obligation)));
    finds.push_back(std::move(find));
  });
  return finds;
}

} // namespace

std::string proofs_text(const pipeline::Compilation &compilation) {
  std::string text;
  for (const pipeline::Leaf &leaf : compilation.leaves) {
    text += finds_text(compilation, leaf.plan);
    std::optional<std::string> inside = place_of_choice(leaf.plan);
    for (const plan::Alternative &other : leaf.plan.alternatives)
      text += fmt::format("\nalternative {}, if {}: {}\norder {}\n{}",
                          inside ? "inside " + *inside : "first of all", term::to_text(other.condition),
                          other.reason, fmt::join(order_of(other.plan), ", "),
                          finds_text(compilation, other.plan));
  }
  return text;
}

json proofs_json(const pipeline::Compilation &compilation) {
  auto finds_of = [&](const plan::LeafPlan &plan) { return proved_finds_json(compilation, plan); };
  return {{"finds", main_finds_json(compilation, finds_of)},
          {"alternatives", alternatives_json(compilation, finds_of)}};
}

json obligations_json(const pipeline::Compilation &compilation) {
  json all = json::array();
  auto add = [&](const plan::LeafPlan &plan) {
    each_find(plan, [&](const plan::LevelPlan &own, const Level &level) {
      for (const plan::Obligation &obligation : own.obligations) {
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
  };
  for (const pipeline::Leaf &leaf : compilation.leaves) {
    add(leaf.plan);
    for (const plan::Alternative &other : leaf.plan.alternatives)
      add(other.plan);
  }
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
    data::write_text_file(folder + "/" + name, prover.smtlib(k));
    const char *answer = question.answer == prove::Answer::Refuted    ? "unsat"
                         : question.answer == prove::Answer::Possible ? "sat"
                                                                      : "unknown";
    index += fmt::format("{}\t{}\t{}\t{}\n", name, answer, question.about, question.name);
  }
  data::write_text_file(folder + "/index.txt", index);
}

} // namespace unravel::show
