// From a layout to a plan of packing, piece by piece.
#include "packing/pack_plan.h"

#include "packing/pack_implied.h"
#include "packing/pack_piece.h"
#include "packing/pack_segments.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::packing {

using layout::Piece;
using report::Kind;

namespace {

[[noreturn]] void fail(const Layout &layout, const Piece &piece, const std::string &reason,
                       const std::string &hint) {
  report::fail(Kind::cannot_pack, piece.span,
               fmt::format("coordinates can't be packed into layout `{}`: {}", layout.name, reason), hint);
}

/// The arrays that a piece reads.
std::set<std::string> arrays_of(const Piece &piece) {
  std::set<std::string> arrays;
  for (const term::Term &call : term::applications_of(piece.relation))
    arrays.insert(call.as<term::Apply>()->function);
  if (!piece.value.array.empty()) arrays.insert(piece.value.array);
  return arrays;
}

/// Do parts with constant subscripts make up the array?
bool is_whole(const layout::Array &array, const std::set<Determined::Part> &parts) {
  std::int64_t count = 1;
  for (std::size_t k = 0; k < parts.begin()->size(); ++k) {
    if (!(*parts.begin())[k]) continue;
    const auto *extent = array.extents[k].as<term::Constant>();
    if (!extent || __builtin_mul_overflow(count, extent->value, &count)) return false;
  }
  return static_cast<std::int64_t>(parts.size()) == count;
}

void check_arrays(const Layout &layout, const Determined &determined) {
  auto fail_about = [&](const std::string &what) {
    fail(layout, layout.pieces[0], fmt::format("its relation doesn't determine {}", what),
         "state how positions or coordinates determine it");
  };
  for (const layout::Array &array : layout.arrays) {
    auto found = determined.arrays.find(array.name);
    if (found == determined.arrays.end()) fail_about(fmt::format("array `{}`", array.name));
    if (!is_whole(array, found->second)) fail_about(fmt::format("all of array `{}`", array.name));
  }
  for (const layout::Count &count : layout.counts)
    if (!count.definition && !determined.counts.count(count.name))
      fail_about(fmt::format("count `{}`", count.name));
}

/// Properties but for `known` ones that don't follow from what packing ensures.
std::vector<std::size_t> unproved_properties(const Layout &layout, const PackPlan &plan,
                                             const std::set<std::size_t> &known) {
  Layout bare = layout; // what is to be proved must not be assumed
  bare.properties.clear();
  bare.lemmas.clear();
  std::vector<prove::Axiom> axioms = bare.axioms();
  std::ranges::move(ensured_by(plan, layout), std::back_inserter(axioms));
  prove::Prover prover(std::move(axioms));
  std::vector<std::size_t> unproved;
  for (std::size_t k = 0; k < layout.properties.size(); ++k) {
    const prove::Axiom &axiom = layout.properties[k].axiom;
    std::vector<term::Term> violation = term::conjuncts(axiom.guard);
    violation.push_back(term::negation(axiom.conclusion));
    if (!known.count(k) &&
        prover.refute("ensured by packing", axiom.text, violation) != prove::Answer::Refuted)
      unproved.push_back(k);
  }
  return unproved;
}

/// The level of a piece that may have too few positions for a node's entries, where it is told which of the
/// entries that are given has which.
std::optional<std::size_t> spilling_level(const PiecePlan &piece) {
  if (!piece.permutations.empty() ||
      !std::ranges::all_of(piece.modes, [](const Mode &mode) { return mode.is_of_entry(); }))
    return std::nullopt;
  for (std::size_t l = 0; l < piece.levels.size(); ++l)
    if (const Level &level = piece.levels[l];
        level.kind == Level::Kind::Padded && level.width > 0 && level.unused && !level.home)
      return l;
  return std::nullopt;
}

/// What pieces that aren't planned mean, each over the arrays of one that is.
void take_implied(const Layout &layout, PackPlan &plan) {
  for (std::size_t k = 0; k < layout.pieces.size(); ++k) {
    if (std::ranges::count(plan.pieces, k, &PiecePlan::piece)) continue;
    bool is_known = false;
    for (std::size_t number = 0; number < plan.pieces.size() && !is_known; ++number)
      if (std::optional<Implied> implied = implied_entry(layout.pieces[k], layout, plan, number)) {
        plan.implied.push_back(std::move(*implied));
        is_known = true;
      }
    plan.is_implied_known = plan.is_implied_known && is_known;
  }
  for (const PiecePlan &piece : plan.pieces) // which of them has an entry isn't told by its coordinate then
    plan.is_implied_known = plan.is_implied_known && !piece.spills;
}

/// What the position is counted back from where arrays are subscripted with it in no other way: M - 1, of
/// val(M - 1 - r, c).
std::optional<term::Term> counted_back_from(const std::string &position, const Piece &piece) {
  std::vector<term::Term> subscripts = piece.value.slots;
  for (const term::Term &call : term::applications_of(piece.relation))
    std::ranges::copy(call.as<term::Apply>()->arguments, std::back_inserter(subscripts));
  std::optional<term::Term> last;
  for (const term::Term &subscript : subscripts) {
    if (!term::mentions(subscript, position)) continue;
    const term::Term rest = subscript + term::variable(position);
    if (std::ranges::any_of(piece.positions,
                            [&](const std::string &other) { return term::mentions(rest, other); }))
      return std::nullopt;
    if (!last) last = rest;
  }
  return last;
}

/// Such positions are counted from the other end, so that arrays are written from their begin on.
void turn_positions(Piece &piece) {
  term::Substitution turned;
  for (const std::string &position : piece.positions)
    if (const auto last = counted_back_from(position, piece))
      turned.emplace(position, *last - term::variable(position));
  if (turned.empty()) return;
  piece.relation = term::substitute(piece.relation, turned);
  for (term::Term &slot : piece.value.slots)
    slot = term::substitute(slot, turned);
  std::map<term::Term, text::Span> places;
  for (const auto &[call, span] : piece.places)
    places.emplace(term::substitute(call, turned), span);
  piece.places = std::move(places);
}

} // namespace

bool PiecePlan::is_dense() const {
  return conditions.empty() && flags.empty() && limits.empty() && !value.empty() &&
         std::ranges::all_of(levels, [](const Level &level) { return level.is_dense(); });
}

bool PiecePlan::is_derived() const {
  return std::ranges::any_of(modes, [](const Mode &mode) { return !mode.is_coordinate(); });
}

PackPlan plan_packing(const Layout &given) {
  PackPlan plan;
  plan.segments = bound_segments_of(given);
  Layout layout = with_pointers(given, plan.segments);
  if (!plan.segments.empty()) { // of one array of pointers more follows
    layout.lemmas.clear();
    layout::derive_lemmas(layout);
  }
  std::ranges::for_each(layout.pieces, turn_positions);
  Determined determined;
  for (std::size_t k = 0; k < layout.pieces.size(); ++k) {
    std::set<std::string> arrays = arrays_of(layout.pieces[k]);
    auto known = static_cast<std::size_t>(
        std::ranges::count_if(arrays, [&](auto &name) { return determined.arrays.count(name); }));
    if (known == arrays.size() && !arrays.empty()) {
      plan.compared = true;
    } else if (known > 0) {
      fail(layout, layout.pieces[k], "this piece shares some arrays, but not all, with those before",
           "give the arrays as a folder");
    } else {
      plan.pieces.push_back(plan_piece(layout, k, false, determined));
    }
  }
  for (std::size_t k = 0; k + 1 < plan.pieces.size(); ++k)
    plan.pieces[k].spills = spilling_level(plan.pieces[k]);
  if (plan.compared) take_implied(layout, plan);
  for (const BoundSegments &segments : plan.segments)
    if (auto pointers = determined.arrays.find(segments.begin); pointers != determined.arrays.end())
      determined.arrays[segments.end] = pointers->second;
  check_arrays(layout, determined);
  plan.checked = unproved_properties(layout, plan, determined.properties);
  return plan;
}

std::optional<PiecePlan> plan_scan(const Layout &layout) {
  if (layout.pieces.size() > 1) return std::nullopt;
  try {
    Determined determined;
    return plan_piece(layout, 0, true, determined);
  } catch (const report::Error &error) {
    if (error.diagnostic().kind != Kind::cannot_pack) throw;
    return std::nullopt;
  }
}

} // namespace unravel::packing
