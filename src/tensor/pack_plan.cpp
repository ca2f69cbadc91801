// From a layout's relation to a plan of packing: what kind of level each position is.
#include "tensor/pack_plan.h"

#include "report/diagnostic.h"
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

constexpr const char *forms = "packing is derived for positions like `i = r`, `0 <= p < NNZ` and `f(r) <= p "
                              "< f(r + 1)` with `j = col(p)`; "
                              "other layouts' arrays can be given as a folder";

/// The only coordinate that occurs in a term, outside applications and with coefficient 1 or -1.
struct CoordinateUse {
  std::size_t mode = 0;
  std::int64_t coefficient = 0;
};

class Planner {
public:
  Planner(const Layout &layout, bool scanning)
      : layout_(layout), piece_(layout.pieces.front()), orders_(layout), scanning_(scanning) {
    if (layout.pieces.size() > 1)
      report::fail(Kind::cannot_pack, layout.pieces[1].span,
                   fmt::format("coordinates can't be packed into layout `{}`: it has {} `stored` pieces",
                               layout.name, layout.pieces.size()),
                   forms);
    open_ = term::conjuncts(piece_.relation);
    sizes_.insert(layout.sizes.begin(), layout.sizes.end());
  }

  PackPlan plan() {
    for (const std::string &position : piece_.positions)
      plan_.levels.push_back(level_of(position));
    for (std::size_t mode = 0; mode < layout_.order(); ++mode)
      if (!used_.count(mode)) fail_coordinate(layout_.coordinates[mode]);
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
    if (!found) fail_at(fmt::format("nothing of a form that packing knows determines `{}`", variable));
    fail_at(fmt::format("`{}` is not of a form that packing is derived for", term::to_text(*found)));
  }

  [[noreturn]] void fail_coordinate(const std::string &coordinate) const { fail_about(coordinate); }

  void accept(std::size_t k) {
    accepted_.push_back(open_[k]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  void use_coordinate(std::size_t mode, const Term &part) {
    if (!used_.insert(mode).second)
      fail_at(
          fmt::format("`{}` determines `{}` a second time", term::to_text(part), layout_.coordinates[mode]));
  }

  std::optional<CoordinateUse> coordinate_of(const Term &term) const {
    std::optional<CoordinateUse> result;
    for (std::size_t mode = 0; mode < layout_.order(); ++mode) {
      if (!term::mentions(term, layout_.coordinates[mode])) continue;
      std::int64_t coefficient = term::coefficient_of(term, layout_.coordinates[mode]);
      if (result || (coefficient != 1 && coefficient != -1)) return std::nullopt;
      result = CoordinateUse{mode, coefficient};
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

  /// position = sign * coordinate + offset
  bool make_dense(Level &level) {
    Term position = term::variable(level.position);
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const auto *compare = open_[k].as<term::Compare>();
      if (!compare || compare->relation != term::Relation::Equal) continue;
      std::int64_t coefficient = term::coefficient_of(compare->left, level.position);
      std::optional<CoordinateUse> use = coordinate_of(compare->left);
      if ((coefficient != 1 && coefficient != -1) || !use) continue;
      // coefficient * position + use * coordinate + rest = 0
      Term coordinate = term::variable(layout_.coordinates[use->mode]);
      Term rest =
          compare->left - term::scale(coefficient, position) - term::scale(use->coefficient, coordinate);
      if (!is_of_sizes(rest)) continue;
      level.kind = Level::Kind::Dense;
      level.mode = use->mode;
      level.sign = use->coefficient == coefficient ? -1 : 1;
      level.offset = coefficient == 1 ? -rest : rest;
      use_coordinate(use->mode, open_[k]);
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

  /// Segments are laid out one after the other, in the order of the level before: its positions must number
  /// its nodes from 0.
  bool make_segment(Level &level) {
    if (plan_.levels.empty()) return false;
    const Level &before = plan_.levels.back();
    if (before.is_dense() && plan_.levels.size() > 1) return false;
    for (const Bounds &bounds : bounds_of(level.position)) {
      const auto *low = bounds.low.as<term::Apply>();
      const auto *high = bounds.high.as<term::Apply>();
      if (!low || !high || low->function != high->function || low->arguments.size() != 1) continue;
      std::int64_t step = 0, shift = 0;
      if (!term::constant_difference(low->arguments[0], high->arguments[0], step) || step != 1) continue;
      if (!term::constant_difference(term::variable(before.position), low->arguments[0], shift)) continue;
      level.kind = Level::Kind::Segment;
      level.pointer = low->function;
      level.shift = shift;
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

  /// coordinate = sign * array(position) + offset
  void take_keys(Level &level) {
    for (std::size_t k = 0; k < open_.size();) {
      std::optional<Key> key = key_of(open_[k], level.position);
      if (!key) {
        ++k;
        continue;
      }
      use_coordinate(key->mode, open_[k]);
      determine(key->array, open_[k]);
      level.keys.push_back(std::move(*key));
      accept(k);
    }
  }

  std::optional<Key> key_of(const Term &part, const std::string &position) const {
    const auto *compare = part.as<term::Compare>();
    if (!compare || compare->relation != term::Relation::Equal) return std::nullopt;
    std::vector<Term> calls = term::applications_of(compare->left);
    std::optional<CoordinateUse> use = coordinate_of(compare->left);
    if (calls.size() != 1 || !use) return std::nullopt;
    const auto *call = calls[0].as<term::Apply>();
    if (call->arguments != std::vector<Term>{term::variable(position)}) return std::nullopt;
    std::int64_t factor = 0;
    for (const auto &[atom, coefficient] : term::linear_form(compare->left).parts)
      if (atom == calls[0]) factor = coefficient;
    if (factor != 1 && factor != -1) return std::nullopt;
    Term coordinate = term::variable(layout_.coordinates[use->mode]);
    Term rest = compare->left - term::scale(use->coefficient, coordinate) - term::scale(factor, calls[0]);
    if (!is_of_sizes(rest)) return std::nullopt;
    return Key{call->function, use->mode, factor == use->coefficient ? -1 : 1,
               use->coefficient == 1 ? -rest : rest};
  }

  void determine(const std::string &array, const Term &part) {
    if (!determined_.insert(array).second)
      fail_at(fmt::format("`{}` determines array `{}` a second time", term::to_text(part), array));
  }

  /// What is left of the relation must be true of every coordinate of the tensor: entries that don't satisfy
  /// it would have no place. Scanning, it must be true of everything in the arrays.
  void check_open_conditions() {
    std::vector<std::size_t> in_range;
    for (std::size_t mode = 0; mode < layout_.order(); ++mode)
      if (!scanning_ || is_dense_mode(mode)) in_range.push_back(mode);
    for (const Term &part : open_)
      if (!orders_.is_implied(part, accepted_, in_range))
        fail_at(fmt::format("`{}` is not of a form that packing is derived for", term::to_text(part)));
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
    std::set<std::size_t> needed = slot_levels();
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

  /// The last keyed position numbers its nodes by itself; dense ones below it are needed with it.
  std::set<std::size_t> slot_levels() const {
    std::set<std::size_t> needed;
    for (std::size_t l = plan_.levels.size(); l-- > 0;) {
      needed.insert(l);
      if (!plan_.levels[l].is_dense()) break;
    }
    return needed;
  }

  std::optional<Slot> slot_of(const Term &term) const {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      std::int64_t constant = 0;
      if (term::constant_difference(term::variable(plan_.levels[l].position), term, constant))
        return Slot{l, constant};
    }
    return std::nullopt;
  }

  void check_arrays() const {
    for (const layout::Array &array : layout_.arrays)
      if (!determined_.count(array.name))
        fail_at(fmt::format("its relation doesn't determine array `{}`", array.name));
    for (const layout::Count &count : layout_.counts) {
      bool counted = !plan_.levels.empty() && plan_.levels[0].count == count.name;
      if (!count.definition && !counted)
        fail_at(fmt::format("its relation doesn't determine count `{}`", count.name));
    }
  }

  const Layout &layout_;
  const Piece &piece_;
  PackOrders orders_;
  bool scanning_;
  PackPlan plan_;
  std::vector<Term> open_, accepted_; // conjuncts of the relation
  std::set<std::string> sizes_, determined_;
  std::set<std::size_t> used_;
};

} // namespace

bool PackPlan::is_dense() const {
  return std::all_of(levels.begin(), levels.end(), [](const Level &level) { return level.is_dense(); });
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
std::string shifted(int sign, const std::string &atom, const Term &offset) {
  return term::to_text(term::scale(sign, term::variable(atom)) + offset);
}

std::string level_text(const Level &level, const Layout &layout, const std::string &before) {
  std::string text;
  switch (level.kind) {
  case Level::Kind::Dense:
    return fmt::format("dense: {} = {}\n", level.position,
                       shifted(level.sign, layout.coordinates[level.mode], level.offset));
  case Level::Kind::Counted:
    text = fmt::format("counted: 0 <= {} < {}\n", level.position, level.count);
    break;
  case Level::Kind::Segment: {
    Term from = term::variable(before) + Term(level.shift);
    text = fmt::format("segments: {0}({1}) <= {2} < {0}({3})\n", level.pointer, term::to_text(from),
                       level.position, term::to_text(from + Term(1)));
    break;
  }
  }
  for (const Key &key : level.keys)
    text += fmt::format("    {}({}) = {}\n", key.array, level.position,
                        shifted(key.sign, layout.coordinates[key.mode], term::scale(-key.sign, key.offset)));
  std::string order;
  for (const SortKey &key : level.order)
    order += fmt::format("{}{}{}", order.empty() ? "by " : ", ", layout.coordinates[key.mode],
                         key.descending ? " descending" : "");
  text += fmt::format("    {}; {}\n", order.empty() ? "in the order of the input" : order,
                      level.merge ? "equal coordinates share a position" : "each entry has its own position");
  for (const std::string &reason : level.reasons)
    text += fmt::format("      proved: {}\n", reason);
  return text;
}

} // namespace

std::string to_text(const PackPlan &plan, const Layout &layout) {
  std::string text = fmt::format("pack {}\n", layout.name), before;
  for (const Level &level : plan.levels) {
    text += "  " + level_text(level, layout, before);
    before = level.position;
  }
  std::string slots = plan.slots.empty() ? "0" : "";
  for (const Slot &slot : plan.slots)
    slots +=
        fmt::format("{}{}", slots.empty() ? "" : ", ",
                    term::to_text(term::variable(plan.levels[slot.level].position) + Term(slot.constant)));
  text += fmt::format("  value: {}({}) = {}sum\n", plan.value, slots, plan.negative ? "-" : "");
  for (std::size_t property : plan.checked)
    text += fmt::format("  checked afterwards: {}\n", layout.properties[property].axiom.text);
  return text;
}

} // namespace unravel::tensor
