#include "tool/report_finds.h"

#include "tool/facts.h"
#include "tool/html.h"
#include "tool/proofs.h"

#include <fmt/format.h>

namespace unravel::tool {

namespace {

std::string obligations_html(const pipeline::Compilation &compilation, const plan::LevelPlan &plan) {
  if (plan.obligations.empty()) return "<p>Nothing needs to be proved for it.</p>\n";
  std::string text =
      "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">obligation</th>"
      "<th scope=\"col\" class=\"words\">verdict</th><th scope=\"col\">ms</th>"
      "<th scope=\"col\">instances</th><th scope=\"col\">question</th></tr></thead>\n<tbody>\n";
  for (const plan::Obligation &obligation : plan.obligations) {
    const prove::Question &question = question_of(compilation, obligation);
    const char *verdict = verdict_of(obligation, question);
    text +=
        fmt::format("<tr><th scope=\"row\">{}</th><td class=\"words {}\">{}</td><td>{:.2f}</td><td>{}</td>"
                    "<td>{}</td></tr>\n",
                    escaped(obligation.name), obligation.holds ? "holds" : "fails", escaped(verdict),
                    question.milliseconds, question.instances, obligation.question);
  }
  return text + "</tbody></table></div>\n";
}

std::string candidates_html(const ReportParts &parts, const plan::LeafPlan &plan,
                            const plan::LevelPlan &own) {
  std::string text;
  for (const plan::Candidate &candidate : explained(parts.compilation(), plan.nest, own)) {
    bool is_taken = candidate.method == own.method() && candidate.proved;
    if (is_taken && candidate.reason.empty()) continue;
    text += fmt::format("<li>{}<b>{}</b>: {}</li>\n", is_taken ? "" : "not ",
                        escaped(plan::name_of(candidate.method)), escaped(candidate.reason));
  }
  return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

} // namespace

std::string finds_html(const ReportParts &parts) {
  const pipeline::Compilation &compilation = parts.compilation();
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
        text += obligations_html(compilation, own) + candidates_html(parts, plan, own) + "</article>\n";
      });
    }
  return text.empty() ? "<p>Nothing has to be found: every variable is looped over or computed.</p>\n" : text;
}

} // namespace unravel::tool
