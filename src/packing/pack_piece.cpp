// From one piece of a layout's relation to a plan of packing: what kind of level each position is.
#include "packing/pack_piece.h"

#include "packing/pack_conditions.h"
#include "packing/pack_forms.h"
#include "packing/pack_modes.h"
#include "packing/pack_permutation.h"
#include "report/diagnostic.h"
#include "term/list.h"
#include "term/solve.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace unravel::packing {

using layout::Piece;
using report::Kind;

namespace {

constexpr const char *forms =
    "packing is derived for positions like `i = r`, `i = 4*b + r` with `0 <= r < 4`, `0 <= p < NNZ` and "
    "`f(r) <= p < f(r + 1)`, and for keys like `j = col(p)`, `j = 4*col(p) + c` and `j = i + off(p)`; "
    "other layouts' arrays can be given as a folder";

class PiecePlanner {
public:
  PiecePlanner(const Layout &layout, std::size_t piece, bool scanning, Determined &determined)
      : layout_(layout), placed_(tell_places(layout, layout.pieces[piece])), piece_(placed_.piece),
        orders_(layout, plan_.modes), conditions_(layout, plan_, orders_, determined), scanning_(scanning),
        determined_(determined) {
    plan_.piece = piece;
    plan_.permutations = placed_.permutations;
    DerivedRelation derived = derive_modes(layout, piece_, plan_.permutations);
    plan_.modes = std::move(derived.modes);
    plan_.coordinates = std::move(derived.coordinates);
    open_ = std::move(derived.conjuncts);
    sizes_.insert(layout.sizes.begin(), layout.sizes.end());
  }

  PiecePlan plan() {
    for (const Mode &mode : plan_.modes)
      if (scanning_ && mode.run != Mode::Run::None) fail_about(mode.name);
    for (const Permutation &permutation : plan_.permutations) {
      if (scanning_) fail_about(permutation.place);
      determine(permutation.array, {}, term::equal(term::variable(permutation.place), permutation.at));
    }
    plan_levels();
    for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode)
      if (!used_.count(mode) && !follows(mode)) fail_about(plan_.modes[mode].name);
    check_open_conditions();
    plan_value();
    if (scanning_) return std::move(plan_);
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      count_positions(plan_.levels[l]);
      bool inner = l + 1 < plan_.levels.size();
      if (!plan_.levels[l].has_mode()) orders_.decide(plan_.levels, l, accepted_, inner);
      if (plan_.levels[l].kind == Level::Kind::Padded && !plan_.levels[l].unused)
        mark_unused(plan_.levels[l]);
    }
    std::vector<Term> known = known_of_entries();
    for (std::size_t k = 0; k < layout_.properties.size(); ++k)
      if (conditions_.keeps(layout_.properties[k].axiom, accepted_, known)) determined_.properties.insert(k);
    if (std::optional<std::string> wrong = conditions_.find_limits()) fail_at(*wrong);
    for (auto &[l, mode] : homes_)
      order_by_home(plan_.levels[l], std::move(mode));
    return std::move(plan_);
  }

private:
  [[noreturn]] void fail_at(const std::string &reason) const {
    report::fail(Kind::cannot_pack, piece_.span,
                 fmt::format("coordinates can't be packed into layout `{}`: {}", layout_.name, reason),
                 forms);
  }

  /// The conjunct that says most about what can't be done: an equation, else any.
  [[noreturn]] void fail_about(const std::string &variable) const {
    const Term *found = nullptr;
    for (const Term &part : open_) {
      if (!term::mentions(part, variable)) continue;
      bool equation = term::equation(part) != nullptr;
      if (!found || equation) found = &part;
      if (equation) break;
    }
    if (!found)
      fail_at(fmt::format("packing knows no form that determines `{}`", text_of(term::variable(variable))));
    fail_at(fmt::format("`{}` is not of a form that packing is derived for", text_of(*found)));
  }

  /// A condition as the layout's author knows it: over coordinates.
  std::string text_of(const Term &part) const {
    term::Substitution values;
    for (const Mode &mode : plan_.modes)
      values.emplace(mode.name, mode.value);
    return term::to_text(term::substitute(part, values));
  }

  void accept(std::size_t k) {
    accepted_.push_back(open_[k]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  void use_mode(std::size_t mode, const Term &part) {
    if (!used_.insert(mode).second)
      fail_at(fmt::format("`{}` determines `{}` a second time", text_of(part),
                          term::to_text(plan_.modes[mode].value)));
  }

  /// Over sizes, and counts that don't follow from others: limits.
  bool is_of_sizes(const Term &term) const {
    if (!term::applications_of(term).empty()) return false;
    for (const std::string &name : term::variables_of(term))
      if (!sizes_.count(name) && (scanning_ || !conditions_.is_free_count(name))) return false;
    return true;
  }

  /// In the order of the positions, but for padded levels: they come last, as they are addressed by all
  /// others. Hash tables that only those before address come in the order of the positions; those whose nodes
  /// have lengths right below the positions that tell these.
  void plan_levels() {
    std::vector<std::string> later;
    bool tables = !scanning_ && states_homes(layout_);
    for (const std::string &position : piece_.positions) {
      bool in_order = tables || (!scanning_ && has_length_bound(position, open_));
      if (!(in_order && add_padded(position, true)) && !add_level(position)) {
        later.push_back(position);
        continue;
      }
      std::erase_if(later, [&](const std::string &waiting) {
        return !scanning_ && has_length_bound(waiting, open_) && add_padded(waiting, true);
      });
    }
    for (const std::string &position : later) {
      if (add_padded(position, false)) continue;
      if (auto wrong = wrong_subscripts(position, open_, plan_.levels)) fail_at(*wrong);
      for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode)
        if (!used_.count(mode)) fail_about(plan_.modes[mode].name);
      fail_about(position);
    }
  }

  /// Whether an equation with positions of dense levels tells a mode: j = d, as on a diagonal where i = d
  /// too.
  bool follows(std::size_t mode) const {
    return std::ranges::any_of(open_, [&](const Term &part) {
      const Term *left = term::equation(part);
      if (!left) return false;
      std::optional<ModeUse> use = mode_of(*left, plan_.modes);
      if (!use || use->mode != mode) return false;
      term::Substitution dense;
      for (const Level &level : plan_.levels)
        if (level.is_dense()) dense.emplace(level.position, Term(0));
      Term rest = term::substitute(*left, dense);
      return is_of_sizes(rest - term::scale(use->coefficient, term::variable(plan_.modes[mode].name)));
    });
  }

  /// Tries something on the conditions that are open; takes it back where it gives false.
  template <class Attempt> bool attempt(Attempt work) {
    auto open = open_, accepted = accepted_;
    auto used = used_;
    auto arrays = determined_.arrays;
    if (work()) return true;
    open_ = std::move(open);
    accepted_ = std::move(accepted);
    used_ = std::move(used);
    determined_.arrays = std::move(arrays);
    return false;
  }

  bool add_level(const std::string &position) {
    Level level;
    level.position = position;
    bool found = make_dense(level) || (!scanning_ && make_run(level)) || attempt([&] {
                   return (make_segment(level) || make_counted(level)) && take_keys(level, false);
                 });
    if (!found) return false;
    if (!level.pointer.empty()) determine(level.pointer, {}, term::variable(position));
    plan_.levels.push_back(std::move(level));
    return true;
  }

  bool add_padded(const std::string &position, bool table) {
    Level level;
    level.position = position;
    if (scanning_) return false;
    bool added = attempt([&] {
      if (!make_padded(level) || !take_keys(level, true)) return false;
      if (!level.lengths.empty()) set_places(level);
      bool addressed = is_addressed(level), counted = !level.lengths.empty();
      plan_.levels.push_back(level);
      if (addressed && !counted) find_home();
      if (!table && !addressed)
        fail_at(fmt::format("`{}` doesn't have all positions above `{}` among its subscripts",
                            term::to_text(key_term(level.keys[0], plan_.levels)), position));
      if (!table || plan_.levels.back().home || (addressed && counted)) return true;
      plan_.levels.pop_back();
      return false;
    });
    if (added && !level.pointer.empty()) determine(level.pointer, {}, term::variable(position));
    if (added && !level.lengths.empty()) determine(level.lengths, {}, term::variable(position));
    return added;
  }

  /// Do its keys have the positions of all levels above among their subscripts?
  bool is_addressed(const Level &level) const {
    std::vector<std::size_t> numbering = numbering_levels(plan_.levels);
    for (const Slot &parent : level.parents)
      std::erase(numbering, parent.level);
    for (const Key &key : level.keys)
      for (std::size_t above : numbering)
        if (std::ranges::none_of(key.slots, [&](const Slot &slot) { return slot.level == above; }))
          return false;
    return true;
  }

  // ---- hash tables

  /// Makes the last level, which is padded, a hash table, if properties say where entries lie at the earliest
  /// and something marks unused positions.
  void find_home() {
    std::vector<Term> relation = accepted_;
    relation.insert(relation.end(), open_.begin(), open_.end());
    auto place = conditions_.first_place(relation);
    if (!place) return;
    Level &level = plan_.levels.back();
    level.unused = orders_.mark_of(level, plan_.levels, relation);
    if (!level.unused) return;
    level.home = Home{0, place->at};
    homes_.emplace_back(plan_.levels.size() - 1, std::move(place->mode));
  }

  /// By where they lie at the earliest, so that none finds its place taken by one that could come later.
  void order_by_home(Level &level, Mode mode) {
    mode.name = "home of " + level.position; // no term has it
    level.home->mode = plan_.modes.size();
    plan_.modes.push_back(std::move(mode));
    if (!level.order.empty()) return; // properties say another one
    level.order.push_back({level.home->mode});
    for (const Key &key : level.keys)
      level.order.push_back({key.mode});
  }

  /// position = sign * mode + offset
  bool make_dense(Level &level) {
    Term position = term::variable(level.position);
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const Term *left = term::equation(open_[k]);
      if (!left) continue;
      std::int64_t coefficient = term::coefficient_of(*left, level.position);
      std::optional<ModeUse> use = mode_of(*left, plan_.modes);
      if ((coefficient != 1 && coefficient != -1) || !use) continue;
      // coefficient * position + use * mode + rest = 0
      Term mode = term::variable(plan_.modes[use->mode].name);
      Term rest = *left - term::scale(coefficient, position) - term::scale(use->coefficient, mode);
      if (!is_of_sizes(rest)) continue;
      level.kind = Level::Kind::Dense;
      level.mode = use->mode;
      level.sign = use->coefficient == coefficient ? -1 : 1;
      level.offset = coefficient == 1 ? -rest : rest;
      use_mode(use->mode, open_[k]);
      accept(k);
      return true;
    }
    return false;
  }

  void accept_bounds(const Bounds &bounds) {
    accept(std::max(bounds.low_part, bounds.high_part));
    accept(std::min(bounds.low_part, bounds.high_part));
  }

  /// Segments are laid out one after the other, in the order of the level before: the pointer's subscripts
  /// must number its nodes in their order.
  bool make_segment(Level &level) {
    std::vector<std::size_t> numbering = numbering_levels(plan_.levels);
    if (numbering.empty()) return false;
    for (const Bounds &bounds : bounds_of(level.position, open_))
      if (set_pointer(level, bounds, plan_.levels, numbering)) {
        level.kind = Level::Kind::Segment;
        accept_bounds(bounds);
        return true;
      }
    return false;
  }

  bool make_counted(Level &level) {
    if (!plan_.levels.empty()) return false; // every node would have the same positions below it
    for (const Bounds &bounds : bounds_of(level.position, open_)) {
      const auto *count = bounds.high.as<term::Variable>();
      if (bounds.low != Term(0) || !count || sizes_.count(count->name)) continue;
      level.kind = Level::Kind::Counted;
      level.count = count->name;
      accept_bounds(bounds);
      return true;
    }
    return false;
  }

  /// As many positions for every node: 0 <= position < width, or segments whose parents are dense.
  bool make_padded(Level &level) {
    level.kind = Level::Kind::Padded;
    for (const Bounds &bounds : bounds_of(level.position, open_)) {
      const auto *constant = bounds.high.as<term::Constant>();
      const auto *count = bounds.high.as<term::Variable>();
      bool counted = count && conditions_.is_free_count(count->name);
      if (bounds.low == Term(0) && (counted || (constant && constant->value > 0))) {
        if (counted) level.count = count->name;
        if (constant) level.width = constant->value;
        accept_bounds(bounds);
        take_lengths(level, Term(0));
        return true;
      }
      for (std::size_t l = 0; l < plan_.levels.size(); ++l)
        if (plan_.levels[l].is_dense() && set_pointer(level, bounds, plan_.levels, {l})) {
          accept_bounds(bounds);
          take_lengths(level, bounds.low);
          return true;
        }
    }
    auto least = [&] {
      return std::ranges::find(open_, term::at_most(Term(0), term::variable(level.position)));
    };
    if (least() == open_.end() || !take_lengths(level, Term(0))) return false;
    accept(static_cast<std::size_t>(least() - open_.begin()));
    return true;
  }

  /// position < begin + lengths(all that number the nodes above)
  bool take_lengths(Level &level, const Term &begin) {
    std::optional<std::size_t> part = set_lengths(level, open_, begin, plan_.levels);
    if (part) accept(*part);
    return part.has_value();
  }

  /// Where the relation doesn't say how many places there are for each node: as many as arrays have.
  void set_places(Level &level) const {
    if (!level.count.empty() || level.width > 0 || !level.pointer.empty()) return;
    std::vector<Place> places = places_of(level.position, piece_, layout_); // of a key first
    for (const Place &place : places)
      if (place.extent != places[0].extent)
        fail_at(fmt::format("`{}` has {} places for position `{}`, but `{}` has {}", places[0].array,
                            term::to_text(places[0].extent), level.position, place.array,
                            term::to_text(place.extent)));
    const auto *count = places[0].extent.as<term::Variable>();
    const auto *constant = places[0].extent.as<term::Constant>();
    bool others = count && std::ranges::any_of(
                               plan_.levels, [&](const Level &above) { return above.count == count->name; });
    if (count && conditions_.is_free_count(count->name) && !determined_.counts.count(count->name) && !others)
      level.count = count->name;
    if (constant) level.width = std::max<std::int64_t>(constant->value, 0);
    if (level.count.empty() && level.width == 0)
      fail_at(fmt::format("`{}` has {} places for position `{}`, which is neither a number nor a count that "
                          "nothing else determines",
                          places[0].array, term::to_text(places[0].extent), level.position));
  }

  /// position = pointer(parent) + mode + offset, or less the least mode of the parent, in an array.
  bool make_run(Level &level) {
    std::vector<std::size_t> numbering = numbering_levels(plan_.levels);
    if (numbering.size() != 1 || !plan_.levels[numbering[0]].is_dense()) return false;
    for (const Bounds &bounds : bounds_of(level.position, open_)) {
      if (!set_pointer(level, bounds, plan_.levels, numbering)) continue;
      for (std::size_t k = 0; k < open_.size(); ++k) {
        if (!set_run(level, open_[k], bounds.low, plan_) || !is_of_sizes(level.offset)) continue;
        level.kind = Level::Kind::Run;
        use_mode(level.mode, open_[k]);
        // The bounds first: accepting moves what comes after.
        Term equation = open_[k];
        accept_bounds(bounds);
        accept(static_cast<std::size_t>(std::ranges::find(open_, equation) - open_.begin()));
        if (!level.first.empty()) determine(level.first, {}, equation);
        set_length(level, layout_, plan_.levels);
        return true;
      }
    }
    level.pointer.clear();
    level.parents.clear();
    return false;
  }

  /// mode = sign * array(position) + offset; padded levels' keys have other subscripts too.
  bool take_keys(Level &level, bool padded) {
    for (std::size_t k = 0; k < open_.size();) {
      std::optional<Key> key = key_of(open_[k], level.position, padded);
      if (!key) {
        ++k;
        continue;
      }
      use_mode(key->mode, open_[k]);
      determine(key->array, key->slots, open_[k]);
      level.keys.push_back(std::move(*key));
      accept(k);
    }
    return !level.keys.empty();
  }

  std::optional<Key> key_of(const Term &part, const std::string &position, bool padded) const {
    const Term *left = term::equation(part);
    if (!left) return std::nullopt;
    std::vector<Term> calls = term::applications_of(*left);
    std::optional<ModeUse> use = mode_of(*left, plan_.modes);
    if (calls.size() != 1 || !use) return std::nullopt;
    const auto *call = calls[0].as<term::Apply>();
    std::optional<std::vector<Slot>> slots = slots_of(call->arguments, plan_.levels, position);
    if (!slots || std::count_if(slots->begin(), slots->end(),
                                [&](const Slot &slot) { return slot.level == plan_.levels.size(); }) != 1)
      return std::nullopt;
    bool outside = std::any_of(slots->begin(), slots->end(), [&](const Slot &slot) {
      return slot.level == plan_.levels.size() ? slot.constant != 0 : slot.level != Slot::no_level && !padded;
    });
    if (outside || (scanning_ && slots->size() > 1)) return std::nullopt;
    std::int64_t factor = 0;
    for (const auto &[atom, coefficient] : term::linear_form(*left).parts)
      if (atom == calls[0]) factor = coefficient;
    if (factor != 1 && factor != -1) return std::nullopt;
    Term mode = term::variable(plan_.modes[use->mode].name);
    Term rest = *left - term::scale(use->coefficient, mode) - term::scale(factor, calls[0]);
    if (!is_of_sizes(rest)) return std::nullopt;
    return Key{call->function, *slots, use->mode, factor == use->coefficient ? -1 : 1,
               use->coefficient == 1 ? -rest : rest};
  }

  void determine(const std::string &array, const std::vector<Slot> &slots, const Term &by) {
    Determined::Part part;
    for (const Slot &slot : slots)
      part.push_back(slot.level == Slot::no_level ? std::optional(slot.constant) : std::nullopt);
    if (!determined_.arrays[array].insert(part).second)
      fail_at(fmt::format("`{}` determines array `{}` a second time", text_of(by), array));
  }

  /// What is known of every entry: the coordinates lie in the tensor. Scanning, not every position leads to
  /// an entry: derived coordinates outside the tensor are left out.
  std::vector<Term> known_of_entries() const {
    std::vector<Term> known = accepted_;
    for (std::size_t m = 0; m < plan_.modes.size(); ++m) {
      const Mode &mode = plan_.modes[m];
      if (!scanning_ || is_dense_mode(m))
        known.push_back(term::between(mode.least, term::variable(mode.name), mode.least + mode.size));
      if (mode.run == Mode::Run::First) known.push_back(run_has_entries(mode, plan_.modes[m + 1]));
    }
    for (std::size_t k = 0; k < layout_.order(); ++k)
      if (plan_.coordinates[k] != term::variable(layout_.coordinates[k]))
        known.push_back(term::between(Term(0), plan_.coordinates[k], term::variable(layout_.sizes[k])));
    return known;
  }

  /// What is left of the relation is true of every coordinate of the tensor, or tells which coordinates have
  /// a place, or which positions have an entry. Scanning, it must be true of everything in the arrays.
  void check_open_conditions() {
    std::vector<Term> known = known_of_entries();
    for (const Term &part : open_) {
      if (!scanning_ && conditions_.add(part)) continue;
      if (orders_.is_implied(part, known)) continue;
      if (!scanning_ && add_flag(part)) continue;
      fail_at(fmt::format("`{}` is not of a form that packing is derived for", text_of(part)));
    }
    accepted_.insert(accepted_.end(), open_.begin(), open_.end());
    for (const Level &level : plan_.levels)
      if (level.kind == Level::Kind::Run) add_run_conditions(level);
  }

  /// That a run's segment has a place for each of its modes, as far as that depends on coordinates alone.
  void add_run_conditions(const Level &level) {
    Term place = term::variable(plan_.modes[level.mode].name) + level.offset; // in the segment
    const Slot &parent = level.parents[0];
    if (level.first.empty())
      conditions_.add(term::at_most(Term(0), place));
    else
      place = place - term::apply(level.first, subscripts_of({parent}, plan_.levels));
    if (level.length) conditions_.add(term::less(place, *level.length));
  }

  /// array(positions) = constant, or another condition on that element alone: a number that satisfies it
  /// where there is an entry, one that doesn't elsewhere.
  bool add_flag(const Term &part) {
    std::vector<Term> calls = term::applications_of(part);
    if (calls.size() != 1) return false;
    const std::optional<std::int64_t> flagged = number_for(calls[0], part, true),
                                      other = number_for(calls[0], part, false);
    if (!flagged || !other) return false;
    const auto *call = calls[0].as<term::Apply>();
    std::optional<std::vector<Slot>> slots = slots_of(call->arguments, plan_.levels, "");
    std::vector<std::size_t> needed = numbering_levels(plan_.levels);
    if (!slots || determined_.arrays.count(call->function) || slots->size() != needed.size()) return false;
    for (const Slot &slot : *slots)
      std::erase(needed, slot.level);
    if (!needed.empty()) return false;
    determine(call->function, {}, part);
    plan_.flags.push_back({call->function, *slots, *flagged, *other});
    return true;
  }

  bool is_dense_mode(std::size_t mode) const {
    return std::ranges::any_of(plan_.levels,
                               [&](const Level &level) { return level.is_dense() && level.mode == mode; });
  }

  void plan_value() {
    const layout::EntryValue &value = piece_.value;
    plan_.negative = value.negative;
    if (value.array.empty()) {
      if (scanning_) fail_at(fmt::format("its entries hold the literal {}", value.literal));
      plan_.literal = value.literal;
      return;
    }
    plan_.value = value.array;
    if (!scanning_) determine(value.array, {}, term::apply(value.array, value.slots));
    if (piece_.positions.empty()) return;
    std::vector<std::size_t> needed = numbering_levels(plan_.levels);
    for (const Term &term : value.slots) {
      std::optional<Slot> slot = slot_of(term, plan_.levels);
      if (!slot || std::erase(needed, slot->level) == 0) fail_slot();
      plan_.slots.push_back(*slot);
    }
    if (!needed.empty()) fail_slot();
  }

  [[noreturn]] void fail_slot() const {
    fail_at(fmt::format("the slot `{}({})` doesn't number the entries by their last positions",
                        piece_.value.array, term::to_text(piece_.value.slots)));
  }

  /// The extent of the keys of segments is the number of their positions.
  void count_positions(Level &level) {
    if (level.kind == Level::Kind::Segment && level.count.empty()) {
      const Key &key = level.keys[0];
      std::size_t own = 0;
      while (key.slots[own].level == Slot::no_level)
        ++own;
      const auto *extent = layout_.array(key.array)->extents[own].as<term::Variable>();
      if (extent && conditions_.is_free_count(extent->name) && !determined_.counts.count(extent->name))
        level.count = extent->name;
    }
    if (!level.count.empty()) determined_.counts.insert(level.count);
  }

  void mark_unused(Level &level) {
    level.unused = orders_.mark_of(level, plan_.levels, accepted_);
    if (!level.unused && !level.lengths.empty()) level.unused = filler_of(level, plan_.modes, orders_);
    if (level.unused) return;
    if (!level.lengths.empty())
      fail_at(
          fmt::format("no number that unused positions `{}` could hold is in the range of all their arrays",
                      level.position));
    bool dense_above = std::all_of(plan_.levels.begin(), plan_.levels.end() - 1,
                                   [](const Level &above) { return above.is_dense(); });
    if (level.keys.size() > 1 || !level.merge || !dense_above || &level != &plan_.levels.back())
      fail_at(fmt::format("nothing says which positions `{}` are not used", level.position));
  }

  const Layout &layout_;
  PlacedPiece placed_;
  const Piece &piece_; // told by places
  PiecePlan plan_;
  PackOrders orders_;
  PieceConditions conditions_;
  bool scanning_;
  Determined &determined_;
  std::vector<Term> open_, accepted_; // conjuncts of the relation
  std::set<std::string> sizes_;
  std::set<std::size_t> used_;
  std::vector<std::pair<std::size_t, Mode>> homes_; // of levels
};

} // namespace

PiecePlan plan_piece(const Layout &layout, std::size_t piece, bool scanning, Determined &determined) {
  return PiecePlanner(layout, piece, scanning, determined).plan();
}

} // namespace unravel::packing
