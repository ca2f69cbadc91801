#include "packing/pack_permutation.h"

#include "layout/property.h"
#include "prove/prover.h"
#include "term/solve.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace unravel::packing {

using layout::Piece;

namespace {

class PlaceFinder {
public:
  PlaceFinder(const Layout &layout, const Piece &piece)
      : layout_(layout), conjuncts_(term::conjuncts(piece.relation)) {
    result_.piece = piece;
  }

  Piece without_sums() {
    drop_sums();
    return std::move(result_.piece);
  }

  PlacedPiece find() {
    drop_sums();
    for (std::size_t mode = 0; mode < layout_.order(); ++mode)
      permute(mode);
    if (!result_.permutations.empty()) result_.piece.relation = term::conjunction(conjuncts_);
    return std::move(result_);
  }

private:
  bool is_position(const std::string &name) const {
    const std::vector<std::string> &positions = result_.piece.positions;
    return std::ranges::find(positions, name) != positions.end();
  }

  bool mentions_coordinate(const Term &of) const {
    return std::ranges::any_of(layout_.coordinates,
                               [&](const std::string &name) { return term::mentions(of, name); });
  }

  bool numbers_values(const std::string &position) const {
    const std::vector<Term> &slots = result_.piece.value.slots;
    return std::ranges::any_of(slots, [&](const Term &slot) { return term::mentions(slot, position); });
  }

  // ---- k = S*b + r

  /// Of slices of one row, k = b + r, it is k that the others tell: b stands in index arrays.
  static bool is_sum(const Term &term) {
    return std::ranges::all_of(term::linear_form(term).parts,
                               [](const auto &part) { return part.second > 0; });
  }

  void drop_sums() {
    bool dropped = false;
    while (drop_position())
      dropped = true;
    if (dropped) result_.piece.relation = term::conjunction(conjuncts_);
  }

  bool drop_position() {
    for (std::size_t k = 0; k < conjuncts_.size(); ++k) {
      const Term *left = term::equation(conjuncts_[k]);
      if (!left || mentions_coordinate(*left) || !term::applications_of(*left).empty()) continue;
      std::string sum;
      std::optional<Term> value;
      std::size_t positions = 0;
      for (const std::string &name : term::variables_of(*left)) {
        if (!is_position(name)) continue;
        ++positions;
        if (numbers_values(name) || (value && is_sum(*value))) continue;
        std::optional<Term> solved = term::solve_for(name, conjuncts_[k]);
        if (solved && (!value || is_sum(*solved))) sum = name, value = std::move(solved);
      }
      if (!value || positions < 2) continue;
      conjuncts_.erase(conjuncts_.begin() + static_cast<std::ptrdiff_t>(k));
      for (Term &part : conjuncts_)
        part = term::substitute(part, {{sum, *value}});
      std::erase(result_.piece.positions, sum);
      return true;
    }
    return false;
  }

  // ---- i = row(e)

  void permute(std::size_t mode) {
    const std::string &name = layout_.coordinates[mode];
    std::optional<std::size_t> only;
    for (std::size_t k = 0; k < conjuncts_.size(); ++k) {
      const Term *left = term::equation(conjuncts_[k]);
      if (!left || !term::mentions(*left, name)) continue;
      if (only) return;
      only = k;
    }
    if (!only) return;
    std::optional<Permutation> found = permutation_in(*term::equation(conjuncts_[*only]), mode);
    if (!found || !is_free(*found, *only) || !is_injective(found->array)) return;
    Term stored = term::apply(found->array, {found->at});
    Term coordinate = term::scale(found->sign, stored) + found->offset;
    found->place = fresh_name(name + "_place");
    found->window = window_of(*found);
    for (Term &part : conjuncts_)
      part = term::substitute(part, {{name, coordinate}});
    conjuncts_[*only] = term::equal(term::variable(found->place), found->at);
    result_.permutations.push_back(std::move(*found));
  }

  /// coordinate = sign * array(at) + offset, where the array has as many elements as the coordinate has
  /// values
  std::optional<Permutation> permutation_in(const Term &left, std::size_t mode) const {
    std::vector<Term> calls = term::applications_of(left);
    const std::string &name = layout_.coordinates[mode];
    std::int64_t factor = term::coefficient_of(left, name);
    if (calls.size() != 1 || (factor != 1 && factor != -1)) return std::nullopt;
    const auto *call = calls[0].as<term::Apply>();
    const layout::Array *array = layout_.array(call->function);
    if (!array || array->extents != std::vector<Term>{term::variable(layout_.sizes[mode])})
      return std::nullopt;
    std::int64_t stored_factor = 0;
    for (const auto &[atom, coefficient] : term::linear_form(left).parts)
      if (atom == calls[0]) stored_factor = coefficient;
    if (stored_factor != 1 && stored_factor != -1) return std::nullopt;
    Term rest = left - term::scale(factor, term::variable(name)) - term::scale(stored_factor, calls[0]);
    for (const std::string &other : term::variables_of(rest))
      if (std::ranges::find(layout_.sizes, other) == layout_.sizes.end()) return std::nullopt;
    if (!term::applications_of(rest).empty() || mentions_coordinate(call->arguments[0])) return std::nullopt;
    return Permutation{mode,
                       name,
                       call->function,
                       factor == stored_factor ? -1 : 1,
                       term::scale(-factor, rest),
                       call->arguments[0],
                       "",
                       0};
  }

  /// Does nothing else determine its places? Where the k-th equation is not the only one with a coordinate
  /// and a position that it has, or another one has the array, the permutation is not packing's to choose.
  bool is_free(const Permutation &permutation, std::size_t k) const {
    for (std::size_t other = 0; other < conjuncts_.size(); ++other) {
      if (other == k) continue;
      for (const Term &call : term::applications_of(conjuncts_[other]))
        if (call.as<term::Apply>()->function == permutation.array) return false;
      const Term *left = term::equation(conjuncts_[other]);
      if (!left) continue;
      std::map<Term, Term> outside; // what stands in index arrays are positions that these tell
      for (const Term &call : term::applications_of(*left))
        outside.emplace(call, Term(0));
      Term bare = term::replace(*left, outside);
      for (const std::string &name : term::variables_of(permutation.at))
        if (is_position(name) && term::mentions(bare, name)) return false;
    }
    return true;
  }

  /// Two positions of an array, the first before the second.
  std::vector<Term> before(const std::string &array, const Term &p, const Term &q) const {
    return {term::at_most(Term(0), p), term::less(p, q), term::less(q, layout_.array(array)->extents[0])};
  }

  bool follows(std::vector<Term> hypotheses, const Term &conclusion) {
    if (!prover_) prover_.emplace(layout_.axioms());
    hypotheses.push_back(term::negation(conclusion));
    return prover_->refute("permutation", "packing", hypotheses) == prove::Answer::Refuted;
  }

  bool is_injective(const std::string &array) {
    Term p = term::variable(fresh_name("p")), q = term::variable(fresh_name("q"));
    return follows(before(array, p, q),
                   term::negation(term::equal(term::apply(array, {p}), term::apply(array, {q}))));
  }

  /// The least W that properties name for which floor(row(p) / W) = floor(p / W): 1 where the array
  /// increases.
  std::int64_t window_of(const Permutation &permutation) {
    Term size = term::variable(layout_.sizes[permutation.coordinate]);
    // Windows are told by what is stored, which must be the numbers from 0 on.
    if (permutation.offset != (permutation.sign > 0 ? Term(0) : size - Term(1))) return 0;
    Term p = term::variable(fresh_name("p")), q = term::variable(fresh_name("q"));
    auto stored = [&](const Term &at) { return term::apply(permutation.array, {at}); };
    if (follows(before(permutation.array, p, q), term::less(stored(p), stored(q)))) return 1;
    for (std::int64_t divisor : divisors_beside(permutation.array))
      if (follows({term::between(Term(0), p, size)},
                  term::equal(term::floor_divide(stored(p), divisor), term::floor_divide(p, divisor))))
        return divisor;
    return 0;
  }

  /// Divisors and factors in properties that apply the array.
  std::set<std::int64_t> divisors_beside(const std::string &array) const {
    std::set<std::int64_t> divisors;
    auto add = [&](std::int64_t divisor) {
      if (divisor > 1) divisors.insert(divisor);
    };
    for (const layout::Property &property : layout_.properties) {
      std::vector<Term> parts = term::conjuncts(property.axiom.guard);
      for (const Term &part : term::conjuncts(property.axiom.conclusion))
        parts.push_back(part);
      std::vector<Term> calls = term::applications_of(term::conjunction(parts));
      if (std::ranges::none_of(calls,
                               [&](const Term &call) { return call.as<term::Apply>()->function == array; }))
        continue;
      for (const Term &part : parts) {
        const auto *compare = part.as<term::Compare>();
        if (!compare) continue;
        for (const auto &[atom, factor] : term::linear_form(compare->left).parts) {
          add(std::abs(factor));
          if (const auto *quotient = atom.as<term::FloorDivide>()) add(quotient->divisor);
          if (const auto *rest = atom.as<term::Modulo>()) add(rest->divisor);
        }
      }
    }
    return divisors;
  }

  /// A name that nothing in the layout has.
  std::string fresh_name(std::string name) const {
    while (layout::is_taken(name, layout_))
      name += "_";
    return name;
  }

  const Layout &layout_;
  PlacedPiece result_;
  std::vector<Term> conjuncts_;
  std::optional<prove::Prover> prover_;
};

} // namespace

Piece without_sums(const Layout &layout, const Piece &piece) {
  return PlaceFinder(layout, piece).without_sums();
}

PlacedPiece tell_places(const Layout &layout, const Piece &piece) {
  return PlaceFinder(layout, piece).find();
}

std::pair<Mode, Key> stored_by(const Permutation &permutation, const Layout &layout) {
  return {{permutation.name, term::variable(permutation.name), Term(0),
           term::variable(layout.sizes[permutation.coordinate])},
          {permutation.array, {}, 0, permutation.sign, permutation.offset}};
}

bool shares_positions(const PiecePlan &plan) {
  return plan.levels.empty() || plan.levels.back().merge;
}

PiecePlan plan_of_places(PiecePlan plan) {
  term::Substitution coordinates;
  for (const Permutation &permutation : plan.permutations)
    coordinates.emplace(permutation.place, term::variable(permutation.name));
  for (Mode &mode : plan.modes)
    mode.value = term::substitute(mode.value, coordinates);
  return plan;
}

} // namespace unravel::packing
