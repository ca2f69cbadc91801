// Conversion by a counting sort: only the outermost mode comes in another order than the target wants.
#include "convert/convert_tree.h"
#include "convert/pack_levels.h"
#include "data/parallel.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace unravel::convert {

using data::Scratch;

namespace {

/// Where a sorted mode goes: array[entry] = sign * (value - offset).
struct KeyTarget {
  std::size_t mode = 0;
  Elements *array = nullptr;
  int sign = 1;
  std::int64_t offset = 0;
};

/// `Counter` holds numbers of entries.
template <class Counter> class CountingSort {
public:
  /// Buckets are the values of the step's mode, in its order.
  CountingSort(const EntryTree &tree, const Step &step, std::int64_t extent)
      : tree_(tree), mode_(step.mode), extent_(static_cast<std::size_t>(extent)),
        mirrored_(step.order == StepOrder::Descending), all_{true, tree.entries, {}} {
    constexpr std::size_t one_thread_entries = 20000, max_parts = 8;
    std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    // Each part counts by itself: not worth it where there are more buckets than entries.
    std::size_t useful = tree.entries < one_thread_entries ? 1 : tree.entries / (extent_ + 1) + 1;
    parts_ = std::min({cores, max_parts, useful});
  }

  /// Counts entries by bucket; pointers[k] becomes the begin of bucket k, the one after the last the end.
  template <class Index> void count(std::span<Index> pointers) {
    next_.assign(parts_, std::vector<Counter>(extent_));
    data::run_parallel(parts_, [&](std::size_t part) {
      Counter *count = next_[part].data();
      each_bucket(part, [count](std::size_t, std::size_t bucket) { ++count[bucket]; });
    });
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < extent_; ++bucket) {
      pointers[bucket] = static_cast<Index>(sum);
      for (std::size_t part = 0; part < parts_; ++part)
        sum += std::exchange(next_[part][bucket], static_cast<Counter>(sum));
    }
    for (std::size_t k = extent_; k < pointers.size(); ++k)
      pointers[k] = static_cast<Index>(sum);
  }

  /// Puts keys and values in place. The counts are used up.
  void place(const std::vector<KeyTarget> &keys, Elements &values, bool negative) {
    const ModeArray *buckets = tree_.array_of_entries(mode_);
    if (keys.size() == 1 && buckets && buckets->sign == 1 && !mirrored_ && !negative &&
        values.type() == tree_.values->type())
      return place_pairs(keys[0], *buckets, values);
    Scratch<std::uint64_t> position(tree_.entries);
    data::run_parallel(parts_, [&](std::size_t part) {
      Counter *next = next_[part].data();
      each_bucket(part, [&, next](std::size_t e, std::size_t bucket) { position[e] = next[bucket]++; });
    });
    for (const KeyTarget &key : keys)
      data::run_parallel(parts_, [&](std::size_t part) {
        tree_.each_value(key.mode, all_, begin(part), begin(part + 1),
                         [&](std::size_t e, std::int64_t value) {
                           key.array->set_integer(position[e], key.sign * (value - key.offset));
                         });
      });
    data::run_parallel(parts_, [&](std::size_t part) {
      for (std::size_t e = begin(part), end = begin(part + 1); e < end; ++e)
        values.set_real(position[e], negative ? -tree_.values->real(e) : tree_.values->real(e));
    });
  }

private:
  std::size_t begin(std::size_t part) const { return tree_.entries * part / parts_; }

  template <class Use> void each_bucket(std::size_t part, Use use) const {
    std::size_t last = extent_ - 1;
    if (mirrored_)
      tree_.each_value(mode_, all_, begin(part), begin(part + 1), [=](std::size_t e, std::int64_t value) {
        use(e, last - static_cast<std::size_t>(value));
      });
    else
      tree_.each_value(mode_, all_, begin(part), begin(part + 1),
                       [=](std::size_t e, std::int64_t value) { use(e, static_cast<std::size_t>(value)); });
  }

  /// One key, buckets and values entry by entry in arrays: all in one go.
  void place_pairs(const KeyTarget &key, const ModeArray &buckets, Elements &values) {
    with_integers(*buckets.array, [&](auto bucket) {
      with_integers(*key.array, [&](auto keys) {
        if (values.type() == DType::Float32)
          place_pairs_as(key, bucket.data(), buckets.offset, keys.data(), values.as<float>().data());
        else
          place_pairs_as(key, bucket.data(), buckets.offset, keys.data(), values.as<double>().data());
      });
    });
  }

  template <class Bucket, class Index, class Value>
  void place_pairs_as(const KeyTarget &key, const Bucket *buckets, std::int64_t offset, Index *keys,
                      Value *values) {
    const Value *from = tree_.values->as<Value>().data();
    data::run_parallel(parts_, [&, buckets, offset, keys, values, from](std::size_t part) {
      Counter *next = next_[part].data();
      std::int64_t sign = key.sign, key_offset = key.offset;
      tree_.each_run(key.mode, all_, begin(part), begin(part + 1),
                     [=](std::size_t e, std::size_t last, std::int64_t value) {
                       auto stored = static_cast<Index>(sign * (value - key_offset));
                       for (; e < last; ++e) {
                         auto slot = static_cast<std::size_t>(next[buckets[e] + offset]++);
                         keys[slot] = stored;
                         values[slot] = from[e];
                       }
                     });
    });
  }

  const EntryTree &tree_;
  std::size_t mode_, extent_;
  bool mirrored_;
  NodeList all_;
  std::size_t parts_ = 1;
  std::vector<std::vector<Counter>> next_;
};

/// With counters of 32 bits where they suffice: more of them stay in the cache.
template <class Use> void with_sort(const EntryTree &tree, const Step &step, std::int64_t extent, Use use) {
  if (tree.entries <= UINT32_MAX)
    use(CountingSort<std::uint32_t>(tree, step, extent));
  else
    use(CountingSort<std::uint64_t>(tree, step, extent));
}

} // namespace

std::vector<Step> steps_after(const std::vector<Step> &steps, const Step &first) {
  std::vector<Step> result{first};
  for (const Step &step : steps)
    if (step.mode != first.mode) result.push_back(step);
  return result;
}

EntryTree sorted_by(const EntryTree &tree, const Step &step, const std::vector<std::int64_t> &shape) {
  EntryTree result;
  result.order = tree.order;
  result.entries = tree.entries;
  result.unique = tree.unique;
  result.steps = steps_after(tree.steps, step);
  auto own = [&](DType type) {
    result.owned.push_back(std::make_unique<Elements>(type, tree.entries));
    return result.owned.back().get();
  };
  result.levels.resize(2);
  NodeLevel &outer = result.levels[0], &inner = result.levels[1];
  outer.size = shape[step.mode];
  outer.nodes = static_cast<std::size_t>(outer.size);
  outer.mirrored = step.order == StepOrder::Descending;
  outer.start.resize(outer.nodes + 1);
  inner.first_step = 1;
  inner.nodes = tree.entries;
  std::vector<KeyTarget> keys;
  for (std::size_t mode = 0; mode < tree.order; ++mode) {
    if (mode == step.mode) continue;
    Elements *array = own(shape[mode] <= INT32_MAX ? DType::Int32 : DType::Int64);
    keys.push_back({mode, array});
    inner.arrays.push_back({mode, array});
  }
  Elements *values = own(DType::Float64);
  result.values = values;
  with_sort(tree, step, shape[step.mode], [&](auto sort) {
    sort.count(std::span<std::int64_t>(outer.start));
    sort.place(keys, *values, tree.negative);
  });
  return result;
}

bool is_sorted_plan(const PiecePlan &plan) {
  return plan.levels.size() == 2 && plan.levels[0].is_dense() &&
         plan.levels[1].kind == Level::Kind::Segment && plan.slots.size() == 1 && plan.slots[0].level == 1 &&
         plan.slots[0].constant == 0;
}

Tensor convert_sorted(const EntryTree &tree, const layout::Layout &layout, const PackPlan &plan,
                      const std::vector<std::int64_t> &shape, const PackOptions &options) {
  Tensor tensor = begin_packing(layout, plan, shape, tree.entries, options);
  const PiecePlan &piece = plan.pieces.front();
  std::vector<LevelNumbers> numbers = level_numbers(piece, tensor);
  const Level &dense = piece.levels[0], &segment = piece.levels[1];
  auto entries = static_cast<std::int64_t>(tree.entries);
  check_width(layout, segment.pointer, options, entries, fmt::format("{} entries", entries));
  if (!segment.count.empty()) tensor.counts[segment.count] = entries;
  std::int64_t extent = shape[dense.mode];
  std::int64_t base = segment.parents[0].constant + numbers[0].offset - (dense.sign < 0 ? extent - 1 : 0);
  Elements &pointers = make_array(tensor, segment.pointer, options);
  report::require(base >= 0 && extent + base < static_cast<std::int64_t>(pointers.size()),
                  "a segment lies within its pointers");
  Step step{dense.mode, dense.sign < 0 ? StepOrder::Descending : StepOrder::Ascending};
  with_sort(tree, step, extent, [&](auto sort) {
    with_integers(pointers,
                  [&](auto elements) { sort.count(elements.subspan(static_cast<std::size_t>(base))); });
    complete_counts(tensor);
    check_memory(tensor, options, 0);
    std::vector<KeyTarget> keys;
    for (std::size_t k = 0; k < segment.keys.size(); ++k) {
      const Key &key = segment.keys[k];
      Elements &array = make_array(tensor, key.array, options, false);
      report::require(array.size() == tree.entries, "there is room for every key");
      keys.push_back({key.mode, &array, key.sign, numbers[1].key_offsets[k]});
    }
    Elements &values = make_array(tensor, piece.value, options, false);
    report::require(values.size() == tree.entries, "there is room for every value");
    sort.place(keys, values, tree.negative != piece.negative);
  });
  finish_packing(tensor, layout, plan, options);
  return tensor;
}

} // namespace unravel::convert
