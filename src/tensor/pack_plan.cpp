// From a layout's relation to a plan of packing: what kind of level each position is.
#include "tensor/pack_plan.h"

#include "report/diagnostic.h"
#include "tensor/pack_modes.h"
#include "tensor/pack_order.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace unravel::tensor {

using layout::Layout;
using layout::Piece;
using report::Kind;
using term::Term;

namespace {

constexpr const char *forms =
    "packing is derived for positions like `i = r`, `i = 4*b + r` with `0 <= r < 4`, `0 <= p < NNZ` and "
    "`f(r) <= p < f(r + 1)`, and for keys like `j = col(p)`, `j = 4*col(p) + c` and `j = i + off(p)`; "
    "other layouts' arrays can be given as a folder";

/// The only mode that occurs in a term, outside applications and with coefficient 1 or -1.
struct ModeUse {
  std::size_t mode = 0;
  std::int64_t coefficient = 0;
};

class Planner {
public:
  Planner(const Layout &layout, bool scanning)
      : layout_(layout), piece_(layout.pieces.front()), orders_(layout, plan_.modes), scanning_(scanning) {
    if (layout.pieces.size() > 1)
      report::fail(Kind::cannot_pack, layout.pieces[1].span,
                   fmt::format("coordinates can't be packed into layout `{}`: it has {} `stored` pieces",
                               layout.name, layout.pieces.size()),
                   forms);
    DerivedRelation derived = derive_modes(layout, piece_);
    plan_.modes = std::move(derived.modes);
    plan_.coordinates = std::move(derived.coordinates);
    open_ = std::move(derived.conjuncts);
    sizes_.insert(layout.sizes.begin(), layout.sizes.end());
  }

  PackPlan plan() {
    for (const std::string &position : piece_.positions)
      plan_.levels.push_back(level_of(position));
    for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode)
      if (!used_.count(mode)) fail_about(plan_.modes[mode].name);
    check_open_conditions();
    plan_value();
    if (scanning_) return std::move(plan_);
    check_arrays();
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      bool inner = l + 1 < plan_.levels.size();
      if (!plan_.levels[l].is_dense()) orders_.decide(plan_.levels, l, accepted_, inner);
    }
    plan_.checked = orders_.unproved_properties(plan_.levels);
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
      const auto *compare = part.as<term::Compare>();
      bool equation = compare && compare->relation == term::Relation::Equal;
      if (!found || equation) found = &part;
      if (equation) break;
    }
    if (!found)
      fail_at(fmt::format("nothing of a form that packing knows determines `{}`",
                          text_of(term::variable(variable))));
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

  std::optional<ModeUse> mode_of(const Term &term) const {
    std::optional<ModeUse> result;
    for (std::size_t mode = 0; mode < plan_.modes.size(); ++mode) {
      if (!term::mentions(term, plan_.modes[mode].name)) continue;
      std::int64_t coefficient = term::coefficient_of(term, plan_.modes[mode].name);
      if (result || (coefficient != 1 && coefficient != -1)) return std::nullopt;
      result = ModeUse{mode, coefficient};
    }
    return result;
  }

  bool is_of_sizes(const Term &term) const {
    if (!term::applications_of(term).empty()) return false;
    for (const std::string &name : term::variables_of(term))
      if (!sizes_.count(name)) return false;
    return true;
  }

  Level level_of(const std::string &position) {
    Level level;
    level.position = position;
    if (make_dense(level)) return level;
    if (!make_segment(level) && !make_counted(level)) fail_about(position);
    take_keys(level);
    if (level.keys.empty()) fail_about(position);
    return level;
  }

  /// position = sign * mode + offset
  bool make_dense(Level &level) {
    Term position = term::variable(level.position);
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const auto *compare = open_[k].as<term::Compare>();
      if (!compare || compare->relation != term::Relation::Equal) continue;
      std::int64_t coefficient = term::coefficient_of(compare->left, level.position);
      std::optional<ModeUse> use = mode_of(compare->left);
      if ((coefficient != 1 && coefficient != -1) || !use) continue;
      // coefficient * position + use * mode + rest = 0
      Term mode = term::variable(plan_.modes[use->mode].name);
      Term rest = compare->left - term::scale(coefficient, position) - term::scale(use->coefficient, mode);
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

  /// Bounds on a position: low <= position < high, and which conjuncts say so.
  struct Bounds {
    std::size_t low_part, high_part;
    Term low, high;
  };

  std::vector<Bounds> bounds_of(const std::string &name) const {
    std::vector<std::pair<std::size_t, Term>> lows, highs;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const auto *compare = open_[k].as<term::Compare>();
      if (!compare || compare->relation != term::Relation::AtLeast) continue;
      std::int64_t coefficient = term::coefficient_of(compare->left, name);
      if (coefficient == 1) lows.emplace_back(k, term::variable(name) - compare->left);
      if (coefficient == -1) highs.emplace_back(k, compare->left + term::variable(name) + Term(1));
    }
    std::vector<Bounds> result;
    for (const auto &[low_part, low] : lows)
      for (const auto &[high_part, high] : highs)
        result.push_back({low_part, high_part, low, high});
    return result;
  }

  void accept_bounds(const Bounds &bounds) {
    accept(std::max(bounds.low_part, bounds.high_part));
    accept(std::min(bounds.low_part, bounds.high_part));
  }

  /// Segments are laid out one after the other, in the order of the level before: the pointer's subscripts
  /// must number its nodes in their order.
  bool make_segment(Level &level) {
    std::vector<std::size_t> numbering = numbering_levels();
    if (numbering.empty()) return false;
    for (const Bounds &bounds : bounds_of(level.position)) {
      const auto *low = bounds.low.as<term::Apply>();
      const auto *high = bounds.high.as<term::Apply>();
      if (!low || !high || low->function != high->function || low->arguments.size() != numbering.size() ||
          high->arguments.size() != numbering.size())
        continue;
      bool parents = true;
      level.parents.clear();
      for (std::size_t k = 0; k < numbering.size() && parents; ++k) {
        std::int64_t step = 0, constant = 0;
        Term position = term::variable(plan_.levels[numbering[k]].position);
        parents = term::constant_difference(position, low->arguments[k], constant) &&
                  term::constant_difference(low->arguments[k], high->arguments[k], step) &&
                  step == (k + 1 == numbering.size() ? 1 : 0);
        level.parents.push_back({numbering[k], constant});
      }
      if (!parents) continue;
      level.kind = Level::Kind::Segment;
      level.pointer = low->function;
      determine(low->function, bounds.low);
      accept_bounds(bounds);
      return true;
    }
    return false;
  }

  bool make_counted(Level &level) {
    if (!plan_.levels.empty()) return false; // every node would have the same positions below it
    for (const Bounds &bounds : bounds_of(level.position)) {
      const auto *count = bounds.high.as<term::Variable>();
      if (bounds.low != Term(0) || !count || sizes_.count(count->name)) continue;
      level.kind = Level::Kind::Counted;
      level.count = count->name;
      accept_bounds(bounds);
      return true;
    }
    return false;
  }

  /// mode = sign * array(position) + offset
  void take_keys(Level &level) {
    for (std::size_t k = 0; k < open_.size();) {
      std::optional<Key> key = key_of(open_[k], level.position);
      if (!key) {
        ++k;
        continue;
      }
      use_mode(key->mode, open_[k]);
      determine(key->array, open_[k]);
      level.keys.push_back(std::move(*key));
      accept(k);
    }
  }

  std::optional<Key> key_of(const Term &part, const std::string &position) const {
    const auto *compare = part.as<term::Compare>();
    if (!compare || compare->relation != term::Relation::Equal) return std::nullopt;
    std::vector<Term> calls = term::applications_of(compare->left);
    std::optional<ModeUse> use = mode_of(compare->left);
    if (calls.size() != 1 || !use) return std::nullopt;
    const auto *call = calls[0].as<term::Apply>();
    if (call->arguments != std::vector<Term>{term::variable(position)}) return std::nullopt;
    std::int64_t factor = 0;
    for (const auto &[atom, coefficient] : term::linear_form(compare->left).parts)
      if (atom == calls[0]) factor = coefficient;
    if (factor != 1 && factor != -1) return std::nullopt;
    Term mode = term::variable(plan_.modes[use->mode].name);
    Term rest = compare->left - term::scale(use->coefficient, mode) - term::scale(factor, calls[0]);
    if (!is_of_sizes(rest)) return std::nullopt;
    return Key{call->function, use->mode, factor == use->coefficient ? -1 : 1,
               use->coefficient == 1 ? -rest : rest};
  }

  void determine(const std::string &array, const Term &part) {
    if (!determined_.insert(array).second)
      fail_at(fmt::format("`{}` determines array `{}` a second time", text_of(part), array));
  }

  /// What is left of the relation must be true of every coordinate of the tensor: entries that don't satisfy
  /// it would have no place. Scanning, it must be true of everything in the arrays, but for derived
  /// coordinates outside the tensor: those are left out.
  void check_open_conditions() {
    std::vector<Term> known = accepted_;
    for (std::size_t m = 0; m < plan_.modes.size(); ++m) {
      const Mode &mode = plan_.modes[m];
      if (!scanning_ || is_dense_mode(m))
        known.push_back(term::between(mode.least, term::variable(mode.name), mode.least + mode.size));
    }
    for (std::size_t k = 0; k < layout_.order(); ++k)
      if (plan_.coordinates[k] != term::variable(layout_.coordinates[k]))
        known.push_back(term::between(Term(0), plan_.coordinates[k], term::variable(layout_.sizes[k])));
    for (const Term &part : open_)
      if (!orders_.is_implied(part, known))
        fail_at(fmt::format("`{}` is not of a form that packing is derived for", text_of(part)));
    accepted_.insert(accepted_.end(), open_.begin(), open_.end());
  }

  bool is_dense_mode(std::size_t mode) const {
    return std::any_of(plan_.levels.begin(), plan_.levels.end(),
                       [&](const Level &level) { return level.is_dense() && level.mode == mode; });
  }

  void plan_value() {
    const layout::EntryValue &value = piece_.value;
    if (value.array.empty()) fail_at(fmt::format("its entries hold the literal {}", value.literal));
    plan_.value = value.array;
    plan_.negative = value.negative;
    determined_.insert(value.array);
    std::vector<std::size_t> numbering = numbering_levels();
    std::set<std::size_t> needed(numbering.begin(), numbering.end());
    if (piece_.positions.empty()) return;
    for (const Term &term : value.slots) {
      std::optional<Slot> slot = slot_of(term);
      if (!slot || !needed.erase(slot->level)) fail_slot();
      plan_.slots.push_back(*slot);
    }
    if (!needed.empty()) fail_slot();
  }

  [[noreturn]] void fail_slot() const {
    std::string text;
    for (const Term &slot : piece_.value.slots)
      text += (text.empty() ? "" : ", ") + term::to_text(slot);
    fail_at(fmt::format("the slot `{}({})` doesn't number the entries by their last positions",
                        piece_.value.array, text));
  }

  /// The levels whose positions together number the nodes of the last one: the last keyed one, which numbers
  /// its nodes by itself, and the dense ones below it.
  std::vector<std::size_t> numbering_levels() const {
    std::size_t first = plan_.levels.size();
    while (first > 0 && (first == plan_.levels.size() || plan_.levels[first].is_dense()))
      --first;
    std::vector<std::size_t> levels;
    for (; first < plan_.levels.size(); ++first)
      levels.push_back(first);
    return levels;
  }

  std::optional<Slot> slot_of(const Term &term) const {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      std::int64_t constant = 0;
      if (term::constant_difference(term::variable(plan_.levels[l].position), term, constant))
        return Slot{l, constant};
    }
    return std::nullopt;
  }

  void check_arrays() {
    for (const layout::Array &array : layout_.arrays)
      if (!determined_.count(array.name))
        fail_at(fmt::format("its relation doesn't determine array `{}`", array.name));
    for (const layout::Count &count : layout_.counts)
      if (!count.definition && !is_counted(count.name))
        fail_at(fmt::format("its relation doesn't determine count `{}`", count.name));
  }

  /// Whether a level counts it. The extent of the keys of segments is the number of their positions.
  bool is_counted(const std::string &count) {
    for (Level &level : plan_.levels) {
      if (level.count == count) return true;
      if (level.kind != Level::Kind::Segment || !level.count.empty()) continue;
      if (layout_.array(level.keys[0].array)->extents != std::vector<Term>{term::variable(count)}) continue;
      level.count = count;
      return true;
    }
    return false;
  }

  const Layout &layout_;
  const Piece &piece_;
  PackPlan plan_;
  PackOrders orders_;
  bool scanning_;
  std::vector<Term> open_, accepted_; // conjuncts of the relation
  std::set<std::string> sizes_, determined_;
  std::set<std::size_t> used_;
};

} // namespace

bool PackPlan::is_dense() const {
  return std::all_of(levels.begin(), levels.end(), [](const Level &level) { return level.is_dense(); });
}

bool PackPlan::is_derived() const {
  return std::any_of(modes.begin(), modes.end(), [](const Mode &mode) { return !mode.is_coordinate(); });
}

PackPlan plan_packing(const Layout &layout) {
  return Planner(layout, false).plan();
}

std::optional<PackPlan> plan_scan(const Layout &layout) {
  try {
    return Planner(layout, true).plan();
  } catch (const report::Error &error) {
    if (error.diagnostic().kind != Kind::cannot_pack) throw;
    return std::nullopt;
  }
}

namespace {

/// sign * atom + offset, as a formula would have it.
std::string shifted(int sign, const Mode &mode, const Term &offset) {
  return term::to_text(term::scale(sign, mode.value) + offset);
}

std::string slots_text(const std::vector<Slot> &slots, const std::vector<Level> &levels) {
  std::string text;
  for (const Slot &slot : slots)
    text += (text.empty() ? "" : ", ") +
            term::to_text(term::variable(levels[slot.level].position) + Term(slot.constant));
  return text;
}

std::string level_text(const Level &level, const PackPlan &plan) {
  std::string text;
  switch (level.kind) {
  case Level::Kind::Dense:
    return fmt::format("dense: {} = {}\n", level.position,
                       shifted(level.sign, plan.modes[level.mode], level.offset));
  case Level::Kind::Counted:
    text = fmt::format("counted: 0 <= {} < {}\n", level.position, level.count);
    break;
  case Level::Kind::Segment: {
    std::vector<Slot> next = level.parents;
    ++next.back().constant;
    text = fmt::format("segments: {0}({1}) <= {2} < {0}({3}){4}\n", level.pointer,
                       slots_text(level.parents, plan.levels), level.position, slots_text(next, plan.levels),
                       level.count.empty() ? "" : fmt::format(", {} in all", level.count));
    break;
  }
  }
  for (const Key &key : level.keys)
    text += fmt::format("    {}({}) = {}\n", key.array, level.position,
                        shifted(key.sign, plan.modes[key.mode], term::scale(-key.sign, key.offset)));
  std::string order;
  for (const SortKey &key : level.order)
    order += fmt::format("{}{}{}", order.empty() ? "by " : ", ", term::to_text(plan.modes[key.mode].value),
                         key.descending ? " descending" : "");
  text += fmt::format("    {}; {}\n", order.empty() ? "in the order of the input" : order,
                      level.merge ? "equal coordinates share a position" : "each entry has its own position");
  for (const std::string &reason : level.reasons)
    text += fmt::format("      proved: {}\n", reason);
  return text;
}

} // namespace

std::string to_text(const PackPlan &plan, const Layout &layout) {
  std::string text = fmt::format("pack {}\n", layout.name);
  for (const Level &level : plan.levels)
    text += "  " + level_text(level, plan);
  std::string slots = plan.slots.empty() ? "0" : slots_text(plan.slots, plan.levels);
  text += fmt::format("  value: {}({}) = {}sum\n", plan.value, slots, plan.negative ? "-" : "");
  for (std::size_t property : plan.checked)
    text += fmt::format("  checked afterwards: {}\n", layout.properties[property].axiom.text);
  return text;
}

} // namespace unravel::tensor
