// Tiles of a coordinate or of a position: strip mining, and with it, by the order, tiling.
#include "schedule/transform.h"

#include "schedule/shared.h"

#include <algorithm>

namespace unravel::schedule {

void tile(combine::IterationSpace &space, const Transformation &how) {
  bool outermost = how.kind == Transformation::Kind::Tile;
  std::string of = how.variable.text;
  add_variable(
      space, {added_name(how), of, term::floor_divide(term::variable(of), how.number), outermost, how.number},
      how);
}

std::optional<parse::ScheduleTree> untiled(const parse::ScheduleTree &schedule,
                                           const combine::IterationSpace &space) {
  using Kind = Transformation::Kind;
  const bool others = std::ranges::any_of(
      schedule.transformations, [](auto &how) { return how.kind != Kind::Tile && how.kind != Kind::Split; });
  auto is_tile = [&](const parse::Name &name) {
    return std::ranges::any_of(space.added, [&](auto &added) { return added.name == name.text; });
  };
  if (others || std::ranges::any_of(schedule.parallel, is_tile)) return std::nullopt;
  parse::ScheduleTree result = schedule;
  result.transformations.clear();
  result.order = untransformed(schedule.order, space);
  std::erase_if(result.order, // what only other leaves know
                [&](const parse::Name &name) { return !has(space, name.text); });
  return result;
}

std::optional<term::Term> is_one_tile(const combine::IterationSpace &space,
                                      const std::map<std::string, term::Term> &extents) {
  std::vector<term::Term> parts;
  for (const combine::AddedVariable &added : space.added) {
    if (added.tile == 0 || !added.outermost) return std::nullopt;
    const bool of_tile =
        std::ranges::any_of(space.added, [&](auto &other) { return other.name == added.of; });
    if (of_tile) continue; // one tile is one of these
    auto extent = extents.find(added.of);
    if (extent == extents.end()) return std::nullopt;
    parts.push_back(term::at_most(extent->second, term::Term(added.tile)));
  }
  if (parts.empty()) return std::nullopt;
  return term::conjunction(std::move(parts));
}

} // namespace unravel::schedule
