// Derived coordinates, found in a relation.
#include "packing/pack_modes.h"

#include "layout/property.h"
#include "term/quotient.h"
#include "term/solve.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

namespace unravel::packing {

using layout::Piece;

namespace {

/// The values that an integer takes at most.
struct Interval {
  std::optional<std::int64_t> low, high;

  bool is_finite() const { return low && high && *low <= *high; }
};

/// Takes coefficient * x + constant >= 0 into account.
void tighten(Interval &interval, std::int64_t coefficient, std::int64_t constant) {
  if (coefficient == 1) interval.low = std::max(interval.low.value_or(-constant), -constant);
  if (coefficient == -1) interval.high = std::min(interval.high.value_or(constant), constant);
}

class Deriver {
public:
  Deriver(const Layout &layout, const Piece &piece, const std::vector<Permutation> &permutations)
      : layout_(layout), piece_(piece) {
    result_.conjuncts = term::conjuncts(piece.relation);
    for (std::size_t k = 0; k < layout.order(); ++k) {
      std::string name = layout.coordinates[k];
      for (const Permutation &permutation : permutations)
        if (permutation.coordinate == k) name = permutation.place;
      result_.modes.push_back({name, term::variable(name), Term(0), term::variable(layout.sizes[k])});
      result_.coordinates.push_back(term::variable(name));
      taken_.insert(name);
    }
  }

  DerivedRelation derive() {
    while (split_any() || combine_any() || cover_any() || scale_any())
      ;
    for (std::size_t m = 0; m < result_.modes.size(); ++m)
      if (run(m)) break; // runs in two coordinates would be rectangles
    return std::move(result_);
  }

private:
  const Term *equation(std::size_t k) const { return term::equation(result_.conjuncts[k]); }

  std::vector<std::size_t> modes_in(const Term &term) const {
    std::vector<std::size_t> found;
    for (std::size_t m = 0; m < result_.modes.size(); ++m)
      if (term::mentions(term, result_.modes[m].name)) found.push_back(m);
    return found;
  }

  bool is_position(const Term &atom) const {
    const auto *name = atom.as<term::Variable>();
    return name && std::ranges::find(piece_.positions, name->name) != piece_.positions.end();
  }

  std::string fresh_name(const std::string &base) {
    std::string name = base;
    while (layout::is_taken(name, layout_) || !taken_.insert(name).second)
      name += "_";
    return name;
  }

  /// Bounds that the relation states, else, of an index array, those that a property states.
  Interval bounds_of(const Term &atom) const {
    Interval result;
    for (const Term &part : result_.conjuncts)
      tighten_by(result, part, [&](const Term &other) { return other == atom; });
    const auto *call = atom.as<term::Apply>();
    if (!call || result.is_finite()) return result;
    for (const layout::Property &property : layout_.properties)
      for (const Term &part : term::conjuncts(property.axiom.conclusion))
        tighten_by(result, part, [&](const Term &other) {
          const auto *applied = other.as<term::Apply>();
          return applied && applied->function == call->function && applied->arguments.size() == 1 &&
                 applied->arguments[0].as<term::Variable>();
        });
    return result;
  }

  template <class Same> static void tighten_by(Interval &interval, const Term &part, Same same) {
    const Term *left = term::inequality(part);
    if (!left) return;
    term::Linear form = term::linear_form(*left);
    if (form.parts.size() == 1 && same(form.parts[0].first))
      tighten(interval, form.parts[0].second, form.constant);
  }

  /// Covers depend on all entries, so nothing more is derived from them.
  bool is_cover(std::size_t m) const { return result_.modes[m].cover > 0 || result_.modes[m].rest; }

  // ---- i = R*u + v

  bool split_any() {
    for (std::size_t k = 0; k < result_.conjuncts.size(); ++k) {
      if (!equation(k)) continue;
      std::vector<std::size_t> modes = modes_in(*equation(k));
      if (modes.size() != 1 || is_cover(modes[0])) continue;
      term::Linear form = term::linear_form(*equation(k));
      for (const auto &[atom, coefficient] : form.parts)
        if (split(k, modes[0], form, atom, coefficient)) return true;
    }
    return false;
  }

  bool split(std::size_t k, std::size_t m, const term::Linear &form, const Term &inner,
             std::int64_t inner_factor) {
    Term mode = term::variable(result_.modes[m].name);
    std::int64_t factor = term::coefficient_of(*equation(k), result_.modes[m].name);
    bool call = inner.as<term::Apply>() != nullptr;
    if (std::abs(factor) != 1 || std::abs(inner_factor) != 1 || (!call && !is_position(inner))) return false;
    std::int64_t common = 0;
    bool placed = false; // whether something else is to be found out
    for (const auto &[atom, coefficient] : form.parts) {
      if (atom == mode || atom == inner) continue;
      common = std::gcd(common, coefficient);
      placed = placed || is_position(atom) || atom.as<term::Apply>();
    }
    if (!placed) return false;
    Interval range = bounds_of(inner);
    // What an index array holds is chosen by packing: any residues will do.
    if (call && !range.is_finite() && common > 1) range = {0, common - 1};
    if (!range.is_finite()) return false;
    std::int64_t divisor = *range.high - *range.low + 1;
    if (divisor <= 0 || common % divisor != 0) return false;

    // mode = sign * inner + outer + constant, where divisor divides outer
    std::int64_t sign = -factor * inner_factor, constant = -factor * form.constant;
    std::int64_t least = sign > 0 ? *range.low : -*range.high; // of sign * inner
    Term outer;
    for (const auto &[atom, coefficient] : form.parts)
      if (atom != mode && atom != inner) outer = outer + term::scale(-factor * (coefficient / divisor), atom);
    std::int64_t whole = term::floor_quotient(constant + least, divisor),
                 low = constant + least - whole * divisor;
    const Mode old = result_.modes[m];
    Term from = old.value - Term(low);
    Term first = term::floor_divide(old.least - Term(low), divisor);
    Mode block{fresh_name(old.name + "_block"), term::floor_divide(from, divisor), first,
               term::ceil_divide(old.least + old.size - Term(low), divisor) - first};
    Mode within{fresh_name(old.name + "_within"), term::modulo(from, divisor), Term(0), Term(divisor)};
    Term u = term::variable(block.name), v = term::variable(within.name);
    result_.conjuncts[k] = term::equal(u, outer + Term(whole));
    result_.conjuncts.insert(result_.conjuncts.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                             term::equal(v, term::scale(sign, inner) - Term(least)));
    result_.modes[m] = block;
    result_.modes.insert(result_.modes.begin() + static_cast<std::ptrdiff_t>(m) + 1, within);
    replace(old.name, term::scale(divisor, u) + v + Term(low));
    return true;
  }

  // ---- j = i + u

  bool combine_any() {
    for (std::size_t k = 0; k < result_.conjuncts.size(); ++k)
      if (equation(k) && combine(k)) return true;
    return false;
  }

  /// Positions that an equation other than the k-th sets equal to a mode, but for a sign and an offset.
  term::Substitution known_positions(std::size_t k) const {
    term::Substitution known;
    for (std::size_t other = 0; other < result_.conjuncts.size(); ++other) {
      const Term *left = other == k ? nullptr : equation(other);
      if (!left || !term::applications_of(*left).empty()) continue;
      std::vector<std::size_t> modes = modes_in(*left);
      std::vector<std::string> positions;
      for (const std::string &position : piece_.positions)
        if (term::mentions(*left, position)) positions.push_back(position);
      if (modes.size() != 1 || positions.size() != 1) continue;
      std::int64_t factor = term::coefficient_of(*left, positions[0]);
      if (std::abs(factor) != 1 || std::abs(term::coefficient_of(*left, result_.modes[modes[0]].name)) != 1)
        continue;
      known.emplace(positions[0],
                    term::scale(-factor, *left - term::scale(factor, term::variable(positions[0]))));
    }
    return known;
  }

  bool combine(std::size_t k) {
    // Substituting only outside index arrays: their arguments are positions.
    term::Substitution known = known_positions(k);
    term::Linear form = term::linear_form(*equation(k));
    Term left(form.constant);
    bool placed = false;
    for (const auto &[atom, coefficient] : form.parts) {
      const auto *name = atom.as<term::Variable>();
      auto found = name ? known.find(name->name) : known.end();
      left = left + term::scale(coefficient, found == known.end() ? atom : found->second);
      placed = placed || atom.as<term::Apply>() || (is_position(atom) && found == known.end());
    }
    std::vector<std::size_t> modes = modes_in(left);
    if (!placed || modes.size() < 2) return false;
    for (std::size_t m : modes)
      if (is_cover(m) || std::abs(term::coefficient_of(left, result_.modes[m].name)) != 1) return false;
    for (std::size_t m : modes)
      if (is_only_in(m, k)) {
        introduce(k, m, left, modes);
        return true;
      }
    return false;
  }

  // ---- j = start + v

  bool cover_any() {
    for (std::size_t k = 0; k < result_.conjuncts.size(); ++k)
      if (equation(k) && cover(k)) return true;
    return false;
  }

  /// Blocks that begin anywhere: the positions of an index array in the equation are those of the blocks.
  bool cover(std::size_t k) {
    std::vector<std::size_t> modes = modes_in(*equation(k));
    term::Linear form = term::linear_form(*equation(k));
    if (modes.size() != 1 || form.parts.size() != 3 || !is_only_in(modes[0], k)) return false;
    const Mode old = result_.modes[modes[0]];
    std::int64_t factor = term::coefficient_of(*equation(k), old.name);
    std::optional<Term> start, inner;
    for (const auto &[atom, coefficient] : form.parts) {
      if (coefficient == -factor && atom.as<term::Apply>()) start = atom;
      if (coefficient == -factor && is_position(atom)) inner = atom;
    }
    if (std::abs(factor) != 1 || !start || !inner || is_cover(modes[0])) return false;
    Interval range = bounds_of(*inner);
    if (!range.is_finite()) return false;
    // mode - low = start + (inner - least), where low = least + constant
    std::int64_t least = *range.low, low = least - factor * form.constant;
    Mode block{fresh_name(old.name + "_start"), old.value - Term(low), old.least - Term(low), old.size};
    block.cover = *range.high - least + 1;
    Mode within{fresh_name(old.name + "_rest"), block.value, Term(0), Term(block.cover)};
    within.rest = true;
    Term u = term::variable(block.name), v = term::variable(within.name);
    result_.conjuncts[k] = term::equal(u, *start);
    result_.conjuncts.insert(result_.conjuncts.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                             term::equal(v, *inner - Term(least)));
    result_.modes[modes[0]] = block;
    result_.modes.insert(result_.modes.begin() + static_cast<std::ptrdiff_t>(modes[0]) + 1, within);
    replace(old.name, u + v + Term(low));
    return true;
  }

  // ---- 2*j = u

  bool scale_any() {
    for (std::size_t k = 0; k < result_.conjuncts.size(); ++k)
      if (equation(k) && scale(k)) return true;
    return false;
  }

  /// What is stored is a multiple of the mode: that is a mode in its place.
  bool scale(std::size_t k) {
    std::vector<std::size_t> modes = modes_in(*equation(k));
    if (modes.size() != 1 || is_cover(modes[0]) || !is_only_in(modes[0], k)) return false;
    const Mode old = result_.modes[modes[0]];
    std::int64_t factor = term::coefficient_of(*equation(k), old.name), size = std::abs(factor);
    if (size < 2) return false;
    Mode multiple{fresh_name(old.name + "_multiple"), term::scale(size, old.value),
                  term::scale(size, old.least), term::scale(size, old.size - Term(1)) + Term(1)};
    Term name = term::variable(multiple.name);
    result_.conjuncts[k] = term::equal(
        *equation(k) + term::scale(factor / size, name - term::scale(size, term::variable(old.name))),
        Term(0));
    result_.modes[modes[0]] = multiple;
    replace(old.name, term::floor_divide(name, size));
    return true;
  }

  // ---- first <= j < stop

  /// A bound that holds in one inequality: factor * mode + rest + (applications at positions) >= 0.
  struct RunBound {
    std::size_t conjunct = 0;
    std::vector<std::pair<Term, std::int64_t>> calls;
    Term rest; // over sizes
  };

  std::vector<RunBound> run_bounds(std::size_t m, std::int64_t factor) const {
    std::vector<RunBound> found;
    for (std::size_t k = 0; k < result_.conjuncts.size(); ++k) {
      const Term *left = term::inequality(result_.conjuncts[k]);
      if (!left || term::coefficient_of(*left, result_.modes[m].name) != factor) continue;
      RunBound bound{k, {}, Term(term::linear_form(*left).constant)};
      bool plain = true;
      for (const auto &[atom, coefficient] : term::linear_form(*left).parts) {
        const auto *name = atom.as<term::Variable>();
        if (atom.as<term::Apply>())
          bound.calls.emplace_back(atom, coefficient);
        else if (name && std::ranges::find(layout_.sizes, name->name) != layout_.sizes.end())
          bound.rest = bound.rest + term::scale(coefficient, atom);
        else
          plain = plain && atom == term::variable(result_.modes[m].name);
      }
      if (plain && !bound.calls.empty()) found.push_back(std::move(bound));
    }
    return found;
  }

  bool run(std::size_t m) {
    const Mode old = result_.modes[m];
    if (!old.is_coordinate() || !is_only_in(m, result_.conjuncts.size())) return false;
    std::vector<RunBound> lows = run_bounds(m, 1), highs = run_bounds(m, -1);
    if (lows.size() != 1 || highs.size() != 1) return false;
    const RunBound &low = lows[0], &high = highs[0];
    // first = start - low.rest, and either stop = end + high.rest + 1 or that is start + length.
    if (low.calls.size() != 1 || low.calls[0].second != -1) return false;
    const Term &start = low.calls[0].first;
    std::optional<Term> other;
    bool length = high.calls.size() == 2;
    for (const auto &[call, coefficient] : high.calls) {
      if (coefficient != 1) return false;
      if (!length || call != start) other = call;
    }
    if (high.calls.size() > 2 || !other || *other == start) return false;
    if (length && high.calls[0].first != start && high.calls[1].first != start) return false;

    Mode first{fresh_name(old.name + "_first"), old.value, old.least, old.size};
    first.run = Mode::Run::First;
    Mode last{fresh_name(old.name + "_last"), old.value, old.least, old.size};
    last.run = Mode::Run::Last;
    if (length) {
      last = {fresh_name(old.name + "_length"), Term(1), Term(1), old.size};
      last.run = Mode::Run::Length;
    }
    Term u = term::variable(first.name), v = term::variable(last.name);
    result_.conjuncts[low.conjunct] = term::equal(u, start - low.rest);
    // last = other + high.rest, or length - 1 = other + high.rest + low.rest
    result_.conjuncts[high.conjunct] =
        length ? term::equal(v, *other + high.rest + low.rest + Term(1)) : term::equal(v, *other + high.rest);
    result_.modes[m] = first;
    result_.modes.insert(result_.modes.begin() + static_cast<std::ptrdiff_t>(m) + 1, last);
    replace(old.name, u);
    result_.conjuncts.push_back(run_has_entries(first, last));
    return true;
  }

  /// Whether no other equation has the mode.
  bool is_only_in(std::size_t m, std::size_t k) const {
    for (std::size_t other = 0; other < result_.conjuncts.size(); ++other)
      if (other != k && equation(other) && term::mentions(*equation(other), result_.modes[m].name))
        return false;
    return true;
  }

  /// Mode m gives way to the combination of modes that the k-th equation has.
  void introduce(std::size_t k, std::size_t m, const Term &left, const std::vector<std::size_t> &modes) {
    const Mode old = result_.modes[m];
    std::int64_t factor = term::coefficient_of(left, old.name);
    Mode sum{fresh_name(old.name + "_shift"), Term(0), Term(0), Term(1)};
    Term combination, others; // over modes
    for (std::size_t other : modes) {
      const Mode &mode = result_.modes[other];
      std::int64_t sign = factor * term::coefficient_of(left, mode.name);
      Term part = term::scale(sign, term::variable(mode.name));
      combination = combination + part;
      if (other != m) others = others + part;
      sum.value = sum.value + term::scale(sign, mode.value);
      sum.least = sum.least + (sign > 0 ? mode.least : Term(1) - mode.least - mode.size);
      sum.size = sum.size + mode.size - Term(1);
    }
    Term rest = left - term::scale(factor, combination);
    Term name = term::variable(sum.name);
    result_.conjuncts[k] = term::equal(name, term::scale(-factor, rest));
    result_.modes[m] = sum;
    replace(old.name, name - others);
  }

  void replace(const std::string &mode, const Term &by) {
    for (Term &part : result_.conjuncts)
      part = term::substitute(part, {{mode, by}});
    for (Term &coordinate : result_.coordinates)
      coordinate = term::substitute(coordinate, {{mode, by}});
  }

  const Layout &layout_;
  const Piece &piece_;
  DerivedRelation result_;
  std::set<std::string> taken_;
};

} // namespace

Term run_has_entries(const Mode &first, const Mode &end) {
  Term least = end.run == Mode::Run::Length ? Term(1) : term::variable(first.name);
  return term::at_most(least, term::variable(end.name));
}

DerivedRelation derive_modes(const Layout &layout, const Piece &piece,
                             const std::vector<Permutation> &permutations) {
  return Deriver(layout, piece, permutations).derive();
}

} // namespace unravel::packing
