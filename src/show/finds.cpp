#include "show/sections.h"

#include "find/counterexample.h"
#include "machine/stopwatch.h"
#include "prove/example.h"
#include "show/facts.h"
#include "show/html.h"
#include "show/proofs.h"

#include <fmt/format.h>

namespace unravel::show {

namespace {

/// For how long the page may look for what proofs rest on.
constexpr double most_milliseconds = 2000;

/// What was asked, and what the answer rests on.
std::string question_html(const pipeline::Compilation &compilation, const plan::Obligation &obligation,
                          const machine::Stopwatch &clock) {
  const prove::Question &question = question_of(compilation, obligation);
  std::string formula;
  for (const term::Term &hypothesis : question.hypotheses)
    formula += (formula.empty() ? "" : "\nand ") + term::to_text(hypothesis);
  std::string rests;
  if (question.answer == prove::Answer::Refuted && clock.milliseconds() < most_milliseconds) {
    for (const std::string &text : prove::needed_axioms(*compilation.prover, obligation.question))
      rests += fmt::format("<li><code>{}</code></li>", escaped(text));
    rests = rests.empty() ? "<p>This can't happen, whatever the arrays hold.</p>"
                          : "<p>This can't happen, because of these properties of the layouts:</p>\n<ul>" +
                                rests + "</ul>";
  }
  return fmt::format("<details><summary>the question</summary>\n<p>{}</p>\n<pre>{}</pre>\n{}</details>",
                     obligation.wanted_possible ? "Is there a case in which" : "Is there no case in which",
                     escaped(formula), rests);
}

std::string obligations_html(const pipeline::Compilation &compilation, const plan::LevelPlan &plan,
                             const machine::Stopwatch &clock) {
  if (plan.obligations.empty()) return "<p>Nothing needs to be proved for it.</p>\n";
  std::string text =
      "<div class=\"wide\"><table class=\"proofs\">\n<thead><tr><th scope=\"col\">obligation</th>"
      "<th scope=\"col\" class=\"words\">what it says</th><th scope=\"col\" class=\"words\">verdict</th>"
      "<th scope=\"col\">ms</th><th scope=\"col\">instances</th></tr></thead>\n<tbody>\n";
  for (const plan::Obligation &obligation : plan.obligations) {
    const prove::Question &question = question_of(compilation, obligation);
    text +=
        fmt::format("<tr><th scope=\"row\">{}</th><td class=\"words\">{}{}</td><td class=\"words {}\">{}</td>"
                    "<td>{:.2f}</td><td>{}</td></tr>\n",
                    escaped(obligation.name), escaped(find::meaning_of(obligation.name)),
                    question_html(compilation, obligation, clock), obligation.holds ? "holds" : "lost",
                    escaped(verdict_of(obligation, question)), question.milliseconds, question.instances);
  }
  return text + "</tbody></table></div>\n";
}

std::string candidates_html(const Parts &parts, const plan::LeafPlan &plan, const plan::LevelPlan &own) {
  std::string text;
  for (const plan::Candidate &candidate : explained(parts.compilation(), plan.nest, own)) {
    bool is_taken = candidate.method == own.method() && candidate.proved;
    if (is_taken && candidate.reason.empty()) continue;
    text +=
        fmt::format("<li{}>{}<b>{}</b>: {}</li>\n", is_taken ? "" : " class=\"lost\"", is_taken ? "" : "not ",
                    escaped(plan::name_of(candidate.method)), escaped(candidate.reason));
  }
  return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

} // namespace

std::string finds_html(const Parts &parts) {
  const pipeline::Compilation &compilation = parts.compilation();
  const machine::Stopwatch clock;
  std::string text;
  for (std::size_t leaf = 0; leaf < compilation.leaves.size(); ++leaf)
    for (std::size_t number = 0; number < parts.plans(leaf); ++number) {
      const plan::LeafPlan &plan = parts.plan(leaf, number);
      each_find(plan, [&](const plan::LevelPlan &own, const scan::Level &level) {
        const loop::Origin origin{static_cast<int>(leaf), static_cast<int>(number),
                                  static_cast<int>(own.level)};
        std::string where = number > 0 ? fmt::format(", alternative {}", number) : "";
        if (compilation.leaves.size() > 1) where = fmt::format(", nest {}{}", leaf + 1, where);
        text += fmt::format(
            "<article id=\"{0}\" data-label=\"{1}\">\n<h3><a href=\"#{2}\">{3}</a> by {4}{5}</h3>\n"
            "<p>{6}</p>\n",
            parts.find_id(origin),
            escaped(fmt::format("find {} by {}: its proofs", level.variable, plan::name_of(own.method()))),
            parts.level_id(origin), escaped(level.variable), escaped(plan::name_of(own.method())), where,
            escaped(method_in_words(own, level)));
        text +=
            obligations_html(compilation, own, clock) + candidates_html(parts, plan, own) + "</article>\n";
      });
    }
  return text.empty() ? "<p>Nothing has to be found: every variable is looped over or computed.</p>\n" : text;
}

} // namespace unravel::show
