// Entries that a piece implies, as the other half of a symmetric matrix: where the piece lies over the arrays
// of one that is planned, the positions of that one are told by its entries' coordinates.
#include "packing/pack_implied.h"

#include "packing/pack_order.h"
#include "term/solve.h"

#include <numeric>
#include <set>

namespace unravel::packing {

using layout::Piece;

namespace {

/// Names that no layout has, for the coordinates of what is implied.
std::string implied_name(const std::string &coordinate) {
  return coordinate + "'";
}

class Teller {
public:
  Teller(const Piece &piece, const Layout &layout, const PiecePlan &plan)
      : piece_(piece), layout_(layout), planned_(layout.pieces[plan.piece]) {
    for (const Level &level : plan.levels) {
      const auto named = [&](std::size_t mode) { return term::variable(plan.modes[mode].name); };
      if (level.is_dense())
        positions_.emplace(level.position, term::scale(level.sign, named(level.mode)) + level.offset);
      for (const Key &key : level.keys)
        stored_.emplace(key_term(key, plan.levels), term::scale(key.sign, named(key.mode) - key.offset));
    }
    for (const Mode &mode : plan.modes)
      modes_.emplace(mode.name, mode.value);
    for (const Term &part : term::conjuncts(by_coordinates(planned_.relation)))
      known_.insert(part);
  }

  /// With the piece's positions in the place of the planned one's, in some order.
  std::optional<Implied> tell() const {
    if (piece_.positions.size() != planned_.positions.size()) return std::nullopt;
    std::vector<std::size_t> order(piece_.positions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      std::map<std::string, std::string> names;
      for (std::size_t k = 0; k < order.size(); ++k)
        names.emplace(piece_.positions[k], planned_.positions[order[k]]);
      for (const std::string &coordinate : layout_.coordinates)
        names.emplace(coordinate, implied_name(coordinate));
      if (std::optional<Implied> told = tell_with(names)) return told;
    } while (std::ranges::next_permutation(order).found);
    return std::nullopt;
  }

private:
  Term by_coordinates(const Term &of) const {
    return term::substitute(term::substitute(term::replace(of, stored_), positions_), modes_);
  }

  /// Sizes and coordinates alone, and counts that follow from sizes?
  bool is_told(const Term &part) const {
    return term::applications_of(part).empty() &&
           std::ranges::all_of(term::variables_of(part), [&](const std::string &name) {
             if (std::ranges::count(planned_.positions, name)) return false;
             const layout::Count *count = layout_.count(name);
             return !count || (count->definition && is_told(*count->definition));
           });
  }

  bool mentions_implied(const Term &part) const {
    return std::ranges::any_of(layout_.coordinates, [&](const std::string &coordinate) {
      return term::mentions(part, implied_name(coordinate));
    });
  }

  std::optional<Implied> tell_with(const std::map<std::string, std::string> &names) const {
    Implied implied;
    if (!take_value(implied, names)) return std::nullopt;
    std::vector<Term> parts;
    std::set<Term> open; // what the planned piece says of positions, which this one must say, too
    for (const Term &part : known_)
      if (!is_told(part)) open.insert(part);
    for (const Term &part : term::conjuncts(by_coordinates(term::rename(piece_.relation, names, {})))) {
      open.erase(part);
      if (known_.count(part)) continue;
      if (!is_told(part)) return std::nullopt;
      parts.push_back(part);
    }
    if (!open.empty()) return std::nullopt;
    term::Substitution solved;
    for (const std::string &coordinate : layout_.coordinates) {
      const std::string name = implied_name(coordinate);
      for (const Term &part : parts)
        if (const std::optional<Term> value = term::solve_for(name, part);
            value && !mentions_implied(*value)) {
          solved.emplace(name, *value);
          implied.coordinates.push_back(*value);
          break;
        }
      if (!solved.count(name)) return std::nullopt;
    }
    for (std::size_t mode = 0; mode < layout_.order(); ++mode)
      parts.push_back(term::between(Term(0), term::variable(implied_name(layout_.coordinates[mode])),
                                    term::variable(layout_.sizes[mode])));
    for (const Term &part : parts)
      for (const Term &condition : term::conjuncts(term::substitute(part, solved)))
        if (!known_.count(condition) && !term::is_true(condition)) implied.conditions.push_back(condition);
    return implied;
  }

  bool take_value(Implied &implied, const std::map<std::string, std::string> &names) const {
    if (piece_.value.array.empty()) {
      implied.literal = piece_.value.negative ? -piece_.value.literal : piece_.value.literal;
      return true;
    }
    if (piece_.value.array != planned_.value.array) return false;
    for (std::size_t k = 0; k < piece_.value.slots.size(); ++k)
      if (term::rename(piece_.value.slots[k], names, {}) != planned_.value.slots[k]) return false;
    implied.negative = piece_.value.negative != planned_.value.negative;
    return true;
  }

  const Piece &piece_;
  const Layout &layout_;
  const Piece &planned_;
  term::Substitution positions_, modes_;
  std::map<Term, Term> stored_;
  std::set<Term> known_; // of every entry of the planned piece
};

} // namespace

std::optional<Implied> implied_entry(const Piece &piece, const Layout &layout, const PackPlan &plan,
                                     std::size_t number) {
  const PiecePlan &planned = plan.pieces[number];
  const bool is_told =
      planned.permutations.empty() && !planned.spills &&
      std::ranges::all_of(planned.modes, [](const Mode &mode) { return mode.is_of_entry(); });
  std::optional<Implied> implied = is_told ? Teller(piece, layout, planned).tell() : std::nullopt;
  if (implied) implied->piece = number;
  return implied;
}

} // namespace unravel::packing
