#include "layout_arrays.h"

#include "kernel.h"
#include "layout/layout.h"
#include "parse/parse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace unravel::bench {

namespace {

using tensor::Coordinates;
using tensor::Elements;
using tensor::Tensor;

/// Rows of the matrix: the entries of row i are rowptr[i] .. rowptr[i + 1), by increasing column.
struct Rows {
  explicit Rows(Coordinates matrix) : rowptr(static_cast<std::size_t>(matrix.shape[0]) + 1, 0) {
    tensor::sort(matrix, {0, 1});
    tensor::combine_duplicates(matrix);
    for (std::int64_t row : matrix.index[0])
      ++rowptr[static_cast<std::size_t>(row) + 1];
    for (std::size_t i = 1; i < rowptr.size(); ++i)
      rowptr[i] += rowptr[i - 1];
    col = std::move(matrix.index[1]);
    value = std::move(matrix.value);
  }

  std::size_t count() const { return rowptr.size() - 1; }
  std::size_t length(std::size_t i) const { return rowptr[i + 1] - rowptr[i]; }

  std::vector<std::size_t> rowptr;
  std::vector<std::int64_t> col;
  std::vector<double> value;
};

Tensor empty(const std::string &name, const Coordinates &matrix) {
  auto source = std::make_shared<const text::Source>("layout", name);
  Tensor result;
  result.layout = layout::load_layout(parse::parse_layout_reference(source), 2).layout;
  for (std::size_t mode = 0; mode < 2; ++mode)
    result.sizes[result.layout.sizes[mode]] = matrix.shape[mode];
  return result;
}

/// Unused slots: no column, and a value that spoils every sum it gets into.
struct Slots {
  explicit Slots(std::size_t count)
      : col(count, -1), value(count, std::numeric_limits<double>::quiet_NaN()) {}

  void set(std::size_t slot, const Rows &rows, std::size_t entry) {
    col[slot] = static_cast<std::int32_t>(rows.col[entry]);
    value[slot] = rows.value[entry];
  }
  void put(Tensor &tensor) const {
    tensor.arrays["col"] = Elements::of(col);
    tensor.arrays["val"] = Elements::of(value);
  }

  std::vector<std::int32_t> col;
  std::vector<double> value;
};

Tensor pack_ell(const Coordinates &matrix) {
  Rows rows(matrix);
  std::size_t width = 0;
  for (std::size_t i = 0; i < rows.count(); ++i)
    width = std::max(width, rows.length(i));
  Slots slots(width * rows.count());
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t s = 0; s < rows.length(i); ++s)
      slots.set(s * rows.count() + i, rows, rows.rowptr[i] + s);
  Tensor result = empty("ell", matrix);
  result.counts["W"] = static_cast<std::int64_t>(width);
  slots.put(result);
  return result;
}

Tensor pack_sell(const std::string &name, std::size_t height, const Coordinates &matrix) {
  Rows rows(matrix);
  std::vector<std::int32_t> sliceptr{0};
  for (std::size_t first = 0; first < rows.count(); first += height) {
    std::size_t width = 0;
    for (std::size_t i = first; i < std::min(first + height, rows.count()); ++i)
      width = std::max(width, rows.length(i));
    sliceptr.push_back(sliceptr.back() + static_cast<std::int32_t>(width));
  }
  Slots slots(static_cast<std::size_t>(sliceptr.back()) * height);
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t s = 0; s < rows.length(i); ++s)
      slots.set((static_cast<std::size_t>(sliceptr[i / height]) + s) * height + i % height, rows,
                rows.rowptr[i] + s);
  Tensor result = empty(name, matrix);
  result.counts["NQ"] = sliceptr.back();
  result.arrays["sliceptr"] = Elements::of(sliceptr);
  slots.put(result);
  return result;
}

Tensor pack_symmetric(const Coordinates &matrix) {
  Rows rows(matrix);
  std::vector<std::int32_t> rowptr{0}, col;
  std::vector<double> value;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (std::size_t e = rows.rowptr[i]; e < rows.rowptr[i + 1]; ++e)
      if (rows.col[e] <= static_cast<std::int64_t>(i)) {
        col.push_back(static_cast<std::int32_t>(rows.col[e]));
        value.push_back(rows.value[e]);
      }
    rowptr.push_back(static_cast<std::int32_t>(col.size()));
  }
  Tensor result = empty("symmetric_csr", matrix);
  result.counts["NNZ"] = rowptr.back();
  result.arrays["rowptr"] = Elements::of(rowptr);
  result.arrays["col"] = Elements::of(col);
  result.arrays["val"] = Elements::of(value);
  return result;
}

} // namespace

Tensor pack_by_hand(const std::string &layout, const Coordinates &matrix) {
  if (layout == "ell") return pack_ell(matrix);
  if (layout == "symmetric_csr") return pack_symmetric(matrix);
  if (layout.starts_with("sell<"))
    return pack_sell(layout, static_cast<std::size_t>(std::stoul(layout.substr(5))), matrix);
  return pack_as(layout, matrix);
}

} // namespace unravel::bench
