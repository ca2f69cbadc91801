#include "tool/report_page.h"

#include "depend/distance.h"
#include "tool/facts.h"
#include "tool/html.h"
#include "tool/proofs.h"
#include "tool/spy_plot.h"

#include <fmt/format.h>

namespace unravel::tool {

namespace {

constexpr const char *style = R"(
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font: bold 1.3em ui-monospace, monospace; } h2 { font-size: 1.1em; margin-top: 2em; }
pre, code { font: 13px/1.4 ui-monospace, monospace; } pre { overflow-x: auto; background: #f6f6f4; padding: .8em; }
table { border-collapse: collapse; } td, th { padding: .15em .8em; text-align: right; font-weight: normal; }
th { border-bottom: 1px solid #999; } td:first-child, th:first-child { text-align: left; }
.levels div { font: 13px/1.7 ui-monospace, monospace; border-left: 6px solid #ddd; padding-left: .6em; white-space: pre-wrap; }
.levels .parallel { border-color: #2a8f4f; background: #eef8f0; }
.levels .reduction { border-color: #c98a00; background: #fdf6e3; }
.levels .carried { border-color: #b3261e; background: #fbeceb; }
.levels .find { border-color: #3a62b5; background: #eef2fb; }
.note { color: #666; }
.key { border-left: 6px solid; padding: 0 .8em 0 .3em; }
.spy { max-width: 100%; height: auto; }
.frame { fill: none; stroke: #999; }
.entries1 { fill: #9ab; } .entries2 { fill: #678; } .entries3 { fill: #345; } .entries4 { fill: #111; }
.hit { fill: #2a8f4f; fill-opacity: .22; stroke: #2a8f4f; stroke-width: .6; }
.miss { fill: #b3261e; fill-opacity: .16; stroke: #b3261e; stroke-width: .4; stroke-dasharray: 2 2; }
)";

std::string section(const std::string &title, const std::string &html) {
  return fmt::format("<h2>{}</h2>\n{}", escaped(title), html);
}

std::string preformatted(const std::string &text) {
  return fmt::format("<pre>{}</pre>\n", escaped(text));
}

std::string row(const std::vector<std::string> &cells, const char *tag = "td") {
  std::string text = "<tr>";
  for (const std::string &cell : cells)
    text += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
  return text + "</tr>\n";
}

const depend::LoopVerdict *verdict_of(const pipeline::Leaf &leaf, const run::TilingLevel &level) {
  if (level.kind != scan::Level::Kind::Loop) return nullptr;
  for (const depend::LoopVerdict &verdict : leaf.verdicts)
    if (verdict.variable == level.variable) return &verdict;
  return nullptr;
}

/// What the level is beyond its text.
std::string remarks(const run::TilingLevel &level, const depend::LoopVerdict *verdict) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : "; ") + part; };
  if (!level.tile_of.empty()) add(fmt::format("tiles of {}, {} each", level.tile_of, level.tile_size));
  if (verdict) add(depend::name_of(verdict->verdict) + " (" + verdict->reason + ")");
  if (level.run == "parallel") add("runs in parallel");
  if (!level.found_by.empty()) add("by " + level.found_by);
  return text;
}

std::string levels_html(const ReportPage &page, std::size_t index, const run::TilingLeaf &described) {
  const pipeline::Leaf &leaf = page.compilation.leaves[index];
  std::string text = "<div class=\"levels\">\n";
  std::size_t depth = 0;
  auto line = [&](const std::string &kind, const std::string &content, const std::string &note) {
    text += fmt::format("<div class=\"{}\" style=\"margin-left: {}em\">{}{}</div>\n", kind, 2 * depth,
                        escaped(content),
                        note.empty() ? "" : fmt::format("  <span class=\"note\">{}</span>", escaped(note)));
  };
  for (const run::TilingLevel &level : described.levels) {
    const depend::LoopVerdict *verdict = verdict_of(leaf, level);
    bool is_find = level.kind == scan::Level::Kind::Find;
    line(verdict   ? depend::name_of(verdict->verdict)
         : is_find ? "find"
                   : "let",
         level.text, remarks(level, verdict));
    if (level.kind != scan::Level::Kind::Let) ++depth;
    for (const std::string &guard : level.guards)
      line("guard", "if " + guard, ""), ++depth;
  }
  return text + "</div>\n";
}

std::string dependences_html(const ReportPage &page, std::size_t index) {
  const pipeline::Leaf &leaf = page.compilation.leaves[index];
  return preformatted(depend::to_text(leaf.verdicts, leaf.order, loops_of(leaf), *page.compilation.prover));
}

std::string tiles_html(const run::Tiling &tiling) {
  std::string text = "<table>\n";
  auto number = [](std::int64_t value) { return fmt::format("{}", value); };
  if (!tiling.counts) {
    for (const run::TileLoop &tile : tiling.tiles)
      text += row({tile.variable, term::to_text(tile.number) + " tiles"});
    return text + "</table>\n";
  }
  const run::TilingCounts &counts = *tiling.counts;
  text +=
      row({"", "exist", "with points", "iterations", "with points", "touched on average", "at most"}, "th");
  std::string names;
  for (const run::TileLoop &tile : tiling.tiles) {
    names += (names.empty() ? "" : ", ") + tile.variable;
    text += row({tile.variable, number(tile.exist), number(tile.with_points), number(tile.iterations.all),
                 number(tile.iterations.with_points), fmt::format("{:.0f} bytes", tile.touched.average),
                 fmt::format("{} bytes", tile.touched.maximum)});
  }
  if (tiling.tiles.size() > 1)
    text +=
        row({names, counts.nest.exist ? number(*counts.nest.exist) : "at most " + number(counts.nest.at_most),
             number(counts.nest.with_points), number(counts.nest.entered.all),
             number(counts.nest.entered.with_points), "", ""});
  text += "</table>\n<p>Iterations of each loop, and those in which a point was reached:</p>\n<table>\n";
  for (const run::LoopRun &loop : counts.loops)
    text += row({loop.variable, number(loop.iterations.all), number(loop.iterations.with_points)});
  text += "</table>\n";
  std::string caches;
  for (const run::DataCache &cache : tiling.caches)
    caches += fmt::format("{}{} {} bytes", caches.empty() ? "" : ", ", cache.name, cache.bytes);
  return text + fmt::format("<p>Data caches: {}.</p>\n",
                            caches.empty() ? "the machine doesn't tell" : escaped(caches));
}

} // namespace

std::string to_html(const ReportPage &page) {
  const pipeline::Compilation &compilation = page.compilation;
  std::vector<run::TilingLeaf> leaves = page.tiling ? page.tiling->leaves : run::describe_leaves(compilation);
  std::string body = fmt::format("<h1>{}</h1>\n", escaped(compilation.computation.text));
  for (const std::string &schedule : page.schedules)
    body += fmt::format("<p>schedule <code>{}</code></p>\n", escaped(schedule));
  for (const auto &[tensor, layout] : compilation.layouts)
    body += fmt::format("<p>{}: layout <code>{}</code></p>\n", escaped(tensor), escaped(layout.name));
  if (page.tiling) {
    body += section("Tiles", tiles_html(*page.tiling));
    if (page.tiling->counts && page.tensors)
      body += spy_plot(compilation, *page.tiling, *page.tensors, page.max_memory);
  }
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    std::string number = leaves.size() > 1 ? fmt::format(", nest {} of {}", k + 1, leaves.size()) : "";
    body += section("Loops" + number,
                    "<p><span class=\"key\" style=\"border-color: #2a8f4f\">parallel</span>"
                    "<span class=\"key\" style=\"border-color: #c98a00\">reduction</span>"
                    "<span class=\"key\" style=\"border-color: #b3261e\">carries another dependence</span>"
                    "<span class=\"key\" style=\"border-color: #3a62b5\">find</span></p>\n" +
                        levels_html(page, k, leaves[k]));
    body += section("Dependences" + number, dependences_html(page, k));
    body += section("Iteration space" + number, preformatted(leaves[k].space));
  }
  body += section("Finds and their proofs", preformatted(proofs_text(compilation)));
  body += section("Generated C", preformatted(pipeline::c_text(compilation)));
  return fmt::format("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\"/>\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}"
                     "</body>\n</html>\n",
                     escaped(compilation.computation.text), style, body);
}

} // namespace unravel::tool
