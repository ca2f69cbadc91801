// What packing ensures of two pieces, where the second has what finds no position in the first.
#include "layout/property.h"
#include "packing/pack_order.h"
#include "packing/pack_piece.h"

#include <algorithm>

namespace unravel::packing {

namespace {

/// The mode that a key holds.
Term mode_of(const PiecePlan &plan, const Key &key) {
  return term::scale(key.sign, key_term(key, plan.levels)) + key.offset;
}

/// Is it a position below the node above?
Term is_position(const PiecePlan &plan, const Level &level) {
  const Term position = term::variable(level.position);
  if (level.pointer.empty())
    return term::between(Term(0), position,
                         level.count.empty() ? Term(level.width) : term::variable(level.count));
  const auto [begin, end] = segment_of(level, plan.levels);
  return term::conjunction({term::at_most(begin, position), term::less(position, end)});
}

Term length_of(const PiecePlan &plan, const Level &level) {
  return term::apply(level.lengths, subscripts_of(level.length_slots, plan.levels));
}

/// Has a position an entry?
Term is_used(const PiecePlan &plan, const Level &level) {
  if (!level.unused) return term::truth();
  if (!level.lengths.empty()) {
    Term place = term::variable(level.position);
    if (!level.pointer.empty()) place = place - segment_of(level, plan.levels).first;
    return term::less(place, length_of(plan, level));
  }
  std::vector<Term> used;
  for (const Key &key : level.keys)
    used.push_back(term::negation(term::equal(key_term(key, plan.levels), *level.unused)));
  return term::conjunction(used);
}

class Spilled {
public:
  Spilled(const PiecePlan &plan, const PiecePlan &behind, const Layout &layout)
      : plan_(plan), behind_(behind), layout_(layout), level_(plan.levels[*plan.spills]) {
    for (const Level &level : behind.levels) {
      std::string name = level.position + "_behind";
      while (layout.array(name))
        name += "_";
      names_.emplace(level.position, name);
    }
  }

  void add_to(std::vector<prove::Axiom> &axioms) {
    if (!take_entry() || !take_node()) return;
    for (const Term &part : conclusions()) {
      const Term place = term::mentions(part, level_.position) ? is_position(plan_, level_) : term::truth();
      const Term guard = term::substitute(term::conjunction({term::conjunction(guard_), place}), dense_),
                 conclusion = term::substitute(part, dense_);
      std::vector<std::string> variables;
      auto use = [&](const std::string &name) {
        if (term::mentions(guard, name) || term::mentions(conclusion, name)) variables.push_back(name);
      };
      for (const Level &level : plan_.levels)
        use(level.position);
      for (const auto &[position, name] : names_)
        use(name);
      const Term domain = layout::domain_guard(term::conjunction({guard, conclusion}), layout_);
      axioms.push_back(
          {term::to_text(conclusion), std::move(variables), term::conjunction({domain, guard}), conclusion});
    }
  }

private:
  /// The coordinates of the entry that the piece behind has at its positions. False where such positions may
  /// also have none.
  bool take_entry() {
    if (behind_.levels.empty() || behind_.levels.back().has_mode() || !behind_.permutations.empty() ||
        !std::ranges::all_of(behind_.modes, [](const Mode &mode) { return mode.is_of_entry(); }))
      return false;
    term::Substitution modes;
    auto take = [&](const Mode &mode, const Term &value) {
      modes.emplace(mode.name, term::rename(value, names_, {}));
      return value;
    };
    std::vector<Term> node;
    for (const Level &level : behind_.levels) {
      const bool is_filled_up = level.kind == Level::Kind::Padded && !level.unused;
      if (level.kind == Level::Kind::Run || is_filled_up) return false;
      if (level.is_dense()) {
        const Mode &mode = behind_.modes[level.mode];
        const Term value = take(mode, term::scale(level.sign, term::variable(level.position) - level.offset));
        node.push_back(term::between(Term(0), value - mode.least, mode.size));
      } else {
        node.push_back(is_position(behind_, level));
        node.push_back(is_used(behind_, level));
      }
      for (const Key &key : level.keys)
        take(behind_.modes[key.mode], mode_of(behind_, key));
    }
    guard_.push_back(term::rename(term::conjunction(node), names_, {}));
    for (std::size_t k = 0; k < layout_.order(); ++k)
      entry_.emplace(layout_.coordinates[k], term::substitute(behind_.coordinates[k], modes));
    for (const Term &condition : plan_.conditions)
      guard_.push_back(term::substitute(condition, entry_));
    return true;
  }

  Term value_of(std::size_t mode) const { return term::substitute(plan_.modes[mode].value, entry_); }

  /// The node of the first piece where the entry would be.
  bool take_node() {
    for (std::size_t l = 0; l < *plan_.spills; ++l) {
      const Level &above = plan_.levels[l];
      if (above.kind == Level::Kind::Run) return false;
      if (above.is_dense()) {
        dense_.emplace(above.position, term::scale(above.sign, value_of(above.mode)) + above.offset);
        continue;
      }
      guard_.push_back(is_position(plan_, above));
      guard_.push_back(is_used(plan_, above));
      for (const Key &key : above.keys)
        guard_.push_back(term::equal(mode_of(plan_, key), value_of(key.mode)));
    }
    return true;
  }

  /// All of the node's positions are used, by what is before the entry.
  std::vector<Term> conclusions() const {
    Term before = level_.merge && level_.orders_keys() ? term::falsity() : term::truth();
    for (std::size_t k = level_.order.size(); k-- > 0;) {
      const auto key = std::ranges::find(level_.keys, level_.order[k].mode, &Key::mode);
      const Term taken = mode_of(plan_, *key), value = value_of(key->mode);
      const bool descending = level_.order[k].descending;
      before = term::disjunction({descending ? term::less(value, taken) : term::less(taken, value),
                                  term::conjunction({term::equal(taken, value), before})});
    }
    const Term used = level_.lengths.empty() ? is_used(plan_, level_)
                                             : term::at_most(Term(level_.width), length_of(plan_, level_));
    std::vector<Term> all{used, before}, differ;
    for (const Key &key : level_.keys)
      differ.push_back(term::negation(term::equal(mode_of(plan_, key), value_of(key.mode))));
    if (level_.merge) all.push_back(term::disjunction(differ));
    return all;
  }

  const PiecePlan &plan_, &behind_;
  const Layout &layout_;
  const Level &level_;
  std::map<std::string, std::string> names_; // of the positions behind
  std::vector<Term> guard_;
  term::Substitution entry_, dense_;
};

} // namespace

void add_spilled(const PiecePlan &plan, const PiecePlan &behind, const Layout &layout,
                 std::vector<prove::Axiom> &axioms) {
  Spilled(plan, behind, layout).add_to(axioms);
}

} // namespace unravel::packing
