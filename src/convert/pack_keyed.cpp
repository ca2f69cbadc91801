// Packing of one sorted, keyed level between dense ones: compressed rows, blocks in rows of blocks, padded
// rows, diagonals, lists of coordinates. An entry's line (the dense levels above) and column (its keys) are
// numbers; entries are dealt into buckets of neighbouring lines, sorted there by line and column, and each
// goes to its node's place. The dense levels below are not sorted by: values are added up in place, in the
// order of the input. The result does not depend on the number of threads.
#include "convert/pack_levels.h"
#include "data/deal.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace unravel::convert {

using data::Scratch;

namespace {

/// An entry of a bucket, its value real or complex. Once they are sorted, those of one node are one.
template <class Value> struct Item {
  using Number = Value;
  std::uint32_t line; // within the bucket
  std::uint32_t column;
  Value value;
};

/// One of several of a node, with the part of its slot that the levels below the keyed one tell.
template <class Value> struct PlacedItem : Item<Value> { std::uint32_t below; };

using Complex = std::complex<double>;

/// So many entries are numbered at once.
constexpr std::size_t numbered_at_once = 512;
using Numbers = std::array<std::int64_t, numbered_at_once>;

std::int64_t size_of(const Coordinates &modes, std::size_t mode) {
  return std::max<std::int64_t>(modes.shape[mode], 1);
}

/// Modes as one number, the first being the most significant digit.
struct MixedNumber {
  struct Digit {
    std::size_t mode;
    std::int64_t size, weight;
    bool descending;
  };
  std::vector<Digit> digits;
  std::int64_t count = 1; // of numbers

  /// False where there would be more than 2^32 numbers.
  bool append(const Coordinates &modes, std::size_t mode, bool descending) {
    std::int64_t size = size_of(modes, mode);
    if (size > (INT64_C(1) << 32) / count) return false;
    for (Digit &digit : digits)
      digit.weight *= size;
    digits.push_back({mode, size, 1, descending});
    count *= size;
    return true;
  }

  /// The numbers of the entries from `begin` on; in `room` where they are not one mode.
  const std::int64_t *of_entries(const Coordinates &modes, std::size_t begin, std::size_t length,
                                 Numbers &room) const {
    if (digits.size() == 1 && digits[0].weight == 1 && !digits[0].descending)
      return modes.index[digits[0].mode].data() + begin;
    std::fill_n(room.begin(), length, 0);
    for (const Digit &digit : digits) {
      const std::int64_t *index = modes.index[digit.mode].data() + begin;
      std::int64_t factor = digit.descending ? -digit.weight : digit.weight;
      std::int64_t first = digit.descending ? digit.weight * (digit.size - 1) : 0;
      for (std::size_t k = 0; k < length; ++k)
        room[k] += first + factor * index[k];
    }
    return room.data();
  }

  std::int64_t index_of(const Digit &digit, std::int64_t number) const {
    if (digits.size() == 1) return digit.descending ? digit.size - 1 - number : number;
    std::int64_t index = number / digit.weight % digit.size;
    return digit.descending ? digit.size - 1 - index : index;
  }

  const Digit *digit_of(std::size_t mode) const {
    auto found = std::ranges::find(digits, mode, &Digit::mode);
    return found == digits.end() ? nullptr : &*found;
  }
};

/// So many items of a line are sorted by insertion.
constexpr std::size_t short_line = 48;

/// Sorts the items of a line by column, stable, to another place.
template <class Item> void sort_line(const Item *from, std::size_t count, Item *to) {
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t at = k;
    for (; at > 0 && from[k].column < to[at - 1].column; --at)
      to[at] = to[at - 1];
    to[at] = from[k];
  }
}

/// A plan's one keyed level, and how its entries are told by numbers.
class Numbering {
public:
  Numbering(Tensor &tensor, const PiecePlan &plan, const Coordinates &modes, const PackOptions &options)
      : tensor_(tensor), plan_(plan), options_(options), modes_(modes), entries_(modes.size()) {}

  /// Whether the plan is of this kind, for numbers of these sizes. Without side effects on the tensor.
  bool fits() {
    while (keyed_ < plan_.levels.size() && plan_.levels[keyed_].is_dense() && plan_.levels[keyed_].sign == 1)
      ++keyed_;
    if (keyed_ == plan_.levels.size() || !is_plain_level()) return false;
    for (std::size_t l = keyed_ + 1; l < plan_.levels.size(); ++l)
      if (!plan_.levels[l].is_dense()) return false;
    return number_modes() && number_below();
  }

  /// Do entries share nodes, at several values of each?
  bool has_below() const { return keyed_ + 1 < plan_.levels.size(); }
  bool has_complex_values() const { return value::is_complex(type_of_values()); }

protected:
  const Level &level() const { return plan_.levels[keyed_]; }
  bool is_padded() const { return level().kind == Level::Kind::Padded; }

  bool is_plain_level() const {
    const Level &of = level();
    if (of.kind != Level::Kind::Counted && of.kind != Level::Kind::Segment && !is_padded()) return false;
    if ((of.kind == Level::Kind::Counted) != (keyed_ == 0) || (is_padded() && !of.unused) || !of.merge)
      return false;
    if (plan_.value.empty() || !plan_.flags.empty() || of.home) return false;
    if (has_below() && is_single()) return false; // sums are made in double precision
    for (const Key &key : of.keys) {
      auto is_its = [&](const SortKey &by) { return by.mode == key.mode; };
      if (std::ranges::count_if(of.order, is_its) != 1) return false;
      if (key.slots.size() == 1 && (is_padded() || key.slots[0].constant != 0)) return false;
    }
    for (const Slot &parent : of.parents)
      if (parent.level == Slot::no_level || parent.level >= keyed_) return false;
    return of.order.size() == of.keys.size();
  }

  DType type_of_values() const {
    return element_type(*tensor_.layout.array(plan_.value), options_.index, options_.value);
  }
  bool is_single() const { return type_of_values() == DType::Float32; }

  /// Without a level above, the first key takes the place of the line.
  bool number_modes() {
    const std::vector<SortKey> &order = level().order;
    for (std::size_t l = 0; l < keyed_; ++l)
      if (!lines_.append(modes_, plan_.levels[l].mode, false)) return false;
    std::size_t first = keyed_ == 0 ? 1 : 0;
    if (first == 1 && !lines_.append(modes_, order[0].mode, order[0].descending)) return false;
    for (std::size_t k = first; k < order.size(); ++k)
      if (!columns_.append(modes_, order[k].mode, order[k].descending)) return false;
    // There is a counter per line.
    return lines_.count / 16 <= static_cast<std::int64_t>(entries_) + 4096;
  }

  /// What the levels below add to a slot must be known before anything is counted.
  bool number_below() {
    std::vector<std::optional<std::int64_t>> strides = known_strides(tensor_, plan_.value);
    std::int64_t largest = 0;
    for (std::size_t s = 0; s < plan_.slots.size(); ++s) {
      std::size_t l = plan_.slots[s].level;
      if (l == Slot::no_level || l <= keyed_) continue;
      const Level &dense = plan_.levels[l];
      std::int64_t size = size_of(modes_, dense.mode);
      if (!strides[s] || *strides[s] >= INT64_C(1) << 32 || size >= INT64_C(1) << 30) return false;
      largest += *strides[s] * (size - 1);
      below_.digits.push_back({dense.mode, size, *strides[s], dense.sign < 0});
      if (largest >= INT64_C(1) << 32) return false;
    }
    return true;
  }

  Tensor &tensor_;
  const PiecePlan &plan_;
  const PackOptions &options_;
  const Coordinates &modes_;
  std::size_t entries_;
  std::size_t keyed_ = 0; // the number of the keyed level
  MixedNumber lines_, columns_;
  MixedNumber below_; // with strides for weights
};

template <class Item> class KeyedPacker : Numbering {
  using Number = typename Item::Number;
  static constexpr bool below = std::is_same_v<Item, PlacedItem<Number>>;
  static constexpr bool is_complex = std::is_same_v<Number, Complex>;

public:
  explicit KeyedPacker(Numbering numbering)
      : Numbering(std::move(numbering)), numbers_(level_numbers(plan_, tensor_)), items_(entries_) {}

  void pack() {
    deal_entries();
    nodes_of_line_.assign(keyed_ > 0 ? static_cast<std::size_t>(lines_.count) : 0, 0);
    item_count_.assign(bucket_count_, 0);
    nodes_of_bucket_.assign(bucket_count_, 0);
    each_bucket([&](std::size_t bucket) { sort_bucket(bucket); });
    number_nodes();
    check_memory(tensor_, options_, entries_);
    write_values();
    write_keys();
    write_lengths();
    each_bucket([&](std::size_t bucket) {
      for (const auto &write : writers_)
        write(bucket);
    });
  }

private:
  template <class Work> void each_bucket(Work work) const {
    data::run_for_entries(entries_, bucket_count_, work);
  }

  void deal_entries() {
    shift_ = data::bits_within_bucket(entries_, static_cast<std::size_t>(lines_.count));
    bucket_count_ = ((static_cast<std::size_t>(lines_.count) - 1) >> shift_) + 1;
    column_bits_ = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(columns_.count - 1)));
    std::int64_t mask = (INT64_C(1) << shift_) - 1;
    bucket_begin_ = data::deal_stretches<numbered_at_once>(
        entries_, bucket_count_,
        [&](std::size_t begin, std::size_t count, std::vector<std::size_t> &number) {
          Numbers room;
          const std::int64_t *lines = lines_.of_entries(modes_, begin, count, room);
          for (std::size_t k = 0; k < count; ++k)
            ++number[static_cast<std::size_t>(lines[k]) >> shift_];
        },
        [&](std::size_t begin, std::size_t count, std::vector<std::size_t> &next) {
          Numbers room, column_room, below_room;
          const std::int64_t *lines = lines_.of_entries(modes_, begin, count, room);
          const std::int64_t *columns = columns_.of_entries(modes_, begin, count, column_room);
          const std::int64_t *places = nullptr;
          if constexpr (below) places = below_.of_entries(modes_, begin, count, below_room);
          for (std::size_t k = 0; k < count; ++k) {
            Item &item = items_[next[static_cast<std::size_t>(lines[k]) >> shift_]++];
            item.line = static_cast<std::uint32_t>(lines[k] & mask);
            item.column = static_cast<std::uint32_t>(columns[k]);
            if constexpr (is_complex)
              item.value = {modes_.value[begin + k], modes_.imaginary[begin + k]};
            else
              item.value = modes_.value[begin + k];
            if constexpr (below) item.below = static_cast<std::uint32_t>(places[k]);
          }
        });
  }

  std::size_t first_line(std::size_t bucket) const { return bucket << shift_; }
  std::size_t lines_in(std::size_t bucket) const {
    return std::min(static_cast<std::size_t>(lines_.count) - first_line(bucket), std::size_t{1} << shift_);
  }

  /// By line and column, stable; adds up what lies in one place, and counts the nodes.
  void sort_bucket(std::size_t bucket) {
    std::size_t count = bucket_begin_[bucket + 1] - bucket_begin_[bucket];
    if (count == 0) return;
    Item *items = items_.data() + bucket_begin_[bucket];
    std::vector<std::uint32_t> end(lines_in(bucket));
    for (std::size_t k = 0; k < count; ++k)
      ++end[items[k].line];
    auto sorted = std::make_unique_for_overwrite<Item[]>(count);
    // Items that come in order stay where they are when their line is sorted.
    if (*std::ranges::max_element(end) > short_line)
      data::sort_digits(items, sorted.get(), count, column_bits_, &Item::column);
    std::uint32_t sum = 0;
    for (std::uint32_t &line : end)
      sum += std::exchange(line, sum);
    for (std::size_t k = 0; k < count; ++k)
      sorted[end[items[k].line]++] = items[k];
    std::size_t begin = 0, kept = 0;
    for (std::size_t line = 0; line < end.size(); begin = end[line++]) {
      Item *first = items + kept;
      // Items of the lines before have left room.
      sort_line(sorted.get() + begin, end[line] - begin, first);
      std::uint32_t nodes = end[line] > begin;
      std::size_t of_line = nodes;
      for (std::size_t k = 1; k < end[line] - begin; ++k) {
        bool same = first[k].column == first[of_line - 1].column;
        nodes += !same;
        if (below || !same)
          first[of_line++] = first[k];
        else
          first[of_line - 1].value += first[k].value;
      }
      kept += of_line;
      nodes_of_bucket_[bucket] += nodes;
      if (keyed_ > 0) nodes_of_line_[first_line(bucket) + line] = nodes;
    }
    item_count_[bucket] = kept;
  }

  /// Counts and pointers.
  void number_nodes() {
    node_begin_.assign(bucket_count_, 0);
    std::size_t nodes = 0;
    for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket)
      node_begin_[bucket] = static_cast<std::int64_t>(std::exchange(nodes, nodes + nodes_of_bucket_[bucket]));
    node_count_ = is_padded() ? -1 : static_cast<std::int64_t>(nodes);
    std::uint32_t widest = 0;
    if (is_padded()) {
      for (std::uint32_t of_line : nodes_of_line_)
        widest = std::max(widest, of_line);
      set_width(tensor_, plan_, level(), widest);
      check_length(tensor_, level(), options_, widest);
    } else if (!level().count.empty()) {
      tensor_.counts[level().count] = node_count_;
    }
    if (!level().pointer.empty()) count_in_pointers();
    complete_counts(tensor_);
  }

  /// Pointers become sums: of nodes, or of the most that any node of a padded level fills.
  void count_in_pointers() {
    if (!is_padded())
      check_width(tensor_.layout, level().pointer, options_, node_count_,
                  fmt::format("{} entries", node_count_));
    Elements &pointers = make_array(tensor_, level().pointer, options_);
    pointer_place_ = place_of(level().pointer, level().parents);
    with_integers(pointers, [&]<class T>(std::span<T> elements) {
      for (std::size_t line = 0; line < nodes_of_line_.size(); ++line)
        if (nodes_of_line_[line] > 0) {
          T &element = elements[pointer_slot(pointers, line) + 1];
          element = std::max(element, static_cast<T>(nodes_of_line_[line]));
        }
    });
    if (is_padded())
      sum_widths(tensor_, level(), pointers, options_, entries_);
    else
      sum_pointers(pointers);
  }

  /// A slot as a sum: what the line gives, and a factor of the node's position.
  struct Place {
    std::int64_t constant = 0, node = 0;
    std::vector<std::pair<std::int64_t, const MixedNumber::Digit *>> parts; // factor * digit of the line
  };

  Place place_of(const std::string &array, const std::vector<Slot> &slots) const {
    Place place;
    std::vector<std::optional<std::int64_t>> strides = known_strides(tensor_, array);
    for (std::size_t s = 0; s < slots.size(); ++s) {
      std::int64_t stride = strides[s].value();
      place.constant += stride * slots[s].constant;
      std::size_t l = slots[s].level;
      if (l == Slot::no_level) continue;
      if (l == keyed_) {
        place.node += stride;
        continue;
      }
      const Level &dense = plan_.levels[l];
      place.constant += stride * numbers_[l].offset;
      if (l > keyed_) {
        if (dense.sign < 0) place.constant -= stride * (size_of(modes_, dense.mode) - 1);
        continue;
      }
      place.parts.emplace_back(stride, lines_.digit_of(dense.mode));
    }
    return place;
  }

  std::int64_t slot_of_line(const Place &place, std::size_t line) const {
    std::int64_t slot = place.constant;
    for (const auto &[factor, digit] : place.parts)
      slot += factor * lines_.index_of(*digit, static_cast<std::int64_t>(line));
    return slot;
  }

  std::size_t pointer_slot(const Elements &pointers, std::size_t line) const {
    std::int64_t slot = slot_of_line(pointer_place_, line);
    report::require(slot >= 0 && slot + 1 < static_cast<std::int64_t>(pointers.size()),
                    "a segment lies within its pointers");
    return static_cast<std::size_t>(slot);
  }

  /// Is the array nothing but what nodes have, one behind the other?
  bool is_full(const Place &place, const Elements &array) const {
    return place.parts.empty() && place.constant == 0 &&
           place.node * node_count_ == static_cast<std::int64_t>(array.size());
  }

  template <class T> static void fill(std::span<T> elements, T value) {
    data::run_ranges(elements.size(), [&](std::size_t begin, std::size_t end) {
      std::fill(elements.begin() + static_cast<std::ptrdiff_t>(begin),
                elements.begin() + static_cast<std::ptrdiff_t>(end), value);
    });
  }

  /// Calls use(item, line, slot) for the first item of each of a bucket's nodes, or for all its items.
  template <bool all, class Use>
  void each_item(std::size_t bucket, const Place &place, const Elements &array, Use use) {
    const Item *items = items_.data() + bucket_begin_[bucket];
    const Elements *pointers =
        is_padded() && !level().pointer.empty() ? &tensor_.array(level().pointer) : nullptr;
    std::int64_t node = node_begin_[bucket] - 1, line_slot = place.constant;
    std::size_t line = first_line(bucket);
    if (!below && !is_padded() && place.parts.empty()) { // each item is a node, and these follow each other
      const auto count = static_cast<std::int64_t>(item_count_[bucket]);
      const std::int64_t first = line_slot + place.node * (node + 1), last = first + place.node * (count - 1);
      report::require(count == 0 || (first >= 0 && last < static_cast<std::int64_t>(array.size())),
                      "a slot lies within its array");
      for (std::int64_t k = 0; k < count; ++k)
        use(items[k], line + items[k].line, static_cast<std::size_t>(first + place.node * k));
      return;
    }
    for (std::size_t k = 0; k < item_count_[bucket]; ++k) {
      bool new_line = k == 0 || items[k].line != items[k - 1].line;
      bool new_node = !below || new_line || items[k].column != items[k - 1].column;
      if (!all && !new_node) continue;
      if (new_line) {
        line = first_line(bucket) + items[k].line;
        if (!place.parts.empty()) line_slot = slot_of_line(place, line);
        if (is_padded()) node = pointers ? pointers->integer(pointer_slot(*pointers, line)) - 1 : -1;
      }
      node += new_node;
      std::int64_t slot = line_slot + place.node * node;
      if constexpr (all && below) slot += items[k].below;
      report::require(static_cast<std::uint64_t>(slot) < array.size(), "a slot lies within its array");
      use(items[k], line, static_cast<std::size_t>(slot));
    }
  }

  void write_values() {
    Elements &array = make_array(tensor_, plan_.value, options_, false);
    if constexpr (is_complex)
      write_values(array, std::span(static_cast<Complex *>(array.data()), array.size()));
    else if (array.type() == DType::Float32)
      write_values(array, array.as<float>());
    else
      write_values(array, array.as<double>());
  }

  template <class T> void write_values(const Elements &array, std::span<T> values) {
    const Place place = place_of(plan_.value, plan_.slots);
    // Where a node's values lie behind those of the node before, buckets clear their own.
    const bool full = is_full(place, array);
    const T nothing = static_cast<T>(options_.fill);
    const bool begins_anew = below && (options_.fill != 0 || has_negative_zero(modes_));
    if (!full) fill(values, nothing);
    writers_.push_back([=, this, &array](std::size_t bucket) {
      if (below && full)
        std::fill_n(values.begin() + place.node * node_begin_[bucket],
                    place.node * static_cast<std::int64_t>(nodes_of_bucket_[bucket]), nothing);
      if (begins_anew) // sums don't begin with what is there
        each_item<true>(bucket, place, array, [values](const Item &, std::size_t, std::size_t slot) {
          if constexpr (is_complex)
            values[slot] = {-0.0, -0.0};
          else
            values[slot] = T(-0.0);
        });
      each_item<true>(bucket, place, array, [values](const Item &item, std::size_t, std::size_t slot) {
        if constexpr (below)
          values[slot] += static_cast<T>(item.value);
        else
          values[slot] = static_cast<T>(item.value);
      });
    });
  }

  void write_keys() {
    for (std::size_t k = 0; k < level().keys.size(); ++k) {
      const Key &key = level().keys[k];
      const bool made = tensor_.arrays.count(key.array) != 0; // by another key of the same array
      Elements &array = made ? tensor_.array(key.array) : make_array(tensor_, key.array, options_, false);
      const Place place = place_of(key.array, key.slots);
      with_integers(array, [&]<class T>(std::span<T> elements) {
        if (!made && !is_full(place, array))
          fill(elements, static_cast<T>(try_evaluate(level().unused.value_or(0), tensor_).value()));
        writers_.push_back([=, this, &key, &array, offset = numbers_[keyed_].key_offsets[k],
                            digit = columns_.digit_of(key.mode)](std::size_t bucket) {
          each_item<false>(bucket, place, array, [&](const Item &item, std::size_t line, std::size_t slot) {
            const std::int64_t index =
                digit ? columns_.index_of(*digit, item.column)
                      : lines_.index_of(lines_.digits[0], static_cast<std::int64_t>(line));
            elements[slot] = static_cast<T>(key.sign * (index - offset));
          });
        });
      });
    }
  }

  void write_lengths() {
    if (level().lengths.empty()) return;
    Elements &lengths = make_array(tensor_, level().lengths, options_);
    const Place place = place_of(level().lengths, level().length_slots);
    for (std::size_t line = 0; line < nodes_of_line_.size(); ++line) {
      if (nodes_of_line_[line] == 0) continue;
      std::int64_t slot = slot_of_line(place, line);
      report::require(static_cast<std::uint64_t>(slot) < lengths.size(), "a length lies within its array");
      lengths.set_integer(static_cast<std::size_t>(slot), nodes_of_line_[line]);
    }
  }

  std::vector<LevelNumbers> numbers_;
  unsigned shift_ = 0, column_bits_ = 0;
  std::size_t bucket_count_ = 1;
  Scratch<Item> items_;
  std::vector<std::size_t> bucket_begin_, item_count_, nodes_of_bucket_;
  std::vector<std::int64_t> node_begin_;     // per bucket: its first node
  std::vector<std::uint32_t> nodes_of_line_; // where there are levels above
  std::int64_t node_count_ = 0;              // of nodes that follow each other; padded ones don't
  Place pointer_place_;
  std::vector<std::function<void(std::size_t)>> writers_; // of a bucket's part of an array each
};

} // namespace

bool pack_keyed(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
                const PackOptions &options) {
  Numbering numbering(tensor, plan, coordinates, options);
  if (!numbering.fits()) return false;
  const bool has_below = numbering.has_below(), is_complex = numbering.has_complex_values();
  if (is_complex && has_below)
    KeyedPacker<PlacedItem<Complex>>(std::move(numbering)).pack();
  else if (is_complex)
    KeyedPacker<Item<Complex>>(std::move(numbering)).pack();
  else if (has_below)
    KeyedPacker<PlacedItem<double>>(std::move(numbering)).pack();
  else
    KeyedPacker<Item<double>>(std::move(numbering)).pack();
  return true;
}

} // namespace unravel::convert
