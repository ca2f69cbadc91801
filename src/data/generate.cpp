#include "data/generate.h"

#include "data/random.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace unravel::data {

using report::fail;
using report::Kind;

namespace {

void check_entries(const GeneratorSpec &spec, std::size_t order, __int128 entries, std::int64_t max_memory) {
  __int128 needed = entries * static_cast<std::int64_t>(8 * (order + 1));
  if (needed > max_memory)
    check_memory(spec.span.place(), "the tensor takes",
                 static_cast<std::int64_t>(std::min<__int128>(needed, INT64_MAX)), max_memory);
}

void append(Coordinates &matrix, std::int64_t row, std::int64_t column, double value) {
  matrix.index[0].push_back(row);
  matrix.index[1].push_back(column);
  matrix.value.push_back(value);
}

/// Position `linear` of a row-major array as a coordinate of entry e.
void set_coordinate(Coordinates &tensor, std::size_t e, std::uint64_t linear) {
  for (std::size_t mode = tensor.order(); mode-- > 0;) {
    auto extent = static_cast<std::uint64_t>(tensor.shape[mode]);
    tensor.index[mode][e] = static_cast<std::int64_t>(linear % extent);
    linear /= extent;
  }
}

/// Selection sampling (Knuth's algorithm S): walks over all positions, in order.
void choose_by_walking(Coordinates &tensor, std::uint64_t positions, Random &random) {
  std::size_t chosen = 0;
  for (std::uint64_t p = 0; chosen < tensor.size(); ++p)
    if (random.below(positions - p) < tensor.size() - chosen) set_coordinate(tensor, chosen++, p);
}

/// Draws positions until enough different ones are found: every set of that size is equally likely. Few draws
/// are in vain, as it is used for densities below 1/16.
void choose_by_drawing(Coordinates &tensor, std::uint64_t positions, Random &random) {
  constexpr std::uint64_t free = ~std::uint64_t{0};
  std::vector<std::uint64_t> seen(std::bit_ceil(2 * tensor.size() + 1), free);
  for (std::size_t chosen = 0; chosen < tensor.size();) {
    std::uint64_t position = random.below(positions);
    std::size_t slot = position * 0x9e3779b97f4a7c15 >> 20;
    while (seen[slot & (seen.size() - 1)] != free && seen[slot & (seen.size() - 1)] != position)
      ++slot;
    if (seen[slot & (seen.size() - 1)] == position) continue;
    seen[slot & (seen.size() - 1)] = position;
    set_coordinate(tensor, chosen++, position);
  }
  sort(tensor, natural_modes(tensor.order()));
}

Coordinates generate_random(const GeneratorSpec &spec, std::int64_t max_memory) {
  Coordinates tensor(generated_shape(spec));
  std::int64_t positions = element_count(tensor.shape);
  if (positions < 0) fail(Kind::number_too_large, spec.span, "the tensor has more than 2^63 - 1 positions");
  double density =
      spec.density.value_or(spec.kind == GeneratorKind::Ones || spec.kind == GeneratorKind::Zeros ? 1 : 0.01);
  // For large products the double is rounded: never beyond the positions that there are.
  double rounded = std::round(density * static_cast<double>(positions));
  std::int64_t entries = density == 1 || rounded >= static_cast<double>(positions)
                             ? positions
                             : static_cast<std::int64_t>(rounded);
  if (spec.entries) entries = *spec.entries;
  if (entries > positions)
    fail(Kind::bad_generator, spec.span,
         fmt::format("{} entries don't fit in a tensor of {} positions", entries, positions));
  check_entries(spec, tensor.order(), entries, max_memory);
  tensor.resize(static_cast<std::size_t>(entries));
  Random places(spec.seed.value_or(1));
  if (entries > positions / 16)
    choose_by_walking(tensor, static_cast<std::uint64_t>(positions), places);
  else
    choose_by_drawing(tensor, static_cast<std::uint64_t>(positions), places);
  Random values(~spec.seed.value_or(1));
  for (double &value : tensor.value)
    value = spec.kind == GeneratorKind::Ones    ? 1
            : spec.kind == GeneratorKind::Zeros ? 0
            : spec.kind == GeneratorKind::Integers
                ? static_cast<double>(1 + values.below(static_cast<std::uint64_t>(spec.most)))
                : values.value();
  return tensor;
}

Coordinates generate_poisson(const GeneratorSpec &spec, std::int64_t max_memory) {
  Coordinates matrix(generated_shape(spec));
  const std::vector<std::int64_t> &grid = *spec.sizes;
  std::size_t axes = grid.size();
  check_entries(spec, 2, static_cast<__int128>(matrix.shape[0]) * static_cast<int>(2 * axes + 1), max_memory);
  matrix.reserve(static_cast<std::size_t>(matrix.shape[0]) * (2 * axes + 1));
  std::vector<std::int64_t> stride(axes, 1);
  for (std::size_t axis = axes - 1; axis-- > 0;)
    stride[axis] = stride[axis + 1] * grid[axis + 1];
  for (std::int64_t row = 0; row < matrix.shape[0]; ++row) {
    auto at = [&](std::size_t axis) { return row / stride[axis] % grid[axis]; };
    for (std::size_t axis = 0; axis < axes; ++axis)
      if (at(axis) > 0) append(matrix, row, row - stride[axis], -1);
    append(matrix, row, row, 2.0 * static_cast<double>(axes));
    for (std::size_t axis = axes; axis-- > 0;)
      if (at(axis) + 1 < grid[axis]) append(matrix, row, row + stride[axis], -1);
  }
  return matrix;
}

Coordinates generate_fem(const GeneratorSpec &spec, std::int64_t max_memory) {
  Coordinates matrix(generated_shape(spec));
  std::int64_t size = matrix.shape[0], nodes = size / spec.block + (size % spec.block != 0);
  check_entries(spec, 2, static_cast<__int128>(size) * 9 * std::min(spec.block, size), max_memory);
  std::int64_t side = 1; // the nodes fill the rows of a grid of this width
  while (side < nodes / side || side * side < nodes)
    ++side;
  // Diagonally dominant, as off the diagonal all are within [-1, 1].
  double diagonal = 9.0 * static_cast<double>(spec.block);
  for (std::int64_t row = 0; row < size; ++row) {
    std::int64_t node = row / spec.block, x = node % side, y = node / side;
    for (std::int64_t neighbour_y = y - 1; neighbour_y <= y + 1; ++neighbour_y)
      for (std::int64_t neighbour_x = std::max<std::int64_t>(x - 1, 0);
           neighbour_x <= std::min(x + 1, side - 1); ++neighbour_x) {
        std::int64_t neighbour = neighbour_y * side + neighbour_x;
        if (neighbour < 0 || neighbour >= nodes) continue;
        std::int64_t end = std::min((neighbour + 1) * spec.block, size);
        for (std::int64_t column = neighbour * spec.block; column < end; ++column) {
          // The value depends on the unordered pair alone: symmetric without looking back.
          Random pair(spec.seed.value_or(1) ^
                      Random(static_cast<std::uint64_t>(std::min(row, column))).next());
          Random value(pair.next() ^ static_cast<std::uint64_t>(std::max(row, column)));
          append(matrix, row, column, row == column ? diagonal : value.value());
        }
      }
  }
  return matrix;
}

Coordinates generate_rmat(const GeneratorSpec &spec, std::int64_t max_memory) {
  Coordinates matrix(generated_shape(spec));
  __int128 draws = static_cast<__int128>(spec.edges) << spec.scale;
  check_entries(spec, 2, draws, max_memory);
  matrix.resize(static_cast<std::size_t>(draws));
  Random random(spec.seed.value_or(1));
  for (std::size_t e = 0; e < matrix.size(); ++e)
    for (std::int64_t bit = 0; bit < spec.scale; ++bit) {
      std::uint64_t quarter = random.below(100); // a = 0.57, b = 0.19, c = 0.19, d = 0.05
      std::int64_t down = quarter >= 76, right = (quarter >= 57 && quarter < 76) || quarter >= 95;
      matrix.index[0][e] = matrix.index[0][e] << 1 | down;
      matrix.index[1][e] = matrix.index[1][e] << 1 | right;
    }
  sort(matrix, {0, 1});
  combine_duplicates(matrix);
  Random values(~spec.seed.value_or(1));
  for (double &value : matrix.value)
    value = values.value();
  return matrix;
}

Coordinates generate_banded(const GeneratorSpec &spec, std::int64_t max_memory) {
  Coordinates matrix(generated_shape(spec));
  std::int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  std::int64_t width = std::min(spec.width, std::max(rows, columns));
  __int128 per_row = std::min<__int128>(2 * static_cast<__int128>(width) + 1, columns);
  check_entries(spec, 2, std::min<__int128>(rows, static_cast<__int128>(columns) + width) * per_row,
                max_memory);
  Random values(~spec.seed.value_or(1));
  for (std::int64_t row = 0; row < rows && row - width < columns; ++row)
    for (std::int64_t column = std::max<std::int64_t>(0, row - width);
         column < columns && column - width <= row; ++column)
      append(matrix, row, column, values.value());
  return matrix;
}

/// The same number of entries in each of a few rows.
Coordinates generate_hypersparse(const GeneratorSpec &spec, std::int64_t max_memory) {
  Coordinates matrix(generated_shape(spec));
  std::int64_t rows = spec.rows.value_or(std::min(matrix.shape[0], matrix.shape[0] / 100 + 1));
  std::int64_t per_row = std::min(spec.edges, matrix.shape[1]);
  if (rows > matrix.shape[0])
    fail(Kind::bad_generator, spec.span,
         fmt::format("a matrix of {} rows has no {} rows with entries", matrix.shape[0], rows));
  check_entries(spec, 2, static_cast<__int128>(rows) * per_row, max_memory);
  Random random(spec.seed.value_or(1));
  Coordinates chosen(std::vector<std::int64_t>{matrix.shape[0]});
  auto choose = [&random](Coordinates &positions, std::int64_t count) {
    positions.resize(static_cast<std::size_t>(count));
    auto all = static_cast<std::uint64_t>(positions.shape[0]);
    if (count > positions.shape[0] / 16)
      choose_by_walking(positions, all, random);
    else
      choose_by_drawing(positions, all, random);
  };
  choose(chosen, rows);
  Random values(~spec.seed.value_or(1));
  Coordinates columns(std::vector<std::int64_t>{matrix.shape[1]});
  for (std::int64_t row : chosen.index[0]) {
    choose(columns, per_row);
    for (std::int64_t column : columns.index[0])
      append(matrix, row, column, values.value());
  }
  return matrix;
}

/// Behind the real parts, which are those of a real tensor.
Coordinates with_imaginary_parts(Coordinates tensor, const GeneratorSpec &spec) {
  if (!spec.is_complex) return tensor;
  Random values(spec.seed.value_or(1) ^ 0x9e3779b97f4a7c15);
  tensor.imaginary.resize(tensor.size());
  for (double &value : tensor.imaginary)
    value = values.value();
  return tensor;
}

} // namespace

Coordinates generate(const GeneratorSpec &spec, std::int64_t max_memory) {
  switch (spec.kind) {
  case GeneratorKind::Random: return with_imaginary_parts(generate_random(spec, max_memory), spec);
  case GeneratorKind::Ones:
  case GeneratorKind::Zeros:
  case GeneratorKind::Integers: return generate_random(spec, max_memory);
  case GeneratorKind::Poisson2d:
  case GeneratorKind::Poisson3d: return generate_poisson(spec, max_memory);
  case GeneratorKind::Fem: return generate_fem(spec, max_memory);
  case GeneratorKind::Rmat: return with_imaginary_parts(generate_rmat(spec, max_memory), spec);
  case GeneratorKind::Banded: return with_imaginary_parts(generate_banded(spec, max_memory), spec);
  case GeneratorKind::Hypersparse: return with_imaginary_parts(generate_hypersparse(spec, max_memory), spec);
  }
  return {};
}

} // namespace unravel::data
