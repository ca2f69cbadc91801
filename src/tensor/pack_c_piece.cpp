// One piece of a plan of packing as C: the same steps as pack_levels.cpp, with qsort.
#include "tensor/pack_c_piece.h"

#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::tensor {

using layout::Layout;
using term::Term;

namespace {

using Declared = layout::Array;

/// One comparison of a sort: a member of an entry.
struct Comparison {
  std::string member;
  bool descending = false;
};

std::string conjunction_of(const std::vector<Term> &conditions, const PackCText &c) {
  return c.condition(term::conjunction(conditions));
}

} // namespace

class PieceWriter::Body {
public:
  Body(const PiecePlan &plan, const std::string &suffix, std::vector<Term> taken, PackCText &c)
      : plan_(plan), suffix_(suffix), taken_(std::move(taken)), c_(c), layout_(c.layout), e_(c.e), k_(c.k),
        entry_(c.entry), n_(c.n) {
    for (const Level &level : plan.levels)
      nodes_.push_back(c.choose("at_" + level.position));
    if (is_partial()) n_ = c.choose("own");
  }

  /// Functions that compare entries; nothing where none are sorted.
  void write_comparisons() {
    if (plan_.is_dense()) return;
    std::vector<Comparison> sorted;
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      add_comparisons(l, sorted);
    write_comparison("order", sorted);
  }
  std::size_t groups() const { return groups_.size(); }

  /// Counts that are as large as some entry wants them.
  void write_limits() {
    if (plan_.limits.empty()) return;
    open_own_entries();
    for (const Limit &limit : plan_.limits)
      c_.line("if (-({0}) > {1}) {1} = -({0});", c_.term(limit.rest), c_.member(limit.count));
    c_.close();
  }

  void write() {
    if (plan_.is_dense()) return write_dense();
    write_entries();
    write_openings();
    write_pointers();
    write_positions();
    c_.line("free({});", entry_);
  }

private:
  bool is_partial() const { return !plan_.conditions.empty() || !taken_.empty(); }

  /// A loop over the entries of the input that belong to this piece.
  void open_own_entries() {
    c_.open_loop(e_, c_.n);
    if (!taken_.empty()) c_.line("if ({}) continue;", c_.condition(term::disjunction(taken_)));
    if (!plan_.conditions.empty()) c_.line("if (!({})) continue;", conjunction_of(plan_.conditions, c_));
  }

  std::string coordinate(std::size_t mode) const { return fmt::format("{}[{}].index[{}]", entry_, e_, mode); }
  std::string opens() const { return fmt::format("{}[{}].opens", entry_, e_); }

  static std::vector<std::size_t> modes_of(const Level &level) {
    if (level.has_mode()) return {level.mode};
    std::vector<std::size_t> modes;
    for (const Key &key : level.keys)
      modes.push_back(key.mode);
    return modes;
  }

  // ---- sorting

  void write_comparison(const std::string &name, const std::vector<Comparison> &comparisons) {
    c_.open(fmt::format("static int {}_{}{}(const void *a, const void *b)", c_.prefix, name, suffix_));
    c_.line("const {0}_entry *x = (const {0}_entry *)a;", c_.prefix);
    c_.line("const {0}_entry *y = (const {0}_entry *)b;", c_.prefix);
    for (const Comparison &by : comparisons)
      c_.line("if (x->{0} != y->{0}) return x->{0} {1} y->{0} ? -1 : 1;", by.member,
              by.descending ? ">" : "<");
    c_.line("return x->number < y->number ? -1 : x->number > y->number;");
    c_.close();
    c_.line("");
  }

  /// What level l is sorted by. Groups of entries that keep the input's order are found by sorting first (see
  /// order_entries); so are blocks that begin anywhere.
  void add_comparisons(std::size_t l, std::vector<Comparison> &sorted) {
    const Level &level = plan_.levels[l];
    std::vector<Comparison> together = sorted;
    if (level.has_mode()) sorted.push_back({fmt::format("index[{}]", level.mode), level.sign < 0});
    for (const SortKey &key : level.order)
      sorted.push_back({fmt::format("index[{}]", key.mode), key.descending});
    for (const Key &key : level.keys) {
      together.push_back({fmt::format("index[{}]", key.mode)});
      if (plan_.modes[key.mode].cover == 0) continue;
      write_comparison("cover", together);
      cover_ = {key.mode, together};
    }
    if (!level.merge || level.order.size() == level.keys.size() || level.has_mode()) return;
    write_comparison(fmt::format("group_{}", groups_.size()), together);
    groups_.push_back(together);
    sorted.push_back({fmt::format("group[{}]", groups_.size() - 1)});
  }

  void sort_by(const std::string &name) {
    c_.line("qsort({0}, (size_t){1}, sizeof *{0}, {2}_{3}{4});", entry_, n_, c_.prefix, name, suffix_);
  }

  std::string same_as_before(const std::vector<Comparison> &members) const {
    std::string same = e_ + " > 0";
    for (const Comparison &by : members)
      same += fmt::format(" && {0}[{1}].{2} == {0}[{1} - 1].{2}", entry_, e_, by.member);
    return same;
  }

  void write_entries() {
    c_.line("{0}_entry *{1} = ({0}_entry *){0}_allocate({2}, sizeof({0}_entry));", c_.prefix, entry_, c_.n);
    c_.open(fmt::format("if (!{})", entry_));
    c_.line("free_{}({});", c_.type, c_.self);
    c_.line("return 2;");
    c_.close();
    std::string to = e_;
    if (is_partial()) {
      c_.line("int64_t {} = 0;", n_);
      to = n_;
    }
    open_own_entries();
    for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode)
      c_.line("{}[{}].index[{}] = {};", entry_, to, mode,
              plan_.modes[mode].rest ? "0" : c_.term(plan_.modes[mode].value));
    c_.line("{0}[{1}].number = {2};", entry_, to, e_);
    c_.line("{0}[{1}].value = {2}[{3}];", entry_, to, c_.values, e_);
    if (is_partial()) c_.line("++{};", n_);
    c_.close();
    if (!cover_.second.empty()) write_cover();
    for (std::size_t group = 0; group < groups_.size(); ++group)
      write_group(group);
    sort_by("order");
  }

  /// Blocks begin at the first entry that none before covers.
  void write_cover() {
    sort_by("cover");
    std::string first = c_.choose("first"), mode = coordinate(cover_.first);
    std::vector<Comparison> above(cover_.second.begin(), cover_.second.end() - 1);
    c_.line("int64_t {} = 0;", first);
    c_.open_loop(e_, n_);
    // The block before has put its first value in the entry before.
    std::string same = same_as_before(above);
    c_.line("if (!({0} && {1} - {2} < {3})) {2} = {1};", same, mode, first, plan_.modes[cover_.first].cover);
    c_.line("{} = {} - {};", coordinate(cover_.first + 1), mode, first);
    c_.close();
    c_.line("for (int64_t {0} = 0; {0} < {1}; ++{0}) {2} -= {3};", e_, n_, mode,
            coordinate(cover_.first + 1));
  }

  /// Entries that share a position get the number of the first of them.
  void write_group(std::size_t group) {
    sort_by(fmt::format("group_{}", group));
    c_.open_loop(e_, n_);
    c_.line("{0}[{1}].group[{2}] = {3} ? {0}[{1} - 1].group[{2}] : {0}[{1}].number;", entry_, e_, group,
            same_as_before(groups_[group]));
    c_.close();
  }

  void write_openings() {
    std::string levels;
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      levels += fmt::format("{}{} of {}", l ? ", " : "", l, plan_.levels[l].position);
    c_.line("// Where new positions begin: level {}.", levels);
    std::vector<std::size_t> counted;
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      if (!plan_.levels[l].count.empty() && plan_.levels[l].kind != Level::Kind::Padded) counted.push_back(l);
    for (std::size_t l : counted)
      start(l, 0);
    c_.open_loop(e_, n_);
    bool last_shares = plan_.levels.back().merge;
    std::size_t compared = plan_.levels.size() - (last_shares ? 0 : 1);
    c_.line("{} = {};", opens(), compared);
    if (compared == 0) c_.line("// every entry has a position of its own");
    for (std::size_t l = 0; l < compared; ++l) {
      std::string differs = l == 0 ? fmt::format("{} == 0", e_) : "";
      for (std::size_t mode : modes_of(plan_.levels[l]))
        differs += fmt::format("{0}{1}[{2}].index[{3}] != {1}[{2} - 1].index[{3}]",
                               differs.empty() ? "" : " || ", entry_, e_, mode);
      c_.line("{}if ({})", l == 0 ? "" : "else ", differs);
      c_.line("  {} = {};", opens(), l);
    }
    for (std::size_t l : counted)
      c_.line("if ({} <= {}) ++{};", opens(), l, nodes_[l]);
    c_.close();
  }

  /// Sets the counter of a level's positions, declaring it the first time.
  void start(std::size_t l, int value) {
    c_.line("{}{} = {};", started_.insert(l).second ? "int64_t " : "", nodes_[l], value);
  }

  // ---- arrays

  void fail(int code) {
    if (!plan_.is_dense()) c_.line("free({});", entry_);
    c_.line("free_{}({});", c_.type, c_.self);
    c_.line("return {};", code);
  }
  void fail_if(const std::string &condition, int code = 1) {
    c_.open(fmt::format("if ({})", condition));
    fail(code);
    c_.close();
  }

  /// Allocates arrays, then checks all of them at once.
  void allocate(const std::vector<std::string> &arrays) {
    std::string missing;
    for (const std::string &name : arrays) {
      const Declared &array = *layout_.array(name);
      std::string count;
      for (std::size_t place = 0; place < array.extents.size(); ++place) {
        std::string extent = c_.term(array.extents[place]);
        if (place == 0) {
          count = array.extents.size() > 1 ? PackCText::factor(extent) : extent;
          continue;
        }
        // The product so far must leave room for one more factor.
        const auto *constant = array.extents[place].as<term::Constant>();
        std::string any = constant && constant->value > 0 ? "" : extent + " > 0 && ";
        fail_if(fmt::format("{}{} > INT64_MAX / {}", any, count, PackCText::factor(extent)), 2);
        count = fmt::format("{} * {}", count, PackCText::factor(extent));
      }
      c_.line("{0} = ({1} *){2}_allocate({3}, sizeof({1}));", c_.member(name), c_.element(name), c_.prefix,
              count.empty() ? "1" : count);
      missing += fmt::format("{}!{}", missing.empty() ? "" : " || ", c_.member(name));
    }
    if (!missing.empty()) fail_if(missing, 2);
  }

  void fill(const std::string &array, const std::string &value) {
    if (value == "0") return; // as it is allocated
    c_.open_loop(k_, c_.size_of(array));
    c_.line("{}[{}] = {};", c_.member(array), k_, value);
    c_.close();
  }

  /// slot of an array, from the positions of the levels
  std::string slot_text(const std::string &name, const std::vector<Slot> &slots) const {
    const Declared &array = *layout_.array(name);
    std::string text;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      std::string subscript = slots[s].level == Slot::no_level
                                  ? std::to_string(slots[s].constant)
                                  : c_.shifted(1, nodes_[slots[s].level], Term(slots[s].constant));
      text = s == 0 ? subscript
                    : fmt::format("{} * {} + {}", PackCText::factor(text),
                                  PackCText::factor(c_.term(array.extents[s])), subscript);
    }
    return text.empty() ? "0" : text;
  }

  std::string stored_value(const std::string &text) const {
    std::string type = c_.element(plan_.value);
    std::string value = plan_.negative ? "-" + text : text;
    return type == "double" ? value : fmt::format("({}){}", type, plan_.negative ? "(" + value + ")" : value);
  }

  void write_dense() {
    allocate({plan_.value});
    open_own_entries();
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      c_.line("int64_t {} = {};", nodes_[l],
              c_.shifted(plan_.levels[l].sign,
                         PackCText::factor(c_.term(plan_.modes[plan_.levels[l].mode].value)),
                         plan_.levels[l].offset));
    c_.line("{}[{}] += {};", c_.member(plan_.value), slot_text(plan_.value, plan_.slots),
            stored_value(fmt::format("{}[{}]", c_.values, e_)));
    c_.close();
  }

  void define_counts(std::set<std::string> &known) {
    for (const layout::Count &count : layout_.counts) {
      if (!count.definition || known.count(count.name)) continue;
      bool ready = true;
      for (const Term &call : term::applications_of(*count.definition))
        ready = ready && known.count(call.as<term::Apply>()->function);
      for (const std::string &name : term::variables_of(*count.definition))
        ready = ready && (known.count(name) || std::count(layout_.sizes.begin(), layout_.sizes.end(), name));
      if (!ready) continue;
      c_.line("{} = {};", c_.member(count.name), c_.term(*count.definition));
      known.insert(count.name);
    }
  }

  void write_pointers() {
    std::set<std::string> known;
    for (const Limit &limit : plan_.limits)
      known.insert(limit.count);
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      if (!level.count.empty() && level.kind != Level::Kind::Padded)
        c_.line("{} = {};", c_.member(level.count), nodes_[l]);
      if (!level.count.empty()) known.insert(level.count);
      if (!level.pointer.empty()) {
        allocate({level.pointer});
        known.insert(level.pointer);
      }
      if (level.kind == Level::Kind::Segment) {
        c_.line("// Where each segment begins: the entries of each, counted and added up.");
        write_pointer(l);
      }
      if (level.kind == Level::Kind::Padded) write_width(l);
      if (level.kind == Level::Kind::Run) write_runs(l);
      define_counts(known);
    }
    std::vector<std::string> rest;
    for (const Level &level : plan_.levels)
      for (const Key &key : level.keys)
        if (std::find(rest.begin(), rest.end(), key.array) == rest.end()) rest.push_back(key.array);
    for (const Flag &flag : plan_.flags)
      rest.push_back(flag.array);
    if (!plan_.value.empty()) rest.push_back(plan_.value);
    allocate(rest);
    for (const Level &level : plan_.levels)
      for (const Key &key : level.keys)
        if (level.unused) fill(key.array, c_.term(*level.unused));
    for (const Flag &flag : plan_.flags)
      fill(flag.array, std::to_string(flag.other));
  }

  void sum_pointers(const Level &level) {
    c_.open_loop(k_, c_.size_of(level.pointer), 1);
    c_.line("{0}[{1}] += {0}[{1} - 1];", c_.member(level.pointer), k_);
    c_.close();
  }

  std::string dense_position(std::size_t l) const {
    const Level &level = plan_.levels[l];
    return c_.shifted(level.sign, coordinate(level.mode), level.offset);
  }

  /// The slot of a level's parent, which is dense and the only one, in the pointer.
  std::string parent_slot(const Level &level, std::int64_t later) const {
    const Slot &slot = level.parents[0];
    return c_.shifted(1, dense_position(slot.level), Term(slot.constant + later));
  }

  /// Counts the children of each node, then adds up.
  void write_pointer(std::size_t l) {
    const Level &level = plan_.levels[l];
    for (const Slot &parent : level.parents)
      if (!plan_.levels[parent.level].is_dense()) start(parent.level, -1);
    c_.open_loop(e_, n_);
    for (const Slot &slot : level.parents) {
      if (plan_.levels[slot.level].is_dense())
        c_.line("int64_t {} = {};", nodes_[slot.level], dense_position(slot.level));
      else
        c_.line("if ({} < {}) ++{};", opens(), slot.level + 1, nodes_[slot.level]);
    }
    std::vector<Slot> next = level.parents;
    ++next.back().constant;
    c_.line("if ({} <= {}) ++{}[{}];", opens(), l, c_.member(level.pointer), slot_text(level.pointer, next));
    c_.close();
    sum_pointers(level);
  }

  /// As many positions as any node fills: of all, or of each segment.
  void write_width(std::size_t l) {
    const Level &level = plan_.levels[l];
    std::string rank = c_.choose("rank"), width = c_.choose("width");
    c_.line("int64_t {} = 0;", rank);
    if (level.pointer.empty()) c_.line("int64_t {} = 0;", width);
    c_.open_loop(e_, n_);
    c_.line("if ({} > {}) continue;", opens(), l);
    c_.line("{0} = {1} < {2} ? 1 : {0} + 1;", rank, opens(), l);
    if (level.pointer.empty())
      c_.line("if ({0} > {1}) {1} = {0};", rank, width);
    else
      c_.line("if ({0} > {1}[{2}]) {1}[{2}] = ({3}){0};", rank, c_.member(level.pointer),
              parent_slot(level, 1), c_.element(level.pointer));
    c_.close();
    if (!level.pointer.empty())
      add_up_widths(level);
    else if (!level.count.empty())
      c_.line("{} = {};", c_.member(level.count), width);
    else
      fail_if(fmt::format("{} > {}", width, level.width));
  }

  /// As sum_pointers, but the sum may be more than there are entries.
  void add_up_widths(const Level &level) {
    std::string total = c_.choose("total");
    c_.line("int64_t {} = 0;", total);
    c_.open_loop(k_, c_.size_of(level.pointer));
    c_.line("{} += {}[{}];", total, c_.member(level.pointer), k_);
    if (c_.is_narrow(level.pointer)) fail_if(total + " > INT32_MAX");
    c_.line("{}[{}] = ({}){};", c_.member(level.pointer), k_, c_.element(level.pointer), total);
    c_.close();
  }

  /// Where each run begins, and how long it is.
  void write_runs(std::size_t l) {
    const Level &level = plan_.levels[l];
    const Slot &slot = level.parents[0];
    std::string pointer = c_.member(level.pointer), type = c_.element(level.pointer);
    std::string parent = c_.choose("parent"), at = c_.choose("at");
    auto open_entries = [&] {
      c_.open_loop(e_, n_);
      c_.line("int64_t {} = {}, {} = {};", parent, parent_slot(level, 0), at,
              c_.shifted(1, coordinate(level.mode), level.offset));
    };
    /// For terms over the parent's position, in a loop over slots.
    auto over_slots = [&](const Term &term) {
      const std::string &position = plan_.levels[slot.level].position;
      c_.locals[position] = k_;
      std::string text =
          c_.term(term::substitute(term, {{position, term::variable(position) - Term(slot.constant)}}));
      c_.locals.erase(position);
      return text;
    };
    if (!level.first.empty()) {
      allocate({level.first});
      std::string first = c_.member(level.first), first_type = c_.element(level.first);
      std::string most = first_type == "int32_t" ? "INT32_MAX" : "INT64_MAX";
      fill(level.first, most);
      open_entries();
      c_.line("if ({0} < {1}[{2}]) {1}[{2}] = ({3}){0};", at, first, parent, first_type);
      c_.close();
      c_.open_loop(k_, c_.size_of(level.first));
      if (level.first_most)
        c_.line("if ({0}[{1}] > {2}) {0}[{1}] = ({3})({2});", first, k_, over_slots(*level.first_most),
                first_type);
      else
        c_.line("if ({0}[{1}] == {2}) {0}[{1}] = 0;", first, k_, most);
      c_.close();
    }
    if (!level.length) {
      open_entries();
      if (!level.first.empty()) c_.line("{} -= {}[{}];", at, c_.member(level.first), parent);
      c_.line("if ({0} >= {1}[{2} + 1]) {1}[{2} + 1] = ({3})({0} + 1);", at, pointer, parent, type);
      c_.close();
      return add_up_widths(level);
    }
    std::string total = c_.choose("total"), length = c_.choose("length");
    c_.line("int64_t {} = 0;", total);
    c_.open_loop(k_, c_.size_of(level.pointer) + " - 1");
    c_.line("int64_t {} = {};", length, over_slots(*level.length));
    c_.line("if ({0} > 0) {1} += {0};", length, total);
    if (c_.is_narrow(level.pointer)) fail_if(total + " > INT32_MAX");
    c_.line("{}[{} + 1] = ({}){};", pointer, k_, type, total);
    c_.close();
  }

  // ---- positions

  void write_positions() {
    c_.line("// One round per stored value: entries that share all positions are added up.");
    auto in_slot = [&](const std::vector<Slot> &slots, std::size_t l) {
      return std::any_of(slots.begin(), slots.end(), [&](const Slot &slot) { return slot.level == l; });
    };
    auto is_needed = [&](std::size_t l) {
      bool needed = in_slot(plan_.slots, l);
      for (const Flag &flag : plan_.flags)
        needed = needed || in_slot(flag.slots, l);
      for (const Level &level : plan_.levels)
        for (const Key &key : level.keys)
          needed = needed || in_slot(key.slots, l);
      return needed;
    };
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      if (!plan_.levels[l].has_mode()) start(l, -1);
    c_.open(fmt::format("for (int64_t {0} = 0; {0} < {1};)", e_, n_));
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      if (plan_.levels[l].is_dense() && is_needed(l))
        c_.line("int64_t {} = {};", nodes_[l], dense_position(l));
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      if (plan_.levels[l].kind == Level::Kind::Run) write_run_position(l);
      if (!plan_.levels[l].keys.empty()) write_keys(l);
    }
    for (const Flag &flag : plan_.flags)
      c_.line("{}[{}] = {};", c_.member(flag.array), slot_text(flag.array, flag.slots), flag.value);
    std::string sum = c_.choose("sum");
    c_.line("double {} = {}[{}].value;", sum, entry_, e_);
    c_.line("for (++{0}; {0} < {1} && {2}[{0}].opens == {3}; ++{0}) {4} += {2}[{0}].value;", e_, n_, entry_,
            plan_.levels.size(), sum);
    if (plan_.value.empty())
      fail_if(fmt::format("{} != {}", sum, plan_.negative ? -plan_.literal : plan_.literal));
    else
      c_.line("{}[{}] = {};", c_.member(plan_.value), slot_text(plan_.value, plan_.slots), stored_value(sum));
    c_.close();
  }

  void write_run_position(std::size_t l) {
    const Level &level = plan_.levels[l];
    std::string pointer = c_.member(level.pointer), parent = parent_slot(level, 0),
                next = parent_slot(level, 1);
    std::string first = level.first.empty() ? "" : fmt::format(" - {}[{}]", c_.member(level.first), parent);
    c_.line("int64_t {} = {}[{}] + {}{};", nodes_[l], pointer, parent,
            c_.shifted(1, coordinate(level.mode), level.offset), first);
    fail_if(fmt::format("{0} < {1}[{2}] || {0} >= {1}[{3}]", nodes_[l], pointer, parent, next));
  }

  void write_keys(std::size_t l) {
    const Level &level = plan_.levels[l];
    c_.open(fmt::format("if ({} <= {})", opens(), l));
    if (level.kind == Level::Kind::Padded) {
      std::string base = level.pointer.empty()
                             ? "0"
                             : fmt::format("{}[{}]", c_.member(level.pointer), parent_slot(level, 0));
      c_.line("{0} = {1} == {2} ? {0} + 1 : {3};", nodes_[l], opens(), l, base);
    } else {
      c_.line("++{};", nodes_[l]);
    }
    for (const Key &key : level.keys) {
      Term offset = key.sign > 0 ? -key.offset : key.offset;
      std::string type = c_.element(key.array), value = c_.shifted(key.sign, coordinate(key.mode), offset);
      c_.line("{}[{}] = {};", c_.member(key.array), slot_text(key.array, key.slots),
              type == "int64_t" ? value : fmt::format("({})({})", type, value));
    }
    c_.close();
  }

  const PiecePlan &plan_;
  std::string suffix_;
  std::vector<Term> taken_;
  PackCText &c_;
  const Layout &layout_;
  std::string e_, k_, entry_, n_;
  std::vector<std::string> nodes_;
  std::set<std::size_t> started_; // levels whose counter is declared
  std::vector<std::vector<Comparison>> groups_;
  std::pair<std::size_t, std::vector<Comparison>> cover_; // the mode, and what it is sorted by
};

PieceWriter::PieceWriter(const PiecePlan &plan, const std::string &suffix, std::vector<Term> taken,
                         PackCText &c)
    : body_(std::make_unique<Body>(plan, suffix, std::move(taken), c)) {}
PieceWriter::~PieceWriter() = default;
PieceWriter::PieceWriter(PieceWriter &&) noexcept = default;

void PieceWriter::write_comparisons() {
  body_->write_comparisons();
}
std::size_t PieceWriter::groups() const {
  return body_->groups();
}
void PieceWriter::write_limits() {
  body_->write_limits();
}
void PieceWriter::write() {
  body_->write();
}

} // namespace unravel::tensor
