// The order of entries that a layout demands: asked of the prover, key by key.
#include "tensor/pack_order.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::tensor {

using layout::Layout;
using layout::Property;
using parse::PropertyTree;
using term::Term;

Term key_term(const Key &key, const std::vector<Level> &levels) {
  std::vector<Term> subscripts;
  for (const Slot &slot : key.slots) {
    Term subscript(slot.constant);
    if (slot.level != Slot::no_level) subscript = subscript + term::variable(levels[slot.level].position);
    subscripts.push_back(subscript);
  }
  return term::apply(key.array, subscripts);
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
  while (layout.array(other) || std::any_of(relation.begin(), relation.end(),
                                            [&](const Term &part) { return term::mentions(part, other); }))
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

bool PackOrders::is_kept(const Property &property, const std::vector<Level> &levels) const {
  switch (property.tree.form) {
  case PropertyTree::Form::Range: return keeps_range(property, levels);
  case PropertyTree::Form::Injective:
  case PropertyTree::Form::Monotone: return keeps_order(property, levels);
  case PropertyTree::Form::Formula: return keeps_start(property, levels);
  }
  return false;
}

/// Modes lie in a range, so what is stored lies in a range too.
bool PackOrders::keeps_range(const Property &property, const std::vector<Level> &levels) const {
  const std::string &name = property.tree.functions.at(0).text;
  for (const Level &level : levels)
    for (const Key &key : level.keys) {
      if (key.array != name || key.slots.size() > 1) continue;
      const Mode &mode = modes_[key.mode];
      Term first = mode.least, last = mode.least + mode.size - Term(1);
      Term least = key.sign > 0 ? first - key.offset : key.offset - last;
      Term most = key.sign > 0 ? last - key.offset : key.offset - first;
      Term value = term::apply(name, {term::variable(property.axiom.variables.at(0))});
      // The conclusion is the conjunction of value - low >= 0 and high - value >= 0.
      bool kept = true;
      for (const Term &part : term::conjuncts(property.axiom.conclusion)) {
        const auto *compare = part.as<term::Compare>();
        if (!compare) return false;
        Term low = value - compare->left, high = value + compare->left;
        std::int64_t room = 0;
        bool below = term::constant_difference(low, least, room) && room >= 0;
        bool above = term::constant_difference(most, high, room) && room >= 0;
        kept = kept && (below || above);
      }
      return kept;
    }
  return false;
}

bool PackOrders::keeps_order(const Property &property, const std::vector<Level> &levels) const {
  const PropertyTree &tree = property.tree;
  bool injective = tree.form == PropertyTree::Form::Injective;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level &level = levels[l];
    if (level.kind == Level::Kind::Segment && !tree.within && !injective && tree.functions.size() == 1 &&
        tree.functions[0].text == level.pointer)
      // A node that is listed has entries; a dense one may have none.
      return !tree.decreasing &&
             (!tree.strict || (!levels[l - 1].is_dense() && level.parents[0].constant == 0));
    bool same_segments = level.kind == Level::Kind::Segment
                             ? tree.within && tree.within->text == level.pointer
                             : level.kind == Level::Kind::Counted && !tree.within;
    if (!same_segments) continue;
    std::vector<std::string> arrays;
    for (const parse::Name &name : tree.functions)
      arrays.push_back(name.text);
    if (injective || tree.strict) {
      bool all_keys = std::all_of(level.keys.begin(), level.keys.end(), [&](const Key &key) {
        return std::find(arrays.begin(), arrays.end(), key.array) != arrays.end();
      });
      if (!level.merge || !all_keys) continue;
      if (injective) return true;
    }
    if (arrays.size() > level.order.size()) continue;
    bool kept = true;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      auto key = std::find_if(level.keys.begin(), level.keys.end(),
                              [&](const Key &candidate) { return candidate.mode == level.order[k].mode; });
      bool descending = level.order[k].descending == (key->sign > 0);
      kept = kept && key->array == arrays[k] && descending == tree.decreasing;
    }
    if (kept) return true;
  }
  return false;
}

/// pointer(shift) = 0
bool PackOrders::keeps_start(const Property &property, const std::vector<Level> &levels) const {
  if (!property.axiom.variables.empty()) return false;
  for (const Level &level : levels)
    if (level.kind == Level::Kind::Segment && level.parents.size() == 1)
      for (std::int64_t k = 0; k <= std::max<std::int64_t>(level.parents[0].constant, 0); ++k)
        if (property.axiom.conclusion == term::equal(term::apply(level.pointer, {Term(k)}), Term(0)))
          return true;
  return false;
}

} // namespace unravel::tensor
