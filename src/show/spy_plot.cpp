#include "show/sections.h"

#include "convert/pack.h"
#include "show/html.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace unravel::show {

namespace {

/// One mode of the matrix: its index and, where it is tiled, the tile loop's place and the tile's size.
struct Mode {
  std::string index;
  std::int64_t extent = 0;
  std::optional<std::size_t> tile;
  std::int64_t size = 0;
};

struct Matrix {
  const tensor::Tensor *tensor = nullptr;
  std::string name;
  Mode rows, columns;
};

/// How many values of the variable a tile has, where the variable is the index or a tile of it; else 0.
std::int64_t values_of(const combine::IterationSpace &space, const std::string &variable,
                       const std::string &index) {
  if (variable == index) return 1;
  for (const combine::AddedVariable &added : space.added)
    if (added.name == variable && added.tile > 0) return added.tile * values_of(space, added.of, index);
  return 0;
}

Mode mode_of(const combine::IterationSpace &space, const run::Tiling &tiling, const std::string &index,
             std::int64_t extent) {
  Mode mode{index, extent, std::nullopt, 0};
  for (std::size_t k = 0; k < tiling.tiles.size(); ++k) {
    std::int64_t size = values_of(space, tiling.tiles[k].variable, index);
    if (size > 0 && (!mode.tile || size < mode.size)) mode.tile = k, mode.size = size;
  }
  return mode;
}

std::optional<Matrix> sparsest_matrix(const pipeline::Compilation &compilation, const run::Tiling &tiling,
                                      const std::map<std::string, tensor::Tensor> &tensors) {
  std::optional<Matrix> best;
  double least = 2;
  for (const combine::IterationSpace &space : compilation.combination.leaves)
    for (const combine::Operand &operand : space.operands) {
      if (operand.coordinates.size() != 2) continue;
      const auto *row = operand.coordinates[0].as<term::Variable>();
      const auto *column = operand.coordinates[1].as<term::Variable>();
      if (!row || !column || row->name == column->name) continue;
      const tensor::Tensor &tensor = tensors.at(operand.tensor);
      std::vector<std::int64_t> shape = tensor.shape();
      if (shape[0] < 1 || shape[1] < 1) continue;
      double density = static_cast<double>(tensor.entries()) / static_cast<double>(shape[0]) /
                       static_cast<double>(shape[1]);
      if (best && density >= least) continue;
      least = density;
      best = Matrix{&tensor, operand.tensor, mode_of(space, tiling, row->name, shape[0]),
                    mode_of(space, tiling, column->name, shape[1])};
    }
  return best;
}

constexpr std::int64_t most_cells = 192; // along a mode
constexpr std::size_t most_tiles = 16384;
constexpr double tiles_width = 640;  // of the plot with tiles
constexpr double beside_width = 300; // of those beside each other

double height_of(const Matrix &matrix, double width) {
  return width *
         std::clamp(static_cast<double>(matrix.rows.extent) / static_cast<double>(matrix.columns.extent),
                    0.25, 2.0);
}

/// Entries per cell of a grid, as four paths from pale to dark.
std::string entries_svg(const Matrix &matrix, const data::Coordinates &entries, double width, double height) {
  std::int64_t rows = std::min(most_cells, matrix.rows.extent);
  std::int64_t columns = std::min(most_cells, matrix.columns.extent);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(rows * columns), 0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    auto scaled = [](std::int64_t index, std::int64_t cells, std::int64_t extent) {
      return static_cast<std::int64_t>(static_cast<__int128>(index) * cells / extent);
    };
    std::int64_t row = scaled(entries.index[0][e], rows, matrix.rows.extent);
    ++counts[static_cast<std::size_t>(row * columns +
                                      scaled(entries.index[1][e], columns, matrix.columns.extent))];
  }
  std::int64_t most = std::max<std::int64_t>(1, *std::ranges::max_element(counts));
  auto shade = [&](std::int64_t count) {
    if (count == 0) return 0;
    return std::min(4, 1 + static_cast<int>(4 * std::log1p(static_cast<double>(count)) /
                                                std::log1p(static_cast<double>(most)) -
                                            1e-9));
  };
  double cell_width = width / static_cast<double>(columns), cell_height = height / static_cast<double>(rows);
  std::string paths[5];
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns;) {
      auto at = [&](std::int64_t k) { return shade(counts[static_cast<std::size_t>(row * columns + k)]); };
      int here = at(column);
      std::int64_t end = column + 1;
      while (end < columns && at(end) == here)
        ++end;
      if (here > 0)
        paths[here] += fmt::format(
            "M{:.2f} {:.2f}h{:.2f}v{:.2f}h{:.2f}z", static_cast<double>(column) * cell_width,
            static_cast<double>(row) * cell_height, static_cast<double>(end - column) * cell_width,
            cell_height, -static_cast<double>(end - column) * cell_width);
      column = end;
    }
  std::string text;
  for (int k = 1; k <= 4; ++k)
    if (!paths[k].empty()) text += fmt::format("<path class=\"entries{}\" d=\"{}\"/>\n", k, paths[k]);
  return text;
}

/// The part of a mode that a tile covers, in the plot's units.
std::pair<double, double> covered(const Mode &mode, const run::TileVisit &visit, double length) {
  if (!mode.tile) return {0, length};
  double first = static_cast<double>(visit.values[*mode.tile] * mode.size);
  double end = std::min(first + static_cast<double>(mode.size), static_cast<double>(mode.extent));
  auto extent = static_cast<double>(mode.extent);
  return {first / extent * length, (end - first) / extent * length};
}

std::string tiles_svg(const Matrix &matrix, const run::Tiling &tiling, double height, std::string &about) {
  if (!matrix.rows.tile && !matrix.columns.tile) {
    about = "The tiles are not over this matrix's coordinates, so they are not drawn.";
    return "";
  }
  std::map<std::array<double, 4>, bool> tiles; // rectangles, and whether a point was reached
  for (const run::TileVisit &visit : tiling.counts->visits) {
    auto [x, w] = covered(matrix.columns, visit, tiles_width);
    auto [y, h] = covered(matrix.rows, visit, height);
    if (w > 0 && h > 0) tiles[{x, y, w, h}] |= visit.has_points;
  }
  if (tiles.empty() || tiles.size() > most_tiles) {
    about = tiles.empty() ? "No tile was entered, or there are too many to draw."
                          : fmt::format("{} tiles were entered: too many to draw.", tiles.size());
    return "";
  }
  std::string text;
  std::size_t hits = 0;
  for (const auto &[place, hit] : tiles) {
    text += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n",
                        hit ? "hit" : "miss", place[0], place[1], place[2], place[3]);
    hits += hit;
  }
  about =
      fmt::format("Tiles that the kernel enters: {} with points (green), {} without (red). Others are not "
                  "entered.",
                  hits, tiles.size() - hits);
  return text;
}

/// `inside`: what is drawn below the entries.
std::string svg(const Matrix &matrix, const data::Coordinates &entries, double width,
                const std::string &inside) {
  const double height = height_of(matrix, width);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"spy\" viewBox=\"-2 -2 {:.2f} {:.2f}\" "
      "width=\"{:.0f}\" "
      "height=\"{:.0f}\" role=\"img\">\n<title>{}</title>\n<rect class=\"frame\" x=\"0\" y=\"0\" "
      "width=\"{:.2f}\" height=\"{:.2f}\"/>\n{}{}</svg>\n",
      width + 4, height + 4, width + 4, height + 4, escaped("entries of " + matrix.name), width, height,
      inside, entries_svg(matrix, entries, width, height));
}

std::string about(const Matrix &matrix, const data::Coordinates &entries) {
  return fmt::format("{}: {} x {}, {} entries; {} downwards, {} to the right", escaped(matrix.name),
                     matrix.rows.extent, matrix.columns.extent, entries.size(), escaped(matrix.rows.index),
                     escaped(matrix.columns.index));
}

/// Of one access with two plain subscripts.
std::optional<Matrix> matrix_of(const combine::Operand &operand, const tensor::Tensor &tensor,
                                const std::string &name) {
  const std::vector<std::int64_t> shape = tensor.shape();
  if (operand.coordinates.size() != 2 || shape[0] < 1 || shape[1] < 1) return std::nullopt;
  return Matrix{&tensor,
                name,
                {term::to_text(operand.coordinates[0]), shape[0], std::nullopt, 0},
                {term::to_text(operand.coordinates[1]), shape[1], std::nullopt, 0}};
}

/// Tensors whose entries are some coordinates alone, each once: operands, then results.
struct Drawn {
  std::vector<Matrix> operands, results;
};

Drawn beside_each_other(const pipeline::Compilation &compilation,
                        const std::map<std::string, tensor::Tensor> &tensors,
                        const std::map<std::string, tensor::Tensor> &results) {
  Drawn drawn;
  std::set<std::string> seen;
  const auto add = [&](const combine::Operand &operand, const tensor::Tensor &tensor, const std::string &name,
                       std::vector<Matrix> &to) {
    if (combine::has_slot_of_each(tensor.layout) || !seen.insert(operand.tensor).second) return;
    if (std::optional<Matrix> matrix = matrix_of(operand, tensor, name)) to.push_back(*matrix);
  };
  for (const combine::IterationSpace &space : compilation.combination.leaves) {
    for (const combine::Operand &operand : space.operands)
      if (const auto found = tensors.find(operand.tensor); found != tensors.end())
        add(operand, found->second, operand.tensor, drawn.operands);
    const std::string &target = space.target.tensor;
    const auto made = results.find(target);
    if (made != results.end())
      add(space.target, made->second, target + ", the result", drawn.results);
    else if (target == compilation.computation.tensors.front().name && !compilation.structure.empty())
      add(space.target, tensors.at(target), target + ", the result", drawn.results);
  }
  return drawn;
}

std::string in_a_row(const std::vector<Matrix> &all, std::int64_t max_memory) {
  std::string text;
  for (const Matrix &each : all) {
    data::Coordinates entries = convert::unpack(*each.tensor, max_memory);
    data::sort(entries, data::natural_modes(2)); // of a list, entries may be of one coordinate
    data::combine_duplicates(entries);
    text += fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                        svg(each, entries, beside_width, ""), about(each, entries));
  }
  return text;
}

std::string figures(const Drawn &drawn, std::int64_t max_memory) {
  return "<div class=\"beside\">\n" + in_a_row(drawn.operands, max_memory) +
         in_a_row(drawn.results, max_memory) + "</div>\n";
}

} // namespace

std::string entries_plot(const pipeline::Compilation &compilation,
                         const std::map<std::string, tensor::Tensor> &tensors,
                         const std::map<std::string, tensor::Tensor> &results, std::int64_t max_memory) {
  const Drawn drawn = beside_each_other(compilation, tensors, results);
  return drawn.operands.empty() && drawn.results.empty() ? "" : figures(drawn, max_memory);
}

std::string spy_plot(const pipeline::Compilation &compilation, const run::Tiling &tiling,
                     const std::map<std::string, tensor::Tensor> &tensors, std::int64_t max_memory) {
  std::optional<Matrix> matrix = sparsest_matrix(compilation, tiling, tensors);
  if (!matrix)
    return "<p>No operand is a matrix with an index for each mode: there is nothing to draw.</p>\n";
  data::Coordinates entries = convert::unpack(*matrix->tensor, max_memory);
  std::string of_tiles;
  const std::string tiles = tiles_svg(*matrix, tiling, height_of(*matrix, tiles_width), of_tiles);
  std::string text = svg(*matrix, entries, tiles_width, tiles) +
                     fmt::format("<p>{}; darker: more entries. {}</p>\n", about(*matrix, entries), of_tiles);
  const Drawn drawn = beside_each_other(compilation, tensors, tiling.counts->results);
  return drawn.results.empty() ? text : text + figures(drawn, max_memory);
}

} // namespace unravel::show
