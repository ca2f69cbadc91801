
#include "packing/pack_forms.h"
#include "term/solve.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::packing {

namespace {

/// What a conjunct says a position is below.
std::optional<Term> upper_bound(const Term &part, const std::string &position) {
  const Term *left = term::inequality(part);
  if (!left || term::coefficient_of(*left, position) != -1) return std::nullopt;
  return *left + term::variable(position) + Term(1);
}

bool tells_lengths(Level &level, const Term &bound, const std::vector<Level> &levels) {
  const auto *call = bound.as<term::Apply>();
  if (!call) return false;
  std::vector<std::size_t> numbering = numbering_levels(levels);
  std::optional<std::vector<Slot>> slots = slots_of(call->arguments, levels, "");
  if (!slots || slots->size() != numbering.size()) return false;
  for (const Slot &slot : *slots)
    std::erase(numbering, slot.level);
  if (!numbering.empty()) return false;
  level.lengths = call->function;
  level.length_slots = std::move(*slots);
  return true;
}

} // namespace

bool has_length_bound(const std::string &position, const std::vector<Term> &conjuncts) {
  return std::ranges::any_of(conjuncts, [&](const Term &part) {
    std::optional<Term> bound = upper_bound(part, position);
    return bound && bound->as<term::Apply>();
  });
}

std::optional<std::size_t> set_lengths(Level &level, const std::vector<Term> &conjuncts, const Term &begin,
                                       const std::vector<Level> &levels) {
  for (std::size_t k = 0; k < conjuncts.size(); ++k) {
    std::optional<Term> bound = upper_bound(conjuncts[k], level.position);
    if (bound && tells_lengths(level, *bound - begin, levels)) return k;
  }
  return std::nullopt;
}

std::vector<Place> places_of(const std::string &position, const layout::Piece &piece,
                             const layout::Layout &layout) {
  std::vector<Place> places;
  auto add = [&](const std::string &array, const std::vector<Term> &subscripts) {
    for (std::size_t k = 0; k < subscripts.size(); ++k)
      if (term::mentions(subscripts[k], position)) places.push_back({array, layout.array(array)->extents[k]});
  };
  for (const Term &call : term::applications_of(piece.relation))
    add(call.as<term::Apply>()->function, call.as<term::Apply>()->arguments);
  if (!piece.value.array.empty()) add(piece.value.array, piece.value.slots);
  return places;
}

std::optional<Term> filler_of(const Level &level, const std::vector<Mode> &modes, PackOrders &orders) {
  const Key &first = level.keys[0];
  for (const Term &filler : {Term(0), term::scale(first.sign, modes[first.mode].least - first.offset)}) {
    bool fits = std::ranges::all_of(level.keys, [&](const Key &key) {
      const Mode &mode = modes[key.mode];
      Term value = term::scale(key.sign, filler) + key.offset;
      return orders.is_implied(term::between(mode.least, value, mode.least + mode.size),
                               {term::less(Term(0), mode.size)});
    });
    if (fits) return filler;
  }
  return std::nullopt;
}

std::optional<std::string> wrong_subscripts(const std::string &position, const std::vector<Term> &conjuncts,
                                            const std::vector<Level> &levels) {
  std::string above;
  std::vector<std::size_t> numbering = numbering_levels(levels);
  for (std::size_t l : numbering)
    above += (above.empty() ? "" : ", ") + levels[l].position;
  if (above.empty()) return std::nullopt;
  Level level;
  level.position = position;
  for (const Bounds &bounds : bounds_of(position, conjuncts)) {
    const auto *low = bounds.low.as<term::Apply>(), *high = bounds.high.as<term::Apply>();
    bool segments = low && high && low->function == high->function, lengths = high && bounds.low == Term(0);
    if (segments ? set_pointer(level, bounds, levels, numbering)
                 : !lengths || tells_lengths(level, bounds.high, levels))
      continue;
    return fmt::format("the subscripts of `{}` don't number the positions above `{}`: `{}`",
                       term::to_text(segments ? bounds.low : bounds.high), position, above);
  }
  return std::nullopt;
}

} // namespace unravel::packing
