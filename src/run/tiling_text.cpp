// Tilings for people.
#include "run/tiling.h"

#include "data/file_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::run {

namespace {

/// Columns: the first to the left, the others to the right.
std::string table(const std::vector<std::vector<std::string>> &rows) {
  std::vector<std::size_t> widths;
  for (const auto &row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k == widths.size()) widths.push_back(0);
      widths[k] = std::max(widths[k], row[k].size());
    }
  std::string text;
  for (const auto &row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k)
      text +=
          k == 0 ? fmt::format("  {:<{}}", row[k], widths[k]) : fmt::format("  {:>{}}", row[k], widths[k]);
    text += '\n';
  }
  return text;
}

std::string number(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string bytes(double value) {
  return data::memory_text(static_cast<std::int64_t>(value + 0.5));
}

std::string remarks(const TilingLevel &level) {
  std::vector<std::string> parts;
  if (!level.tile_of.empty())
    parts.push_back(fmt::format("{}: {} each",
                                level.kind == scan::Level::Kind::Let ? "the tile of " + level.tile_of
                                                                     : "tiles of " + level.tile_of,
                                level.tile_size));
  if (!level.run.empty()) parts.push_back(level.run);
  if (!level.found_by.empty()) parts.push_back("by " + level.found_by);
  return parts.empty() ? "" : fmt::format("    # {}", fmt::join(parts, "; "));
}

std::string levels_text(const TilingLeaf &leaf) {
  std::string text;
  std::size_t indent = 2;
  for (const TilingLevel &level : leaf.levels) {
    text += fmt::format("{:{}}{}{}\n", "", indent, level.text, remarks(level));
    if (level.kind != scan::Level::Kind::Let) indent += 2;
    for (const std::string &guard : level.guards)
      text += fmt::format("{:{}}if {}\n", "", indent, guard), indent += 2;
  }
  return text;
}

std::string names_of(const std::vector<TileLoop> &tiles) {
  std::string names;
  for (const TileLoop &tile : tiles)
    names += (names.empty() ? "" : ", ") + tile.variable;
  return names;
}

std::string tiles_text(const Tiling &tiling) {
  std::string text = "\n== tiles\n";
  if (tiling.tiles.empty()) return text + "  no loop runs over tiles\n";
  if (!tiling.counts) {
    for (const TileLoop &tile : tiling.tiles)
      text += fmt::format("  {}: {} tiles\n", tile.variable, term::to_text(tile.number));
    return text + "  give data with -i to see how many tiles have points, and what one touches\n";
  }
  std::vector<std::vector<std::string>> rows{{"", "exist", "with points", "iterations", "with points"}};
  for (const TileLoop &tile : tiling.tiles)
    rows.push_back({tile.variable, number(tile.exist), number(tile.with_points), number(tile.iterations.all),
                    number(tile.iterations.with_points)});
  const TileNest &nest = tiling.counts->nest;
  if (tiling.tiles.size() > 1)
    rows.push_back({names_of(tiling.tiles),
                    nest.exist ? number(*nest.exist) : fmt::format("at most {}", nest.at_most),
                    number(nest.with_points), number(nest.entered.all), number(nest.entered.with_points)});
  text += table(rows);
  if (tiling.leaves.size() > 1)
    text += fmt::format("  ({} nests one after the other: the iterations are those of all)\n",
                        tiling.leaves.size());
  return text;
}

std::string loops_text(const Tiling &tiling) {
  std::vector<std::vector<std::string>> rows{{"", "iterations", "with points"}};
  for (const LoopRun &loop : tiling.counts->loops)
    rows.push_back({loop.variable, number(loop.iterations.all), number(loop.iterations.with_points)});
  return fmt::format("\n== loops as they ran: {} points\n{}", tiling.counts->points, table(rows));
}

std::string fit_text(const std::vector<machine::DataCache> &caches, double size) {
  const machine::DataCache *cache = holds(caches, size);
  return cache ? "fits in " + cache->name : "fits in no cache";
}

std::string working_sets_text(const Tiling &tiling) {
  std::string text;
  for (const TileLoop &tile : tiling.tiles) {
    text += fmt::format("\n== touched in an iteration of {} with points\n", tile.variable);
    if (tile.iterations.with_points == 0) {
      text += "  there is none\n";
      continue;
    }
    std::vector<std::vector<std::string>> rows{{"", "average", "maximum"}};
    for (const Touched &array : tile.arrays)
      rows.push_back({array.array, bytes(array.average), bytes(static_cast<double>(array.maximum))});
    rows.push_back({"all", bytes(tile.touched.average), bytes(static_cast<double>(tile.touched.maximum))});
    text += table(rows);
    if (tiling.caches.empty()) continue;
    text += fmt::format("  the average {}, the maximum {}\n", fit_text(tiling.caches, tile.touched.average),
                        fit_text(tiling.caches, static_cast<double>(tile.touched.maximum)));
  }
  return text;
}

} // namespace

std::string caches_text(const std::vector<machine::DataCache> &caches) {
  if (caches.empty()) return "data caches: unknown\n";
  std::string text;
  for (const machine::DataCache &cache : caches)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cache.name, data::memory_text(cache.bytes));
  return fmt::format("data caches: {}\n", text);
}

std::string to_text(const Tiling &tiling) {
  std::string text = tiling.expression + "\n";
  for (const TilingLeaf &leaf : tiling.leaves) {
    text += "\n== iteration space\n" + leaf.space;
    text += "\n== levels\n";
    if (!leaf.chosen.empty()) text += fmt::format("  on these data another plan runs: {}\n", leaf.chosen);
    text += levels_text(leaf);
  }
  text += tiles_text(tiling);
  if (tiling.counts) text += loops_text(tiling) + working_sets_text(tiling);
  return text + "\n" + caches_text(tiling.caches);
}

} // namespace unravel::run
