#include "packing/pack_piece.h"

#include "layout/property.h"
#include "packing/pack_order.h"

#include <algorithm>

namespace unravel::packing {

namespace {

class Ensured {
public:
  Ensured(const PiecePlan &plan, const Layout &layout) : plan_(plan), layout_(layout) {}

  std::vector<prove::Axiom> axioms() {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      if (level.kind == Level::Kind::Padded && !level.unused) continue; // zeros may not suffice
      for (const Key &key : level.keys) {
        add_range(level, key);
        if (level.unused && level.keys.size() > 1 && level.lengths.empty()) add_marks(level, key);
      }
      if (!level.lengths.empty()) add_lengths(level);
      if (!level.keys.empty()) add_order(l);
      if (level.kind == Level::Kind::Segment || (level.kind == Level::Kind::Padded && !level.pointer.empty()))
        add_segments(level);
    }
    for (const Flag &flag : plan_.flags)
      add_flag(flag);
    for (const Permutation &permutation : plan_.permutations)
      add_permutation(permutation);
    return std::move(axioms_);
  }

private:
  void add(std::vector<std::string> variables, const Term &guard, const Term &conclusion) {
    Term domain = layout::domain_guard(term::conjunction({guard, conclusion}), layout_);
    axioms_.push_back(
        {term::to_text(conclusion), std::move(variables), term::conjunction({domain, guard}), conclusion});
  }

  /// The positions that occur in slots, as quantified variables.
  std::vector<std::string> positions_in(const std::vector<Slot> &slots) const {
    std::vector<std::string> names;
    for (const Slot &slot : slots)
      if (slot.level != Slot::no_level) names.push_back(plan_.levels[slot.level].position);
    return names;
  }

  /// Whether all elements of an array of keys are nodes of their level.
  bool is_full(const Level &level, const Key &key) const {
    for (std::size_t k = 0; k < key.slots.size(); ++k) {
      if (key.slots[k].level == Slot::no_level) continue;
      if (!counts_positions(level, layout_.array(key.array)->extents[k])) return false;
    }
    return true;
  }

  /// Is an extent the number of the level's positions?
  bool counts_positions(const Level &level, const Term &extent) const {
    const auto *name = extent.as<term::Variable>();
    if (!name) return false;
    if (name->name == level.count) return true;
    const layout::Count *count = layout_.count(name->name);
    return !level.pointer.empty() && count && count->definition && ends_pointer(level, *count->definition);
  }

  /// Are there elements of an array of keys only where some node has an entry?
  bool has_no_spare(const Level &level, const Key &key) const {
    for (std::size_t k = 0; k < key.slots.size(); ++k)
      if (key.slots[k].level == static_cast<std::size_t>(&level - plan_.levels.data()))
        return counts_positions(level, layout_.array(key.array)->extents[k]);
    return false;
  }

  /// Is it the pointer's last element?
  bool ends_pointer(const Level &level, const Term &term) const {
    const auto *call = term.as<term::Apply>();
    if (!call || call->function != level.pointer || call->arguments.size() != 1) return false;
    return call->arguments[0] == layout_.array(level.pointer)->extents[0] - Term(1);
  }

  void add_range(const Level &level, const Key &key) {
    bool padded = level.kind == Level::Kind::Padded;
    if (!padded && !is_full(level, key)) return;
    Term stored = key_term(key, plan_.levels), in_range = is_value(key);
    // A number in range marks nothing: there are unused positions only where there are entries, too.
    bool in_any = !level.lengths.empty() && has_no_spare(level, key) && !is_mark(key, *level.unused);
    if (padded && !in_any) in_range = term::disjunction({term::equal(stored, *level.unused), in_range});
    for (const Term &part : term::conjuncts(in_range))
      add(positions_in(key.slots), term::truth(), part);
  }

  /// Is what the key holds that of a value of its mode?
  Term is_value(const Key &key) const {
    const Mode &mode = plan_.modes[key.mode];
    Term from_least = term::scale(key.sign, key_term(key, plan_.levels)) + key.offset - mode.least;
    return term::between(Term(0), from_least, mode.size);
  }

  /// Does it stand for no value of the mode?
  bool is_mark(const Key &key, const Term &stored) const {
    const Mode &mode = plan_.modes[key.mode];
    Term value = term::scale(key.sign, stored) + key.offset;
    std::int64_t from_least = 0;
    return !term::constant_difference(mode.least, value, from_least) || from_least != 0;
  }

  Term length_of(const Level &level) const {
    return term::apply(level.lengths, subscripts_of(level.length_slots, plan_.levels));
  }

  /// A position counted from the first one of its node.
  Term place_in(const Level &level, const Term &position) const {
    if (level.pointer.empty()) return position;
    return position - segment_of(level, plan_.levels).first;
  }

  /// A node fills the first positions, as many as it has places at most; the others hold one number.
  void add_lengths(const Level &level) {
    Term length = length_of(level), place = place_in(level, term::variable(level.position));
    std::vector<std::string> nodes = positions_in(level.length_slots), places = nodes;
    places.push_back(level.position);
    add(nodes, term::truth(), term::at_most(Term(0), length));
    Term places_in_all = level.count.empty() ? Term(level.width) : term::variable(level.count);
    if (!level.pointer.empty()) {
      places_in_all = place_in(level, segment_of(level, plan_.levels).second);
      for (const std::string &name : positions_in(level.parents))
        if (std::ranges::find(nodes, name) == nodes.end()) nodes.push_back(name);
    }
    add(nodes, term::truth(), term::at_most(length, places_in_all));
    for (const Key &key : level.keys) {
      for (const Term &part : term::conjuncts(is_value(key)))
        add(places, term::between(Term(0), place, length), part);
      if (level.pointer.empty())
        add(places, term::at_most(length, place), term::equal(key_term(key, plan_.levels), *level.unused));
    }
  }

  /// An unused position is marked in all keys.
  void add_marks(const Level &level, const Key &key) {
    Term marked = term::equal(key_term(key, plan_.levels), *level.unused);
    for (const Key &other : level.keys)
      if (&other != &key)
        add(positions_in(key.slots), marked, term::equal(key_term(other, plan_.levels), *level.unused));
  }

  /// Two positions of one node above, the first before the second: what their keys are.
  void add_order(std::size_t l) {
    const Level &level = plan_.levels[l];
    std::string next = level.position + "_next";
    while (layout_.array(next))
      next += "_";
    Term p = term::variable(level.position), q = term::variable(next);
    term::Substitution later{{level.position, q}};
    std::vector<std::string> variables{level.position, next};
    auto use = [&](const std::vector<Slot> &slots) {
      for (const std::string &name : positions_in(slots))
        if (std::ranges::find(variables, name) == variables.end()) variables.push_back(name);
    };
    std::vector<Term> guard;
    if (level.pointer.empty()) {
      guard = {term::at_most(Term(0), p), term::less(p, q)};
      if (!level.count.empty()) guard.push_back(term::less(q, term::variable(level.count)));
    } else {
      const auto [begin, end] = segment_of(level, plan_.levels);
      use(level.parents);
      guard = {term::at_most(begin, p), term::less(p, q), term::less(q, end)};
    }
    if (!level.lengths.empty()) {
      use(level.length_slots);
      guard.push_back(term::less(place_in(level, q), length_of(level)));
    }
    std::vector<Term> used, differ;
    for (const Key &key : level.keys) {
      use(key.slots);
      Term first = key_term(key, plan_.levels), second = term::substitute(first, later);
      differ.push_back(term::negation(term::equal(first, second)));
      if (level.unused && level.lengths.empty()) {
        guard.push_back(term::negation(term::equal(second, *level.unused)));
        used.push_back(term::negation(term::equal(first, *level.unused)));
      }
    }
    if (level.home) {
      for (const Level &above : plan_.levels)
        if (&above != &level && term::mentions(level.home->at, above.position))
          use({Slot{static_cast<std::size_t>(&above - plan_.levels.data())}});
      add_home(level, later, variables, guard, used);
      guard.insert(guard.end(), used.begin(), used.end());
      used.clear();
    }
    if (l + 1 == plan_.levels.size()) add_runs(level, later, variables, guard);
    std::vector<Term> conclusions = used;
    conclusions.push_back(lexicographic(level, later, level.merge && level.orders_keys()));
    if (level.merge) conclusions.push_back(term::disjunction(differ));
    for (const Term &conclusion : conclusions)
      add(variables, term::conjunction(guard), conclusion);
  }

  /// No entry lies before its home, and where homes are the order, none behind a free position that its
  /// search comes to.
  void add_home(const Level &level, const term::Substitution &later,
                const std::vector<std::string> &variables, std::vector<Term> guard,
                const std::vector<Term> &used) {
    const Term &home = level.home->at;
    Term p = term::variable(level.position);
    std::vector<std::string> one = variables;
    std::erase(one, later.begin()->second.as<term::Variable>()->name);
    add(one, term::conjunction(used), term::at_most(home, p));
    if (level.order.front().mode != level.home->mode) return;
    guard.push_back(term::at_most(term::substitute(home, later), p));
    for (const Term &conclusion : used)
      add(variables, term::conjunction(guard), conclusion);
  }

  /// A run has entries, and the runs of one line don't overlap. `guard`: of two positions, the first before
  /// the second.
  void add_runs(const Level &level, const term::Substitution &later,
                const std::vector<std::string> &variables, const std::vector<Term> &guard) {
    std::optional<Term> first, last, length;
    std::vector<Term> same = guard;
    for (const Key &key : level.keys) {
      Term stored = key_term(key, plan_.levels), mode = term::scale(key.sign, stored) + key.offset;
      switch (plan_.modes[key.mode].run) {
      case Mode::Run::None: same.push_back(term::equal(stored, term::substitute(stored, later))); break;
      case Mode::Run::First: first = mode; break;
      case Mode::Run::Last: last = mode; break;
      case Mode::Run::Length: length = mode; break;
      }
    }
    if (!first || (!last && !length)) return;
    if (length) last = *first + *length - Term(1);
    bool full = std::ranges::all_of(level.keys, [&](const Key &key) { return is_full(level, key); });
    if (full && last) {
      std::vector<std::string> one = variables;
      std::erase(one, later.begin()->second.as<term::Variable>()->name);
      add(one, term::truth(), term::at_most(*first, *last));
      add(one, term::truth(), term::less(*last, last_size(level)));
    }
    for (const SortKey &by : level.order)
      if (plan_.modes[by.mode].run == Mode::Run::First && !by.descending && level.orders_keys())
        add(variables, term::conjunction(same), term::less(*last, term::substitute(*first, later)));
  }

  /// The size of the coordinate along which runs are.
  Term last_size(const Level &level) const {
    for (const Key &key : level.keys)
      if (plan_.modes[key.mode].run == Mode::Run::First) return plan_.modes[key.mode].size;
    return Term(0);
  }

  Term lexicographic(const Level &level, const term::Substitution &later, bool strict) const {
    Term result = strict ? term::falsity() : term::truth();
    for (std::size_t k = level.order.size(); k-- > 0;) {
      auto key = std::ranges::find_if(
          level.keys, [&](const Key &candidate) { return candidate.mode == level.order[k].mode; });
      bool home = key == level.keys.end();
      Term first = home ? level.home->at : key_term(*key, plan_.levels),
           second = term::substitute(first, later);
      bool ascending = home || level.order[k].descending == (key->sign < 0);
      Term before = ascending ? term::less(first, second) : term::less(second, first);
      result = term::disjunction({before, term::conjunction({term::equal(first, second), result})});
    }
    return result;
  }

  /// The count of all positions of segments, if there is one.
  std::optional<Term> positions_in_all(const Level &level) const {
    if (level.kind == Level::Kind::Segment && !level.count.empty()) return term::variable(level.count);
    for (const layout::Count &count : layout_.counts)
      if (count.definition && ends_pointer(level, *count.definition)) return term::variable(count.name);
    return std::nullopt;
  }

  /// Pointers begin with 0 and don't decrease; a node that is listed has entries.
  void add_segments(const Level &level) {
    std::vector<std::string> variables = positions_in(level.parents);
    const auto [first, last] = segment_of(level, plan_.levels);
    add(variables, term::truth(), term::at_most(Term(0), first));
    add(variables, term::truth(), term::at_most(first, last));
    if (std::optional<Term> all = positions_in_all(level))
      add(variables, term::truth(), term::at_most(last, *all));
    if (level.parents.size() != 1) return;
    const Slot &parent = level.parents[0];
    for (std::int64_t k = 0; k <= std::max<std::int64_t>(parent.constant, 0); ++k) {
      Term start = term::equal(term::apply(level.pointer, {Term(k)}), Term(0));
      axioms_.push_back({term::to_text(start), {}, term::truth(), start});
    }
    std::string next = variables[0] + "_next";
    while (layout_.array(next))
      next += "_";
    Term p = term::variable(variables[0]), q = term::variable(next);
    Term later = term::substitute(first, {{variables[0], q}});
    add({variables[0], next}, term::less(p, q), term::at_most(first, later));
    const Level &above = plan_.levels[parent.level];
    if (!above.is_dense() && above.kind != Level::Kind::Padded && !above.count.empty())
      add({variables[0], next},
          term::conjunction(
              {term::at_most(Term(0), p), term::less(p, q), term::at_most(q, term::variable(above.count))}),
          term::less(first, later));
  }

  void add_flag(const Flag &flag) {
    Term stored = term::apply(flag.array, subscripts_of(flag.slots, plan_.levels));
    add(positions_in(flag.slots), term::truth(),
        term::disjunction({term::equal(stored, Term(flag.value)), term::equal(stored, Term(flag.other))}));
  }

  void add_permutation(const Permutation &permutation) {
    Term k = term::variable("k"), l = term::variable("l"),
         size = term::variable(layout_.sizes[permutation.coordinate]);
    Term first = term::apply(permutation.array, {k}), second = term::apply(permutation.array, {l});
    Term coordinate = term::scale(permutation.sign, first) + permutation.offset;
    for (const Term &part : term::conjuncts(term::between(Term(0), coordinate, size)))
      add({"k"}, term::truth(), part);
    add({"k", "l"}, term::less(k, l), term::negation(term::equal(first, second)));
    if (permutation.window == 1) add({"k"}, term::truth(), term::equal(first, k));
    if (permutation.window > 1)
      add({"k"}, term::truth(),
          term::equal(term::floor_divide(first, permutation.window),
                      term::floor_divide(k, permutation.window)));
  }

  const PiecePlan &plan_;
  const Layout &layout_;
  std::vector<prove::Axiom> axioms_;
};

} // namespace

std::vector<prove::Axiom> ensured_by(const PackPlan &plan, const Layout &layout) {
  std::vector<prove::Axiom> axioms;
  for (const PiecePlan &piece : plan.pieces)
    std::ranges::move(Ensured(piece, layout).axioms(), std::back_inserter(axioms));
  for (std::size_t k = 0; k < plan.pieces.size(); ++k)
    for (std::size_t behind = k + 1; plan.pieces[k].spills && behind < plan.pieces.size(); ++behind)
      add_spilled(plan.pieces[k], plan.pieces[behind], layout, axioms);
  return axioms;
}

} // namespace unravel::packing
