// The arrays of a piece in C: how large they are, what they hold before entries are written.
#include "packing/pack_c_piece.h"

#include <algorithm>

namespace unravel::packing {

void PieceWriter::fail(int code) {
  for (const std::string &pointer : held_)
    c_.line("free({});", pointer);
  if (!left_.empty()) c_.line("free({});", left_);
  c_.line("free_{}({});", c_.type, c_.self);
  c_.line("return {};", code);
}

void PieceWriter::fail_if(const std::string &condition, int code) {
  c_.open(fmt::format("if ({})", condition));
  fail(code);
  c_.close();
}

void PieceWriter::hold(const std::string &pointer, const std::string &type, const std::string &count) {
  c_.line("{0} *{1} = ({0} *){2}_allocate({3}, sizeof({0}));", type, pointer, c_.prefix, count);
  fail_if("!" + pointer, 2);
  held_.push_back(pointer);
}

void PieceWriter::allocate(const std::vector<std::string> &arrays) {
  std::string missing;
  for (const std::string &name : arrays) {
    const layout::Array &array = *layout_.array(name);
    std::string count;
    for (std::size_t place = 0; place < array.extents.size(); ++place) {
      std::string extent = c_.extent(array.extents[place]);
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

void PieceWriter::fill(const std::string &array, const std::string &value) {
  if (value == "0") return; // as it is allocated
  c_.open_loop(k_, c_.size_of(array));
  c_.line("{}[{}] = {};", c_.member(array), k_, value);
  c_.close();
}

std::string PieceWriter::slot_text(const std::string &name, const std::vector<Slot> &slots) const {
  const layout::Array &array = *layout_.array(name);
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

std::string PieceWriter::stored_value(const std::string &text) const {
  std::string type = c_.element(plan_.value);
  std::string value = plan_.negative ? "-" + text : text;
  return type == c_.sum() ? value : fmt::format("({}){}", type, plan_.negative ? "(" + value + ")" : value);
}

void PieceWriter::write_dense() {
  allocate({plan_.value});
  const std::string nothing = c_.fill_of(plan_.value, plan_.negative);
  std::string is_given;
  if (nothing != "0") {
    is_given = c_.choose("given");
    c_.line("// Which slots have an entry; the others hold {}.", nothing);
    hold(is_given, "char", c_.size_of(plan_.value));
    fill(plan_.value, nothing);
  }
  open_own_entries();
  for (std::size_t l = 0; l < plan_.levels.size(); ++l)
    c_.line("int64_t {} = {};", nodes_[l],
            c_.shifted(plan_.levels[l].sign,
                       PackCText::factor(c_.term(plan_.modes[plan_.levels[l].mode].value)),
                       plan_.levels[l].offset));
  std::string slot = slot_text(plan_.value, plan_.slots);
  if (!is_given.empty()) {
    const std::string at = c_.choose("slot");
    c_.line("int64_t {} = {};", at, slot);
    c_.line("if (!{0}[{2}]) {0}[{2}] = 1, {1}[{2}] = 0;", is_given, c_.member(plan_.value), at);
    slot = at;
  }
  const std::string given = c_.value(e_), sum = fmt::format("{}[{}]", c_.member(plan_.value), slot);
  if (value::is_integer(c_.type_of(plan_.value))) {
    c_.line("{} = ({})(({}){} {} {});", sum, c_.element(plan_.value), c_.sum(), sum,
            plan_.negative ? "-" : "+", given);
  } else { // added to 0, a zero would lose its sign
    c_.line("if ({0} == 0) {0} = {1};", sum, stored_value(given));
    c_.line("else {} += {};", sum, stored_value(given));
  }
  c_.close();
}

void PieceWriter::write_pointers() {
  for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
    const Level &level = plan_.levels[l];
    if (!level.count.empty() && level.kind != Level::Kind::Padded)
      c_.line("{} = {};", c_.member(level.count), nodes_[l]);
    if (!level.count.empty()) c_.known.insert(level.count);
    if (!level.pointer.empty()) {
      allocate({level.pointer});
      c_.known.insert(level.pointer);
    }
    if (level.kind == Level::Kind::Segment) {
      c_.line("// Where each segment begins: the entries of each, counted and added up.");
      write_pointer(l);
    }
    if (level.kind == Level::Kind::Padded) write_width(l);
    if (level.kind == Level::Kind::Run) write_runs(l);
    c_.define_counts([&](const std::string &condition) { fail_if(condition); });
  }
  std::vector<std::string> rest;
  for (const Level &level : plan_.levels)
    if (!level.lengths.empty()) rest.push_back(level.lengths);
  for (const Level &level : plan_.levels)
    for (const Key &key : level.keys)
      if (std::ranges::find(rest, key.array) == rest.end()) rest.push_back(key.array);
  for (const Flag &flag : plan_.flags)
    rest.push_back(flag.array);
  if (!plan_.value.empty()) rest.push_back(plan_.value);
  allocate(rest);
  if (!plan_.value.empty()) fill(plan_.value, c_.fill_of(plan_.value, plan_.negative));
  for (const Level &level : plan_.levels)
    for (const Key &key : level.keys)
      if (level.unused) fill(key.array, c_.term(*level.unused));
  for (const Flag &flag : plan_.flags)
    fill(flag.array, std::to_string(flag.other));
}

void PieceWriter::sum_pointers(const Level &level) {
  c_.open_loop(k_, c_.size_of(level.pointer), 1);
  c_.line("{0}[{1}] += {0}[{1} - 1];", c_.member(level.pointer), k_);
  c_.close();
}

std::string PieceWriter::dense_position(std::size_t l) const {
  const Level &level = plan_.levels[l];
  return c_.shifted(level.sign, coordinate(level.mode), level.offset);
}

std::string PieceWriter::parent_slot(const Level &level, std::int64_t later) const {
  const Slot &slot = level.parents[0];
  return c_.shifted(1, dense_position(slot.level), Term(slot.constant + later));
}

void PieceWriter::write_pointer(std::size_t l) {
  const Level &level = plan_.levels[l];
  for (const Slot &parent : level.parents)
    if (!plan_.levels[parent.level].is_dense()) start(parent.level, -1);
  c_.open_loop(e_, n_);
  for (const Slot &slot : level.parents) {
    if (plan_.levels[slot.level].is_dense())
      c_.line("int64_t {} = {};", nodes_[slot.level], dense_position(slot.level));
    else if (plan_.levels[slot.level].kind != Level::Kind::Padded)
      c_.line("if ({} < {}) ++{};", opens(), slot.level + 1, nodes_[slot.level]);
    else
      open_node(slot.level), c_.close();
  }
  std::vector<Slot> next = level.parents;
  ++next.back().constant;
  c_.line("if ({} <= {}) ++{}[{}];", opens(), l, c_.member(level.pointer), slot_text(level.pointer, next));
  c_.close();
  sum_pointers(level);
}

void PieceWriter::write_width(std::size_t l) {
  const Level &level = plan_.levels[l];
  std::string rank = c_.choose("rank"), width = c_.choose("width");
  c_.line("int64_t {} = 0;", rank);
  if (level.pointer.empty()) c_.line("int64_t {} = 0;", width);
  c_.open_loop(e_, n_);
  c_.line("if ({} > {}) continue;", opens(), l);
  c_.line("{0} = {1} < {2} ? 1 : {0} + 1;", rank, opens(), l);
  if (level.home) c_.line("if ({0} <= {1}) {0} = {1} + 1;", rank, coordinate(level.home->mode));
  if (level.home && !level.pointer.empty() && c_.is_narrow(level.pointer)) fail_if(rank + " > INT32_MAX");
  if (level.pointer.empty())
    c_.line("if ({0} > {1}) {1} = {0};", rank, width);
  else
    c_.line("if ({0} > {1}[{2}]) {1}[{2}] = ({3}){0};", rank, c_.member(level.pointer), parent_slot(level, 1),
            c_.element(level.pointer));
  c_.close();
  if (!level.pointer.empty())
    add_up_widths(level);
  else if (!level.count.empty())
    c_.line("{} = {};", c_.member(level.count), width);
  else
    fail_if(fmt::format("{} > {}", width, level.width));
}

void PieceWriter::add_up_widths(const Level &level) {
  std::string total = c_.choose("total");
  c_.line("int64_t {} = 0;", total);
  c_.open_loop(k_, c_.size_of(level.pointer));
  c_.line("{} += {}[{}];", total, c_.member(level.pointer), k_);
  if (c_.is_narrow(level.pointer)) fail_if(total + " > INT32_MAX");
  c_.line("{}[{}] = ({}){};", c_.member(level.pointer), k_, c_.element(level.pointer), total);
  c_.close();
}

void PieceWriter::write_runs(std::size_t l) {
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

} // namespace unravel::packing
