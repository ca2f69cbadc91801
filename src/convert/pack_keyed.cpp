// Packing of one sorted, keyed level between dense ones: blocks in rows of blocks, padded rows, a hash table
// per row, diagonals, lists of coordinates. An entry's line (the dense levels above) and column (its keys)
// are numbers; entries are dealt into buckets of neighbouring lines, sorted there by line and column, and
// each goes to its node's place. The dense levels below are not sorted by: values are added up in place, in
// the order of the input.
#include "convert/mode_values.h"
#include "convert/pack_levels.h"
#include "data/deal.h"
#include "report/diagnostic.h"
#include "tensor/entry_terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <optional>

namespace unravel::convert {

using data::Scratch;

namespace {

struct Item {
  std::uint32_t line; // within the bucket
  std::uint32_t column;
  std::uint32_t below; // the slot, as far as the levels below the keyed one determine it
  double value;
};

/// So many entries are numbered at once.
constexpr std::size_t stretch = 512;
using Numbers = std::array<std::int64_t, stretch>;

/// The modes of entries: columns of them, or, where these are coordinates still, terms over them.
class ModeColumns {
public:
  ModeColumns(const Coordinates &entries, const PiecePlan &plan, const Tensor &tensor, bool are_modes)
      : entries_(entries), tensor_(tensor) {
    if (are_modes) {
      shape_ = entries.shape;
      return;
    }
    for (const Mode &mode : plan.modes) {
      ModeRange range = range_of(mode, tensor);
      shape_.push_back(range.size);
      values_.push_back(mode.value - term::Term(range.least));
    }
  }

  std::int64_t size(std::size_t mode) const { return std::max<std::int64_t>(shape_[mode], 1); }

  /// The mode of the entries from `begin` on; `room` is for those that must be computed.
  const std::int64_t *of(std::size_t mode, std::size_t begin, std::size_t count, Numbers &room) const {
    if (values_.empty()) return entries_.index[mode].data() + begin;
    evaluate_terms(values_[mode], tensor_, entries_, begin, std::span(room).first(count));
    return room.data();
  }

private:
  const Coordinates &entries_;
  const Tensor &tensor_;
  std::vector<std::int64_t> shape_;
  std::vector<term::Term> values_;
};

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
  bool append(const ModeColumns &modes, std::size_t mode, bool descending) {
    std::int64_t size = modes.size(mode);
    if (size > (INT64_C(1) << 32) / count) return false;
    for (Digit &digit : digits)
      digit.weight *= size;
    digits.push_back({mode, size, 1, descending});
    count *= size;
    return true;
  }

  /// The numbers of the entries from `begin` on.
  void of_entries(const ModeColumns &modes, std::size_t begin, std::size_t length, Numbers &numbers) const {
    Numbers room;
    std::fill_n(numbers.begin(), length, 0);
    for (const Digit &digit : digits) {
      const std::int64_t *index = modes.of(digit.mode, begin, length, room);
      std::int64_t factor = digit.descending ? -digit.weight : digit.weight;
      std::int64_t first = digit.descending ? digit.weight * (digit.size - 1) : 0;
      for (std::size_t k = 0; k < length; ++k)
        numbers[k] += first + factor * index[k];
    }
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

/// Sorts the items of a line by column, stable, to another place. Few columns have many items where levels
/// below share a node: of a longer line the columns are sorted, each once, and items dealt to these.
class ColumnSort {
public:
  explicit ColumnSort(bool shares_nodes) : shares_nodes_(shares_nodes) {}

  void operator()(const Item *from, std::size_t count, Item *to) {
    if (count <= short_line) return insert(from, count, to);
    columns_.clear();
    if (shares_nodes_) number_columns(from, count);
    if (columns_.empty() || columns_.size() > count / 2) {
      std::copy_n(from, count, to);
      std::stable_sort(to, to + count, [](const Item &a, const Item &b) { return a.column < b.column; });
      return;
    }
    deal_to_columns(from, count, to);
  }

private:
  static constexpr std::size_t short_line = 32;

  struct Column {
    std::uint32_t column, number;
    std::size_t items;
  };

  static void insert(const Item *from, std::size_t count, Item *to) {
    for (std::size_t k = 0; k < count; ++k) {
      std::size_t at = k;
      for (; at > 0 && from[k].column < to[at - 1].column; --at)
        to[at] = to[at - 1];
      to[at] = from[k];
    }
  }

  /// By a hash table of their numbers, in the order of their first items.
  void number_columns(const Item *from, std::size_t count) {
    unsigned bits = static_cast<unsigned>(std::bit_width(count));
    table_.assign(std::size_t{1} << bits, 0);
    number_of_.resize(count);
    std::size_t mask = table_.size() - 1;
    for (std::size_t k = 0; k < count; ++k) {
      std::size_t at = (from[k].column * UINT32_C(0x9E3779B1)) >> (32 - bits);
      while (table_[at] != 0 && columns_[table_[at] - 1].column != from[k].column)
        at = (at + 1) & mask;
      if (table_[at] == 0) {
        auto number = static_cast<std::uint32_t>(columns_.size());
        columns_.push_back({from[k].column, number, 0});
        table_[at] = number + 1;
      }
      number_of_[k] = table_[at] - 1;
      ++columns_[number_of_[k]].items;
    }
  }

  void deal_to_columns(const Item *from, std::size_t count, Item *to) {
    std::ranges::sort(columns_, {}, &Column::column);
    next_.resize(columns_.size());
    std::size_t sum = 0;
    for (const Column &column : columns_)
      next_[column.number] = std::exchange(sum, sum + column.items);
    for (std::size_t k = 0; k < count; ++k)
      to[next_[number_of_[k]]++] = from[k];
  }

  bool shares_nodes_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> table_;     // numbers, and 1
  std::vector<std::uint32_t> number_of_; // of each item's column
  std::vector<std::size_t> next_;        // place of a column's next item, by number
};

class KeyedPacker {
public:
  KeyedPacker(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
              const PackOptions &options, bool are_modes)
      : tensor_(tensor), plan_(plan), options_(options), modes_(coordinates, plan, tensor, are_modes),
        value_(coordinates.value.data()), entries_(coordinates.size()) {}

  /// Whether the plan is of this kind, for numbers of these sizes. Without side effects on the tensor.
  bool fits() {
    while (keyed_ < plan_.levels.size() && plan_.levels[keyed_].is_dense() && plan_.levels[keyed_].sign == 1)
      ++keyed_;
    if (keyed_ == plan_.levels.size() || !is_plain_level()) return false;
    for (std::size_t l = keyed_ + 1; l < plan_.levels.size(); ++l)
      if (!plan_.levels[l].is_dense()) return false;
    return number_modes() && number_below();
  }

  void pack() {
    numbers_ = level_numbers(plan_, tensor_);
    deal_entries();
    nodes_of_line_.assign(keyed_ > 0 ? static_cast<std::size_t>(lines_.count) : 0, 0);
    nodes_of_bucket_.assign(bucket_count_, 0);
    data::run_for_entries(entries_, bucket_count_, [&](std::size_t bucket) { sort_bucket(bucket); });
    number_nodes();
    check_memory(tensor_, options_, entries_);
    make_arrays();
    data::run_for_entries(entries_, bucket_count_, [&](std::size_t bucket) { write_bucket(bucket); });
  }

private:
  const Level &level() const { return plan_.levels[keyed_]; }

  bool is_plain_level() const {
    const Level &of = level();
    bool padded = of.kind == Level::Kind::Padded;
    if (of.kind != Level::Kind::Counted && of.kind != Level::Kind::Segment && !padded) return false;
    if ((of.kind == Level::Kind::Counted) != (keyed_ == 0) || (padded && !of.unused) || !of.merge)
      return false;
    if (plan_.value.empty() || !plan_.flags.empty()) return false;
    if (element_type(*tensor_.layout.array(plan_.value), options_.index, options_.value) == DType::F4)
      return false; // sums are made in double precision
    for (const Key &key : of.keys) {
      auto is_its = [&](const SortKey &by) { return by.mode == key.mode; };
      if (std::ranges::count_if(of.order, is_its) != 1) return false;
      if (key.slots.size() == 1 && (padded || key.slots[0].constant != 0)) return false;
    }
    for (const Slot &parent : of.parents)
      if (parent.level == Slot::no_level || parent.level >= keyed_) return false;
    return of.home ? has_plain_home() : of.order.size() == of.keys.size();
  }

  /// A hash table for each line; homes are small numbers.
  bool has_plain_home() const {
    const Level &of = level();
    ModeRange homes = range_of(plan_.modes[of.home->mode], tensor_);
    return keyed_ > 0 && of.pointer.empty() && of.order.size() == of.keys.size() + 1 &&
           of.order[0].mode == of.home->mode && homes.least == 0 && homes.size < INT64_C(1) << 30;
  }

  /// The position of a node with these keys, the one before it in the line being `before`.
  std::int64_t place(std::uint32_t column, std::int64_t before) const {
    return home_ ? std::max(before + 1, columns_.index_of(*home_, column)) : before + 1;
  }

  /// Without a level above, the first key takes the place of the line.
  bool number_modes() {
    const std::vector<SortKey> &order = level().order;
    for (std::size_t l = 0; l < keyed_; ++l)
      if (!lines_.append(modes_, plan_.levels[l].mode, false)) return false;
    std::size_t first = keyed_ == 0 ? 1 : 0;
    if (first == 1 && !lines_.append(modes_, order[0].mode, order[0].descending)) return false;
    for (std::size_t k = first; k < order.size(); ++k)
      if (!columns_.append(modes_, order[k].mode, order[k].descending)) return false;
    if (level().home) home_ = columns_.digit_of(level().home->mode);
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
      std::int64_t size = modes_.size(dense.mode);
      if (!strides[s] || *strides[s] >= INT64_C(1) << 32 || size >= INT64_C(1) << 30) return false;
      largest += *strides[s] * (size - 1);
      below_.digits.push_back({dense.mode, size, *strides[s], dense.sign < 0});
      if (largest >= INT64_C(1) << 32) return false;
    }
    return true;
  }

  void deal_entries() {
    shift_ = data::bits_within_bucket(entries_, static_cast<std::size_t>(lines_.count));
    bucket_count_ = ((static_cast<std::size_t>(lines_.count) - 1) >> shift_) + 1;
    items_ = std::make_unique<Scratch<Item>>(entries_);
    Item *items = items_->data();
    std::int64_t mask = (INT64_C(1) << shift_) - 1;
    auto number_lines = [&](std::size_t begin, std::size_t count, Numbers &lines) {
      lines_.of_entries(modes_, begin, count, lines);
    };
    bucket_begin_ = data::deal_stretches<stretch>(
        entries_, bucket_count_,
        [&](std::size_t begin, std::size_t count, std::vector<std::size_t> &number) {
          Numbers lines;
          number_lines(begin, count, lines);
          for (std::size_t k = 0; k < count; ++k)
            ++number[static_cast<std::size_t>(lines[k]) >> shift_];
        },
        [&](std::size_t begin, std::size_t count, std::vector<std::size_t> &next) {
          Numbers lines, columns, below;
          number_lines(begin, count, lines);
          columns_.of_entries(modes_, begin, count, columns);
          below_.of_entries(modes_, begin, count, below);
          for (std::size_t k = 0; k < count; ++k)
            items[next[static_cast<std::size_t>(lines[k]) >> shift_]++] = {
                static_cast<std::uint32_t>(lines[k] & mask), static_cast<std::uint32_t>(columns[k]),
                static_cast<std::uint32_t>(below[k]), value_[begin + k]};
        });
  }

  std::size_t first_line(std::size_t bucket) const { return bucket << shift_; }
  std::size_t lines_in(std::size_t bucket) const {
    return std::min(static_cast<std::size_t>(lines_.count) - first_line(bucket), std::size_t{1} << shift_);
  }

  /// By line and column, stable; counts the nodes.
  void sort_bucket(std::size_t bucket) {
    std::size_t count = bucket_begin_[bucket + 1] - bucket_begin_[bucket];
    if (count == 0) return;
    Item *items = items_->data() + bucket_begin_[bucket];
    std::vector<std::size_t> end(lines_in(bucket));
    for (std::size_t k = 0; k < count; ++k)
      ++end[items[k].line];
    std::size_t sum = 0;
    for (std::size_t &line : end)
      sum += std::exchange(line, sum);
    auto sorted = std::make_unique_for_overwrite<Item[]>(count);
    for (std::size_t k = 0; k < count; ++k)
      sorted[end[items[k].line]++] = items[k];
    std::size_t begin = 0;
    ColumnSort sort_line(!below_.digits.empty());
    for (std::size_t line = 0; line < end.size(); begin = end[line++]) {
      sort_line(sorted.get() + begin, end[line] - begin, items + begin);
      std::int64_t last = -1;
      for (std::size_t k = begin; k < end[line]; ++k)
        if (k == begin || items[k].column != items[k - 1].column) last = place(items[k].column, last);
      auto nodes = static_cast<std::size_t>(last + 1);
      nodes_of_bucket_[bucket] += nodes;
      if (keyed_ > 0) nodes_of_line_[first_line(bucket) + line] = static_cast<std::uint32_t>(nodes);
    }
  }

  /// Counts and pointers.
  void number_nodes() {
    node_begin_.assign(bucket_count_, 0);
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket)
      node_begin_[bucket] = std::exchange(sum, sum + nodes_of_bucket_[bucket]);
    auto nodes = static_cast<std::int64_t>(sum);
    node_count_ = level().kind == Level::Kind::Padded ? -1 : nodes;
    if (level().kind == Level::Kind::Padded)
      widen();
    else if (!level().count.empty())
      tensor_.counts[level().count] = nodes;
    if (level().kind == Level::Kind::Segment) {
      check_width(tensor_.layout, level().pointer, options_, nodes, fmt::format("{} entries", nodes));
      Elements &pointers = make_array(tensor_, level().pointer, options_);
      Place place = place_of(level().pointer, level().parents);
      for (std::size_t line = 0; line < nodes_of_line_.size(); ++line)
        if (nodes_of_line_[line] > 0)
          pointers.set_integer(pointer_slot(pointers, place, line) + 1, nodes_of_line_[line]);
      sum_pointers(pointers);
    }
    complete_counts(tensor_);
  }

  /// How many positions a padded level has: the most that any node fills, of all or of each segment.
  void widen() {
    std::uint32_t widest = 0;
    for (std::uint32_t nodes : nodes_of_line_)
      widest = std::max(widest, nodes);
    set_width(tensor_, plan_, level(), widest);
    check_length(tensor_, level(), options_, widest);
    if (level().pointer.empty()) return;
    Elements &pointers = make_array(tensor_, level().pointer, options_);
    pointer_place_ = place_of(level().pointer, level().parents);
    for (std::size_t line = 0; line < nodes_of_line_.size(); ++line) {
      if (nodes_of_line_[line] == 0) continue;
      std::size_t slot = pointer_slot(pointers, pointer_place_, line) + 1;
      pointers.set_integer(slot, std::max<std::int64_t>(pointers.integer(slot), nodes_of_line_[line]));
    }
    sum_widths(tensor_, level(), pointers, options_, entries_);
  }

  /// A slot as a sum: what the line gives, and a factor of the node's position.
  struct Place {
    struct Part {
      std::int64_t weight, size, factor; // factor * (line / weight % size)
    };
    std::int64_t constant = 0, node = 0;
    std::vector<Part> parts;
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
        if (dense.sign < 0) place.constant -= stride * (modes_.size(dense.mode) - 1);
        continue;
      }
      const MixedNumber::Digit &digit = *lines_.digit_of(dense.mode);
      place.parts.push_back({digit.weight, digit.size, stride});
    }
    return place;
  }

  static std::int64_t slot_of_line(const Place &place, std::size_t line) {
    std::int64_t slot = place.constant;
    for (const Place::Part &part : place.parts)
      slot += part.factor * (static_cast<std::int64_t>(line) / part.weight % part.size);
    return slot;
  }

  static std::size_t pointer_slot(const Elements &pointers, const Place &place, std::size_t line) {
    std::int64_t slot = slot_of_line(place, line);
    report::require(slot >= 0 && slot + 1 < static_cast<std::int64_t>(pointers.size()),
                    "a segment lies within its pointers");
    return static_cast<std::size_t>(slot);
  }

  struct KeyPlace {
    const Key *key;
    std::int64_t offset;
    Place place;
    Elements *array;
  };

  void make_arrays() {
    Elements &values = make_array(tensor_, plan_.value, options_, false);
    value_place_ = place_of(plan_.value, plan_.slots);
    // Where a node's values lie behind those of the node before, buckets clear their own.
    clears_in_buckets_ = value_place_.parts.empty() && value_place_.constant == 0 &&
                         value_place_.node * node_count_ == static_cast<std::int64_t>(values.size());
    if (!clears_in_buckets_) fill(values.as<double>(), 0.0);
    for (std::size_t k = 0; k < level().keys.size(); ++k) {
      const Key &key = level().keys[k];
      bool made = tensor_.arrays.count(key.array) != 0; // by another key of the same array
      Elements &array = made ? tensor_.array(key.array) : make_array(tensor_, key.array, options_, false);
      Place place = place_of(key.array, key.slots);
      bool all_are_set = level().kind != Level::Kind::Padded && place.parts.empty() && place.node == 1 &&
                         node_count_ == static_cast<std::int64_t>(array.size());
      made = made || all_are_set;
      std::int64_t unused = level().unused ? try_evaluate(*level().unused, tensor_).value() : 0;
      if (!made)
        with_integers(array,
                      [unused]<class T>(std::span<T> elements) { fill(elements, static_cast<T>(unused)); });
      keys_.push_back({&key, numbers_[keyed_].key_offsets[k], std::move(place), nullptr});
    }
    if (!level().lengths.empty()) {
      make_array(tensor_, level().lengths, options_);
      length_place_ = place_of(level().lengths, level().length_slots);
    }
    for (KeyPlace &key : keys_)
      key.array = &tensor_.array(key.key->array);
  }

  template <class T> static void fill(std::span<T> elements, T value) {
    data::run_ranges(elements.size(), [&](std::size_t begin, std::size_t end) {
      std::fill(elements.begin() + static_cast<std::ptrdiff_t>(begin),
                elements.begin() + static_cast<std::ptrdiff_t>(end), value);
    });
  }

  void write_bucket(std::size_t bucket) {
    const Item *items = items_->data() + bucket_begin_[bucket];
    std::size_t count = bucket_begin_[bucket + 1] - bucket_begin_[bucket];
    std::span<double> values = tensor_.array(plan_.value).as<double>();
    auto next = static_cast<std::int64_t>(node_begin_[bucket]);
    if (clears_in_buckets_)
      std::fill_n(values.begin() + value_place_.node * next,
                  value_place_.node * static_cast<std::int64_t>(nodes_of_bucket_[bucket]), 0.0);
    Elements *lengths = level().lengths.empty() ? nullptr : &tensor_.array(level().lengths);
    std::int64_t node = 0, slot = 0, line_slot = 0, first_node = 0;
    std::vector<std::int64_t> key_slots(keys_.size()); // for node 0 of the line
    for (std::size_t k = 0; k < count; ++k) {
      const Item &item = items[k];
      bool new_line = k == 0 || item.line != items[k - 1].line;
      std::size_t line = first_line(bucket) + item.line;
      if (new_line) {
        line_slot = slot_of_line(value_place_, line);
        for (std::size_t key = 0; key < keys_.size(); ++key)
          key_slots[key] = slot_of_line(keys_[key].place, line);
      }
      if (new_line || item.column != items[k - 1].column) {
        if (level().kind != Level::Kind::Padded)
          node = next++;
        else
          node = next_padded(item.column, line, new_line, node);
        slot = line_slot + value_place_.node * node;
        if (new_line) first_node = node;
        if (lengths) set_length(*lengths, line, node + 1 - first_node);
        for (std::size_t key = 0; key < keys_.size(); ++key)
          write_key(keys_[key], key_slots[key], line, item.column, node);
      }
      auto at = static_cast<std::size_t>(slot + item.below);
      report::require(at < values.size(), "a slot lies within its array");
      values[at] += item.value;
    }
  }

  std::int64_t next_padded(std::uint32_t column, std::size_t line, bool new_line, std::int64_t node) const {
    if (level().pointer.empty()) return place(column, new_line ? -1 : node);
    if (!new_line) return node + 1;
    const Elements &pointers = tensor_.array(level().pointer);
    return pointers.integer(pointer_slot(pointers, pointer_place_, line));
  }

  void set_length(Elements &lengths, std::size_t line, std::int64_t length) const {
    std::int64_t slot = slot_of_line(length_place_, line);
    report::require(slot >= 0 && slot < static_cast<std::int64_t>(lengths.size()),
                    "a length lies within its array");
    lengths.set_integer(static_cast<std::size_t>(slot), length);
  }

  void write_key(const KeyPlace &key, std::int64_t line_slot, std::size_t line, std::int64_t column,
                 std::int64_t node) {
    const MixedNumber::Digit *digit = columns_.digit_of(key.key->mode);
    std::int64_t index = digit ? columns_.index_of(*digit, column)
                               : lines_.index_of(lines_.digits[0], static_cast<std::int64_t>(line));
    std::int64_t slot = line_slot + key.place.node * node;
    report::require(slot >= 0 && slot < static_cast<std::int64_t>(key.array->size()),
                    "a slot lies within its array");
    key.array->set_integer(static_cast<std::size_t>(slot), key.key->sign * (index - key.offset));
  }

  Tensor &tensor_;
  const PiecePlan &plan_;
  const PackOptions &options_;
  ModeColumns modes_;
  const double *value_;
  std::size_t entries_;
  std::size_t keyed_ = 0; // the number of the keyed level
  MixedNumber lines_, columns_;
  MixedNumber below_;                        // with strides for weights
  const MixedNumber::Digit *home_ = nullptr; // of the columns; tables only
  std::vector<LevelNumbers> numbers_;
  unsigned shift_ = 0;
  std::size_t bucket_count_ = 1;
  std::unique_ptr<Scratch<Item>> items_;
  std::vector<std::size_t> bucket_begin_, nodes_of_bucket_, node_begin_;
  std::vector<std::uint32_t> nodes_of_line_; // where there are levels above
  std::int64_t node_count_ = 0;              // of nodes that follow each other; padded ones don't
  bool clears_in_buckets_ = false;
  Place value_place_, pointer_place_, length_place_;
  std::vector<KeyPlace> keys_;
};

} // namespace

bool pack_keyed(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
                const PackOptions &options, bool are_modes) {
  KeyedPacker packer(tensor, plan, coordinates, options, are_modes);
  if (!packer.fits()) return false;
  packer.pack();
  return true;
}

} // namespace unravel::convert
