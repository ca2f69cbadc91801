// Packing of compressed rows (or columns): the plan of one dense level with segments of one sorted key.
// Entries are dealt into buckets of neighbouring rows, each small enough for a cache, where they are counted
// by row, put in place, sorted and combined. Two passes over memory, on all cores; the result does not depend
// on their number.
#include "convert/mode_values.h"
#include "convert/pack_levels.h"
#include "data/deal.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace unravel::convert {

using data::Scratch;

namespace {

struct Item {
  std::uint32_t row; // within the bucket
  std::uint32_t column;
  double value;
};

template <class Index, class Value> class RowPacker {
public:
  RowPacker(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates, const PackOptions &options)
      : tensor_(tensor), plan_(plan), dense_(plan.levels[0]), segment_(plan.levels[1]),
        rows_(coordinates.index[dense_.mode].data()),
        columns_(coordinates.index[segment_.keys[0].mode].data()), values_(coordinates.value.data()),
        entries_(coordinates.size()), row_count_(static_cast<std::size_t>(coordinates.shape[dense_.mode])),
        descending_(segment_.order[0].descending) {
    std::vector<LevelNumbers> numbers = level_numbers(plan, tensor);
    key_offset_ = numbers[1].key_offsets[0];
    key_sign_ = segment_.keys[0].sign;
    pointers_ = make_array(tensor, segment_.pointer, options).template as<Index>();
    std::int64_t first = numbers[0].offset + segment_.parents[0].constant; // the pointer of coordinate 0
    report::require(first >= 0 && static_cast<std::int64_t>(row_count_) + first <
                                      static_cast<std::int64_t>(pointers_.size()),
                    "a segment lies within its pointers");
    pointers_ = pointers_.subspan(static_cast<std::size_t>(first));
    shift_ = data::bits_within_bucket(entries_, row_count_);
    bucket_count_ = ((row_count_ - 1) >> shift_) + 1;
  }

  void pack() {
    if (is_in_order()) {
      place_in_order();
    } else {
      place_in_buckets();
    }
    finish_pointers();
  }

private:
  template <class Work> void each(std::size_t count, Work work) const {
    data::run_for_entries(entries_, count, work);
  }

  bool is_in_order() const {
    std::array<bool, data::deal_parts> sorted;
    each(data::deal_parts, [&](std::size_t part) {
      bool good = true;
      for (std::size_t e = std::max<std::size_t>(1, data::deal_begin(entries_, part)),
                       end = data::deal_begin(entries_, part + 1);
           good && e < end; ++e) {
        bool columns_rise = descending_ ? columns_[e - 1] > columns_[e] : columns_[e - 1] < columns_[e];
        good = rows_[e - 1] < rows_[e] || (rows_[e - 1] == rows_[e] && columns_rise);
      }
      sorted[part] = good;
    });
    return std::ranges::all_of(sorted, [](bool good) { return good; });
  }

  Index stored(std::int64_t column) const { return static_cast<Index>(key_sign_ * (column - key_offset_)); }

  /// Arrays of `entries_` elements; shortened once the number of distinct coordinates is known.
  void make_arrays() {
    tensor_.arrays[segment_.keys[0].array] = Elements(data::dtype_of<Index>(), entries_);
    tensor_.arrays[plan_.value] = Elements(data::dtype_of<Value>(), entries_);
    keys_ = tensor_.array(segment_.keys[0].array).template as<Index>();
    sums_ = tensor_.array(plan_.value).template as<Value>();
  }

  /// The row's end is known where the next one begins: no counting, no second pass.
  void place_in_order() {
    make_arrays();
    each(data::deal_parts, [&](std::size_t part) {
      for (std::size_t e = data::deal_begin(entries_, part), end = data::deal_begin(entries_, part + 1);
           e < end; ++e) {
        keys_[e] = stored(columns_[e]);
        sums_[e] = static_cast<Value>(values_[e]);
        std::int64_t next = e + 1 < entries_ ? rows_[e + 1] : static_cast<std::int64_t>(row_count_);
        for (std::int64_t row = rows_[e]; row < next; ++row)
          pointers_[static_cast<std::size_t>(row) + 1] = static_cast<Index>(e + 1);
      }
    });
  }

  void place_in_buckets() {
    deal();
    make_arrays();
    bucket_size_.assign(bucket_count_, 0);
    each(bucket_count_, [&](std::size_t bucket) { place_bucket(bucket); });
    items_.reset();
    close_gaps();
  }

  /// Entries to buckets, in the order of the input.
  void deal() {
    items_ = std::make_unique<Scratch<Item>>(entries_);
    auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << shift_) - 1);
    Item *items = items_->data();
    bucket_begin_ = data::deal(
        entries_, bucket_count_, [&](std::size_t e) { return static_cast<std::size_t>(rows_[e]) >> shift_; },
        [&](std::size_t e, std::size_t place) {
          items[place] = {static_cast<std::uint32_t>(rows_[e]) & mask,
                          static_cast<std::uint32_t>(columns_[e]), values_[e]};
        });
  }

  /// Puts a bucket's entries in place, counted from the bucket's begin; its pointers are ends within the
  /// bucket.
  void place_bucket(std::size_t bucket) {
    std::size_t first_row = bucket << shift_;
    std::size_t rows = std::min(row_count_ - std::min(row_count_, first_row), std::size_t{1} << shift_);
    std::size_t begin = bucket_begin_[bucket], count = bucket_begin_[bucket + 1] - begin;
    if (rows == 0) return;
    const Item *items = items_->data() + begin;
    Index *ends = pointers_.data() + first_row + 1;
    std::fill_n(ends, rows, Index{0});
    if (count == 0) return;
    for (std::size_t k = 0; k < count; ++k)
      ++ends[items[k].row];
    Index sum = 0;
    for (std::size_t row = 0; row < rows; ++row)
      sum += std::exchange(ends[row], sum);
    auto sorted = std::make_unique_for_overwrite<Cell[]>(count);
    for (std::size_t k = 0; k < count; ++k) {
      auto slot = static_cast<std::size_t>(ends[items[k].row]++);
      sorted[slot] = {items[k].column, items[k].value};
    }
    bucket_size_[bucket] = combine_rows(sorted.get(), ends, rows, begin);
  }

  struct Cell {
    std::uint32_t column;
    double value;
  };

  bool before(std::uint32_t a, std::uint32_t b) const { return descending_ ? a > b : a < b; }

  /// Stable, so that duplicates are added up in the order of the input.
  void sort_row(Cell *cells, std::size_t count) const {
    if (count > 32) {
      std::stable_sort(cells, cells + count,
                       [this](const Cell &a, const Cell &b) { return before(a.column, b.column); });
      return;
    }
    for (std::size_t k = 1; k < count; ++k) {
      Cell cell = cells[k];
      std::size_t at = k;
      for (; at > 0 && before(cell.column, cells[at - 1].column); --at)
        cells[at] = cells[at - 1];
      cells[at] = cell;
    }
  }

  /// Sorts each row, adds up duplicates and writes the rows one after the other from `begin` on; `ends`
  /// become the ends of what was written. Gives the number of coordinates.
  std::size_t combine_rows(Cell *cells, Index *ends, std::size_t rows, std::size_t begin) {
    std::size_t written = 0, row_begin = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      auto row_end = static_cast<std::size_t>(ends[row]);
      bool sorted = true;
      for (std::size_t k = row_begin + 1; k < row_end; ++k)
        sorted = sorted && !before(cells[k].column, cells[k - 1].column);
      if (!sorted) sort_row(cells + row_begin, row_end - row_begin);
      for (std::size_t k = row_begin; k < row_end; ++written) {
        std::uint32_t column = cells[k].column;
        double sum = cells[k++].value;
        for (; k < row_end && cells[k].column == column; ++k)
          sum += cells[k].value;
        keys_[begin + written] = stored(column);
        sums_[begin + written] = static_cast<Value>(sum);
      }
      row_begin = row_end;
      ends[row] = static_cast<Index>(written);
    }
    return written;
  }

  /// Duplicates leave gaps at the buckets' ends; pointers become positions in the whole array.
  void close_gaps() {
    std::vector<std::size_t> target(bucket_count_);
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket)
      target[bucket] = std::exchange(sum, sum + bucket_size_[bucket]);
    if (sum < entries_) {
      for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
        std::copy_n(keys_.begin() + bucket_begin_[bucket], bucket_size_[bucket],
                    keys_.begin() + target[bucket]);
        std::copy_n(sums_.begin() + bucket_begin_[bucket], bucket_size_[bucket],
                    sums_.begin() + target[bucket]);
      }
      tensor_.array(segment_.keys[0].array).shrink(sum);
      tensor_.array(plan_.value).shrink(sum);
    }
    each(bucket_count_, [&](std::size_t bucket) {
      std::size_t end = std::min(row_count_, (bucket + 1) << shift_);
      for (std::size_t row = bucket << shift_; row < end; ++row)
        pointers_[row + 1] =
            static_cast<Index>(static_cast<std::size_t>(pointers_[row + 1]) + target[bucket]);
    });
  }

  /// Pointers past those of the rows: all entries.
  void finish_pointers() {
    auto last = static_cast<Index>(tensor_.array(plan_.value).size());
    for (std::size_t k = row_count_ + 1; k < pointers_.size(); ++k)
      pointers_[k] = last;
  }

  Tensor &tensor_;
  const PiecePlan &plan_;
  const Level &dense_, &segment_;
  const std::int64_t *rows_, *columns_;
  const double *values_;
  std::size_t entries_, row_count_;
  std::int64_t key_offset_ = 0;
  int key_sign_ = 1;
  bool descending_;
  unsigned shift_ = 0;
  std::size_t bucket_count_ = 1;
  std::span<Index> pointers_, keys_;
  std::span<Value> sums_;
  std::unique_ptr<Scratch<Item>> items_;
  std::vector<std::size_t> bucket_begin_, bucket_size_;
};

/// Is the extent of the array the number of positions of the segments, as the layout's count says it?
bool is_extent_of_entries(const layout::Layout &layout, const std::string &name, const Level &segment) {
  const std::vector<term::Term> &extents = layout.array(name)->extents;
  if (extents.size() != 1) return false;
  for (const layout::Count &count : layout.counts) {
    if (!count.definition || extents[0] != term::variable(count.name)) continue;
    const auto *call = count.definition->as<term::Apply>();
    return call && call->function == segment.pointer;
  }
  return false;
}

} // namespace

bool is_row_plan(const Tensor &tensor, const PiecePlan &plan, const PackOptions &options) {
  const layout::Layout &layout = tensor.layout;
  if (plan.levels.size() != 2 || plan.slots.size() != 1 || plan.slots[0].level != 1 ||
      plan.slots[0].constant != 0)
    return false;
  const Level &dense = plan.levels[0], &segment = plan.levels[1];
  if (!dense.is_dense() || dense.sign != 1 || segment.kind != Level::Kind::Segment ||
      !segment.count.empty() || segment.keys.size() != 1 || segment.order.size() != 1 || !segment.merge)
    return false;
  const std::string &key = segment.keys[0].array;
  auto type = [&](const std::string &name) {
    return element_type(*layout.array(name), options.index, options.value);
  };
  std::int64_t rows = range_of(plan.modes[dense.mode], tensor).size,
               columns = range_of(plan.modes[segment.keys[0].mode], tensor).size;
  // A bucket's rows and the columns are numbered in 32 bits.
  return type(segment.pointer) == type(key) && is_extent_of_entries(layout, key, segment) &&
         is_extent_of_entries(layout, plan.value, segment) && rows > 0 && rows < INT64_C(1) << 32 &&
         columns < INT64_C(1) << 32;
}

void pack_rows(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
               const PackOptions &options) {
  const Level &segment = plan.levels[1];
  check_width(tensor.layout, segment.pointer, options, static_cast<std::int64_t>(coordinates.size()),
              fmt::format("{} entries", coordinates.size()));
  auto type = [&](const std::string &name) {
    return element_type(*tensor.layout.array(name), options.index, options.value);
  };
  bool wide = type(segment.pointer) == DType::I8, single = type(plan.value) == DType::F4;
  if (wide && single) RowPacker<std::int64_t, float>(tensor, plan, coordinates, options).pack();
  if (wide && !single) RowPacker<std::int64_t, double>(tensor, plan, coordinates, options).pack();
  if (!wide && single) RowPacker<std::int32_t, float>(tensor, plan, coordinates, options).pack();
  if (!wide && !single) RowPacker<std::int32_t, double>(tensor, plan, coordinates, options).pack();
}

} // namespace unravel::convert
