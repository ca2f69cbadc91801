#include "show/sections.h"

#include "report/diagnostic.h"
#include "show/facts.h"
#include "show/html.h"
#include "show/proofs.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace unravel::show {

namespace {

std::string many(std::ptrdiff_t number, const std::string &what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string computed_html(const pipeline::Compilation &compilation) {
  std::string layouts;
  for (const compute::TensorUse &use : compilation.computation.tensors) {
    const layout::Layout &layout = compilation.layouts.at(use.name);
    if (layout.order() == 0) continue;
    layouts += fmt::format("{}<b>{}</b> in {}{}", layouts.empty() ? "" : ", ", escaped(use.name),
                           escaped(layout.name), use.is_result ? ", the result" : "");
  }
  return layouts.empty() ? "" : fmt::format("<p>{}.</p>\n", layouts);
}

std::string run_in_words(const std::string &kind) {
  if (kind == "parallel") return "in parallel: no iteration depends on another";
  if (kind == "reduction") return "iterations only add to sums that they share";
  if (kind == "carried") return "one iteration after the other: later ones depend on earlier ones";
  return "";
}

/// A sentence for each level of the nests' main plans.
std::string levels_html(const Parts &parts) {
  const pipeline::Compilation &compilation = parts.compilation();
  std::string text;
  each_level(compilation, [&](const pipeline::Leaf &leaf, std::size_t index, const scan::Level &level) {
    if (level.kind == scan::Level::Kind::Let) return;
    const loop::Origin origin{static_cast<int>(&leaf - compilation.leaves.data()), 0,
                              static_cast<int>(index)};
    const std::string name =
        fmt::format("<a href=\"#{}\">{}</a>", parts.level_id(origin), escaped(level.variable));
    if (level.kind == scan::Level::Kind::Find) {
      const plan::LevelPlan *own = leaf.plan.finds.at(index);
      report::require(own, "a find has a plan");
      const auto proved = std::ranges::count_if(
          own->obligations, [](auto &each) { return each.holds && !each.wanted_possible; });
      text += fmt::format("<li>{} is found: <a href=\"#{}\">{}</a>{}</li>\n", name, parts.find_id(origin),
                          escaped(method_in_words(*own, level)),
                          proved > 0 ? fmt::format("; {}", many(proved, "proof")) : "");
      return;
    }
    const std::string how = run_in_words(parts.kind(origin));
    text += fmt::format("<li>{} from {} to {}{}{}</li>\n", name, escaped(term::to_text(level.lower)),
                        escaped(term::to_text(level.upper)), how.empty() ? "" : "; ", how);
  });
  return text.empty() ? "" : "<p>The kernel loops over</p>\n<ol>\n" + text + "</ol>\n";
}

std::string effort_html(const pipeline::Compilation &compilation) {
  double proofs = 0;
  std::size_t proved = 0;
  for (const prove::Question &question : compilation.prover->log()) {
    proofs += question.milliseconds;
    proved += question.answer == prove::Answer::Refuted;
  }
  std::ptrdiff_t others = 0;
  for (const pipeline::Leaf &leaf : compilation.leaves)
    others += std::ssize(leaf.plan.alternatives);
  std::string text = fmt::format(
      "<p>From the expression to C: {:.1f} ms, of which {} to the prover took {:.1f} ms; {} proved.",
      compilation.milliseconds(), many(std::ssize(compilation.prover->log()), "question"), proofs, proved);
  if (others > 0)
    text += fmt::format(" The kernel also has {}, for data on which {} faster.", many(others, "other plan"),
                        others == 1 ? "it is" : "they are");
  text += "</p>\n";
  for (const std::string &left : compilation.not_tried)
    text +=
        fmt::format("<p class=\"note\">Not tried, because the time budget ran out: {}.</p>\n", escaped(left));
  std::string rows;
  for (const pipeline::Stage &stage : compilation.stages)
    if (stage.milliseconds >= 0.05)
      rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{:.1f}</td></tr>\n", escaped(stage.name),
                          stage.milliseconds);
  if (rows.empty()) return text;
  return text +
         "<details><summary>Where the time went</summary>\n<table>\n<thead><tr><th scope=\"col\">stage</th>"
         "<th scope=\"col\">ms</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></details>\n";
}

} // namespace

std::string summary_html(const Page &page, const Parts &parts) {
  std::string text = computed_html(page.compilation) + levels_html(parts) + effort_html(page.compilation);
  if (page.ran) text += fmt::format("<h3>The run</h3>\n<pre>{}</pre>\n", escaped(answers_text(*page.ran)));
  return text;
}

} // namespace unravel::show
