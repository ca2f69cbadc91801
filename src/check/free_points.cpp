#include "check/free_points.h"

#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::check {

FreePoints::FreePoints(ResolvedStatement &statement, Memory &memory,
                       const std::map<std::string, std::pair<std::int64_t, std::int64_t>> &ranges)
    : statement_(statement), memory_(memory) {
  for (Place &place : statement.places)
    take_bounds(place);
  for (const auto &[name, range] : ranges)
    if (const auto own = indices_.find(&memory.variables.all[name]); own != indices_.end()) {
      own->second.low = std::max(own->second.low, range.first);
      own->second.high = std::min(own->second.high, range.second);
    }
  plan();
}

FreePoints::Index *FreePoints::index_of(const PlaceSubscript &subscript) {
  report::require(!subscript.term && subscript.parts.size() <= 1 &&
                      (subscript.parts.empty() || subscript.parts.front().second == 1),
                  "a free statement's subscripts are indices, shifted");
  return subscript.parts.empty() ? nullptr : &indices_.at(subscript.parts.front().first);
}

/// Each index takes the values from 0 on at which all subscripts lie inside.
void FreePoints::take_bounds(Place &place) {
  const std::vector<std::int64_t> &shape = place.operand ? place.operand->shape() : place.written->shape;
  for (std::size_t k = 0; k < place.subscripts.size(); ++k) {
    const PlaceSubscript &subscript = place.subscripts[k];
    if (subscript.parts.empty()) continue;
    Variables::Variable *variable = subscript.parts.front().first;
    const auto [own, is_fresh] = indices_.try_emplace(variable, Index{variable});
    if (is_fresh) order_.push_back(&own->second);
    own->second.low = std::max(own->second.low, -subscript.constant);
    const __int128 high = static_cast<__int128>(shape.at(k)) - subscript.constant;
    own->second.high = static_cast<std::int64_t>(std::clamp<__int128>(high, 0, own->second.high));
  }
}

void FreePoints::plan() {
  std::vector<std::vector<Place *>> left = statement_.supports;
  while (!left.empty()) {
    struct Offer {
      Step step;
      bool is_reachable = true, is_known = true;
      double steps = 0;
    };
    std::vector<Offer> offers;
    for (const std::vector<Place *> &support : left) {
      Offer offer{step_of(support)};
      for (const Access &access : offer.step) {
        offer.is_known = offer.is_known && access.fresh.empty() && access.missing.empty();
        offer.is_reachable =
            offer.is_reachable && (steps_.empty() || access.fresh.empty() || !access.known.empty());
      }
      offer.steps = steps_of(offer.step);
      offers.push_back(std::move(offer));
    }
    const auto best = std::ranges::min_element(offers, [&](const Offer &a, const Offer &b) {
      if (a.is_reachable != b.is_reachable) return a.is_reachable;
      if (!steps_.empty() && a.is_known != b.is_known) return a.is_known;
      return a.steps < b.steps;
    });
    for (Access &access : best->step) {
      for (const Mode &mode : access.known)
        access.known_modes.push_back(mode.mode);
      access.entries = &access.place->operand->by(access.known_modes);
      access.at.resize(access.known.size());
      for (const Mode &mode : access.fresh)
        mode.index->is_bound = true;
    }
    steps_.push_back(std::move(best->step));
    left.erase(left.begin() + (best - offers.begin()));
  }
  for (Index *index : order_)
    if (!index->is_bound) rest_.push_back(index);
}

/// As the step is where it comes next.
FreePoints::Step FreePoints::step_of(const std::vector<Place *> &support) {
  Step step;
  std::vector<Index *> all; // that the step binds
  for (Place *place : support) {
    Access access{.place = place};
    for (std::size_t mode = 0; mode < place->subscripts.size(); ++mode) {
      PlaceSubscript &subscript = place->subscripts[mode];
      Index *index = index_of(subscript);
      (!index || index->is_bound ? access.known : access.fresh).push_back({mode, &subscript, index});
      if (index && !index->is_bound && std::ranges::find(all, index) == all.end()) all.push_back(index);
    }
    step.push_back(std::move(access));
  }
  for (Access &access : step)
    for (Index *index : all)
      if (std::ranges::find(access.fresh, index, &Mode::index) == access.fresh.end())
        access.missing.push_back(index);
  return step;
}

/// About how many there are, if nothing is known before.
double FreePoints::steps_of(const Step &step) const {
  double all = 0;
  for (const Access &access : step) {
    auto own = static_cast<double>(access.place->operand->size());
    for (const Index *index : access.missing)
      own *= static_cast<double>(index->high - index->low);
    all += own;
  }
  return all;
}

void FreePoints::each(const std::function<void()> &visit) {
  for (const Index *index : order_)
    if (index->low >= index->high) return;
  // Extents of tensors have the names of index variables.
  std::vector<Variables::Variable> before;
  for (const Index *index : order_)
    before.push_back(*index->variable), index->variable->is_known = true;
  visit_ = &visit;
  join(0);
  for (std::size_t k = 0; k < order_.size(); ++k)
    *order_[k]->variable = before[k];
  for (Place &place : statement_.places)
    place.entry = Entries::none;
}

void FreePoints::join(std::size_t depth) {
  if (depth == steps_.size()) return run_over(0);
  for (std::size_t number = 0; number < steps_[depth].size(); ++number)
    join(depth, number);
}

/// The entries of that access of the support.
void FreePoints::join(std::size_t depth, std::size_t number) {
  Access &access = steps_[depth][number];
  const bool is_alone = steps_[depth].size() == 1;
  for (std::size_t k = 0; k < access.known.size(); ++k)
    access.at[k] = value_of(*access.known[k].subscript, memory_.variables);
  access.place->operand->each(*access.entries, access.known_modes, access.at.data(), [&](std::size_t e) {
    if (!binds(access, e)) return;
    if (!is_alone) return fill_in(depth, number, 0);
    access.place->entry = e;
    join(depth + 1);
  });
}

/// Gives the indices that occur here first their values. False where the entry contradicts itself, as of
/// A(i, i), or lies outside.
bool FreePoints::binds(const Access &access, std::size_t e) const {
  const Entries &entries = *access.place->operand;
  for (const auto &[mode, subscript, index] : access.fresh) {
    const std::int64_t value = entries.index(mode, e) - subscript->constant;
    if (value < index->low || value >= index->high) return false;
    index->variable->value = value;
  }
  return std::ranges::all_of(access.fresh, [&](const Mode &mode) {
    return mode.index->variable->value == entries.index(mode.mode, e) - mode.subscript->constant;
  });
}

/// Runs over the indices that the access doesn't have; leaves out points at which one of the support before
/// it is stored, as they have been visited.
void FreePoints::fill_in(std::size_t depth, std::size_t number, std::size_t k) {
  const Step &step = steps_[depth];
  if (k < step[number].missing.size()) {
    const Index &index = *step[number].missing[k];
    for (std::int64_t value = index.low; value < index.high; ++value)
      index.variable->value = value, fill_in(depth, number, k + 1);
    return;
  }
  const bool is_visited =
      std::any_of(step.begin(), step.begin() + static_cast<std::ptrdiff_t>(number), [&](const Access &other) {
        return other.place->operand->find(coordinate_of(*other.place, memory_.variables).data()) !=
               Entries::none;
      });
  if (!is_visited) join(depth + 1);
}

void FreePoints::run_over(std::size_t k) {
  if (k == rest_.size()) return (*visit_)();
  const Index &index = *rest_[k];
  for (std::int64_t value = index.low; value < index.high; ++value)
    index.variable->value = value, run_over(k + 1);
}

} // namespace unravel::check
