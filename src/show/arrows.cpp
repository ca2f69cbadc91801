#include "show/arrows.h"

#include "depend/dependence.h"
#include "show/facts.h"
#include "show/html.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::show {

using loop::Origin;

namespace {

/// Which of the statement's references that is.
std::size_t number_of(const depend::Reference &reference, const combine::IterationSpace &space) {
  const std::vector<depend::Reference> all = depend::references(space);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].tensor == reference.tensor && all[k].writes == reference.writes &&
        all[k].coordinates == reference.coordinates)
      return k;
  return 0;
}

std::optional<std::size_t> row_of(const std::vector<std::string> &rows, const std::string &id) {
  auto found = std::ranges::find(rows, id);
  if (found == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows.begin());
}

constexpr int lane_width = 26; // up and down again
constexpr int label_width = 30;

} // namespace

std::vector<Arrow> arrows_of(const Parts &parts) {
  const pipeline::Compilation &compilation = parts.compilation();
  std::vector<Arrow> arrows;
  for (std::size_t leaf = 0; leaf < compilation.leaves.size(); ++leaf) {
    const pipeline::Leaf &own = compilation.leaves[leaf];
    for (std::size_t level = 0; level < own.plan.nest.levels.size(); ++level) {
      const Origin loop{static_cast<int>(leaf), 0, static_cast<int>(level)};
      const depend::LoopVerdict *verdict = parts.verdict(loop);
      if (!verdict || parts.shown(loop) != loop) continue;
      const std::vector<depend::Dependence> found =
          depend::dependences_of(*verdict, loops_of(own), *compilation.prover);
      for (std::size_t k = 0; k < found.size(); ++k) {
        const depend::Conflict &conflict = verdict->conflicts[k];
        auto end = [&](const depend::Reference &reference, std::size_t statement, std::string &text) {
          const std::size_t there = leaf + statement;
          text = access_text(reference.tensor, reference.coordinates);
          if (compilation.combination.has_loops()) text += fmt::format(" of statement {}", there + 1);
          return parts.access_id(there, number_of(reference, compilation.combination.leaves[there]));
        };
        Arrow arrow{fmt::format("D{}", arrows.size() + 1), loop, verdict, found[k], "", "", "", ""};
        arrow.from = end(conflict.first, conflict.first_statement, arrow.from_text);
        arrow.to = end(conflict.second, conflict.second_statement, arrow.to_text);
        arrows.push_back(std::move(arrow));
      }
    }
  }
  return arrows;
}

std::string about(const Arrow &arrow, const Parts &parts) {
  const auto leaf = static_cast<std::size_t>(arrow.loop.leaf);
  const pipeline::Leaf &own = parts.compilation().leaves[leaf];
  std::string text =
      fmt::format("{}: {}\nfrom {} to {}, carried by {}\nloops ({})\nrelation of the loop: {}", arrow.name,
                  depend::to_text(arrow.dependence), arrow.from_text, arrow.to_text, arrow.verdict->variable,
                  fmt::join(loops_of(own), ", "), depend::relation_text(*arrow.verdict, own.order));
  if (!arrow.verdict->witness.empty()) text += "\nfor example " + arrow.verdict->witness;
  return text;
}

std::string arrows_svg(const std::vector<Arrow> &arrows, const std::vector<std::string> &rows,
                       const Parts &parts) {
  struct Drawn {
    const Arrow *arrow;
    std::size_t loop, from, to;
  };
  std::vector<Drawn> drawn;
  for (const Arrow &arrow : arrows) {
    auto loop = row_of(rows, parts.level_id(arrow.loop)), from = row_of(rows, arrow.from),
         to = row_of(rows, arrow.to);
    if (loop && from && to && drawn.size() < most_arrows) drawn.push_back({&arrow, *loop, *from, *to});
  }
  if (drawn.empty()) return "";
  const int width = static_cast<int>(drawn.size()) * lane_width + label_width;
  const int height = static_cast<int>(rows.size()) * row_height;
  std::string text =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"arrows\" width=\"{0}\" height=\"{1}\" "
                  "viewBox=\"0 0 {0} {1}\" role=\"group\" aria-label=\"dependences as arrows\">\n",
                  width, height);
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const Drawn &each = drawn[k];
    auto middle = [](std::size_t row) { return static_cast<int>(row) * row_height + row_height / 2; };
    // What inner loops carry lies nearer to the rows.
    const int up = label_width + static_cast<int>(k) * lane_width, down = up + 10;
    const int aside = 3 + 3 * static_cast<int>(k % 3); // several may end in one row
    const int top = middle(each.loop), from = middle(each.from) - aside, to = middle(each.to) + aside,
              edge = width - 2;
    const std::string said = about(*each.arrow, parts);
    text += fmt::format(
        "<g class=\"dependence {0}\" tabindex=\"0\" role=\"img\" aria-label=\"{1}\" data-to=\"{2} {3} {4} "
        "{5}\">"
        "<title>{1}</title>\n"
        "<path class=\"by\" d=\"M{12} {9}H{6}\"/>"
        "<path class=\"halo\" d=\"M{6} {7}H{8}V{9}H{10}V{11}H{6}\"/>\n"
        "<path class=\"line\" d=\"M{6} {7}H{8}V{9}H{10}V{11}H{6}\"/>\n"
        "<circle cx=\"{6}\" cy=\"{7}\" r=\"2.5\"/><path class=\"head\" d=\"M{6} {11}l-8 -4v8z\"/>\n"
        "<circle cx=\"{12}\" cy=\"{9}\" r=\"3.5\"/><text x=\"{12}\" y=\"{13}\">{14}</text></g>\n",
        each.arrow->dependence.kind, escaped(said), "d-" + each.arrow->name, parts.level_id(each.arrow->loop),
        each.arrow->from, each.arrow->to, edge, from, up, top, down, to, up + 5, top - 6, each.arrow->name);
  }
  return text + "</svg>\n";
}

} // namespace unravel::show
