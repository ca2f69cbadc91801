// The order of entries that a layout demands: asked of the prover, key by key.
#include "packing/pack_order.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::packing {

std::vector<Term> subscripts_of(const std::vector<Slot> &slots, const std::vector<Level> &levels) {
  std::vector<Term> subscripts;
  for (const Slot &slot : slots) {
    Term subscript(slot.constant);
    if (slot.level != Slot::no_level) subscript = subscript + term::variable(levels[slot.level].position);
    subscripts.push_back(subscript);
  }
  return subscripts;
}

std::vector<std::size_t> modes_of(const Level &level) {
  if (level.has_mode()) return {level.mode};
  std::vector<std::size_t> modes;
  for (const Key &key : level.keys)
    modes.push_back(key.mode);
  return modes;
}

Term key_term(const Key &key, const std::vector<Level> &levels) {
  return term::apply(key.array, subscripts_of(key.slots, levels));
}

std::pair<Term, Term> segment_of(const Level &level, const std::vector<Level> &levels) {
  std::vector<Slot> next = level.parents;
  ++next.back().constant;
  return {term::apply(level.pointer, subscripts_of(level.parents, levels)),
          term::apply(level.pointer, subscripts_of(next, levels))};
}

PackOrders::PackOrders(const Layout &layout, const std::vector<Mode> &modes)
    : layout_(layout), modes_(modes), prover_(layout.axioms()) {}

bool PackOrders::refuted(const std::string &about, std::vector<Term> hypotheses) {
  return prover_.refute("packing order", about, hypotheses) == prove::Answer::Refuted;
}

bool PackOrders::is_implied(const Term &condition, const std::vector<Term> &accepted) {
  std::vector<Term> hypotheses = accepted;
  hypotheses.push_back(term::negation(condition));
  return refuted("condition", std::move(hypotheses));
}

namespace {

/// A key at another position of its level.
Term stored_at(const Key &key, const std::vector<Level> &levels, std::size_t l, const Term &position) {
  return term::substitute(key_term(key, levels), {{levels[l].position, position}});
}

/// Two positions of one segment, the first before the second.
struct Pair {
  std::vector<Term> hypotheses;
  Term first, second;
};

Pair pair_at(const Layout &layout, const std::vector<Mode> &modes, const std::vector<Level> &levels,
             std::size_t l, const std::vector<Term> &relation) {
  const std::string &position = levels[l].position;
  std::string other = position + "_next";
  while (layout.array(other) ||
         std::ranges::any_of(relation, [&](const Term &part) { return term::mentions(part, other); }))
    other += "_";
  Pair pair{{}, term::variable(position), term::variable(other)};
  term::Substitution at_first, at_second{{position, pair.second}};
  for (const Key &key : levels[l].keys) {
    auto mode_at = [&](const Term &at) {
      return term::scale(key.sign, stored_at(key, levels, l, at)) + key.offset;
    };
    at_first.emplace(modes[key.mode].name, mode_at(pair.first));
    at_second.emplace(modes[key.mode].name, mode_at(pair.second));
  }
  for (const Term &part : relation) {
    // The coordinates of levels below differ between the two positions.
    bool later = false;
    for (std::size_t k = l; k < levels.size(); ++k) {
      later = later || (k > l && term::mentions(part, levels[k].position)) ||
              (levels[k].has_mode() && term::mentions(part, modes[levels[k].mode].name));
      for (const Key &key : levels[k].keys)
        later = later || (k > l && term::mentions(part, modes[key.mode].name));
    }
    if (later) continue;
    pair.hypotheses.push_back(term::substitute(part, at_first));
    Term second = term::substitute(part, at_second);
    if (second != part) pair.hypotheses.push_back(second);
  }
  pair.hypotheses.push_back(term::less(pair.first, pair.second));
  return pair;
}

} // namespace

void PackOrders::decide(std::vector<Level> &levels, std::size_t l, const std::vector<Term> &relation,
                        bool inner) {
  Level &level = levels[l];
  Pair pair = pair_at(layout_, modes_, levels, l, relation);
  std::string p = term::to_text(pair.first), q = term::to_text(pair.second);
  std::vector<Term> hypotheses = pair.hypotheses;
  std::vector<const Key *> open;
  for (const Key &key : level.keys)
    open.push_back(&key);
  std::string given;
  auto excluded = [&](const Term &condition) {
    std::vector<Term> all = hypotheses;
    all.push_back(condition);
    return refuted(level.position, std::move(all));
  };
  // Key by key: is one of them ordered, where those before are equal?
  for (bool progress = true; progress && !open.empty();) {
    progress = false;
    for (std::size_t k = 0; k < open.size() && !progress; ++k) {
      Term first = stored_at(*open[k], levels, l, pair.first),
           second = stored_at(*open[k], levels, l, pair.second);
      bool ascending = excluded(term::less(second, first));
      if (!ascending && !excluded(term::less(first, second))) continue;
      bool coordinate_ascends = ascending == (open[k]->sign > 0);
      level.order.push_back({open[k]->mode, !coordinate_ascends});
      level.reasons.push_back(fmt::format("{} < {}{} gives {} {} {}", p, q, given, term::to_text(first),
                                          ascending ? "<=" : ">=", term::to_text(second)));
      given += fmt::format(" and {} = {}", term::to_text(first), term::to_text(second));
      hypotheses.push_back(term::equal(first, second));
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
      progress = true;
    }
  }
  std::string keys;
  std::vector<Term> all = pair.hypotheses;
  for (const Key &key : level.keys) {
    all.push_back(term::equal(stored_at(key, levels, l, pair.first), stored_at(key, levels, l, pair.second)));
    keys += (keys.empty() ? "" : ", ") + key.array;
  }
  bool unique = refuted(level.position, std::move(all));
  if (unique) level.reasons.push_back(fmt::format("{} < {} gives different {}", p, q, keys));
  level.merge = unique || inner;
}

/// The relation without what it says of modes and of keys.
std::vector<Term> PackOrders::bounds_of_positions(const Level &level,
                                                  const std::vector<Term> &relation) const {
  std::vector<Term> bounds;
  for (const Term &part : relation) {
    bool about =
        std::ranges::any_of(modes_, [&](const Mode &mode) { return term::mentions(part, mode.name); });
    for (const Term &call : term::applications_of(part))
      for (const Key &key : level.keys)
        about = about || call.as<term::Apply>()->function == key.array;
    if (!about) bounds.push_back(part);
  }
  return bounds;
}

std::optional<Term> PackOrders::mark_of(const Level &level, const std::vector<Level> &levels,
                                        const std::vector<Term> &relation) {
  const Key &first = level.keys[0];
  const Mode &mode = modes_[first.mode];
  Term before = mode.least - Term(1), behind = mode.least + mode.size;
  std::vector<Term> bounds = bounds_of_positions(level, relation);
  for (const Term &mark : {Term(-1), before, behind, term::scale(first.sign, before - first.offset),
                           term::scale(first.sign, behind - first.offset)}) {
    bool fit = std::ranges::all_of(level.keys, [&](const Key &key) {
      Term other = term::negation(term::equal(key_term(key, levels), mark));
      return is_implied(other, relation) && !is_implied(other, bounds);
    });
    if (fit) return mark;
  }
  return std::nullopt;
}

} // namespace unravel::packing
