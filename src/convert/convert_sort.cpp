// Conversion by a counting sort: only the outermost mode comes in another order than the target wants.
#include "convert/convert_tree.h"
#include "convert/pack_levels.h"
#include "data/parallel.h"

#include <algorithm>
#include <thread>

namespace unravel::convert {

using data::Scratch;

namespace {

/// A mode that is sorted, and its array by then.
struct KeyTarget {
  std::size_t mode = 0;
  Elements *array = nullptr;
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

  /// Counts entries by bucket: begin[k] becomes where bucket k begins, the last one the end.
  void count(std::vector<std::int64_t> &begin_of) {
    next_.assign(parts_, std::vector<Counter>(extent_));
    data::run_parallel(parts_, [&](std::size_t part) {
      Counter *count = next_[part].data();
      each_bucket(part, [count](std::size_t, std::size_t bucket) { ++count[bucket]; });
    });
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < extent_; ++bucket) {
      begin_of[bucket] = static_cast<std::int64_t>(sum);
      for (std::size_t part = 0; part < parts_; ++part)
        sum += std::exchange(next_[part][bucket], static_cast<Counter>(sum));
    }
    begin_of[extent_] = static_cast<std::int64_t>(sum);
  }

  /// Puts keys and values in place. The counts are used up.
  void place(const std::vector<KeyTarget> &keys, Elements &values) {
    const ModeArray *buckets = tree_.array_of_entries(mode_);
    if (keys.size() == 1 && buckets && buckets->sign == 1 && !mirrored_ &&
        values.type() == tree_.values->type())
      return place_pairs(keys[0], *buckets, values);
    Scratch<std::uint64_t> position(tree_.entries);
    data::run_parallel(parts_, [&](std::size_t part) {
      Counter *next = next_[part].data();
      each_bucket(part, [&, next](std::size_t e, std::size_t bucket) { position[e] = next[bucket]++; });
    });
    data::run_parallel(parts_, [&](std::size_t part) {
      for (const KeyTarget &key : keys)
        tree_.each_value(
            key.mode, all_, begin(part), begin(part + 1),
            [&](std::size_t e, std::int64_t value) { key.array->set_integer(position[e], value); });
      for (std::size_t e = begin(part), end = begin(part + 1); e < end; ++e)
        values.set_real(position[e], tree_.values->real(e));
    });
  }

private:
  std::size_t begin(std::size_t part) const { return tree_.entries * part / parts_; }

  template <class Use> void each_bucket(std::size_t part, Use use) const {
    const std::int64_t sign = mirrored_ ? -1 : 1,
                       first = mirrored_ ? static_cast<std::int64_t>(extent_) - 1 : 0;
    tree_.each_value(mode_, all_, begin(part), begin(part + 1), [=](std::size_t e, std::int64_t value) {
      use(e, static_cast<std::size_t>(first + sign * value));
    });
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
      tree_.each_run(key.mode, all_, begin(part), begin(part + 1),
                     [=](std::size_t e, std::size_t last, std::int64_t value) {
                       auto stored = static_cast<Index>(value);
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
  result.negative = tree.negative;
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
  Elements *values = own(tree.values->type() == DType::Float32 ? DType::Float32 : DType::Float64);
  result.values = values;
  const auto place = [&](auto sort) {
    sort.count(outer.start);
    sort.place(keys, *values);
  };
  // With counters of 32 bits where they suffice: more of them stay in the cache.
  if (tree.entries <= UINT32_MAX)
    place(CountingSort<std::uint32_t>(tree, step, outer.size));
  else
    place(CountingSort<std::uint64_t>(tree, step, outer.size));
  return result;
}

} // namespace unravel::convert
