#include "show/page.h"

#include "data/file_text.h"
#include "show/html.h"
#include "show/sections.h"
#include "text/embedded.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace unravel::show {

/// Of the folder page.
const std::vector<text::EmbeddedFile> &page_files();

namespace {

/// `id`: where the list at the top leads to.
struct Section {
  std::string id, title, html;
};

std::int64_t rounded(double value) {
  return static_cast<std::int64_t>(value + 0.5);
}

std::string row(const std::string &name, const std::vector<std::string> &cells) {
  std::string text = fmt::format("<tr><th scope=\"row\">{}</th>", escaped(name));
  for (const std::string &cell : cells)
    text += fmt::format("<td>{}</td>", escaped(cell));
  return text + "</tr>\n";
}

std::string head(const std::vector<std::string> &names) {
  std::string text = "<thead><tr>";
  for (const std::string &name : names)
    text += fmt::format("<th scope=\"col\">{}</th>", escaped(name));
  return text + "</tr></thead>\n";
}

std::string table(const std::string &caption, const std::vector<std::string> &names,
                  const std::string &rows) {
  return fmt::format(
      "<div class=\"wide\"><table>\n<caption>{}</caption>\n{}<tbody>\n{}</tbody></table></div>\n",
      escaped(caption), head(names), rows);
}

std::string tiles_html(const run::Tiling &tiling) {
  std::string rows;
  auto number = [](std::int64_t value) { return fmt::format("{}", value); };
  if (!tiling.counts) {
    for (const run::TileLoop &tile : tiling.tiles)
      rows += row(tile.variable, {term::to_text(tile.number)});
    return table("Loops over tiles", {"loop", "tiles"}, rows);
  }
  const run::TilingCounts &counts = *tiling.counts;
  std::string names;
  for (const run::TileLoop &tile : tiling.tiles) {
    names += (names.empty() ? "" : ", ") + tile.variable;
    rows += row(tile.variable,
                {number(tile.exist), number(tile.with_points), number(tile.iterations.all),
                 number(tile.iterations.with_points), data::memory_text(rounded(tile.touched.average)),
                 data::memory_text(tile.touched.maximum)});
  }
  if (tiling.tiles.size() > 1)
    rows +=
        row(names, {counts.nest.exist ? number(*counts.nest.exist) : "at most " + number(counts.nest.at_most),
                    number(counts.nest.with_points), number(counts.nest.entered.all),
                    number(counts.nest.entered.with_points), "", ""});
  std::string text =
      table("Tiles that exist and have points, iterations of the loops over them, what one touches",
            {"loop", "exist", "with points", "iterations", "with points", "on average", "at most"}, rows);
  rows.clear();
  for (const run::LoopRun &loop : counts.loops)
    rows += row(loop.variable, {number(loop.iterations.all), number(loop.iterations.with_points)});
  text += table("Iterations of each loop, and those in which a point was reached",
                {"loop", "iterations", "with points"}, rows);
  std::string caches;
  for (const machine::DataCache &cache : tiling.caches)
    caches += fmt::format("{}{} {}", caches.empty() ? "" : ", ", cache.name, data::memory_text(cache.bytes));
  text += fmt::format("<p>Data caches: {}.</p>\n", caches.empty() ? "unknown" : escaped(caches));
  for (const run::TilingLeaf &leaf : tiling.leaves)
    if (!leaf.chosen.empty())
      text += fmt::format("<p>On these data another plan than the main one is executed: {}.</p>\n",
                          escaped(leaf.chosen));
  return text;
}

/// An assignment stands for itself; a program is named by what it computes.
std::string title_of(const compute::Computation &computation) {
  if (computation.text.find('\n') == std::string::npos) return computation.text;
  return fmt::format("A program for {}", computation.tensors.front().name);
}

/// The text that the statements were read from, each marked with a link from its row; empty where it isn't
/// known.
std::string marked_source(const Parts &parts) {
  const std::vector<combine::IterationSpace> &leaves = parts.compilation().combination.leaves;
  std::map<std::size_t, std::pair<std::size_t, std::vector<std::size_t>>> marks; // begin: end, statements
  std::shared_ptr<const text::Source> source;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const text::Span &span = leaves[k].span;
    if (!span.source || (source && source != span.source)) return "";
    source = span.source;
    auto &mark = marks[span.begin];
    mark.first = std::max(mark.first, span.end);
    mark.second.push_back(k);
  }
  if (!source) return "";
  std::string text;
  std::size_t at = 0;
  for (const auto &[begin, mark] : marks) {
    if (begin < at) continue; // inside another one
    std::vector<std::string> ids;
    for (std::size_t k : mark.second)
      ids.push_back(parts.statement_id(k));
    text += escaped(source->content().substr(at, begin - at)) +
            fmt::format("<a class=\"span\" href=\"#{}\" data-to=\"{}\">{}</a>", ids.front(),
                        fmt::join(ids, " "), escaped(source->content().substr(begin, mark.first - begin)));
    at = mark.first;
  }
  return text + escaped(source->content().substr(at));
}

/// What was compiled: as typed, as read from C, with which layouts.
std::string source_html(const Page &page, const Parts &parts) {
  const pipeline::Compilation &compilation = page.compilation;
  const std::string marked = marked_source(parts);
  std::string text =
      fmt::format("<pre>{}</pre>\n", marked.empty() ? escaped(compilation.computation.text) : marked);
  for (const pipeline::Stage &stage : compilation.stages)
    if (stage.name == "line" && !stage.text.empty())
      text += fmt::format("<p>with its sums:</p>\n<pre>{}</pre>\n", escaped(stage.text));
    else if (stage.name.starts_with("program"))
      text += fmt::format("<p>as a program:</p>\n<pre>{}</pre>\n", escaped(stage.text));
  for (const std::string &note : compilation.notes)
    text += fmt::format("<p class=\"note\">{}.</p>\n", escaped(note));
  for (const std::string &schedule : page.schedules)
    text += fmt::format("<p>schedule <code>{}</code></p>\n", escaped(schedule));
  return text;
}

constexpr const char *key_of_nests =
    "<p class=\"key\">\n<span class=\"parallel\">parallel: carries no dependence</span>\n"
    "<span class=\"reduction\">reduction: only sums</span>\n"
    "<span class=\"carried\">carried: another dependence</span>\n<span class=\"find\">find</span>\n"
    "<span class=\"let\">computed, tested, done</span>\n</p>\n"
    "<p>An arrow goes from the access that comes first up to the loop that carries the dependence, and down "
    "to "
    "the access of a later iteration. Numbers in parentheses are constraints of the iteration space: those "
    "from "
    "which a bound, a value or a condition follows.</p>\n";

} // namespace

std::string to_html(const Page &page) {
  const pipeline::Compilation &compilation = page.compilation;
  const Parts parts(compilation);
  std::vector<Section> sections{{"summary", "In short", summary_html(page, parts)},
                                {"source", "Source", source_html(page, parts)},
                                {"layouts", "Layouts", layouts_html(page)}};
  if (std::string plans = plans_html(compilation); !plans.empty())
    sections.insert(sections.begin() + 2, {"plan", "Plan", std::move(plans)});
  if (page.tiling) {
    std::string tiles = tiles_html(*page.tiling);
    if (page.tiling->counts && page.tensors)
      tiles += spy_plot(compilation, *page.tiling, *page.tensors, page.max_memory);
    sections.push_back({"tiles", "Tiles", std::move(tiles)});
  }
  if (page.ran)
    if (std::string drawn = entries_plot(compilation, *page.tensors, *page.tensors, page.max_memory);
        !drawn.empty())
      sections.push_back({"entries", "Entries", std::move(drawn)});
  sections.push_back({"loops", "Loops", std::string(key_of_nests) + nests_html(parts)});
  sections.push_back({"dependences", "Dependences", dependences_html(parts)});
  sections.push_back({"space", "Iteration space", spaces_html(parts)});
  sections.push_back({"finds", "Finds and their proofs", finds_html(parts)});
  sections.push_back({"code", "Generated C", code_html(parts)});
  std::string links, body;
  for (const Section &section : sections) {
    links += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, escaped(section.title));
    body += fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}</section>\n",
                        section.id, escaped(section.title), section.html);
  }
  const std::string title = escaped(title_of(compilation.computation));
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<nav>\n{2}</nav>\n"
      "<main>\n{3}</main>\n<script>\n//<![CDATA[\n{4}//]]>\n</script>\n</body>\n</html>\n",
      title, text::file_named("style", page_files())->content, links, body,
      text::file_named("script", page_files())->content);
}

} // namespace unravel::show
