// One piece of a plan of packing as C: the same steps as pack_levels.cpp, with qsort.
#include "packing/pack_c_piece.h"

#include <algorithm>

namespace unravel::packing {

PieceWriter::PieceWriter(const PiecePlan &plan, const std::string &suffix,
                         std::vector<const PiecePlan *> before, const std::string &left, PackCText &c)
    : plan_(plan), suffix_(suffix), before_(std::move(before)), left_(left), c_(c), layout_(c.layout),
      e_(c.e), k_(c.k), entry_(c.entry), n_(c.n) {
  for (const Level &level : plan.levels)
    nodes_.push_back(c.choose("at_" + level.position));
  for (const Permutation &permutation : plan.permutations)
    places_.push_back(c.choose("place_of_" + permutation.name));
  if (is_partial()) n_ = c.choose("own");
}

void PieceWriter::write_comparisons() {
  write_place_comparisons();
  if (plan_.is_dense()) return;
  std::vector<KeyComparison> sorted;
  for (std::size_t l = 0; l < plan_.levels.size(); ++l)
    add_comparisons(l, sorted);
  write_comparison("order", sorted);
  add_run_comparison();
  if (is_filled_up()) write_comparison("node", node_comparisons());
}

void PieceWriter::write_limits() {
  if (plan_.limits.empty()) return;
  open_own_entries();
  for (const Limit &limit : plan_.limits)
    c_.line("if (-({0}) > {1}) {1} = -({0});", c_.term(limit.rest), c_.member(limit.count));
  c_.close();
}

void PieceWriter::write() {
  for (std::size_t n = 0; n < plan_.permutations.size(); ++n)
    write_permutation(n);
  if (plan_.is_dense()) {
    write_dense();
  } else {
    write_entries();
    write_openings();
    write_pointers();
    write_positions();
  }
  for (const std::string &pointer : held_)
    c_.line("free({});", pointer);
}

void PieceWriter::open_own_entries() {
  c_.open_loop(e_, c_.n);
  std::vector<Term> taken;
  for (std::size_t piece = 0; piece < before_.size(); ++piece) {
    const Term condition = term::conjunction(before_[piece]->conditions);
    if (!before_[piece]->spills) {
      taken.push_back(condition);
      continue;
    }
    const std::string stays = fmt::format("!({}[{}] >> {} & 1)", left_, e_, piece);
    c_.line("if ({}{}) continue;", term::is_true(condition) ? "" : "(" + c_.condition(condition) + ") && ",
            stays);
  }
  if (!taken.empty()) c_.line("if ({}) continue;", c_.condition(term::disjunction(taken)));
  if (!plan_.conditions.empty())
    c_.line("if (!({})) continue;", c_.condition(term::conjunction(plan_.conditions)));
}

void PieceWriter::write_positions() {
  c_.line("// One round per stored value: entries that share all positions are added up.");
  auto in_slot = [&](const std::vector<Slot> &slots, std::size_t l) {
    return std::ranges::any_of(slots, [&](const Slot &slot) { return slot.level == l; });
  };
  auto is_needed = [&](std::size_t l) {
    bool needed = in_slot(plan_.slots, l);
    for (const Flag &flag : plan_.flags)
      needed = needed || in_slot(flag.slots, l);
    for (const Level &level : plan_.levels) {
      needed = needed || in_slot(level.length_slots, l);
      for (const Key &key : level.keys)
        needed = needed || in_slot(key.slots, l);
    }
    return needed;
  };
  for (std::size_t l = 0; l < plan_.levels.size(); ++l)
    if (!plan_.levels[l].has_mode()) start(l, -1);
  c_.open(fmt::format("for (int64_t {0} = 0; {0} < {1};)", e_, n_));
  for (std::size_t l = 0; l < plan_.levels.size(); ++l)
    if (plan_.levels[l].is_dense() && is_needed(l)) c_.line("int64_t {} = {};", nodes_[l], dense_position(l));
  for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
    if (plan_.levels[l].kind == Level::Kind::Run) write_run_position(l);
    if (!plan_.levels[l].keys.empty()) write_keys(l);
  }
  for (const Flag &flag : plan_.flags)
    c_.line("{}[{}] = {};", c_.member(flag.array), slot_text(flag.array, flag.slots), flag.value);
  std::string sum = c_.choose("sum");
  c_.line("{} {} = {}[{}].value;", c_.sum(), sum, entry_, e_);
  c_.line("for (++{0}; {0} < {1} && {2}[{0}].opens == {3}; ++{0}) {4} += {2}[{0}].value;", e_, n_, entry_,
          plan_.levels.size(), sum);
  if (plan_.value.empty())
    fail_if(fmt::format("{} != {}{}", sum, c_.sum() == c_.number() ? "" : "(" + c_.sum() + ")",
                        plan_.negative ? -plan_.literal : plan_.literal));
  else
    c_.line("{}[{}] = {};", c_.member(plan_.value), slot_text(plan_.value, plan_.slots), stored_value(sum));
  c_.close();
}

void PieceWriter::write_run_position(std::size_t l) {
  const Level &level = plan_.levels[l];
  std::string pointer = c_.member(level.pointer), parent = parent_slot(level, 0),
              next = parent_slot(level, 1);
  std::string first = level.first.empty() ? "" : fmt::format(" - {}[{}]", c_.member(level.first), parent);
  c_.line("int64_t {} = {}[{}] + {}{};", nodes_[l], pointer, parent,
          c_.shifted(1, coordinate(level.mode), level.offset), first);
  fail_if(fmt::format("{0} < {1}[{2}] || {0} >= {1}[{3}]", nodes_[l], pointer, parent, next));
}

/// Opens a block for entries that begin a node of the level, whose position is the next one.
void PieceWriter::open_node(std::size_t l) {
  const Level &level = plan_.levels[l];
  c_.open(fmt::format("if ({} <= {})", opens(), l));
  if (level.kind != Level::Kind::Padded) return c_.line("++{};", nodes_[l]);
  std::string begin;
  if (!level.pointer.empty()) begin = fmt::format("{}[{}]", c_.member(level.pointer), parent_slot(level, 0));
  c_.line("{0} = {1} == {2} ? {0} + 1 : {3};", nodes_[l], opens(), l, begin.empty() ? "0" : begin);
  if (!level.home) return;
  std::string home = coordinate(level.home->mode);
  if (!begin.empty()) home = begin + " + " + home;
  c_.line("if ({0} < {1}) {0} = {1}; // its first free position", nodes_[l], home);
}

void PieceWriter::write_keys(std::size_t l) {
  const Level &level = plan_.levels[l];
  open_node(l);
  for (const Key &key : level.keys) {
    Term offset = key.sign > 0 ? -key.offset : key.offset;
    c_.line("{}[{}] = {};", c_.member(key.array), slot_text(key.array, key.slots),
            c_.as_element(key.array, c_.shifted(key.sign, coordinate(key.mode), offset)));
  }
  if (!level.lengths.empty()) {
    std::string length = nodes_[l] + " + 1";
    if (!level.pointer.empty())
      length += fmt::format(" - {}[{}]", c_.member(level.pointer), parent_slot(level, 0));
    c_.line("{}[{}] = {};", c_.member(level.lengths), slot_text(level.lengths, level.length_slots),
            c_.as_element(level.lengths, length));
  }
  c_.close();
}

} // namespace unravel::packing
